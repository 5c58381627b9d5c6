// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of f32 that hold three numbers only, as those of BitNet do: 2 bits say which.
#ifndef WEFT_COMPILER_GRAPH_TERNARYWEIGHTS_H
#define WEFT_COMPILER_GRAPH_TERNARYWEIGHTS_H

#include "compiler/Graph/MatrixWeights.h"

namespace weft::graph {

/// How a ternary matrix of so many rows is packed.
WeightGroupsAttr ternaryGroups(mlir::MLIRContext *context, int64_t rows);
/// Whether each group of each column holds nothing but zeros, one number and its negation, so that nothing is
/// lost. The weight is of f32, and its data starts at `source`.
bool isTernary(const MatrixWeight &weight, const char *source);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_TERNARYWEIGHTS_H
