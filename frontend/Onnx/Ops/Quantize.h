// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between floats and the integers that stand for them, with scales and zero points that broadcast.
#ifndef WEFT_FRONTEND_ONNX_OPS_QUANTIZE_H
#define WEFT_FRONTEND_ONNX_OPS_QUANTIZE_H

#include "frontend/Onnx/NodeImport.h"

namespace weft::onnx {

/// Whether products of integers are of that type: 8 or 16 bits, of any signedness.
bool isByte(mlir::Type element);

/// (x - zero) * scale in f32; `zero` may be null.
mlir::Value dequantize(NodeImport &node, mlir::Value x, mlir::Value scale, mlir::Value zero);

/// saturate(round(x / scale) + zero) in that type, of an x in f32; `zero`, floats, may be null.
mlir::Value quantize(NodeImport &node, mlir::Value x, mlir::Value scale, mlir::Value zero,
                     mlir::Type element);

/// Bytes that DynamicQuantizeLinear makes of x, their scale, and their zero point.
struct DynamicBytes {
  mlir::Value bytes, scale, zero;
};
/// Null ones after an error.
DynamicBytes quantizeDynamically(NodeImport &node, mlir::Value x);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_OPS_QUANTIZE_H
