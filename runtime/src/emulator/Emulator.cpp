// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches, cluster by cluster; where there are none, block by block.

#include "Emulator.h"
#include "../Error.h"
#include "../Team.h"
#include "BlockCluster.h"

#include <algorithm>

namespace weft::runtime {

/// Clusters of a launch whose blocks go on to other tiles: few, so that they do.
static constexpr int64_t persistentClusters = 3;

static int64_t roundUp(int64_t count, int64_t unit) { return (count + unit - 1) / unit * unit; }

void emulate(WeftTeam *team, const WeftLaunch *launch) {
  thread_local BlockCluster cluster; // keeps its stacks from launch to launch
  std::string problem;
  BankUse banks;
  try {
    int64_t each = std::max<int64_t>(launch->persistent, 1), grid = roundUp(launch->blocks, each);
    if (launch->persistent)
      grid = std::min(grid, persistentClusters * each);
    int64_t end = std::min(launch->end_block, grid); // clusters are those of their first blocks
    for (int64_t first = roundUp(launch->first_block, each); first < end && problem.empty(); first += each)
      problem = cluster.run(*launch, first, each, grid, team, team->profile ? &banks : nullptr);
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
