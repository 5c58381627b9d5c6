// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds layer and root mean square normalization in the operations that exporters write them with.
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

/// Which norm: of x - mean(x), or of x as it is.
enum class Kind { Layer, RootMeanSquare };

/// Matches from the root outwards: a square root, or a power of -1/2. Each step returns why it declines, or
/// null.
class NormMatcher {
public:
  NormMatcher(Operation *rootOp, Kind kind) : rootOp(rootOp), kind(kind) {}
  const char *match();
  Norm norm;

private:
  const char *matchEpsilon(Value &variance);
  const char *matchVariance(Value variance);
  const char *matchNumerator(Value value);
  const char *matchDifference(Value difference);
  const char *matchQuotient();
  void matchRounding();
  void matchScaleAndBias();
  const char *checkUsers();
  bool isParameter(Value value);
  /// The only user of a value; null if there are more, or it is returned.
  Operation *getOnlyUser(Value value) { return value.hasOneUse() ? *value.getUsers().begin() : nullptr; }

  Operation *rootOp;
  Kind kind;
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
  auto add = rootOp->getOperand(0).getDefiningOp<AddOp>();
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
  norm.inner = {add, rootOp};
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
  if (const char *reason = matchNumerator(square->getOperand(0)))
    return reason;
  return isa<MulOp>(square) ? matchNumerator(square->getOperand(1)) : nullptr;
}

/// What is squared and divided: x, or its difference from its mean.
const char *NormMatcher::matchNumerator(Value value) {
  if (kind == Kind::Layer)
    return matchDifference(value);
  if (norm.x && norm.x != value)
    return "two values";
  norm.x = value;
  return nullptr;
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

/// numerator / root, or numerator * (1 / root).
const char *NormMatcher::matchQuotient() {
  Value root = rootOp->getResult(0), numerator;
  Operation *user = getOnlyUser(root), *reciprocal = nullptr;
  auto div = dyn_cast_if_present<DivOp>(user);
  if (isa<PowOp>(rootOp))
    reciprocal = rootOp;
  else if (isa_and_present<ReciprocalOp>(user) ||
           (div && div.getRhs() == root && getSplatNumber(div.getLhs()) == 1.0))
    reciprocal = user;
  if (reciprocal) {
    Value factor = reciprocal->getResult(0);
    if (reciprocal != rootOp)
      norm.inner.push_back(reciprocal);
    user = getOnlyUser(factor);
    auto mul = dyn_cast_if_present<MulOp>(user);
    if (!mul)
      return "the reciprocal of the root is not multiplied once";
    numerator = mul.getLhs() == factor ? mul.getRhs() : mul.getLhs();
  } else if (div && div.getRhs() == root) {
    numerator = div.getLhs();
  } else {
    return "the root has another user, or does not divide";
  }
  if (const char *reason = matchNumerator(numerator))
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
  auto add = dyn_cast_if_present<AddOp>(getOnlyUser(norm.root->getResult(0)));
  if (add && kind == Kind::Layer)
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
/// A norm around the root Op. A layer norm is tried first: it is the root mean square norm of the difference,
/// too.
template <typename Op> struct RecognizeNormRoot : OpRewritePattern<Op> {
  RecognizeNormRoot(MLIRContext *context, Pass::Statistic &recognized)
      : OpRewritePattern<Op>(context), recognized(recognized) {}

  LogicalResult matchAndRewrite(Op root, PatternRewriter &rewriter) const override {
    if (auto pow = dyn_cast<PowOp>(root.getOperation()); pow && getSplatNumber(pow.getRhs()) != -0.5)
      return rewriter.notifyMatchFailure(root, "no power of -1/2");
    if (succeeded(recognize(Kind::Layer, root, rewriter)))
      return success();
    return recognize(Kind::RootMeanSquare, root, rewriter);
  }

private:
  LogicalResult recognize(Kind kind, Op root, PatternRewriter &rewriter) const {
    NormMatcher matcher(root, kind);
    if (const char *reason = matcher.match())
      return rewriter.notifyMatchFailure(root, reason);
    const Norm &norm = matcher.norm;
    SmallVector<Dim> x = *getDims(norm.x);
    if (!norm.scale &&
        !getTensorType(ArrayRef(x).drop_front(norm.axis), rewriter.getF32Type()).hasStaticShape())
      return rewriter.notifyMatchFailure(root, "no scale, and the normalised dims are not static");
    rewriter.setInsertionPoint(norm.root);
    Value scale = makeParameter(rewriter, norm, norm.scale);
    Value bias = norm.bias ? makeParameter(rewriter, norm, norm.bias) : Value();
    Location location = FusedLoc::get(root.getContext(), {norm.root->getLoc(), root.getLoc()});
    IntegerAttr axis = rewriter.getI64IntegerAttr(norm.axis);
    FloatAttr epsilon = rewriter.getF32FloatAttr(float(norm.epsilon));
    Type type = norm.x.getType();
    Value result =
        kind == Kind::Layer
            ? Value(LayerNormOp::create(rewriter, location, type, norm.x, scale, bias, axis, epsilon))
            : Value(RMSNormOp::create(rewriter, location, type, norm.x, scale, axis, epsilon));
    rewriter.replaceOp(norm.root, result);
    ++recognized;
    return success();
  }
  Pass::Statistic &recognized;
};

struct RecognizeNorm : graph::impl::RecognizeNormBase<RecognizeNorm> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<RecognizeNormRoot<SqrtOp>, RecognizeNormRoot<PowOp>>(&getContext(), recognized);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
