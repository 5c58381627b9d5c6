// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a kernel that run at a time, and may reach into what each other's threads share: one, or those of
// a cluster.

#ifndef WEFT_RUNTIME_EMULATOR_BLOCKCLUSTER_H
#define WEFT_RUNTIME_EMULATOR_BLOCKCLUSTER_H

#include "ThreadBlock.h"

#include <memory>
#include <string>
#include <vector>

namespace weft::runtime {

class BlockCluster {
public:
  /// Runs `count` blocks of a grid, from `first` on. What the kernel did wrong, or nothing. What its warps do
  /// at banks is noted unless `banks` is null.
  std::string run(const WeftLaunch &launch, int64_t first, int64_t count, int64_t grid, WeftTeam *team,
                  BankUse *banks);

  // What blocks ask.
  size_t size() const { return count; }
  ThreadBlock &block(size_t rank) { return *blocks[rank]; }
  /// How often all threads of all blocks have met.
  uint32_t meetings() const { return met; }
  /// Another thread waits for all others. True if it is the last one, and then all may go on.
  bool meet();
  uint32_t waitingThreads() const { return waiting; }
  bool hasAnyEnded() const;

private:
  bool step();
  bool isAnythingWrong() const;
  bool hasEnded() const;

  std::vector<std::unique_ptr<ThreadBlock>> blocks; ///< which keep their stacks from run to run
  size_t count = 0;
  bool isReversed = false;
  uint32_t waiting = 0, met = 0;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_EMULATOR_BLOCKCLUSTER_H
