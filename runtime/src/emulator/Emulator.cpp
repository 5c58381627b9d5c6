// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches, block by block.

#include "Emulator.h"
#include "../Error.h"
#include "../Team.h"
#include "ThreadBlock.h"

namespace weft::runtime {

void emulate(WeftTeam *team, const WeftLaunch *launch) {
  thread_local ThreadBlock block; // keeps its stacks from launch to launch
  std::string problem;
  try {
    for (int64_t number = launch->first_block; number < launch->end_block && problem.empty(); ++number)
      problem = block.run(*launch, number, team);
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
