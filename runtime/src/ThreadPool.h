// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a session. A run is one parallel region: every thread, the caller's among them, calls the
// entry function once.

#ifndef WEFT_RUNTIME_THREADPOOL_H
#define WEFT_RUNTIME_THREADPOOL_H

#include "Team.h"

#include <thread>
#include <vector>

namespace weft::runtime {

class ThreadPool {
public:
  /// `threads` counts the caller's. With `spin` zero, waiting threads sleep at once.
  ThreadPool(size_t threads, WaitWord::Duration spin);
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;
  ~ThreadPool();

  size_t size() const { return workers.size() + 1; }
  WeftTeam *team() { return &wholeTeam; }

  /// Returns when every thread has left `entry`: NULL, or the failure that one reported.
  const WeftTeam::Failure *run(WeftEntryFunction entry, const WeftFrame &frame);

private:
  void work(int64_t thread, int64_t threads);
  void stop();

  WeftTeam wholeTeam;
  const WaitWord::Duration spin;
  WeftEntryFunction entry = nullptr; ///< What to run; NULL tells the workers to end.
  const WeftFrame *frame = nullptr;
  WaitWord started;  ///< The number of the latest run.
  WaitWord finished; ///< The number of the latest run that all workers have left.
  std::atomic<uint32_t> working{0};
  std::vector<std::thread> workers;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_THREADPOOL_H
