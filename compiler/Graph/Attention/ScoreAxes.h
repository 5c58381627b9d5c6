// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The axes that the scores of an attention have, and how the dims of the tensors around them are made of
// these: what a transpose or reshape does to a tensor is a change of its layout, and costs no pattern.
#ifndef WEFT_COMPILER_GRAPH_ATTENTION_SCOREAXES_H
#define WEFT_COMPILER_GRAPH_ATTENTION_SCOREAXES_H

#include "dialects/Weft/IR/Weft.h"

namespace weft::graph {

using Axis = unsigned;
/// A dim as the row-major product of axes; of none it is 1.
using AxisList = llvm::SmallVector<Axis, 2>;
/// The dims of a tensor.
using Layout = llvm::SmallVector<AxisList>;

class ScoreAxes {
public:
  explicit ScoreAxes(mlir::MLIRContext *context) : context(context) {}

  /// A dim that is an axis of its own; of a dim of 1 none.
  AxisList add(Dim size);
  Dim getSize(Axis axis) const { return axes[axis].size; }
  Dim getSize(llvm::ArrayRef<Axis> list) const;

  /// With each axis that was split replaced by its parts.
  AxisList getLeaves(llvm::ArrayRef<Axis> list) const;
  Layout getLeaves(const Layout &layout) const;

  enum class Splitting { Forbidden, Allowed };
  /// The layout that a tensor has after a reshape to these dims, which may split axes for good. Nothing if a
  /// dim is no product of neighbouring axes or parts of axes.
  std::optional<Layout> reshape(const Layout &from, llvm::ArrayRef<Dim> to, Splitting splitting);

private:
  struct Entry {
    Dim size;
    AxisList parts; ///< outer, inner; or none
  };
  mlir::MLIRContext *context;
  llvm::SmallVector<Entry> axes;
};

/// Layout of a transpose's result, from that of its input.
Layout permute(const Layout &from, llvm::ArrayRef<int64_t> permutation);
/// The axes of all dims, in order.
AxisList flatten(const Layout &layout);

/// `left / right` if that leaves no rest, whatever the symbols are; null otherwise.
Dim divideExactly(Dim left, Dim right);

/// What to do with a group of axes that a tensor lacks: leave a dim of 1, or repeat the tensor.
enum class Missing { One, Repeated };

/// The tensor of a layout as one with a dim for each group of axes, in the groups' order; of a group that it
/// has in part the rest is repeated. Every axis of the layout is in some group; all are leaves.
mlir::Value arrange(mlir::OpBuilder &builder, mlir::Location location, const ScoreAxes &axes,
                    mlir::Value value, const Layout &layout, const Layout &groups,
                    llvm::ArrayRef<Missing> missing);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_ATTENTION_SCOREAXES_H
