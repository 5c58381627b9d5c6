// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long each step of a run takes: from the end of the one before it to the arrival of its last thread.

#ifndef WEFT_RUNTIME_STEPPROFILE_H
#define WEFT_RUNTIME_STEPPROFILE_H

#include <chrono>
#include <cstdint>
#include <vector>

namespace weft::runtime {

class StepProfile {
public:
  explicit StepProfile(size_t steps) : taken(steps) {}

  void beginRun() {
    taken.assign(taken.size(), Duration::zero());
    last = Clock::now();
  }
  /// Called by one thread at a time, in the order of the steps.
  void endStep(int64_t step) {
    Clock::time_point now = Clock::now();
    if (step >= 0 && static_cast<size_t>(step) < taken.size())
      taken[step] += now - last;
    last = now;
  }
  /// What was timed elsewhere: a step took so many seconds more.
  void add(int64_t step, double seconds) {
    if (step >= 0 && static_cast<size_t>(step) < taken.size())
      taken[step] += std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  }
  /// Seconds in the latest run.
  double seconds(size_t step) const { return std::chrono::duration<double>(taken[step]).count(); }

private:
  using Clock = std::chrono::steady_clock;
  using Duration = Clock::duration;

  std::vector<Duration> taken;
  Clock::time_point last;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_STEPPROFILE_H
