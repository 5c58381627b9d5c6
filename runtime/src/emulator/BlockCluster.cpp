// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes turns between blocks.

#include "BlockCluster.h"

#include <algorithm>

namespace weft::runtime {

std::string BlockCluster::run(const WeftLaunch &launch, int64_t first, int64_t wanted, int64_t grid,
                              WeftTeam *team, BankUse *banks) {
  count = static_cast<size_t>(wanted);
  while (blocks.size() < count)
    blocks.push_back(std::make_unique<ThreadBlock>());
  waiting = met = 0;
  // Every other one goes the other way round, and has its tiles at once, not as late as they can be: a result
  // must not depend on who comes first.
  isReversed = first / wanted % 2 != 0;
  for (size_t rank = 0; rank < count; ++rank)
    blocks[rank]->begin(launch, {this, first + static_cast<int64_t>(rank), grid, isReversed}, team, banks);
  while (!isAnythingWrong() && !hasEnded()) {
    if (step())
      continue;
    bool hasMoved = false;
    for (size_t rank = 0; rank < count; ++rank)
      hasMoved |= blocks[rank]->deliverAll();
    if (!hasMoved)
      break;
  }
  for (size_t rank = 0; rank < count; ++rank)
    if (!isAnythingWrong() && !blocks[rank]->hasEnded())
      blocks[rank]->reportStall();
  std::string problem;
  for (size_t rank = 0; rank < count; ++rank) {
    const std::string &mine = blocks[rank]->end();
    problem = problem.empty() ? mine : problem;
  }
  return problem;
}

/// Whether any thread has gone on.
bool BlockCluster::step() {
  bool hasMoved = false;
  for (size_t i = 0; i < count && !isAnythingWrong(); ++i)
    hasMoved |= blocks[isReversed ? count - 1 - i : i]->step();
  return hasMoved;
}

bool BlockCluster::isAnythingWrong() const {
  return std::any_of(blocks.begin(), blocks.begin() + static_cast<ptrdiff_t>(count),
                     [](const auto &block) { return block->isAnythingWrong(); });
}

bool BlockCluster::hasEnded() const {
  return std::all_of(blocks.begin(), blocks.begin() + static_cast<ptrdiff_t>(count),
                     [](const auto &block) { return block->hasEnded(); });
}

bool BlockCluster::hasAnyEnded() const {
  return std::any_of(blocks.begin(), blocks.begin() + static_cast<ptrdiff_t>(count),
                     [](const auto &block) { return block->hasAnyEnded(); });
}

bool BlockCluster::meet() {
  if (++waiting < count * blocks.front()->threadCount())
    return false;
  waiting = 0;
  ++met;
  for (size_t rank = 0; rank < count; ++rank)
    blocks[rank]->meetOthers();
  return true;
}

} // namespace weft::runtime
