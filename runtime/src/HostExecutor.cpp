// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many threads a session has, and a run of them.

#include "HostExecutor.h"
#include "Arena.h"
#include "Cpu.h"
#include "Error.h"

#include <algorithm>
#include <cstring>

namespace weft::runtime {

namespace {

constexpr size_t mostThreads = 1024;
/// Bridges the time between two runs of a decoding loop, and an uneven share of a step. Where two threads
/// have to share one processor, each wait costs that much, so it is not longer.
constexpr WaitWord::Duration spinTime = std::chrono::microseconds(50);

size_t threadCount(size_t asked) {
  if (asked > mostThreads)
    raiseBadArgument(asked, " threads asked for; at most ", mostThreads, " are possible");
  return asked ? asked : std::min(usableProcessors(), mostThreads);
}

WaitWord::Duration spinTimeFor(size_t threads) {
  size_t processors = usableProcessors();
  if (threads <= processors)
    return spinTime;
  logMessage(concat("the session has ", threads, " threads, but ", processors, " processors"));
  return WaitWord::Duration(0); // A spinning thread would keep another from its processor.
}

} // namespace

HostExecutor::HostExecutor(size_t threads, const char *weights)
    : pool(threadCount(threads), spinTimeFor(threadCount(threads))), weights(weights) {}

std::unique_ptr<Memory> HostExecutor::makeMemory(const char *what) { return std::make_unique<Arena>(what); }

void HostExecutor::copy(void *to, const void *from, size_t bytes) { std::memcpy(to, from, bytes); }

const WeftTeam::Failure *HostExecutor::run(WeftEntryFunction function, WeftFrame frame,
                                           const RunTensors &tensors) {
  inputs.assign(tensors.inputs.size(), nullptr);
  outputs.assign(tensors.outputs.size(), nullptr);
  std::transform(tensors.inputs.begin(), tensors.inputs.end(), inputs.begin(), weft_tensor_data);
  std::transform(tensors.outputs.begin(), tensors.outputs.end(), outputs.begin(), weft_tensor_data);
  frame.callbacks = &teamCallbacks;
  frame.team = pool.team();
  frame.inputs = inputs.data();
  frame.outputs = outputs.data();
  frame.weights = weights;
  frame.apart = pool.team()->profile != nullptr;
  return pool.run(function, frame);
}

} // namespace weft::runtime
