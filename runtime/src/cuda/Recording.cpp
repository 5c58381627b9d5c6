// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the model's code calls while it is recorded.

#include "Recording.h"
#include "../Error.h"

#include <algorithm>
#include <limits>

namespace weft::runtime::cuda {

namespace {

int32_t endGroup(WeftTeam *team, int64_t) { return static_cast<Recording *>(team)->endGroup(), 0; }

void fail(WeftTeam *team, int32_t kind, int64_t step, int64_t value, int64_t bound) {
  team->fail({kind, step, value, bound, {}});
}

void launch(WeftTeam *team, const WeftLaunch *launch) { static_cast<Recording *>(team)->add(*launch); }

constexpr WeftCallbacks callbacks = {endGroup, fail, launch};

} // namespace

void Recording::add(const WeftLaunch &launch) {
  try { // Nothing may be thrown through the model's code.
    if (!problem)
      append(launch);
  } catch (...) {
    problem = std::current_exception();
  }
}

/// Maps begin at multiples of their size.
void Recording::pad() {
  constexpr size_t unit = WEFT_TENSOR_MAP_BYTES / sizeof(int64_t);
  words.resize((words.size() + unit - 1) / unit * unit);
}

void Recording::append(const WeftLaunch &given) {
  const WeftLaunch &launch = isHopper && given.hopper ? *given.hopper : given;
  int64_t blocks = launch.end_block - launch.first_block;
  if (launch.first_block != 0 || blocks < 0 || blocks > std::numeric_limits<int32_t>::max())
    raiseBadData("kernel \"", launch.kernel, "\", step ", launch.step, ": ", blocks,
                 " blocks of threads are more than a GPU can launch");
  bool isPersistent = launch.persistent != 0;
  if (isPersistent) // whole clusters
    blocks = std::min((blocks + launch.persistent - 1) / launch.persistent,
                      std::max<int64_t>(processors / launch.persistent, 1)) *
             launch.persistent;
  if (launch.map_count > 0)
    pad();
  launches.push_back({launch.kernel, launch.threads, launch.shared_bytes, launch.step, blocks, group,
                      words.size(), isPersistent});
  static_assert(WEFT_GPU_WORD_FAILURE == 0 && WEFT_GPU_WORD_STEP == 1 && WEFT_GPU_WORD_ARGUMENTS == 2);
  words.insert(words.end(), {failure, launch.step});
  words.insert(words.end(), launch.arguments, launch.arguments + launch.argument_count);
  if (launch.map_count > 0)
    pad();
  for (int64_t i = 0; i < launch.map_count; ++i) {
    static constexpr TensorMaps::Encoded none{};
    const TensorMaps::Encoded &map =
        blocks > 0 ? maps.encode(launch.maps[i]) : none; // of nothing there is none
    words.insert(words.end(), map.words.begin(), map.words.end());
  }
}

void Recording::record(WeftEntryFunction function, WeftFrame frame, int64_t failureAddress) {
  reset();
  launches.clear();
  words.clear();
  group = 0;
  maps.begin();
  problem = nullptr;
  failure = failureAddress;
  frame.callbacks = &callbacks;
  frame.team = this;
  function(&frame, /*thread=*/0, /*threads=*/1);
  if (problem)
    std::rethrow_exception(problem);
}

} // namespace weft::runtime::cuda
