// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool's threads, and the callbacks that generated code reaches them by.

#include "ThreadPool.h"
#include "Error.h"
#include "emulator/Emulator.h"

#include <csignal>
#include <system_error>

namespace weft::runtime {

namespace {

/// Signals are the application's business: its handlers must not run on our threads.
class BlockedSignals {
public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }

private:
  sigset_t before;
};

int32_t barrier(WeftTeam *team, int64_t step) { return team->barrier(step); }

void fail(WeftTeam *team, int32_t failure, int64_t step, int64_t value, int64_t bound) {
  team->fail({failure, step, value, bound, {}});
}

} // namespace

const WeftCallbacks teamCallbacks = {barrier, fail, emulate};

ThreadPool::ThreadPool(size_t threads, WaitWord::Duration spin)
    : wholeTeam(static_cast<uint32_t>(threads), spin), spin(spin) {
  workers.reserve(threads - 1);
  BlockedSignals blocked; // New threads inherit the mask.
  try {
    for (size_t thread = 1; thread < threads; ++thread)
      workers.emplace_back([this, thread, threads] { work(thread, threads); });
  } catch (const std::system_error &error) {
    size_t made = workers.size();
    stop();
    raiseSystem("thread ", made + 1, " of ", threads - 1, " cannot be started: ", error.code().message());
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() {
  entry = nullptr;
  started.publish(started.load() + 1);
  for (std::thread &worker : workers)
    worker.join();
  workers.clear();
}

void ThreadPool::work(int64_t thread, int64_t threads) {
  for (uint32_t run = 0;;) {
    run = started.waitWhile(run, spin);
    if (!entry)
      return;
    entry(frame, thread, threads);
    if (working.fetch_sub(1, std::memory_order_acq_rel) == 1)
      finished.publish(run);
  }
}

const WeftTeam::Failure *ThreadPool::run(WeftEntryFunction function, const WeftFrame &runFrame) {
  wholeTeam.reset();
  entry = function;
  frame = &runFrame;
  uint32_t previous = started.load();
  working.store(static_cast<uint32_t>(workers.size()), std::memory_order_relaxed);
  if (!workers.empty())
    started.publish(previous + 1);
  function(&runFrame, 0, static_cast<int64_t>(size()));
  if (!workers.empty())
    finished.waitWhile(previous, spin);
  return wholeTeam.firstFailure();
}

} // namespace weft::runtime
