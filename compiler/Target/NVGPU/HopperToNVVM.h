// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only sm_90a has, in PTX: operations of the cta dialect that have no counterpart in the nvvm dialect,
// or one from which ptxas makes slow code.
#ifndef WEFT_COMPILER_TARGET_NVGPU_HOPPERTONVVM_H
#define WEFT_COMPILER_TARGET_NVGPU_HOPPERTONVVM_H

#include "dialects/Cta/IR/Cta.h"
#include "mlir/IR/Builders.h"

namespace weft::nvgpu {

/// Whether an operation is one of them.
bool isHopper(mlir::Operation *op);

/// Lowers them in a kernel, before its memory is lowered. `maps` is the address of the launch's tensor maps
/// in the device's memory, null if there are none; clusters are of so many blocks. Sums that are pending
/// become f32.
void lowerHopper(mlir::Region &kernel, mlir::Value maps, int64_t clusterBlocks);

/// Sums that were pending, and are carried by loops and branches, become f32.
void takeNumbersForSums(mlir::Region &kernel);

} // namespace weft::nvgpu

#endif // WEFT_COMPILER_TARGET_NVGPU_HOPPERTONVVM_H
