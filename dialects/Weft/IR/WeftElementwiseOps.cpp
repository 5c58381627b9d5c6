// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise: inference by broadcasting, and folds that need no data.
#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace weft;

#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftElementwiseOps.cpp.inc"

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

static unsigned countBits(Type element) { return element.isInteger(1) ? 8 : element.getIntOrFloatBitWidth(); }

LogicalResult BitcastOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type from = getElementTypeOrSelf(getInput());
  if (countBits(from) != countBits(getTo()))
    return emitOpError() << "bitcast-c1: expects an element type of as many bits as " << from << ", got "
                         << getTo();
  types.push_back(withElement(getInput().getType(), getTo()));
  return success();
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

OpFoldResult BitcastOp::fold(FoldAdaptor) {
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

namespace {
/// compare eq (cast(x), 1) => x, compare eq (cast(x), 0) => not(x), of bools x: exporters make masks of
/// bytes.
struct CompareOfBool : OpRewritePattern<CompareOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CompareOp op, PatternRewriter &rewriter) const override {
    Attribute number;
    Value value = op.getLhs();
    auto isNumber = [](Value value) { // of a type that has 0 and 1
      Type element = getElementTypeOrSelf(value);
      return !element.isInteger(1) && !isCompact(element);
    };
    for (auto cast = value.getDefiningOp<CastOp>(); cast && isNumber(value);
         cast = value.getDefiningOp<CastOp>())
      value = cast.getInput();
    if (op.getPredicate() != ComparePredicate::Equal || value == op.getLhs() ||
        value.getType() != op.getType() || !matchPattern(op.getRhs(), m_Constant(&number)))
      return rewriter.notifyMatchFailure(op, "no comparison of a bool with a number");
    if (isSplat(number, 1))
      rewriter.replaceOp(op, value);
    else if (isSplat(number, 0))
      rewriter.replaceOpWithNewOp<NotOp>(op, op.getType(), value);
    else
      return rewriter.notifyMatchFailure(op, "the number is neither 0 nor 1");
    return success();
  }
};
} // namespace

void CompareOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<CompareOfBool>(context);
}

void PowOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SquareToMul>(context);
}
