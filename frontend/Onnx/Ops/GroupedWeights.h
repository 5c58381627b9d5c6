// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of few bits that DequantizeLinear reads, in the form that matmuls multiply with as they are.
#ifndef WEFT_FRONTEND_ONNX_OPS_GROUPEDWEIGHTS_H
#define WEFT_FRONTEND_ONNX_OPS_GROUPEDWEIGHTS_H

#include "frontend/Onnx/NodeImport.h"

namespace weft::onnx {

/// What DequantizeLinear makes of a constant matrix of integers of 2, 4 or 8 bits with scales for blocks, or,
/// of less than 8 bits, for rows or columns: weft.dequantize, as of MatMulNBits. Null if it is none of those,
/// or after an error.
mlir::Value buildGroupedWeights(NodeImport &node);

/// Weights [N, K] in blocks of numbers, as the attributes of those names and "block_size" say.
struct BlockedWeights {
  int64_t K, N, block;

  /// Nothing after an error.
  static std::optional<BlockedWeights> get(NodeImport &node);
};

/// Input `index`, or what was made of it, as [rows, columns], whatever dims its elements have; null after an
/// error if they are not as many.
mlir::Value asMatrix(NodeImport &node, size_t index, mlir::Value value, int64_t rows, int64_t columns);

/// weft.dequantize: bytes of `numbers` times scales, by groups of each row's `length` numbers of so many
/// bits, or of what a table, if it is not empty, has at those places.
mlir::Value dequantize(GraphBuilder &graph, mlir::Value numbers, mlir::Value scales, mlir::Value zeros,
                       int64_t bits, int64_t group, int64_t length, llvm::ArrayRef<float> table = {});

/// The numbers that bytes hold, as floats of that type, `length` in each row.
mlir::Value unpackNumbers(NodeImport &node, mlir::Value bytes, mlir::Type element, int64_t bits,
                          int64_t length);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_OPS_GROUPEDWEIGHTS_H
