// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention to a window of keys that a model computes over chunks of queries, keys and values that overlap.
#ifndef WEFT_COMPILER_GRAPH_ATTENTION_CHUNKEDATTENTION_H
#define WEFT_COMPILER_GRAPH_ATTENTION_CHUNKEDATTENTION_H

#include "compiler/Graph/Attention/ChunkedScores.h"

namespace weft::graph {

/// One softmax, with the products over chunks around it. Shapes have to be known: exporters write the chunks
/// of one length.
class ChunkedAttention {
public:
  explicit ChunkedAttention(SoftmaxOp softmax) : softmax(softmax) {}

  /// Finds all that an attention is made of; false if one condition failed, which `getObstacle` says.
  bool match();
  const ChunkedPlan &getPlan() const { return plan; }
  const std::string &getObstacle() const { return obstacle.empty() ? scores.getObstacle() : obstacle; }
  /// Whether keys are chunks that overlap, so that there is an attention to be missed.
  bool isCandidate() const { return scores.areChunked(); }

private:
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

  SoftmaxOp softmax;
  ChunkedScores scores;
  ChunkedPlan plan;
  std::string obstacle;
  mlir::Value weights; ///< what is left of the softmax's result, before it is moved
  MatmulOp context;    ///< the product with values
};

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_ATTENTION_CHUNKEDATTENTION_H
