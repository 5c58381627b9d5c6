// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is done to the scores between the product and the softmax, as the score region of an attention.
//
// An operand of those operations that a graph makes from the places of queries and keys (a triangle, a
// comparison of positions, a table that was drawn at export) is computed in the region, so that it never
// exists as a tensor. What depends on data is read: a capture.
#ifndef WEFT_COMPILER_GRAPH_ATTENTION_SCOREREGION_H
#define WEFT_COMPILER_GRAPH_ATTENTION_SCOREREGION_H

#include "compiler/Graph/Attention/IndexTable.h"
#include "compiler/Graph/Attention/ScoreTrace.h"

namespace weft::graph {

/// The axes that each dim of the scores, [batch, heads, queries, keys], is made of; all are leaves.
struct AttentionAxes {
  AxisList batch, heads, queries, keys;
  Layout getScores() const { return {batch, heads, queries, keys}; }
};

/// Where an element is along one dim: at a place of some axes, or at a computed one.
struct Position {
  AxisList axes;
  mlir::Value index; ///< null unless computed
  friend bool operator==(const Position &left, const Position &right) {
    return left.axes == right.axes && left.index == right.index;
  }
};
using Positions = llvm::SmallVector<Position>;

/// The index tables of constants, each looked for once.
class IndexTables {
public:
  const std::optional<IndexTable> &get(ConstantOp constant);

private:
  llvm::DenseMap<mlir::Attribute, std::optional<IndexTable>> tables;
};

class ScoreRegion {
public:
  /// `number` is the type of scores in the region. Without a trace nothing depends on the product.
  ScoreRegion(ScoreAxes &axes, const AttentionAxes &attention, const ScoreTrace *trace, IndexTables &tables,
              mlir::Type number, mlir::Location location);

  /// Builds the body: the softmax's input from the product, times run-time scalars that were factors of query
  /// or key. False if an operand can neither be computed nor read; `getObstacle` says which.
  bool build(mlir::Value scores, llvm::ArrayRef<mlir::Value> factors);
  /// Builds the body of an attention that has a region, with what its captures compute from places in it.
  /// False if that is nothing, or a capture can neither be computed nor read.
  bool rebuild(AttentionOp op);
  /// After build: where a mask chooses the scores last, excludes what it fills in, which is the then value if
  /// `isFilledWhere`. False if none does.
  bool excludeFilled(bool isFilledWhere);
  /// Whether a capture is computed from the product.
  bool readsProduct() const;
  const std::string &getObstacle() const { return obstacle; }

  /// The captures, arranged before the builder's place.
  llvm::SmallVector<mlir::Value> makeCaptures(mlir::OpBuilder &builder);
  /// Gives the region to an attention of these captures; an empty one if scores are used as they are.
  void moveInto(mlir::Region &region);
  /// The constants that scores are multiplied by before anything else, which the region leaves to the
  /// attention.
  double getScale() const { return scale; }

private:
  /// What the region reads: a tensor's elements, or a size.
  struct Capture {
    mlir::Value tensor; ///< null for a size
    Layout layout;
    llvm::SmallVector<Dim> dims; ///< of the tensor, once those that may be 1 or not are broadcast
    Dim size;
    mlir::BlockArgument argument;
  };
  /// An axis whose places are others', shifted: it is a part of them, as an input of a concat is, or they are
  /// a part of it, as a slice is of its input.
  struct Shifted {
    Axis axis;
    AxisList of;
    Dim offset; ///< where the part starts
    bool isPart;
  };
  struct Checkpoint {
    mlir::Operation *last;
    size_t captures, reads, computed;
  };
  struct Computed {
    mlir::Value tensor;
    Positions at;
    mlir::Value element;
    llvm::SmallVector<unsigned> reads;
  };
  using Element = llvm::FailureOr<mlir::Value>;

  // From what it is called with to its element; failure without a diagnostic where that cannot be said.
  Element visit(mlir::Value value, const Positions &at);
  Element compute(mlir::Value value, const Positions &at);
  Element computeElementwise(mlir::Operation *op, const Positions &at);
  Element computeReshape(ReshapeOp op, const Positions &at);
  Element computeExpand(ExpandOp op, const Positions &at);
  Element computeTile(TileOp op, const Positions &at);
  Element computeSlice(SliceOp op, const Positions &at);
  Element computeConcat(ConcatOp op, const Positions &at);
  Element computeTrilu(TriluOp op, const Positions &at);
  Element computeRange(RangeOp op, const Positions &at);
  Element computeConstant(ConstantOp op, const Positions &at);
  Element computeDims(DimsOp op, const Positions &at);
  Element visitOperand(mlir::Value value, llvm::ArrayRef<Dim> to, llvm::ArrayRef<Position> at);
  Element capture(mlir::Value value, const Positions &at);
  Element capture(mlir::Value value, const Positions &at, llvm::ArrayRef<Dim> dims);

  mlir::Value getIndex(const Position &at);
  mlir::Value getIndex(Axis axis);
  mlir::Value getIndex(llvm::ArrayRef<Axis> list);
  Position shift(const Position &place, Dim size, Dim offset, bool isPart);
  mlir::Value shift(mlir::Value index, Dim offset, bool isPart);
  const Shifted *findShift(Axis axis) const;
  AxisList getUnshifted(llvm::ArrayRef<Axis> list) const;
  mlir::Value makeCapture(mlir::OpBuilder &outside, mlir::Value tensor, const Layout &layout);
  mlir::Value getSize(Dim size);
  mlir::Value convertIndex(mlir::Value index, mlir::Type type);
  mlir::Value indexConstant(int64_t value);

  void takeScale();
  Checkpoint getCheckpoint();
  void rollBack(const Checkpoint &checkpoint);
  bool isInPlace(mlir::Value value, const Positions &at) const;
  bool isWorthComputing(const Positions &at, int64_t width, const Checkpoint &since) const;

  ScoreAxes &axes;
  const AttentionAxes &attention;
  const ScoreTrace *trace;
  IndexTables &tables;
  mlir::Type number;
  mlir::Location location;
  mlir::Region region;
  mlir::Block *body;
  mlir::OpBuilder builder;
  mlir::Value product; ///< the region's first argument in the product's type
  llvm::SmallVector<Capture> captures;
  llvm::SmallVector<Shifted> shifts;
  llvm::SmallVector<unsigned> reads; ///< captures, in the order in which they were read
  llvm::SmallVector<Computed> computed;
  llvm::SmallVector<std::pair<mlir::Value, Positions>> read; ///< what turned out to be better captured
  size_t visits = 0;
  std::string obstacle;
  double scale = 1;
  bool trivial = false;
};

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_ATTENTION_SCOREREGION_H
