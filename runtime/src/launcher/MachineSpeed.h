// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this machine does at most with a session's threads: the roof that profiles compare with.

#ifndef WEFT_RUNTIME_LAUNCHER_MACHINESPEED_H
#define WEFT_RUNTIME_LAUNCHER_MACHINESPEED_H

#include "../Executor.h"

namespace weft::runtime {

class MachineSpeed {
public:
  /// On a CPU with the vectors that code for `isa` computes with.
  MachineSpeed(Executor &executor, WeftIsa isa);

  /// Times all once, for some tens of milliseconds; leaves nothing of use in the caches.
  void measure();

  /// Medians: floating-point operations a second of f32 multiply-adds in registers, which are measured on
  /// CPUs, and bytes a second that are read from memory, on a GPU read and written by a copy. 0 for what is
  /// not measured.
  double flops() const;
  double bytes() const;

private:
  double time(ThreadPool &pool, WeftEntryFunction work);
  void measureThreads(ThreadPool &pool);
  void measureCopies();

  Executor &executor;
  const WeftIsa isa;
  std::unique_ptr<Memory> memory;
  std::vector<double> flopRates, byteRates;
};

/// The middle one of the values, or what is midway between two; 0 of none.
double medianOf(std::vector<double> values);

} // namespace weft::runtime

#endif // WEFT_RUNTIME_LAUNCHER_MACHINESPEED_H
