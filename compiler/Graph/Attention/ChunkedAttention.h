// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention to a window of keys that a model computes over chunks of queries, keys and values that overlap.
#ifndef WEFT_COMPILER_GRAPH_ATTENTION_CHUNKEDATTENTION_H
#define WEFT_COMPILER_GRAPH_ATTENTION_CHUNKEDATTENTION_H

#include "compiler/Graph/Attention/ChunkedScores.h"
#include "mlir/IR/PatternMatch.h"

namespace weft::graph {

/// One softmax, with the products over chunks around it. Shapes have to be known: exporters write the chunks
/// of one length.
class ChunkedAttention {
public:
  explicit ChunkedAttention(SoftmaxOp softmax) : softmax(softmax) {}

  /// Replaces the product that uses the softmax by what an attention gives; false if one condition failed,
  /// which `getObstacle` says.
  bool fuse(mlir::IRRewriter &rewriter);
  const std::string &getObstacle() const { return obstacle.empty() ? scores.getObstacle() : obstacle; }
  /// Whether keys are chunks that overlap, so that there is an attention to be missed.
  bool isCandidate() const { return scores.areChunked(); }

private:
  /// Rows whose weights are 0 where a condition says so.
  struct ZeroedRows {
    mlir::Value condition;
    bool areZeroWhere; ///< what the condition is there
    llvm::SmallVector<int64_t> dims;
  };

  bool fail(llvm::StringRef why) {
    obstacle = why.str();
    return false;
  }
  bool orderRows();
  bool fitsRows(llvm::ArrayRef<int64_t> dims) const;
  bool takeMasks();
  bool takeWeights();
  bool takeValues();
  bool takeResults(llvm::ArrayRef<int64_t> resultRows);
  AttentionOp create(mlir::OpBuilder &builder);
  mlir::Value makeRows(mlir::OpBuilder &builder, mlir::Value value, llvm::ArrayRef<int64_t> dims);
  mlir::Value makeHeads(mlir::OpBuilder &builder, const ChunkSource &source);

  SoftmaxOp softmax;
  ChunkedScores scores;
  std::string obstacle;
  int64_t batch = 1, heads = 1;     ///< what heads of the scores are made of
  llvm::SmallVector<int64_t> order; ///< the dims of rows, in that of batch, heads and queries
  size_t ofBatch = 0, ofHeads = 0;  ///< how many of them make the batch, and heads
  llvm::SmallVector<llvm::SmallVector<int64_t>> maskOrders;
  llvm::SmallVector<ZeroedRows> zeroed; ///< after the softmax
  mlir::Value weights;                  ///< what is left of the softmax's result, before it is moved
  MatmulOp context;                     ///< the product with values
  ChunkSource values;
  llvm::SmallVector<int64_t> resultOrder; ///< the dims of context's rows, in that of batch, heads and queries
};

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_ATTENTION_CHUNKEDATTENTION_H
