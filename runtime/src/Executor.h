// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a session's code runs on: the host's threads and memory, or a device.

#ifndef WEFT_RUNTIME_EXECUTOR_H
#define WEFT_RUNTIME_EXECUTOR_H

#include "Memory.h"
#include "Team.h"
#include "weft/runtime.h"

#include <memory>
#include <vector>

namespace weft::runtime {

class ThreadPool;

/// The tensors of one run, on the host.
struct RunTensors {
  const std::vector<WeftTensor *> &inputs, &outputs;
};

class Executor {
public:
  virtual ~Executor() = default;

  /// Memory for arenas and states, to which a frame's pointers lead; `what` is for messages.
  virtual std::unique_ptr<Memory> makeMemory(const char *what) = 0;
  /// From one place of such memory to another, before the next run begins; `finish` waits until that is done.
  virtual void copy(void *to, const void *from, size_t bytes) = 0;
  virtual void finish() {}
  /// One run: NULL, or the failure that the code reported. `frame` has the symbols, the arena and the states;
  /// the rest is filled in here.
  virtual const WeftTeam::Failure *run(WeftEntryFunction function, WeftFrame frame,
                                       const RunTensors &tensors) = 0;
  /// Where the times of the steps of later runs go; NULL for no times.
  virtual void setProfile(StepProfile *profile) = 0;
  /// For tests of generated code: every later run does all that helps to find what a kernel does wrong.
  virtual void setGuarded(bool) {}
  /// The host's threads that runs are on, or NULL if they are on a device.
  virtual ThreadPool *threadPool() { return nullptr; }
  /// Floating-point operations a second of such products that the device does at most; 0 where that is not
  /// known.
  virtual double flops(WeftProductUnit) const { return 0; }
  /// The device's name, or NULL.
  virtual const char *device() const { return nullptr; }
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_EXECUTOR_H
