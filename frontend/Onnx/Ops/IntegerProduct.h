// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What products of bytes share: their zero points, and how sums become bytes again.
#ifndef WEFT_FRONTEND_ONNX_OPS_INTEGERPRODUCT_H
#define WEFT_FRONTEND_ONNX_OPS_INTEGERPRODUCT_H

#include "frontend/Onnx/NodeImport.h"

namespace weft::onnx {

/// Bytes less a zero point of their type, which broadcasts to them, or none, as integers of 32 bits. Null
/// after an error.
mlir::Value lessZero(NodeImport &node, mlir::Value bytes, mlir::Value zero);
/// saturate(round(x + zero)) in the zero point's type, which has to be bytes. Null after an error.
mlir::Value requantize(NodeImport &node, mlir::Value x, mlir::Value zero);
/// Sums of products of bytes less their zero points, as floats times both scales: of the left-hand side those
/// are scalars, of the right-hand side for all or for each column. Zero points may be null, as may be a bias
/// of i32, which is added to the sums. Null after an error.
mlir::Value multiplyBytes(NodeImport &node, mlir::Value left, mlir::Value leftZero, mlir::Value leftScale,
                          mlir::Value right, mlir::Value rightZero, mlir::Value rightScale,
                          mlir::Value bias = {});

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_OPS_INTEGERPRODUCT_H
