// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes over shared memory, counted by hand from what the CUDA C++ Programming Guide says of banks.

#include "runtime/src/emulator/BankUse.h"

#include <functional>
#include <gtest/gtest.h>

using namespace weft::runtime;

namespace {

constexpr uint32_t warpThreads = 32;

/// What the threads of a warp do at once, each at its place.
Passes passesOf(int64_t bytes, const std::function<int64_t(int64_t lane)> &place) {
  BankUse banks;
  for (uint32_t lane = 0; lane < warpThreads; ++lane)
    banks.note(lane, {place(lane), bytes, 0, 1 << 20, false}, "load");
  banks.endBlock();
  return banks.passes().at("load");
}

void expectPasses(const Passes &passes, int64_t taken, int64_t least) {
  EXPECT_EQ(passes.taken, taken);
  EXPECT_EQ(passes.least, least);
}

} // namespace

TEST(BankUse, WordsOfAWarp) {
  expectPasses(passesOf(4, [](int64_t lane) { return lane * 4; }), 1, 1);
  expectPasses(passesOf(4, [](int64_t lane) { return (31 - lane) * 4; }), 1, 1);
  expectPasses(passesOf(4, [](int64_t) { return 64; }), 1, 1); // one word for all
  expectPasses(passesOf(4, [](int64_t lane) { return lane * 8; }), 2, 1);
  expectPasses(passesOf(4, [](int64_t lane) { return lane * 128; }), 32, 1);
  expectPasses(passesOf(4, [](int64_t lane) { return lane * 132; }), 1, 1); // a word behind each row
}

TEST(BankUse, NarrowAndWide) {
  expectPasses(passesOf(2, [](int64_t lane) { return lane * 2; }), 1, 1); // two to a word
  expectPasses(passesOf(2, [](int64_t lane) { return lane * 256; }), 32, 1);
  expectPasses(passesOf(8, [](int64_t lane) { return lane * 8; }), 2, 2); // half of a warp at a time
  expectPasses(passesOf(16, [](int64_t lane) { return lane * 16; }), 4, 4);
  expectPasses(passesOf(16, [](int64_t lane) { return lane * 128; }), 32, 4);
  expectPasses(passesOf(16, [](int64_t lane) { return lane * 80; }), 4, 4);
}

TEST(BankUse, ThreadsComeInAnyOrder) {
  BankUse banks;
  for (uint32_t lane = warpThreads; lane-- > 0;) // each goes on as far as it can
    for (int64_t turn = 0; turn < 3; ++turn) {
      banks.note(lane, {turn * 4096 + lane * 4, 4, 0, 1 << 20, false}, "load");
      banks.note(lane, {lane * 256, 4, 0, 1 << 20, true}, "store");
    }
  banks.endBlock();
  expectPasses(banks.passes().at("load"), 3, 3);
  expectPasses(banks.passes().at("store"), 96, 3);
}

TEST(BankUse, SomeThreadsAndWarpsAndBlocks) {
  BankUse banks;
  for (int block = 0; block < 2; ++block) {
    for (uint32_t thread = 0; thread < 2 * warpThreads; ++thread) {
      banks.note(thread, {thread % warpThreads * 4, 4, 0, 1 << 20, false}, "load");
      if (thread % 8 == 0)
        banks.note(thread, {thread * 128, 4, 0, 1 << 20, false}, "some");
    }
    banks.endBlock();
  }
  expectPasses(banks.passes().at("load"), 4, 4);
  expectPasses(banks.passes().at("some"), 16, 4);
}

TEST(BankUse, OperationsOfOneName) {
  std::string first = "load", second = "load"; // texts of their own
  BankUse banks;
  for (uint32_t lane = 0; lane < warpThreads; ++lane) {
    banks.note(lane, {lane * 4, 4, 0, 1 << 20, false}, first.c_str());
    if (lane < 16)
      banks.note(lane, {lane * 128, 4, 0, 1 << 20, false}, second.c_str());
    banks.note(lane, {lane * 4, 4, 0, 1 << 20, false}, first.c_str());
  }
  banks.endBlock();
  expectPasses(banks.passes().at("load"), 18, 3);
}
