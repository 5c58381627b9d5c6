// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brings contractions and reductions to the forms that have kernels.
#include "compiler/Graph/ConstantMatch.h"
#include "compiler/Graph/Moves.h"
#include "compiler/Graph/Passes.h"
#include "dialects/Weft/IR/ScalarBody.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_NORMALIZECONTRACTIONS
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

using namespace weft::graph;

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

namespace {
/// A row times a matrix, a matrix times a column: as matrices of one row, or one column.
struct RaiseVectors : NormalizingPattern<MatmulOp> {
  using NormalizingPattern::NormalizingPattern;
  LogicalResult rewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    SmallVector<Dim> lhs = *getDims(op.getLhs()), rhs = *getDims(op.getRhs());
    if (lhs.size() > 1 && rhs.size() > 1)
      return rewriter.notifyMatchFailure(op, "both operands are matrices");
    if (op.getPackedColumns() || !op.getEpilogue().empty())
      return rewriter.notifyMatchFailure(op, "it is packed, or has an epilogue");
    Dim one = Dim::constant(op.getContext(), 1);
    SmallVector<Dim> dims = *getDims(op.getResult());
    if (lhs.size() == 1)
      dims.insert(rhs.size() == 1 ? dims.end() : dims.end() - 1, one);
    if (rhs.size() == 1)
      dims.push_back(one);
    Value left =
        lhs.size() > 1 ? op.getLhs() : makeReshape(rewriter, op.getLoc(), op.getLhs(), {one, lhs[0]});
    Value right =
        rhs.size() > 1 ? op.getRhs() : makeReshape(rewriter, op.getLoc(), op.getRhs(), {rhs[0], one});
    Value product = MatmulOp::create(rewriter, op.getLoc(), getTensorType(dims, getElementTypeOrSelf(left)),
                                     left, right, ValueRange(), IntegerAttr(), WeightGroupsAttr());
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), product, Value(), UnitAttr());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

struct ReduceTrailing : NormalizingPattern<ReduceOp> {
  using NormalizingPattern::NormalizingPattern;
  LogicalResult rewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> axes = op.getAxes();
    int64_t rank = cast<RankedTensorType>(op.getInput().getType()).getRank(), first = rank - axes.size();
    if (axes.empty()) { // of one element each, any reduction is that element
      rewriter.replaceOp(op, op.getInput());
      return success();
    }
    if (axes.front() == first)
      return rewriter.notifyMatchFailure(op, "the axes are trailing already");
    SmallVector<int64_t> permutation;
    for (int64_t i = 0; i < rank; ++i)
      if (!llvm::is_contained(axes, i))
        permutation.push_back(i);
    llvm::append_range(permutation, axes);
    Value input = makeTranspose(rewriter, op.getLoc(), op.getInput(), permutation);
    SmallVector<Dim> dims = *getDims(input);
    auto type = getTensorType(ArrayRef(dims).take_front(first), getElementTypeOrSelf(input));
    Value result = ReduceOp::create(rewriter, op.getLoc(), type, op.getKind(), input,
                                    llvm::to_vector(llvm::seq<int64_t>(first, rank)), /*keepdims=*/false);
    if (op.getKeepdims())
      result = makeReshape(rewriter, op.getLoc(), result, *getDims(op.getResult()));
    rewriter.replaceOp(op, result);
    return success();
  }
};

template <typename Op> struct SoftmaxOfLast : NormalizingPattern<Op> {
  using NormalizingPattern<Op>::NormalizingPattern;
  LogicalResult rewrite(Op op, PatternRewriter &rewriter) const override {
    int64_t last = cast<RankedTensorType>(op.getType()).getRank() - 1, axis = op.getAxis();
    if (axis == last)
      return rewriter.notifyMatchFailure(op, "the axis is the last already");
    SmallVector<int64_t> swap = llvm::to_vector(llvm::seq<int64_t>(0, last + 1));
    std::swap(swap[axis], swap[last]);
    Value input = makeTranspose(rewriter, op.getLoc(), op.getInput(), swap);
    Value result = Op::create(rewriter, op.getLoc(), input.getType(), input, uint64_t(last));
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), result, swap);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

/// elementwise(transpose(x), ...) => transpose(elementwise(x, ...)).
struct SinkTranspose : OpInterfaceRewritePattern<InferInterface> {
  SinkTranspose(MLIRContext *context, Pass::Statistic &normalized)
      : OpInterfaceRewritePattern(context), normalized(normalized) {}

  LogicalResult matchAndRewrite(InferInterface infer, PatternRewriter &rewriter) const override {
    Operation *op = infer;
    if (!isElementwise(op))
      return rewriter.notifyMatchFailure(op, "not element-wise");
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<TransposeOp> moves;
    for (Value operand : op->getOperands()) {
      if (getSplatElement(operand))
        continue;
      auto move = operand.getDefiningOp<TransposeOp>();
      if (!move || (!moves.empty() && moves[0].getPermutation() != move.getPermutation()))
        return rewriter.notifyMatchFailure(op, "an operand is neither a splat nor the same transposition");
      if (!llvm::all_of(move->getUsers(), [&](Operation *user) { return user == op; }))
        return rewriter.notifyMatchFailure(op, "the transposed value has other users");
      moves.push_back(move);
    }
    if (!type || moves.empty() || int64_t(moves[0].getPermutation().size()) != type.getRank())
      return rewriter.notifyMatchFailure(op, "no transposed operand, or a splat adds dims");
    if (!llvm::all_of(op->getOperands(), [&](Value operand) { return isNoLarger(operand, moves); }))
      return rewriter.notifyMatchFailure(op, "a splat's shape enlarges the result");

    SmallVector<int64_t> order(moves[0].getPermutation());
    SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) -> Value {
      if (auto move = operand.getDefiningOp<TransposeOp>())
        return move.getInput();
      return makeScalar(rewriter, operand.getLoc(), getSplatElement(operand));
    });
    Operation *inner = rewriter.create(op->getLoc(), op->getName().getIdentifier(), operands,
                                       {permuteType(type, invertPermutation(order))}, op->getAttrs());
    rewriter.replaceOpWithNewOp<TransposeOp>(op, type, inner->getResult(0), order);
    ++normalized;
    return success();
  }

private:
  /// Whether the transposed operands make the result's shape without a splat among the operands.
  static bool isNoLarger(Value operand, ArrayRef<TransposeOp> moves) {
    return !getSplatElement(operand) || llvm::any_of(moves, [&](TransposeOp move) {
      return provablyBroadcastsTo(*getDims(operand), getDims(cast<ShapedType>(move.getType())));
    });
  }
  Pass::Statistic &normalized;
};

struct NormalizeContractions : graph::impl::NormalizeContractionsBase<NormalizeContractions> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    addConvPatterns(patterns, normalized);
    addEinsumPatterns(patterns, normalized);
    patterns.add<RaiseVectors, ReduceTrailing, SoftmaxOfLast<SoftmaxOp>, SoftmaxOfLast<LogSoftmaxOp>,
                 SinkTranspose>(&getContext(), normalized);
    // Moves that meet merge or cancel on the way.
    TransposeOp::getCanonicalizationPatterns(patterns, &getContext());
    ReshapeOp::getCanonicalizationPatterns(patterns, &getContext());
    // A transpose sinks past one residual connection of a chain with each iteration, and goes no way back.
    GreedyRewriteConfig config;
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
