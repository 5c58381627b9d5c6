// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers out of small tables, where no instruction permutes them.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_SELECTFROM_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_SELECTFROM_H

#include "mlir/IR/Builders.h"

namespace weft::cpu {

/// table[index] of an i32 or a vector of them, whose lowest bits are the index: a tree of selects. The
/// table's size is a power of 2.
mlir::Value selectFrom(mlir::OpBuilder &builder, mlir::Location location, mlir::Value index,
                       llvm::ArrayRef<float> table);

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_SELECTFROM_H
