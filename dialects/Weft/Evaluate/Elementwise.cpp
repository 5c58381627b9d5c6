// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise: operands broadcast to one shape, then each element by itself.
#include "dialects/Weft/Evaluate/Models.h"
#include "dialects/Weft/Evaluate/Scalar.h"

using namespace mlir;
using namespace weft;

/// Broadcasts operands to the one shape that they make.
static FailureOr<SmallVector<Tensor>> broadcastAll(Operation *op, ArrayRef<Tensor> operands) {
  Shape shape;
  for (const Tensor &operand : operands) {
    std::optional<Shape> wider = broadcastShapes(shape, operand.getShape());
    if (!wider)
      return evaluateError(op) << "elementwise-c1: shapes " << describeShape(shape) << " and "
                               << describeShape(operand.getShape()) << " do not broadcast";
    shape = *wider;
  }
  SmallVector<Tensor> result;
  for (const Tensor &operand : operands) {
    FailureOr<Tensor> wide = broadcastOperand(op, operand, shape);
    if (failed(wide))
      return failure();
    result.push_back(std::move(*wide));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

using OnFloats = double (*)(double, double);
using OnIntegers = int64_t (*)(int64_t, int64_t, bool isUnsigned);

template <typename Op, OnFloats onFloats, OnIntegers onIntegers>
static FailureOr<Tensor> evaluateBinary(Op op, ArrayRef<Tensor> operands, EvaluateContext &) {
  FailureOr<SmallVector<Tensor>> wide = broadcastAll(op, operands);
  if (failed(wide))
    return failure();
  const Tensor &lhs = (*wide)[0], &rhs = (*wide)[1];
  FailureOr<Tensor> result = makeResult(op, lhs.getShape());
  if (failed(result))
    return failure();
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    if (lhs.isFloat())
      result->setFloat(i, onFloats(lhs.getFloat(i), rhs.getFloat(i)));
    else
      result->setInteger(i, onIntegers(lhs.getInteger(i), rhs.getInteger(i), lhs.isUnsigned()));
  }
  return result;
}

static int64_t logicalAnd(int64_t a, int64_t b, bool) { return a && b; }
static int64_t logicalOr(int64_t a, int64_t b, bool) { return a || b; }

/// Shifts bits of the element type, which an integer of 64 bits holds extended.
template <typename Op>
static FailureOr<Tensor> evaluateShift(Op op, ArrayRef<Tensor> operands, EvaluateContext &) {
  FailureOr<SmallVector<Tensor>> wide = broadcastAll(op, operands);
  if (failed(wide))
    return failure();
  const Tensor &value = (*wide)[0], &distance = (*wide)[1];
  FailureOr<Tensor> result = makeResult(op, value.getShape());
  if (failed(result))
    return failure();
  unsigned width = value.getElementType().getIntOrFloatBitWidth();
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    APInt bits(width, value.getInteger(i), /*isSigned=*/true, /*implicitTrunc=*/true);
    APInt by(width, distance.getInteger(i), /*isSigned=*/true, /*implicitTrunc=*/true);
    bits = std::is_same_v<Op, ShiftLeftOp> ? bits.shl(by) : bits.lshr(by);
    result->setInteger(i, bits.getSExtValue());
  }
  return result;
}

/// The exponent may have another type than the base: integers only where both are.
static FailureOr<Tensor> evaluatePow(PowOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  FailureOr<SmallVector<Tensor>> wide = broadcastAll(op, operands);
  if (failed(wide))
    return failure();
  const Tensor &base = (*wide)[0], &exponent = (*wide)[1];
  FailureOr<Tensor> result = makeResult(op, base.getShape());
  if (failed(result))
    return failure();
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    if (base.isFloat() || exponent.isFloat())
      result->setFloat(i, std::pow(base.getFloat(i), exponent.getFloat(i)));
    else
      result->setInteger(i, scalar::power(base.getInteger(i), exponent.getInteger(i), exponent.isUnsigned()));
  }
  return result;
}

template <typename T> static bool compare(ComparePredicate predicate, T left, T right) {
  switch (predicate) {
  case ComparePredicate::Equal:
    return left == right;
  case ComparePredicate::Less:
    return left < right;
  case ComparePredicate::LessEqual:
    return left <= right;
  case ComparePredicate::Greater:
    return left > right;
  case ComparePredicate::GreaterEqual:
    return left >= right;
  }
  return false;
}

static bool compareElements(ComparePredicate predicate, const Tensor &lhs, const Tensor &rhs, int64_t place) {
  if (lhs.isFloat())
    return compare(predicate, lhs.getFloat(place), rhs.getFloat(place));
  if (lhs.isUnsigned())
    return compare(predicate, uint64_t(lhs.getInteger(place)), uint64_t(rhs.getInteger(place)));
  return compare(predicate, lhs.getInteger(place), rhs.getInteger(place));
}

static FailureOr<Tensor> evaluateCompare(CompareOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  FailureOr<SmallVector<Tensor>> wide = broadcastAll(op, operands);
  if (failed(wide))
    return failure();
  FailureOr<Tensor> result = makeResult(op, wide->front().getShape());
  if (failed(result))
    return failure();
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    result->setInteger(i, compareElements(op.getPredicate(), (*wide)[0], (*wide)[1], i));
  return result;
}

static FailureOr<Tensor> evaluateWhere(WhereOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  FailureOr<SmallVector<Tensor>> wide = broadcastAll(op, operands);
  if (failed(wide))
    return failure();
  FailureOr<Tensor> result = makeResult(op, wide->front().getShape());
  if (failed(result))
    return failure();
  const Tensor &condition = (*wide)[0];
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    result->copyElement(i, (*wide)[condition.getInteger(i) ? 1 : 2], i);
  return result;
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

/// Computes each element of a float tensor.
static FailureOr<Tensor> mapFloats(Operation *op, const Tensor &input, function_ref<double(double)> compute) {
  FailureOr<Tensor> result = makeResult(op, input.getShape());
  if (failed(result))
    return failure();
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    result->setFloat(i, compute(input.getFloat(i)));
  return result;
}

/// Computes each element of an integer or bool tensor.
static FailureOr<Tensor> mapIntegers(Operation *op, const Tensor &input,
                                     function_ref<int64_t(int64_t)> compute) {
  FailureOr<Tensor> result = makeResult(op, input.getShape());
  if (failed(result))
    return failure();
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    result->setInteger(i, compute(input.getInteger(i)));
  return result;
}

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
static double reciprocal(double x) { return 1 / x; }
static double geluErf(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }
static double geluTanh(double x) {
  double twoOverPi = 2 / 3.14159265358979323846;
  return x / 2 * (1 + std::tanh(std::sqrt(twoOverPi) * (x + 0.044715 * x * x * x)));
}

/// In the rounding mode that a program starts in: halves go to the even one.
static double roundHalfToEven(double x) { return std::nearbyint(x); }

template <typename Op, double (*compute)(double)>
static FailureOr<Tensor> evaluateFloatUnary(Op op, ArrayRef<Tensor> operands, EvaluateContext &) {
  return mapFloats(op, operands[0], compute);
}

static FailureOr<Tensor> evaluateGelu(GeluOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  return mapFloats(op, operands[0], op.getForm() == GeluForm::Erf ? geluErf : geluTanh);
}

static FailureOr<Tensor> evaluateNeg(NegOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  if (operands[0].isFloat())
    return mapFloats(op, operands[0], [](double x) { return -x; });
  return mapIntegers(op, operands[0], scalar::negate);
}

static FailureOr<Tensor> evaluateAbs(AbsOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  if (operands[0].isFloat())
    return mapFloats(op, operands[0], [](double x) { return std::fabs(x); });
  bool isUnsigned = operands[0].isUnsigned();
  return mapIntegers(op, operands[0],
                     [=](int64_t x) { return x < 0 && !isUnsigned ? scalar::negate(x) : x; });
}

static FailureOr<Tensor> evaluateRelu(ReluOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  if (operands[0].isFloat())
    return mapFloats(op, operands[0], [](double x) { return scalar::maximum(x, 0.0); });
  bool isUnsigned = operands[0].isUnsigned();
  return mapIntegers(op, operands[0], [=](int64_t x) { return scalar::maximum(x, 0, isUnsigned); });
}

static FailureOr<Tensor> evaluateNot(NotOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  return mapIntegers(op, operands[0], [](int64_t x) { return !x; });
}

/// What a cast means is what it means to store an element: see `Tensor::setFloat` and `Tensor::setInteger`.
static FailureOr<Tensor> evaluateCast(CastOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  const Tensor &input = operands[0];
  FailureOr<Tensor> result = makeResult(op, input.getShape());
  if (failed(result))
    return failure();
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    if (input.isFloat())
      result->setFloat(i, input.getFloat(i));
    else
      result->setInteger(i, input.getInteger(i), input.isUnsigned());
  }
  return result;
}

/// The bytes as they are, but that of a bool is 0 or 1, and an integer of less than eight bits is extended.
static FailureOr<Tensor> evaluateBitcast(BitcastOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  const Tensor &input = operands[0];
  FailureOr<Tensor> result = makeResult(op, input.getShape());
  if (failed(result))
    return failure();
  llvm::copy(input.getBytes(), result->getMutableBytes().begin());
  if (isa<IntegerType>(op.getTo()) && op.getTo().getIntOrFloatBitWidth() < 8)
    for (int64_t i = 0; i < result->getNumElements(); ++i)
      result->setInteger(i, uint8_t(input.getBytes()[i]));
  if (isa<Float4E2M1FNType>(op.getTo()))
    for (char &byte : result->getMutableBytes())
      byte &= 0xF;
  return result;
}

void weft::attachElementwiseModels(MLIRContext *context) {
  attachModel<AddOp, evaluateBinary<AddOp, scalar::add, scalar::add>>(context);
  attachModel<SubOp, evaluateBinary<SubOp, scalar::subtract, scalar::subtract>>(context);
  attachModel<MulOp, evaluateBinary<MulOp, scalar::multiply, scalar::multiply>>(context);
  attachModel<DivOp, evaluateBinary<DivOp, scalar::divide, scalar::divide>>(context);
  attachModel<RemOp, evaluateBinary<RemOp, std::fmod, scalar::remainder>>(context);
  attachModel<MinOp, evaluateBinary<MinOp, scalar::minimum, scalar::minimum>>(context);
  attachModel<MaxOp, evaluateBinary<MaxOp, scalar::maximum, scalar::maximum>>(context);
  attachModel<AndOp, evaluateBinary<AndOp, nullptr, logicalAnd>>(context);
  attachModel<OrOp, evaluateBinary<OrOp, nullptr, logicalOr>>(context);
  attachModel<BitAndOp, evaluateBinary<BitAndOp, nullptr, scalar::bitAnd>>(context);
  attachModel<BitOrOp, evaluateBinary<BitOrOp, nullptr, scalar::bitOr>>(context);
  attachModel<BitXorOp, evaluateBinary<BitXorOp, nullptr, scalar::bitXor>>(context);
  attachModel<ShiftLeftOp, evaluateShift<ShiftLeftOp>>(context);
  attachModel<ShiftRightOp, evaluateShift<ShiftRightOp>>(context);
  attachModel<PowOp, evaluatePow>(context);
  attachModel<CompareOp, evaluateCompare>(context);
  attachModel<WhereOp, evaluateWhere>(context);
  attachModel<SqrtOp, evaluateFloatUnary<SqrtOp, std::sqrt>>(context);
  attachModel<ExpOp, evaluateFloatUnary<ExpOp, std::exp>>(context);
  attachModel<LogOp, evaluateFloatUnary<LogOp, std::log>>(context);
  attachModel<ErfOp, evaluateFloatUnary<ErfOp, std::erf>>(context);
  attachModel<TanhOp, evaluateFloatUnary<TanhOp, std::tanh>>(context);
  attachModel<SigmoidOp, evaluateFloatUnary<SigmoidOp, sigmoid>>(context);
  attachModel<ReciprocalOp, evaluateFloatUnary<ReciprocalOp, reciprocal>>(context);
  attachModel<SinOp, evaluateFloatUnary<SinOp, std::sin>>(context);
  attachModel<CosOp, evaluateFloatUnary<CosOp, std::cos>>(context);
  attachModel<AtanOp, evaluateFloatUnary<AtanOp, std::atan>>(context);
  attachModel<FloorOp, evaluateFloatUnary<FloorOp, std::floor>>(context);
  attachModel<CeilOp, evaluateFloatUnary<CeilOp, std::ceil>>(context);
  attachModel<RoundOp, evaluateFloatUnary<RoundOp, roundHalfToEven>>(context);
  attachModel<GeluOp, evaluateGelu>(context);
  attachModel<NegOp, evaluateNeg>(context);
  attachModel<AbsOp, evaluateAbs>(context);
  attachModel<ReluOp, evaluateRelu>(context);
  attachModel<NotOp, evaluateNot>(context);
  attachModel<CastOp, evaluateCast>(context);
  attachModel<BitcastOp, evaluateBitcast>(context);
}
