// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Averages of windows.
#ifndef WEFT_FRONTEND_ONNX_OPS_POOL_H
#define WEFT_FRONTEND_ONNX_OPS_POOL_H

#include "frontend/Onnx/NodeImport.h"

namespace weft::onnx {

/// AveragePool, as the node's attributes say, of floats with the dims of its first input, [N, C, places...].
mlir::Value averagePool(NodeImport &node, mlir::Value input);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_OPS_POOL_H
