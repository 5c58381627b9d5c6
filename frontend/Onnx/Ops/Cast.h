// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts with what ONNX says of those to eight bits and less.
#ifndef WEFT_FRONTEND_ONNX_OPS_CAST_H
#define WEFT_FRONTEND_ONNX_OPS_CAST_H

#include "frontend/Onnx/NodeImport.h"

namespace weft::onnx {

/// `input` cast as the node's "saturate" and "round_mode" say, which are about floats of eight bits and less;
/// null for null and after an error.
mlir::Value buildCastTo(NodeImport &node, mlir::Value input, mlir::Type to);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_OPS_CAST_H
