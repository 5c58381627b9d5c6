// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the time of runs goes, by kernel, and what part of the machine's speed each reaches.

#ifndef WEFT_RUNTIME_LAUNCHER_PROFILE_H
#define WEFT_RUNTIME_LAUNCHER_PROFILE_H

#include "MachineSpeed.h"
#include "weft/runtime.h"

#include <string>

namespace weft::runtime {

class Profile {
public:
  /// Has the session time its steps from now on.
  Profile(const WeftModel &model, WeftSession &session);

  /// Times the machine once more; between runs, so that what else it does hits all alike.
  void measureMachine() { machine.measure(); }
  /// Takes in the session's latest run.
  void addRun();

  /// What a step did: the median of its times, and its work in the latest run.
  struct Step {
    std::string kernel, node;
    double seconds, flops, bytes, mostFlops; ///< the last a second, that the machine does; 0 if unknown
  };
  /// In the order of a run.
  std::vector<Step> steps() const;
  const MachineSpeed &machineSpeed() const { return machine; }
  /// A table: a line for each kernel, the one with the largest share first.
  std::string report() const;

private:
  std::string roofText() const;
  std::string conflictText() const;

  const WeftModel &model;
  WeftSession &session;
  MachineSpeed machine;
  std::vector<std::vector<double>> seconds; ///< of each step, by run
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_LAUNCHER_PROFILE_H
