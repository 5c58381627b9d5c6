// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on constants, computed by the evaluator.
#ifndef WEFT_COMPILER_GRAPH_CONSTANTEVALUATION_H
#define WEFT_COMPILER_GRAPH_CONSTANTEVALUATION_H

#include "mlir/IR/Operation.h"

namespace weft::graph {

/// Whether every operand is a weft.constant, there is one, and the result's type is static.
bool hasConstantOperands(mlir::Operation *op);
/// Replaces an operation of constant operands by the constant that it computes, at its place and with its
/// location.
mlir::LogicalResult replaceByConstant(mlir::Operation *op);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_CONSTANTEVALUATION_H
