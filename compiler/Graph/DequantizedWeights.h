// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices that a model stores in few bits, which matmuls multiply with as they are.
#ifndef WEFT_COMPILER_GRAPH_DEQUANTIZEDWEIGHTS_H
#define WEFT_COMPILER_GRAPH_DEQUANTIZEDWEIGHTS_H

#include "dialects/Weft/IR/Weft.h"

namespace weft::graph {

/// Whether an operation's matrix, or each of several, [matrices, columns, rows], can be packed with its
/// groups, transposed.
bool canBeGroups(DequantizeOp op);

/// Whether nothing but matmuls, or products that rows are routed by, reads it so: then weft-pack-weights
/// takes the numbers as they are.
bool isReadAsGroups(DequantizeOp op);

/// What a product's right-hand side is made of, of which `isReadAsGroups` holds.
DequantizeOp getDequantizedWeight(mlir::Value rhs);

/// A matrix as matmuls take it (weft.weight_groups).
struct GroupedWeight {
  mlir::Value panels;
  WeightGroupsAttr groups;
};

/// The transposed matrix as panels of groups: a constant that `builder` makes.
mlir::FailureOr<GroupedWeight> packGroups(mlir::OpBuilder &builder, DequantizeOp op);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_DEQUANTIZEDWEIGHTS_H
