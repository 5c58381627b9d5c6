// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds layer normalization in the operations that exporters write it with.
#include "compiler/Graph/ConstantMatch.h"
#include "compiler/Graph/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_RECOGNIZENORM
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

using namespace weft::graph;

namespace {
/// What was found; `inner` are the operations that the norm replaces, `root` the last of them.
struct Norm {
  Value x, scale, bias;
  int64_t axis = 0;
  double epsilon = 0;
  Operation *root = nullptr;
  SmallVector<Operation *> inner;
};

/// Matches from the square root outwards. Each step returns why it declines, or null.
class NormMatcher {
public:
  explicit NormMatcher(SqrtOp sqrt) : sqrt(sqrt) {}
  const char *match();
  Norm norm;

private:
  const char *matchEpsilon(Value &variance);
  const char *matchVariance(Value variance);
  const char *matchDifference(Value difference);
  const char *matchQuotient();
  void matchRounding();
  void matchScaleAndBias();
  const char *checkUsers();
  bool isParameter(Value value);
  /// The only user of a value; null if there are more, or it is returned.
  Operation *getOnlyUser(Value value) { return value.hasOneUse() ? *value.getUsers().begin() : nullptr; }

  SqrtOp sqrt;
  SmallVector<int64_t> axes;
  SmallVector<Value> differences; ///< x - mean(x), which may be written twice
};
} // namespace

/// The axes that a mean along the trailing dims, kept as 1, is taken over; nothing otherwise.
static std::optional<ArrayRef<int64_t>> getTrailingMeanAxes(ReduceOp reduce) {
  auto type = dyn_cast<RankedTensorType>(reduce.getInput().getType());
  if (!type || reduce.getKind() != ReduceKind::Mean || !reduce.getKeepdims() || reduce.getAxes().empty())
    return std::nullopt;
  ArrayRef<int64_t> axes = reduce.getAxes();
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis != type.getRank() - int64_t(axes.size()) + int64_t(i))
      return std::nullopt;
  return axes;
}

const char *NormMatcher::match() {
  Value variance;
  if (const char *reason = matchEpsilon(variance))
    return reason;
  if (const char *reason = matchVariance(variance))
    return reason;
  if (const char *reason = matchQuotient())
    return reason;
  matchRounding();
  matchScaleAndBias();
  return checkUsers();
}

const char *NormMatcher::matchEpsilon(Value &variance) {
  auto add = sqrt.getInput().getDefiningOp<AddOp>();
  if (!add)
    return "no epsilon inside the root";
  auto epsilon = getSplatNumber(add.getRhs());
  variance = add.getLhs();
  if (!epsilon) {
    epsilon = getSplatNumber(add.getLhs());
    variance = add.getRhs();
  }
  if (!epsilon || *epsilon < 0)
    return "epsilon is not one number, or is negative";
  norm.epsilon = *epsilon;
  norm.inner = {add, sqrt};
  return nullptr;
}

const char *NormMatcher::matchVariance(Value variance) {
  auto mean = variance.getDefiningOp<ReduceOp>();
  auto found = mean ? getTrailingMeanAxes(mean) : std::nullopt;
  if (!found)
    return "the variance is not a mean over trailing axes with keepdims";
  axes.assign(found->begin(), found->end());
  norm.inner.push_back(mean);
  Operation *square = mean.getInput().getDefiningOp();
  if (!isa_and_present<MulOp, PowOp>(square))
    return "the variance is not a mean of squares";
  if (isa<PowOp>(square) && getSplatNumber(square->getOperand(1)) != 2.0)
    return "the variance is not a mean of squares";
  norm.inner.push_back(square);
  if (const char *reason = matchDifference(square->getOperand(0)))
    return reason;
  return isa<MulOp>(square) ? matchDifference(square->getOperand(1)) : nullptr;
}

/// x - mean(x) over the same axes.
const char *NormMatcher::matchDifference(Value difference) {
  if (llvm::is_contained(differences, difference))
    return nullptr;
  auto sub = difference.getDefiningOp<SubOp>();
  auto mean = sub ? sub.getRhs().getDefiningOp<ReduceOp>() : ReduceOp();
  auto found = mean ? getTrailingMeanAxes(mean) : std::nullopt;
  if (!found || *found != ArrayRef<int64_t>(axes) || mean.getInput() != sub.getLhs())
    return "not a difference from the mean over the variance's axes";
  if (norm.x && norm.x != sub.getLhs())
    return "differences of two values";
  norm.x = sub.getLhs();
  differences.push_back(difference);
  for (Operation *op : {sub.getOperation(), mean.getOperation()})
    if (!llvm::is_contained(norm.inner, op))
      norm.inner.push_back(op);
  return nullptr;
}

/// difference / root, or difference * (1 / root).
const char *NormMatcher::matchQuotient() {
  Operation *user = getOnlyUser(sqrt);
  Value difference;
  if (auto reciprocal = dyn_cast_if_present<ReciprocalOp>(user)) {
    norm.inner.push_back(user);
    auto mul = dyn_cast_if_present<MulOp>(getOnlyUser(reciprocal));
    if (!mul)
      return "the reciprocal of the root is not multiplied once";
    difference = mul.getLhs() == reciprocal.getResult() ? mul.getRhs() : mul.getLhs();
    user = mul;
  } else if (auto div = dyn_cast_if_present<DivOp>(user); div && div.getRhs() == sqrt.getResult()) {
    if (auto one = getSplatNumber(div.getLhs()); one == 1.0) { // 1 / root, as a quotient
      norm.inner.push_back(user);
      auto mul = dyn_cast_if_present<MulOp>(getOnlyUser(div));
      if (!mul)
        return "the reciprocal of the root is not multiplied once";
      difference = mul.getLhs() == div.getResult() ? mul.getRhs() : mul.getLhs();
      user = mul;
    } else {
      difference = div.getLhs();
    }
  } else {
    return "the root has another user, or does not divide";
  }
  if (const char *reason = matchDifference(difference))
    return reason;
  norm.root = user;
  norm.axis = axes.front();
  return norm.root->getResult(0).getType() == norm.x.getType() ? nullptr : "the quotient's shape is not x's";
}

/// x widened to f32 and the quotient rounded back: a norm of short floats does just that.
void NormMatcher::matchRounding() {
  auto widen = norm.x.getDefiningOp<CastOp>();
  auto narrow = dyn_cast_if_present<CastOp>(getOnlyUser(norm.root->getResult(0)));
  if (!widen || !narrow || !getElementTypeOrSelf(norm.x).isF32())
    return;
  Type element = getElementTypeOrSelf(widen.getInput());
  if (!isa<Float16Type, BFloat16Type>(element) || narrow.getTo() != element)
    return;
  norm.inner.push_back(norm.root);
  norm.root = narrow;
  norm.x = widen.getInput();
}

/// Whether a value broadcasts within the normalised dims.
bool NormMatcher::isParameter(Value value) {
  auto dims = getDims(value);
  if (!dims || value.getDefiningOp() == norm.root)
    return false;
  ArrayRef<Dim> shape = *dims;
  SmallVector<Dim> x = *getDims(norm.x);
  ArrayRef<Dim> tail = ArrayRef(x).drop_front(norm.axis);
  while (shape.size() > tail.size() && shape.front() && shape.front().getConstant() == 1)
    shape = shape.drop_front();
  return dims->size() <= x.size() && provablyBroadcastsTo(shape, tail);
}

void NormMatcher::matchScaleAndBias() {
  auto take = [&](Operation *user, Value &parameter) {
    Value value = norm.root->getResult(0);
    Value other = user->getOperand(user->getOperand(0) == value ? 1 : 0);
    if (other == value || user->getResult(0).getType() != norm.x.getType() || !isParameter(other))
      return false;
    parameter = other;
    norm.inner.push_back(norm.root);
    norm.root = user;
    return true;
  };
  auto mul = dyn_cast_if_present<MulOp>(getOnlyUser(norm.root->getResult(0)));
  if (mul)
    take(mul, norm.scale);
  if (auto add = dyn_cast_if_present<AddOp>(getOnlyUser(norm.root->getResult(0))))
    take(add, norm.bias);
}

const char *NormMatcher::checkUsers() {
  for (Operation *op : norm.inner)
    for (Operation *user : op->getUsers())
      if (user != norm.root && !llvm::is_contained(norm.inner, user))
        return "an intermediate value has another user";
  return nullptr;
}

/// The parameter in the shape of the normalised dims, or ones if there is none; null if its shape is not
/// static.
static Value makeParameter(PatternRewriter &rewriter, const Norm &norm, Value value) {
  SmallVector<Dim> x = *getDims(norm.x);
  RankedTensorType type = getTensorType(ArrayRef(x).drop_front(norm.axis), getElementTypeOrSelf(norm.x));
  Location location = norm.root->getLoc();
  if (!value) {
    if (!type.hasStaticShape())
      return nullptr;
    auto one = rewriter.getFloatAttr(type.getElementType(), 1);
    return ConstantOp::create(rewriter, location, type, DenseElementsAttr::get(type, Attribute(one)));
  }
  SmallVector<Dim> dims = *getDims(value);
  ArrayRef<Dim> shape = dims;
  if (shape.size() > size_t(type.getRank())) {
    shape = shape.take_back(type.getRank());
    value = ReshapeOp::create(rewriter, location, getTensorType(shape, type.getElementType()), value, Value(),
                              UnitAttr());
  }
  return value.getType() == type ? value : Value(ExpandOp::create(rewriter, location, type, value, Value()));
}

namespace {
struct RecognizeLayerNorm : OpRewritePattern<SqrtOp> {
  RecognizeLayerNorm(MLIRContext *context, Pass::Statistic &recognized)
      : OpRewritePattern(context), recognized(recognized) {}

  LogicalResult matchAndRewrite(SqrtOp sqrt, PatternRewriter &rewriter) const override {
    NormMatcher matcher(sqrt);
    if (const char *reason = matcher.match())
      return rewriter.notifyMatchFailure(sqrt, reason);
    const Norm &norm = matcher.norm;
    SmallVector<Dim> x = *getDims(norm.x);
    if (!norm.scale &&
        !getTensorType(ArrayRef(x).drop_front(norm.axis), rewriter.getF32Type()).hasStaticShape())
      return rewriter.notifyMatchFailure(sqrt, "no scale, and the normalised dims are not static");
    rewriter.setInsertionPoint(norm.root);
    Value scale = makeParameter(rewriter, norm, norm.scale);
    Value bias = norm.bias ? makeParameter(rewriter, norm, norm.bias) : Value();
    Location location = FusedLoc::get(getContext(), {norm.root->getLoc(), sqrt.getLoc()});
    auto layerNorm = LayerNormOp::create(rewriter, location, norm.x.getType(), norm.x, scale, bias,
                                         rewriter.getI64IntegerAttr(norm.axis),
                                         rewriter.getF32FloatAttr(float(norm.epsilon)));
    rewriter.replaceOp(norm.root, layerNorm);
    ++recognized;
    return success();
  }
  Pass::Statistic &recognized;
};

struct RecognizeNorm : graph::impl::RecognizeNormBase<RecognizeNorm> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<RecognizeLayerNorm>(&getContext(), recognized);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
