// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels along the middle of [outer, axis, inner] share.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_COLUMNS_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_COLUMNS_H

#include "compiler/Target/CPU/Emit/Kernels.h"

namespace weft::cpu {

/// Lanes of vectors of a buffer's elements, as they are computed with; no more than of 32 bits.
int64_t columnLanes(Emitter &e, const Buffer &buffer);
/// Elements as numbers: floats as Emitter::loadNumbers gives them, integers of any width as they are.
mlir::Value loadMany(Emitter &e, const Buffer &from, Index at, int64_t lanes, mlir::Value mask);
mlir::Value loadOne(Emitter &e, const Buffer &from, Index at);

/// Runs the part of a tile: a tile is `rows` of outer and `columns` of inner. Rows where inner is 1, else
/// columns. An error on `op` if the schedule has no columns.
mlir::LogicalResult overBlocks(Emitter &e, mlir::Operation *op, Index tile, TileSizes sizes, const Buffer &in,
                               llvm::function_ref<void(Index outer)> row,
                               llvm::function_ref<void(Index outer, Index first, Index width)> columns);

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_COLUMNS_H
