// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the input of a softmax back to the product that its scores are.
#ifndef WEFT_COMPILER_GRAPH_ATTENTION_SCORETRACE_H
#define WEFT_COMPILER_GRAPH_ATTENTION_SCORETRACE_H

#include "compiler/Graph/Attention/ScoreAxes.h"
#include "llvm/ADT/DenseMap.h"

namespace weft::graph {

/// Whether an operation is pointwise, a transpose or a reshape: what may stand between a product and a
/// softmax.
bool isPointwiseOrMove(mlir::Operation *op);

/// The products that a value is computed from by pointwise operations, transposes and reshapes alone.
llvm::SmallVector<MatmulOp> findProducts(mlir::Value scores);

/// Whether a value is computed from an operation of its block, by whatever way.
bool dependsOn(mlir::Value value, mlir::Operation *origin);

/// The values that are computed from a product in that way, and their layouts.
class ScoreTrace {
public:
  /// The product's dims become axes.
  ScoreTrace(ScoreAxes &axes, MatmulOp product);

  /// Follows `scores` back to the product; false if its dims cannot be told apart on the way, and then
  /// `getObstacle` says why.
  bool follow(mlir::Value scores);
  llvm::StringRef getObstacle() const { return obstacle; }

  bool depends(mlir::Value value) const { return layouts.contains(value); }
  Layout getLayout(mlir::Value value) const { return axes.getLeaves(layouts.lookup(value)); }
  MatmulOp getProduct() const { return product; }

private:
  enum class Found { Independent, Dependent, Obstacle };
  Found visit(mlir::Value value);
  Found visitOperation(mlir::Operation *op);
  Found visitElementwise(mlir::Operation *op);
  void splitTurns(TileOp tile, const Layout &layout);
  Found fail(llvm::StringRef reason) {
    obstacle = reason;
    return Found::Obstacle;
  }

  ScoreAxes &axes;
  MatmulOp product;
  llvm::DenseMap<mlir::Value, Layout> layouts;
  llvm::DenseMap<mlir::Value, Found> visited;
  llvm::StringRef obstacle;
};

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_ATTENTION_SCORETRACE_H
