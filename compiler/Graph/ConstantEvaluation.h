// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on constants, computed by the evaluator.
#ifndef WEFT_COMPILER_GRAPH_CONSTANTEVALUATION_H
#define WEFT_COMPILER_GRAPH_CONSTANTEVALUATION_H

#include "dialects/Weft/Evaluate/Tensor.h"
#include "dialects/Weft/IR/Weft.h"

namespace weft::graph {

/// Whether every operand is a weft.constant, there is one, and the result's type is static.
bool hasConstantOperands(mlir::Operation *op);
/// A constant as the evaluator has it; reports an error at it if memory cannot hold it.
mlir::FailureOr<Tensor> readTensor(ConstantOp constant);
/// The constant that an operation of constant operands computes, made before it and with its location.
mlir::FailureOr<mlir::Value> evaluateToConstant(mlir::Operation *op);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_CONSTANTEVALUATION_H
