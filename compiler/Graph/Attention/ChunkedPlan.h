// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was found around a softmax over chunks: all that the attention is made of.
#ifndef WEFT_COMPILER_GRAPH_ATTENTION_CHUNKEDPLAN_H
#define WEFT_COMPILER_GRAPH_ATTENTION_CHUNKEDPLAN_H

#include "dialects/Weft/Evaluate/IndexAlgebra.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/PatternMatch.h"
#include <optional>

namespace weft::graph {

/// A tensor as it was before it was cut into chunks: vectors of the last dim, each of a head and a position.
/// Heads are what the other dims make, in their order.
struct ChunkSource {
  mlir::Value value;
  int64_t axis = 0; ///< of positions
  int64_t heads = 0, length = 0, inner = 0;

  ChunkSource() = default;
  /// Nothing where the axis is not one before the last.
  static std::optional<ChunkSource> get(mlir::Value value, int64_t axis);
  /// Whether heads are the same dims as those of another one.
  bool hasHeadsOf(const ChunkSource &other) const;
  int64_t headOf(int64_t vector) const { return vector / (length * inner) * inner + vector % inner; }
  int64_t positionOf(int64_t vector) const { return vector / inner % length; }
  /// [batch, heads of a batch, length, width].
  mlir::Value makeHeads(mlir::OpBuilder &builder, mlir::Location location, Dim batch,
                        int64_t headsOfBatch) const;
};

struct ChunkedPlan {
  /// What is added to the scores, for each key and for some of the rows' dims, which lie in this order.
  struct Mask {
    mlir::Value value;
    llvm::SmallVector<int64_t> dims;
  };
  /// Rows whose weights are 0 where a condition of some of the rows' dims says so.
  struct ZeroedRows {
    mlir::Value condition;
    bool areZeroWhere; ///< what the condition is there
    llvm::SmallVector<int64_t> dims;
  };

  ChunkSource query, key, values;
  double scale = 1;
  int64_t firstKey = 0, lastKey = 0; ///< keys from i + firstKey to i + lastKey count for query i
  Shape rows;                        ///< the dims of the softmax's input but the last
  llvm::SmallVector<int64_t> order;  ///< the dims of rows, in that of batch, heads and queries
  size_t ofBatch = 0, ofHeads = 0;   ///< how many of them make the batch, and heads
  int64_t batch = 1, heads = 1;      ///< their sizes
  llvm::SmallVector<Mask, 1> masks;
  llvm::SmallVector<ZeroedRows, 1> zeroed;
  mlir::Value result;                     ///< of the product with values
  llvm::SmallVector<int64_t> resultOrder; ///< the dims of its rows, in the order of batch, heads and queries

  /// Calls `map` on each value, and takes what it gives instead.
  void mapValues(llvm::function_ref<mlir::Value(mlir::Value)> map);
  /// Replaces the product with values by what an attention gives.
  void apply(mlir::IRRewriter &rewriter, mlir::Location location) const;

private:
  AttentionOp create(mlir::OpBuilder &builder, mlir::Location location) const;
  mlir::Value makeRows(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                       llvm::ArrayRef<int64_t> dims) const;
};

/// The product of some dims of a shape.
int64_t countElementsOf(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_ATTENTION_CHUNKEDPLAN_H
