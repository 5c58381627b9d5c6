// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is found around one softmax, and the attention that is made of it.
#ifndef WEFT_COMPILER_GRAPH_ATTENTION_SOFTMAXFUSION_H
#define WEFT_COMPILER_GRAPH_ATTENTION_SOFTMAXFUSION_H

#include "compiler/Graph/Attention/AttentionMatch.h"
#include "compiler/Graph/Attention/ScoreRegion.h"
#include "compiler/Graph/Attention/SoftmaxSink.h"
#include "mlir/IR/PatternMatch.h"

namespace weft::graph {

/// One softmax, with what was found around it.
class SoftmaxFusion {
public:
  SoftmaxFusion(SoftmaxOp softmax, IndexTables &tables)
      : softmax(softmax), tables(tables), parts{softmax.getInput(), softmax.getResult(), {}},
        axes(softmax.getContext()) {}

  /// Whether some product uses the result: without one there is no attention to be missed.
  bool isCandidate() const { return candidate; }
  /// Replaces all products that use the softmax; false if one condition failed, which `getObstacle` says.
  bool fuse(mlir::IRRewriter &rewriter);
  const std::string &getObstacle() const { return obstacle; }

private:
  bool fail(const llvm::Twine &reason) {
    obstacle = reason.str();
    return false;
  }
  bool fuseProduct(MatmulOp product, mlir::IRRewriter &rewriter);
  bool takeScores(MatmulOp product, const ScoreTrace &trace);
  bool takeValues(const WeightsUse &use);
  bool takeOperands(const WeightsUse &use);
  bool fuseUse(const WeightsUse &use, const ScoreTrace &trace, bool givesWeights, mlir::IRRewriter &rewriter);
  void chooseAxes();
  bool checkTypes(MatmulOp product);
  bool checkSources();
  AttentionOp create(mlir::IRRewriter &rewriter, const ScoreTrace &trace, const WeightsUse &use,
                     bool givesWeights);
  mlir::Value makeSink(mlir::OpBuilder &builder, const ScoreTrace &trace, mlir::Type number);
  mlir::Value restore(mlir::IRRewriter &rewriter, mlir::Value result, const Layout &layout,
                      const Layout &target, llvm::ArrayRef<Dim> dims);
  bool isShared(Axis axis) const;

  SoftmaxOp softmax;
  IndexTables &tables;
  SoftmaxSink parts; ///< what the softmax is of and makes, with a sink or none
  std::string obstacle;
  bool candidate = false;

  ScoreAxes axes;
  SoftmaxUses uses;
  Operand query, key, value; ///< layouts end with [length, width]
  Layout resultLayout;       ///< of the second product's result, one for its width
  AxisList queryRows;        ///< axes of the rows of scores, which keys lack
  AxisList width, valueWidth;
  AxisList keyAxis;
  AxisList batchAxes; ///< the product's, in its order
  AttentionAxes attention;
  mlir::Type element; ///< of query, key, value and result
};

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_ATTENTION_SOFTMAXFUSION_H
