// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches, block by block.

#include "Emulator.h"
#include "../Error.h"
#include "../Team.h"
#include "ThreadBlock.h"

#include <algorithm>

namespace weft::runtime {

/// Blocks of a launch whose blocks go on to other tiles: few, so that they do.
static constexpr int64_t persistentBlocks = 3;

void emulate(WeftTeam *team, const WeftLaunch *launch) {
  thread_local ThreadBlock block; // keeps its stacks from launch to launch
  std::string problem;
  BankUse banks;
  try {
    int64_t grid = launch->persistent ? std::min(launch->blocks, persistentBlocks) : launch->blocks;
    int64_t end = std::min(launch->end_block, grid);
    for (int64_t number = launch->first_block; number < end && problem.empty(); ++number)
      problem = block.run(*launch, number, grid, team, team->profile ? &banks : nullptr);
    if (team->profile)
      team->profile->add(launch->step, banks.passes());
    if (!problem.empty())
      problem = concat("kernel \"", launch->kernel, "\", ", problem);
  } catch (const Error &error) {
    problem = error.message;
  } catch (const std::exception &error) {
    problem = error.what();
  }
  if (!problem.empty())
    team->fail({WEFT_FAILURE_KERNEL, launch->step, 0, 0, problem});
}

} // namespace weft::runtime
