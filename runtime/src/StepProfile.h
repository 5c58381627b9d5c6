// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long each step of a run takes: from the end of the one before it to the arrival of its last thread. On
// the emulator of GPUs, what its warps did at the banks of shared memory.

#ifndef WEFT_RUNTIME_STEPPROFILE_H
#define WEFT_RUNTIME_STEPPROFILE_H

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace weft::runtime {

/// How often warps passed over shared memory, and how often they have to for as many words.
struct Passes {
  int64_t taken = 0, least = 0;
};
using PassesByName = std::map<std::string, Passes>;

class StepProfile {
public:
  explicit StepProfile(size_t steps) : taken(steps), passed(steps) {}

  void beginRun() {
    taken.assign(taken.size(), Duration::zero());
    passed.assign(passed.size(), {});
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
  /// Called by any thread: what the operations of a step's blocks did.
  void add(int64_t step, const PassesByName &passes) {
    if (step < 0 || static_cast<size_t>(step) >= passed.size())
      return;
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto &[name, more] : passes) {
      Passes &all = passed[static_cast<size_t>(step)][name];
      all.taken += more.taken;
      all.least += more.least;
    }
  }
  const PassesByName &passes(size_t step) const { return passed[step]; }
  /// Seconds in the latest run.
  double seconds(size_t step) const { return std::chrono::duration<double>(taken[step]).count(); }

private:
  using Clock = std::chrono::steady_clock;
  using Duration = Clock::duration;

  std::vector<Duration> taken;
  std::vector<PassesByName> passed;
  std::mutex mutex; ///< of what all threads add to
  Clock::time_point last;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_STEPPROFILE_H
