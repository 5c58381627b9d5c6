// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this machine does at most with a session's threads: the roof that profiles compare with.

#ifndef WEFT_RUNTIME_LAUNCHER_MACHINESPEED_H
#define WEFT_RUNTIME_LAUNCHER_MACHINESPEED_H

#include "../Arena.h"
#include "../ThreadPool.h"

namespace weft::runtime {

class MachineSpeed {
public:
  /// With the vectors that code for `isa` computes with.
  MachineSpeed(ThreadPool &pool, WeftIsa isa);

  /// Times both loops once, for some tens of milliseconds; leaves nothing of use in the caches.
  void measure();

  /// Medians: floating-point operations a second of f32 multiply-adds in registers, and bytes a second that
  /// are read from memory. 0 before the first measurement.
  double flops() const;
  double bytes() const;

private:
  double time(WeftEntryFunction work);

  ThreadPool &pool;
  const WeftIsa isa;
  Arena memory;
  std::vector<double> flopRates, byteRates;
};

/// The middle one of the values, or what is midway between two; 0 of none.
double medianOf(std::vector<double> values);

} // namespace weft::runtime

#endif // WEFT_RUNTIME_LAUNCHER_MACHINESPEED_H
