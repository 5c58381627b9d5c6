// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of one run, as generated code sees them: a barrier, and the first failure.

#ifndef WEFT_RUNTIME_TEAM_H
#define WEFT_RUNTIME_TEAM_H

#include "StepProfile.h"
#include "WaitWord.h"
#include "weft/abi.h"

#include <string>

struct WeftTeam {
  struct Failure {
    int32_t kind;
    int64_t step, value, bound;
    std::string text; ///< of WEFT_FAILURE_KERNEL: what the kernel did
  };

  WeftTeam(uint32_t threads, weft::runtime::WaitWord::Duration spin) : threads(threads), spin(spin) {}

  /// Before each run, while no thread is in it.
  void reset() {
    failed.store(0, std::memory_order_relaxed);
    arrived.store(0, std::memory_order_relaxed);
    episode.publish((episode.load() | failedBit) + 1);
  }

  /// The last thread to arrive decides for all whether the run goes on. A failure that was reported before
  /// its reporter arrived is seen then, as arriving orders everything before it.
  int32_t barrier(int64_t step) {
    uint32_t mine = episode.load(); // Cannot change before this thread arrives.
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 < threads)
      return episode.waitWhile(mine, spin) & failedBit;
    arrived.store(0, std::memory_order_relaxed);
    if (profile)
      profile->endStep(step);
    uint32_t failure = failed.load(std::memory_order_relaxed);
    episode.publish(mine + 2 + failure);
    return static_cast<int32_t>(failure);
  }

  void fail(const Failure &reported) {
    uint32_t none = 0;
    if (failed.compare_exchange_strong(none, failedBit, std::memory_order_relaxed))
      failure = reported;
  }

  /// After a run, when every thread has left it: the failure that ended it, or NULL.
  const Failure *firstFailure() const { return failed.load(std::memory_order_relaxed) ? &failure : nullptr; }

  /// Where the times of steps go, or NULL; set while no run is on.
  weft::runtime::StepProfile *profile = nullptr;

private:
  static constexpr uint32_t failedBit = 1;

  const uint32_t threads;
  const weft::runtime::WaitWord::Duration spin;
  Failure failure{};
  std::atomic<uint32_t> failed{0};
  alignas(64) std::atomic<uint32_t> arrived{0};
  /// Counts barriers in steps of two. The lowest bit: the last one told its threads to return.
  weft::runtime::WaitWord episode;
};

namespace weft::runtime {
/// The table that generated code calls.
extern const WeftCallbacks teamCallbacks;
} // namespace weft::runtime

#endif // WEFT_RUNTIME_TEAM_H
