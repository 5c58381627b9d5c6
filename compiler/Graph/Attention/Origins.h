// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the elements of a tensor come from, through whatever moves them: slices, pads, joins, reshapes that
// cut across rows, tables of places. For tensors of known shape; the first dim may be known to a run alone,
// as long as nothing moves along it. Then all is said of a tensor of which it is 1.
#ifndef WEFT_COMPILER_GRAPH_ATTENTION_ORIGINS_H
#define WEFT_COMPILER_GRAPH_ATTENTION_ORIGINS_H

#include "dialects/Weft/IR/Weft.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <optional>
#include <vector>

namespace weft::graph {

/// The shape of a value of known rank, with 1 for a first dim that only a run knows.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

/// Whether a value is computed from constants by few operations: a constant, or a table that was too large to
/// be folded.
bool isComputedFromConstants(mlir::Value value);

/// The operands whose elements an operation moves as they are, beside constants that say where to and what
/// stands between; none if it is no move, or one by data. The product with a column of ones is one.
llvm::SmallVector<mlir::Value> getMoved(mlir::Operation *op);

/// Whether one of the moves that make a value of a source passes a test; of all moves, if the source is null.
bool isMovedBy(mlir::Value value, mlir::Value source, llvm::function_ref<bool(mlir::Operation *)> test);

/// What a value is moved from, all of it: the last such value, which no move makes. Constants aside; null if
/// there are several, or a shape is not known.
mlir::Value findMoveSource(mlir::Value value);
/// The values that all of a value is moved from, from itself on.
llvm::SmallVector<mlir::Value> findMoveSources(mlir::Value value);
/// Those of fewest elements among the values that all of a value is moved from, the last first; the value
/// itself is one if none has fewer.
llvm::SmallVector<mlir::Value> findSmallestMoveSources(mlir::Value value);

/// For each element of a tensor, in row-major order, the place of an element of the source that it is; or
/// below 0 a constant number.
using Origins = std::vector<int32_t>;

class OriginFinder {
public:
  /// A source that is null is none: everything is moved from constants.
  explicit OriginFinder(mlir::Value source) : source(source) {}

  /// The origins of a value that is moved from the source. Null if it is too large, or a table says a place
  /// that there is not.
  std::shared_ptr<const Origins> find(mlir::Value value);
  /// The number that an origin below 0 stands for.
  double getNumber(int32_t origin) const { return numbers[-1 - origin]; }

private:
  using Result = std::shared_ptr<Origins>;
  Result compute(mlir::Operation *op);
  Result computeConstant(mlir::Value value);
  Result computePad(PadOp op);
  Result computeConcat(ConcatOp op);
  Result computeGather(GatherOp op);
  Result computeGatherElements(GatherElementsOp op);
  Result computeScatter(ScatterNDOp op);
  Result computeWhere(WhereOp op);
  /// An element for each index of the result: the input's at the sum of index * stride, from a place on.
  Result computeStrided(mlir::Value input, mlir::Value result, llvm::ArrayRef<int64_t> strides,
                        int64_t start = 0);
  int32_t internNumber(double number);

  mlir::Value source;
  llvm::DenseMap<mlir::Value, Result> known; ///< those that are still needed
  std::vector<double> numbers;
  llvm::DenseMap<uint64_t, int32_t> ofBits; ///< of numbers
  int32_t lastNumber = -1;                  ///< numbers come in runs
};

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_ATTENTION_ORIGINS_H
