// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the model's code calls while it is recorded.

#include "Recording.h"
#include "../Error.h"

#include <limits>

namespace weft::runtime::cuda {

namespace {

/// Kernels run one after the other anyway.
int32_t endStep(WeftTeam *, int64_t) { return 0; }

void fail(WeftTeam *team, int32_t kind, int64_t step, int64_t value, int64_t bound) {
  team->fail({kind, step, value, bound, {}});
}

void launch(WeftTeam *team, const WeftLaunch *launch) { static_cast<Recording *>(team)->add(*launch); }

constexpr WeftCallbacks callbacks = {endStep, fail, launch};

} // namespace

void Recording::add(const WeftLaunch &launch) {
  try { // Nothing may be thrown through the model's code.
    if (!problem)
      append(launch);
  } catch (...) {
    problem = std::current_exception();
  }
}

void Recording::append(const WeftLaunch &launch) {
  int64_t blocks = launch.end_block - launch.first_block;
  if (launch.first_block != 0 || blocks < 0 || blocks > std::numeric_limits<int32_t>::max())
    raiseBadData("kernel \"", launch.kernel, "\", step ", launch.step, ": ", blocks,
                 " blocks of threads are more than a GPU can launch");
  launches.push_back({launch.kernel, launch.threads, launch.shared_bytes, launch.step, blocks, words.size()});
  static_assert(WEFT_GPU_WORD_FAILURE == 0 && WEFT_GPU_WORD_STEP == 1 && WEFT_GPU_WORD_ARGUMENTS == 2);
  words.insert(words.end(), {failure, launch.step});
  words.insert(words.end(), launch.arguments, launch.arguments + launch.argument_count);
}

void Recording::record(WeftEntryFunction function, WeftFrame frame, int64_t failureAddress) {
  reset();
  launches.clear();
  words.clear();
  problem = nullptr;
  failure = failureAddress;
  frame.callbacks = &callbacks;
  frame.team = this;
  function(&frame, /*thread=*/0, /*threads=*/1);
  if (problem)
    std::rethrow_exception(problem);
}

} // namespace weft::runtime::cuda
