// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the model's code calls while it is recorded.

#include "Recording.h"
#include "../Error.h"

#include <limits>

namespace weft::runtime::cuda {

const WeftCallbacks Recording::callbacks = {
    [](WeftTeam *, int64_t) { return int32_t(0); }, // kernels run one after the other anyway
    [](WeftTeam *team, int32_t kind, int64_t step, int64_t value, int64_t bound) {
      team->fail({kind, step, value, bound, {}});
    },
    [](WeftTeam *team, const WeftLaunch *launch) {
      auto *self = static_cast<Recording *>(team);
      try { // Nothing may be thrown through the model's code.
        if (!self->problem)
          self->add(*launch);
      } catch (...) {
        self->problem = std::current_exception();
      }
    }};

void Recording::add(const WeftLaunch &launch) {
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
