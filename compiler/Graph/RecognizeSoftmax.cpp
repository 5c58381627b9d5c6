// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds softmax in the operations that some exporters write it with.
#include "compiler/Graph/ConstantMatch.h"
#include "compiler/Graph/Moves.h"
#include "compiler/Graph/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_RECOGNIZESOFTMAX
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

using namespace weft::graph;

/// The axis along which `value` is a reduction of `x` and broadcasts back along it; nothing if it is none. It
/// may have kept the axis as 1, got it back by a reshape, not need it (the first axis), or be expanded.
static std::optional<int64_t> getReducedAxis(Value value, ReduceKind kind, Value x) {
  if (auto expand = value.getDefiningOp<ExpandOp>())
    value = expand.getInput();
  auto dims = getDims(value), whole = getDims(x);
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getInput();
  auto reduce = value.getDefiningOp<ReduceOp>();
  if (!reduce || reduce.getKind() != kind || reduce.getInput() != x || reduce.getAxes().size() != 1 ||
      !dims || !whole || dims->size() > whole->size())
    return std::nullopt;
  // Reshapes keep the order of elements, so the dims say which element meets which.
  Dim one = Dim::constant(value.getContext(), 1);
  (*whole)[reduce.getAxes().front()] = one;
  dims->insert(dims->begin(), whole->size() - dims->size(), one);
  return provablyEqualShapes(*dims, *whole) ? std::optional(reduce.getAxes().front()) : std::nullopt;
}

/// The x of `x - max(x)`, with the maximum along an axis; null if a value is none.
static Value beforeShift(Value value, int64_t axis) {
  auto difference = value.getDefiningOp<SubOp>();
  Value x = difference ? difference.getLhs() : Value();
  bool isShifted = x && isKnownType(x.getType()) && x.getType() == value.getType() &&
                   getReducedAxis(difference.getRhs(), ReduceKind::Max, x) == axis;
  return isShifted ? x : Value();
}

namespace {
struct SoftmaxParts {
  Value x;
  int64_t axis;
};
} // namespace

/// What `powers / sum` is the softmax of, if it is one: powers = exp(x - max(x)), and sum is theirs.
static FailureOr<SoftmaxParts> matchSoftmax(Operation *op, Value powers, Value sum,
                                            PatternRewriter &rewriter) {
  auto exp = powers.getDefiningOp<ExpOp>();
  if (!exp || !isKnownType(exp.getType()))
    return rewriter.notifyMatchFailure(op, "not an exponential of a known shape");
  std::optional<int64_t> axis = getReducedAxis(sum, ReduceKind::Sum, powers);
  if (!axis)
    return rewriter.notifyMatchFailure(op, "not divided by its sum along one axis");
  Value x = beforeShift(exp.getInput(), *axis);
  if (!x)
    return rewriter.notifyMatchFailure(op, "not a difference from the maximum along that axis");
  return SoftmaxParts{x, *axis};
}

/// (powers * y) / sum => softmax(x) * y, a product that sums over the axis of the softmax.
static LogicalResult recognizeLaterQuotient(Operation *op, MatmulOp product, Value sum,
                                            PatternRewriter &rewriter) {
  if (!product->hasOneUse() || !product.getEpilogue().empty() || product.getPackedColumns() ||
      product.getType() != op->getResult(0).getType())
    return rewriter.notifyMatchFailure(op, "the product is used otherwise, or it is more than one");
  FailureOr<SoftmaxParts> parts = matchSoftmax(op, product.getLhs(), sum, rewriter);
  if (failed(parts) || size_t(parts->axis) + 1 != getDims(parts->x)->size())
    return rewriter.notifyMatchFailure(op, "the product does not sum over the axis of a softmax");
  Value weights =
      SoftmaxOp::create(rewriter, op->getLoc(), parts->x.getType(), parts->x, uint64_t(parts->axis));
  rewriter.replaceOpWithNewOp<MatmulOp>(op, product.getType(), weights, product.getRhs(), ValueRange(),
                                        IntegerAttr(), WeightGroupsAttr());
  return success();
}

/// exp(x - max(x)) / sum of the same => softmax(x). The numerator may have other users, which keep it.
static LogicalResult recognizeQuotient(Operation *op, Value numerator, Value sum, PatternRewriter &rewriter) {
  if (auto product = numerator.getDefiningOp<MatmulOp>())
    return recognizeLaterQuotient(op, product, sum, rewriter);
  FailureOr<SoftmaxParts> parts = matchSoftmax(op, numerator, sum, rewriter);
  if (failed(parts) || parts->x.getType() != op->getResult(0).getType())
    return rewriter.notifyMatchFailure(op, "no softmax, or one that is broadcast");
  rewriter.replaceOpWithNewOp<SoftmaxOp>(op, parts->x.getType(), parts->x, uint64_t(parts->axis));
  return success();
}

/// What a value is the reciprocal of, as an operation of its own or as 1 / y; null if it is none.
static Value getReciprocal(Value value) {
  if (auto reciprocal = value.getDefiningOp<ReciprocalOp>())
    return reciprocal.getInput();
  auto div = value.getDefiningOp<DivOp>();
  return div && getSplatNumber(div.getLhs()) == 1.0 ? div.getRhs() : Value();
}

static LogicalResult recognize(DivOp op, PatternRewriter &rewriter) {
  return recognizeQuotient(op, op.getLhs(), op.getRhs(), rewriter);
}

static LogicalResult recognize(MulOp op, PatternRewriter &rewriter) {
  for (auto [numerator, factor] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())})
    if (Value sum = getReciprocal(factor))
      if (succeeded(recognizeQuotient(op, numerator, sum, rewriter)))
        return success();
  return rewriter.notifyMatchFailure(op, "no exponential times the reciprocal of its sum");
}

static LogicalResult recognize(ExpOp op, PatternRewriter &rewriter) {
  auto log = op.getInput().getDefiningOp<LogSoftmaxOp>();
  if (!log || !log->hasOneUse()) // where the logarithm is kept, its exponential costs less than a softmax
    return rewriter.notifyMatchFailure(op, "not of a log_softmax that nothing else uses");
  rewriter.replaceOpWithNewOp<SoftmaxOp>(op, op.getType(), log.getInput(), uint64_t(log.getAxis()));
  return success();
}

/// The y of `(x - max(x)) * c` where x is y / c: what models subtract so that less overflows. Null if a value
/// is none. Of another x, x * c might overflow.
static Value beforeScaledShift(Value value, int64_t axis) {
  auto factorOf = [](Value scaled) {
    Operation *op = scaled.getDefiningOp();
    return op ? getConstantFactor(op) : std::nullopt;
  };
  std::optional<double> factor = factorOf(value);
  Value x = factor.value_or(0) > 0 ? beforeShift(value.getDefiningOp()->getOperand(0), axis) : Value();
  std::optional<double> before = x ? factorOf(x) : std::nullopt;
  bool isUndone = before && isAbout(*factor * *before, 1, getElementTypeOrSelf(value));
  return isUndone ? x.getDefiningOp()->getOperand(0) : Value();
}

/// softmax(x - max(x)) => softmax(x), which subtracts it itself.
static LogicalResult recognize(SoftmaxOp op, PatternRewriter &rewriter) {
  Value x = beforeShift(op.getInput(), op.getAxis());
  if (!x)
    x = beforeScaledShift(op.getInput(), op.getAxis());
  if (!x)
    return rewriter.notifyMatchFailure(op, "not of a difference from the maximum along its axis");
  rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(x); });
  return success();
}

namespace {
template <typename Op> struct RecognizeSoftmaxRoot : OpRewritePattern<Op> {
  RecognizeSoftmaxRoot(MLIRContext *context, Pass::Statistic &recognized)
      : OpRewritePattern<Op>(context), recognized(recognized) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (failed(recognize(op, rewriter)))
      return failure();
    ++recognized;
    return success();
  }
  Pass::Statistic &recognized;
};

struct RecognizeSoftmax : graph::impl::RecognizeSoftmaxBase<RecognizeSoftmax> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<RecognizeSoftmaxRoot<DivOp>, RecognizeSoftmaxRoot<MulOp>, RecognizeSoftmaxRoot<ExpOp>,
                 RecognizeSoftmaxRoot<SoftmaxOp>>(&getContext(), recognized);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
