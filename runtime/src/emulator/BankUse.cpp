// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of a warp, by bank.

#include "BankUse.h"

#include <algorithm>
#include <set>

namespace weft::runtime {

/// What all banks give in one pass.
static constexpr int64_t banks = 32, wordBytes = 4;

void BankUse::note(uint32_t thread, const SharedAccess &access, const char *op) {
  auto lane = thread % warpThreads;
  Operation &operation = operations[{op, thread / warpThreads}];
  size_t number = operation.done[lane]++ - operation.ended;
  while (operation.open.size() <= number)
    operation.open.emplace_back();
  Together &together = operation.open[number];
  together.offsets[lane] = access.offset;
  together.bytes = access.bytes;
  ++together.arrived;
  while (!operation.open.empty() && operation.open.front().arrived == warpThreads)
    end(op, operation);
}

void BankUse::end(const char *op, Operation &operation) {
  Passes passes = count(operation.open.front()), &all = counted[op];
  operation.open.pop_front();
  ++operation.ended;
  all.taken += passes.taken;
  all.least += passes.least;
}

/// As many threads at a time as all banks could serve.
Passes BankUse::count(const Together &together) {
  Passes passes;
  auto atOnce =
      static_cast<size_t>(std::max<int64_t>(banks * wordBytes / std::max(together.bytes, wordBytes), 1));
  for (size_t first = 0; first < warpThreads; first += atOnce) {
    std::set<int64_t> words;
    for (size_t lane = first; lane < std::min(first + atOnce, warpThreads); ++lane)
      if (int64_t offset = together.offsets[lane]; offset != nowhere)
        for (int64_t word = offset / wordBytes; word * wordBytes < offset + together.bytes; ++word)
          words.insert(word);
    std::array<int64_t, banks> wanted{};
    for (int64_t word : words)
      ++wanted[static_cast<size_t>(word % banks)];
    passes.taken += *std::max_element(wanted.begin(), wanted.end());
    passes.least += (static_cast<int64_t>(words.size()) + banks - 1) / banks;
  }
  return passes;
}

void BankUse::endBlock() {
  for (auto &[place, operation] : operations)
    while (!operation.open.empty())
      end(place.first, operation);
  operations.clear();
}

} // namespace weft::runtime
