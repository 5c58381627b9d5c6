// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding, which other operators imply.
#ifndef WEFT_FRONTEND_ONNX_OPS_PAD_H
#define WEFT_FRONTEND_ONNX_OPS_PAD_H

#include "frontend/Onnx/NodeImport.h"

namespace weft::onnx {

/// A weft.pad with its numbers as data: for `axes` all before, then all after. `fill` may be null.
mlir::Value addPad(NodeImport &node, PadMode mode, mlir::Value input, mlir::Value pads, mlir::Value fill,
                   llvm::ArrayRef<int64_t> axes);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_OPS_PAD_H
