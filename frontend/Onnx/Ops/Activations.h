// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of an element that operators are made of.
#ifndef WEFT_FRONTEND_ONNX_OPS_ACTIVATIONS_H
#define WEFT_FRONTEND_ONNX_OPS_ACTIVATIONS_H

#include "frontend/Onnx/NodeImport.h"

namespace weft::onnx {

/// log(1 + e^x) of floats, in f32 where they have 16 bits.
mlir::Value softplus(NodeImport &node, mlir::Value x);

/// x, and where it is negative x times the attribute "alpha".
mlir::Value leakyRelu(NodeImport &node, mlir::Value x);

/// The function that an operator of com.microsoft applies to its result, which the attribute "activation"
/// names if there is one: Relu, Tanh, Sigmoid, Softplus, Softsign, LeakyRelu, Elu, ThresholdedRelu (all of
/// alpha), Clip (from alpha to beta), or HardSigmoid (alpha * x + beta). Null after an error.
mlir::Value activate(NodeImport &node, mlir::Value x, llvm::ArrayRef<float> alphaAndBeta);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_OPS_ACTIVATIONS_H
