// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise: inference by broadcasting, known contents, and folds that need no data.
#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace weft;

#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftElementwiseOps.cpp.inc"

using Contents = std::optional<SmallVector<Dim>>;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static Type withElement(Type type, Type element) {
  auto tensor = cast<TensorType>(type);
  if (auto ranked = dyn_cast<RankedTensorType>(tensor))
    return RankedTensorType::get(ranked.getShape(), element, ranked.getEncoding());
  return UnrankedTensorType::get(element);
}

/// The broadcast of some operands' shapes with the given element type.
static LogicalResult inferBroadcast(Operation *op, ValueRange operands, Type element, InferContext &context,
                                    SmallVectorImpl<Type> &types) {
  SmallVector<SmallVector<Dim>> shapes;
  for (Value operand : operands) {
    auto dims = getDims(operand);
    if (!dims) {
      types.push_back(UnrankedTensorType::get(element));
      return success();
    }
    shapes.push_back(*dims);
  }
  FailureOr<SmallVector<Dim>> dims = broadcastShapes(context, op, shapes, "elementwise-c1");
  if (failed(dims))
    return failure();
  types.push_back(getTensorType(context, *dims, element));
  return success();
}

static LogicalResult sameElement(Operation *op, Value left, Value right) {
  Type a = getElementTypeOrSelf(left), b = getElementTypeOrSelf(right);
  if (a == b)
    return success();
  return op->emitOpError() << "elementwise-c2: expects operands of one element type, got " << a << " and "
                           << b;
}

LogicalResult weft::inferUnary(Operation *op, SmallVectorImpl<Type> &types) {
  types.push_back(op->getOperand(0).getType());
  return success();
}

LogicalResult weft::inferBinary(Operation *op, InferContext &context, SmallVectorImpl<Type> &types) {
  if (!isa<PowOp>(op) && failed(sameElement(op, op->getOperand(0), op->getOperand(1))))
    return failure();
  return inferBroadcast(op, op->getOperands(), getElementTypeOrSelf(op->getOperand(0)), context, types);
}

LogicalResult CompareOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  if (failed(sameElement(*this, getLhs(), getRhs())))
    return failure();
  return inferBroadcast(*this, getOperands(), IntegerType::get(getContext(), 1), context, types);
}

LogicalResult WhereOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  if (failed(sameElement(*this, getThenValue(), getElseValue())))
    return failure();
  return inferBroadcast(*this, getOperands(), getElementTypeOrSelf(getThenValue()), context, types);
}

LogicalResult CastOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  types.push_back(withElement(getInput().getType(), getTo()));
  return success();
}

//===----------------------------------------------------------------------===//
// Known contents
//===----------------------------------------------------------------------===//

/// Applies `combine` to the elements of operands whose contents are known, one of which may be a single
/// element.
static Contents combineContents(ValueRange operands, InferContext &context,
                                function_ref<Dim(ArrayRef<Dim>)> combine) {
  SmallVector<SmallVector<Dim>> inputs;
  size_t count = 1;
  for (Value operand : operands) {
    Contents input = context.contents(operand);
    if (!input)
      return std::nullopt;
    if (input->size() != 1) {
      if (count != 1 && count != input->size())
        return std::nullopt;
      count = input->size();
    }
    inputs.push_back(*input);
  }
  SmallVector<Dim> result;
  for (size_t i = 0; i < count; ++i) {
    SmallVector<Dim> elements;
    for (const SmallVector<Dim> &input : inputs)
      elements.push_back(input[input.size() == 1 ? 0 : i]);
    Dim element = combine(elements);
    if (!element)
      return std::nullopt;
    result.push_back(element);
  }
  return result;
}

/// Division truncates and Dim rounds down: they agree where nothing is negative.
static Dim divide(Dim left, Dim right) {
  std::optional<int64_t> a = left.getConstant(), b = right.getConstant();
  if (b == 0)
    return Dim();
  if (a && b)
    return *b == -1 && *a == INT64_MIN ? Dim() : Dim::constant(left.getContext(), *a / *b);
  if (!provablyNonNegative(left) || !provablyNonNegative(right))
    return Dim();
  return Dim::floorDiv(left, right);
}

Contents weft::inferBinaryContents(Operation *op, InferContext &context) {
  return combineContents(op->getOperands(), context, [&](ArrayRef<Dim> x) {
    return TypeSwitch<Operation *, Dim>(op)
        .Case([&](AddOp) { return x[0] + x[1]; })
        .Case([&](SubOp) { return x[0] - x[1]; })
        .Case([&](MulOp) { return x[0] * x[1]; })
        .Case([&](DivOp) { return divide(x[0], x[1]); })
        .Case([&](MinOp) { return Dim::min(x[0], x[1]); })
        .Case([&](MaxOp) { return Dim::max(x[0], x[1]); })
        .Default([](Operation *) { return Dim(); });
  });
}

/// What comparing gives, if it is the same for all sizes.
static std::optional<bool> provablyCompares(ComparePredicate predicate, Dim left, Dim right) {
  auto decide = [](bool yes, bool no) { return yes || no ? std::optional<bool>(yes) : std::nullopt; };
  switch (predicate) {
  case ComparePredicate::Equal:
    return provablyEqual(left, right);
  case ComparePredicate::Less:
    return decide(provablyLess(left, right), provablyLessEqual(right, left));
  case ComparePredicate::LessEqual:
    return decide(provablyLessEqual(left, right), provablyLess(right, left));
  case ComparePredicate::Greater:
    return decide(provablyLess(right, left), provablyLessEqual(left, right));
  case ComparePredicate::GreaterEqual:
    return decide(provablyLessEqual(right, left), provablyLess(left, right));
  }
  return std::nullopt;
}

Contents CompareOp::inferContents(InferContext &context) {
  return combineContents(getOperands(), context, [&](ArrayRef<Dim> x) {
    std::optional<bool> holds = provablyCompares(getPredicate(), x[0], x[1]);
    return holds ? Dim::constant(getContext(), *holds) : Dim();
  });
}

Contents WhereOp::inferContents(InferContext &context) {
  return combineContents(getOperands(), context, [](ArrayRef<Dim> x) {
    std::optional<int64_t> condition = x[0].getConstant();
    return condition ? x[*condition ? 1 : 2] : Dim();
  });
}

Contents CastOp::inferContents(InferContext &context) {
  // Only between types that hold every size exactly.
  Type from = getElementTypeOrSelf(getInput()), to = getTo();
  if (!from.isSignlessInteger() || !to.isSignlessInteger() || to.getIntOrFloatBitWidth() < 32)
    return std::nullopt;
  return context.contents(getInput());
}

//===----------------------------------------------------------------------===//
// Folds: only those that are exact for every value, NaN and infinities included.
//===----------------------------------------------------------------------===//

/// Whether a value is a splat constant equal to `number`.
static bool isSplat(Attribute attribute, double number) {
  auto dense = dyn_cast_if_present<DenseElementsAttr>(attribute);
  if (!dense || !dense.isSplat())
    return false;
  if (auto type = dyn_cast<FloatType>(dense.getElementType())) {
    llvm::APFloat value = dense.getSplatValue<llvm::APFloat>();
    return value.convertToDouble() == number && !value.isNegZero();
  }
  if (dense.getElementType().isInteger(1))
    return dense.getSplatValue<bool>() == (number != 0);
  return dense.getSplatValue<llvm::APInt>().getSExtValue() == number;
}

/// `value` if replacing `op` by it changes neither type nor shape.
static OpFoldResult foldTo(Operation *op, Value value) {
  return value.getType() == op->getResult(0).getType() ? OpFoldResult(value) : OpFoldResult();
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // x + 0 is not exact for x = -0.0, so only integers fold.
  if (isa<IntegerType>(getElementTypeOrSelf(getResult()))) {
    if (isSplat(adaptor.getRhs(), 0))
      return foldTo(*this, getLhs());
    if (isSplat(adaptor.getLhs(), 0))
      return foldTo(*this, getRhs());
  }
  return {};
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  return isSplat(adaptor.getRhs(), 0) ? foldTo(*this, getLhs()) : OpFoldResult(); // x - 0.0 is exact
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getRhs(), 1))
    return foldTo(*this, getLhs());
  if (isSplat(adaptor.getLhs(), 1))
    return foldTo(*this, getRhs());
  return {};
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  return isSplat(adaptor.getRhs(), 1) ? foldTo(*this, getLhs()) : OpFoldResult();
}

OpFoldResult NotOp::fold(FoldAdaptor) {
  if (auto inner = getInput().getDefiningOp<NotOp>())
    return inner.getInput();
  return {};
}

OpFoldResult WhereOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getCondition(), 1))
    return foldTo(*this, getThenValue());
  if (isSplat(adaptor.getCondition(), 0))
    return foldTo(*this, getElseValue());
  return {};
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getElementTypeOrSelf(getInput()) == getTo())
    return foldTo(*this, getInput());
  return {};
}

namespace {
/// pow(x, 2) => mul(x, x). Exact: both round the product once.
struct SquareToMul : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PowOp op, PatternRewriter &rewriter) const override {
    Attribute exponent;
    if (!matchPattern(op.getRhs(), m_Constant(&exponent)) || !isSplat(exponent, 2))
      return rewriter.notifyMatchFailure(op, "the exponent is not a constant 2");
    if (op.getLhs().getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "the exponent's shape enlarges the result");
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), op.getLhs(), op.getLhs());
    return success();
  }
};
} // namespace

void PowOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SquareToMul>(context);
}
