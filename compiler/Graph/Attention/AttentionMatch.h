// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognises attention: a product, the softmax of it over an axis that a second product sums over, and that
// product; whatever transposes, reshapes, scales, casts and masks are between.
#ifndef WEFT_COMPILER_GRAPH_ATTENTION_ATTENTIONMATCH_H
#define WEFT_COMPILER_GRAPH_ATTENTION_ATTENTIONMATCH_H

#include "compiler/Graph/Attention/ScoreTrace.h"

namespace weft::graph {

/// A use of the softmax's result as the weights of a product.
struct WeightsUse {
  MatmulOp context;
  unsigned operand; ///< which one of context is the weights
  Layout layout;    ///< of that operand
  double factor;    ///< what the weights are multiplied by first
};

/// What becomes of a softmax's result.
struct SoftmaxUses {
  llvm::SmallVector<WeightsUse> products; ///< in the block's order
  /// Where the weights are needed as a tensor, the value that has to stay; null otherwise.
  mlir::Value kept;
  Layout keptLayout;
  /// Whether NaN is replaced by 0 before the weights are used.
  bool isGuarded = false;
  /// Where it is not null: weights are 0 where this mask has that value, whatever the softmax gave.
  mlir::Value zeroMask;
  bool zeroWhere = false;
  /// Why the weights that are needed cannot be an attention's; empty if they can.
  llvm::StringRef obstacle;
};

/// Follows a softmax's weights through transposes, reshapes, casts and a guard against NaN. `layout` is that
/// of the weights; `element` what an attention would compute in.
SoftmaxUses findUses(mlir::Value weights, const Layout &layout, ScoreAxes &axes, mlir::Type element);

/// An operand of a product as it was before it was repeated for each of a group of heads, and scaled.
struct Operand {
  mlir::Value value;
  Layout layout;                          ///< batch dims, and the last two, of which one is of `width`
  double factor = 1;                      ///< what the constants that scale it multiply to
  llvm::SmallVector<mlir::Value> factors; ///< scalars known at run time
};

/// Goes back over moves, repetitions and scales as long as that leads to a smaller or an unscaled tensor.
/// Where `mayScale` is false, scales stay.
Operand peel(Operand operand, ScoreAxes &axes, bool mayScale);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_ATTENTION_ATTENTIONMATCH_H
