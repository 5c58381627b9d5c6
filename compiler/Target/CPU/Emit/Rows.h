// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels that need a whole row for an element share.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_ROWS_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_ROWS_H

#include "compiler/Target/CPU/Emit/Kernels.h"

namespace weft::cpu {

/// One row of a matrix.
struct Row {
  const Buffer &buffer;
  Index start, width;
};

inline Row rowOf(const Buffer &matrix, Index row) {
  return {matrix, matrix.offset + row * matrix.strides[0], matrix.sizes[1]};
}

/// Lanes that a pass over a row takes at once, `vectors` of numbers of that type. The threads of a warp take
/// all of a row of known length, if they have registers for it: then all of it is on its way at once, and
/// passes behind the first find it there.
int64_t lanesOfPass(const Emitter &e, const Row &row, mlir::Type number, int64_t vectors);

/// How two values, or two vectors of them, become one; and what stands for none.
struct Reduction {
  mlir::Value identity;
  llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine;
};

/// The lanes of a vector as one value, by halves: the order of additions is fixed, and short.
mlir::Value reduceLanes(Emitter &e, mlir::Value vector, const Reduction &reduction);

/// Reduces element(column, mask) over the columns of a row, `lanes` at a time; lanes beyond its end must come
/// as the identity.
mlir::Value reduceRow(Emitter &e, Index width, int64_t lanes, const Reduction &reduction,
                      llvm::function_ref<mlir::Value(Index column, mlir::Value mask)> element);

/// The sum of element(column, mask) over the columns of a row, `lanes` at a time; lanes beyond its end must
/// come as 0.
mlir::Value sumRow(Emitter &e, Index width, mlir::Type type, int64_t lanes,
                   llvm::function_ref<mlir::Value(Index column, mlir::Value mask)> element);

/// Checks that the operation works on matrices of floats, all of one type.
mlir::LogicalResult checkRows(Emitter &e, mlir::Operation *op, mlir::ValueRange matrices);

/// Runs body(row) for the rows of this tile.
void overRows(Emitter &e, Index tile, TileSizes sizes, Index rows, llvm::function_ref<void(Index)> body);

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_ROWS_H
