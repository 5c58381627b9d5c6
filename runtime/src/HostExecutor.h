// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs on the threads of a pool.

#ifndef WEFT_RUNTIME_HOSTEXECUTOR_H
#define WEFT_RUNTIME_HOSTEXECUTOR_H

#include "Executor.h"
#include "ThreadPool.h"

namespace weft::runtime {

class HostExecutor : public Executor {
public:
  /// `threads` as weft_session_create takes them. `weights` outlive this.
  HostExecutor(size_t threads, const char *weights);

  std::unique_ptr<Memory> makeMemory(const char *what) override;
  void copy(void *to, const void *from, size_t bytes) override;
  const WeftTeam::Failure *run(WeftEntryFunction function, WeftFrame frame,
                               const RunTensors &tensors) override;
  void setProfile(StepProfile *profile) override { pool.team()->profile = profile; }
  ThreadPool *threadPool() override { return &pool; }

private:
  ThreadPool pool;
  const char *const weights;
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_HOSTEXECUTOR_H
