// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels for GPUs, run on the CPU.

#ifndef WEFT_RUNTIME_EMULATOR_EMULATOR_H
#define WEFT_RUNTIME_EMULATOR_EMULATOR_H

#include "weft/abi.h"

namespace weft::runtime {

/// Runs the blocks of a launch one after another on the calling thread. What a kernel does wrong is reported
/// to the team. Never throws.
void emulate(WeftTeam *team, const WeftLaunch *launch);

} // namespace weft::runtime

#endif // WEFT_RUNTIME_EMULATOR_EMULATOR_H
