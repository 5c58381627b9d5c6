// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making transposes and reshapes of values whose dims are known, and scalars, and what every pattern that
// makes them has to know first.
#ifndef WEFT_COMPILER_GRAPH_MOVES_H
#define WEFT_COMPILER_GRAPH_MOVES_H

#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace weft::graph {

llvm::SmallVector<int64_t> invertPermutation(llvm::ArrayRef<int64_t> permutation);
mlir::RankedTensorType permuteType(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> permutation);
/// The value itself where nothing moves.
mlir::Value makeTranspose(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                          llvm::ArrayRef<int64_t> permutation);
/// The value itself where it has these dims.
mlir::Value makeReshape(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                        llvm::ArrayRef<Dim> dims);

/// The value repeated to these dims; itself where it has them.
mlir::Value makeExpand(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                       llvm::ArrayRef<Dim> dims);

/// A constant of rank 0.
mlir::Value makeScalar(mlir::OpBuilder &builder, mlir::Location location, mlir::TypedAttr element);

/// Whether a type says its rank and all of its dims.
bool isKnownType(mlir::Type type);

/// Where a slice begins along one dim, if it is whole along all others and leaves out nothing between.
std::optional<Dim> getSliceOffset(SliceOp slice, size_t axis);

/// matmul(transpose(x), w) => transpose(matmul(transpose(w), x)), if the transpose moves a few channels to
/// the end, few are made of them, and they are moved again then: the heads that talking-heads attention
/// mixes. What lies behind the channels fills vectors. Says whether it did.
bool mixFewChannels(MatmulOp op);

/// A pattern of weft-normalize-contractions: only where all shapes are known, and counted.
template <typename Op> struct NormalizingPattern : mlir::OpRewritePattern<Op> {
  NormalizingPattern(mlir::MLIRContext *context, mlir::Pass::Statistic &normalized)
      : mlir::OpRewritePattern<Op>(context), normalized(normalized) {}

  llvm::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const final {
    if (!llvm::all_of(op->getOperandTypes(), isKnownType) || !llvm::all_of(op->getResultTypes(), isKnownType))
      return rewriter.notifyMatchFailure(op, "a shape is not known");
    if (failed(rewrite(op, rewriter)))
      return mlir::failure();
    ++normalized;
    return mlir::success();
  }
  virtual llvm::LogicalResult rewrite(Op op, mlir::PatternRewriter &rewriter) const = 0;
  mlir::Pass::Statistic &normalized;
};

// The patterns that have their own files.
void addConvPatterns(mlir::RewritePatternSet &patterns, mlir::Pass::Statistic &normalized);
void addEinsumPatterns(mlir::RewritePatternSet &patterns, mlir::Pass::Statistic &normalized);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_MOVES_H
