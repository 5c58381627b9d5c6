// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise operations on scalars. The meaning is that of the operations' descriptions in
// WeftElementwiseOps.td: nothing here traps, is poison or depends on the fast-math mood of a target.
#include "dialects/Weft/IR/ScalarBody.h"
#include "dialects/Weft/IR/CompactFloats.h"
#include "dialects/Weft/IR/Weft.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft;

bool weft::isElementwise(Operation *op) {
  return isa<AddOp, SubOp, MulOp, DivOp, RemOp, PowOp, MinOp, MaxOp, AndOp, OrOp, BitAndOp, BitOrOp, BitXorOp,
             ShiftLeftOp, ShiftRightOp, NegOp, AbsOp, SqrtOp, ExpOp, LogOp, ErfOp, TanhOp, SigmoidOp,
             ReciprocalOp, SinOp, CosOp, AtanOp, FloorOp, CeilOp, RoundOp, ReluOp, NotOp, GeluOp, CompareOp,
             WhereOp, CastOp, BitcastOp>(op);
}

Type weft::getScalarType(Type element) {
  if (isCompact(element))
    return IntegerType::get(element.getContext(), 8);
  if (element.isUnsignedInteger())
    return IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
  return element;
}

namespace {
/// Builds what an operation computes. Floats are f32 or f64 here: `compute` widens and narrows around them.
class ElementBuilder : public ScalarBuilder {
public:
  using ScalarBuilder::ScalarBuilder;

  Value widen(Value value);
  Value narrow(Value value, Type type);
  Value divideIntegers(Value left, Value right, bool isUnsigned);
  Value remainderOfIntegers(Value left, Value right, bool isUnsigned);
  Value raiseIntegers(Value base, Value exponent, bool isExponentUnsigned);
  Value raiseFloats(PowOp op, Value base, Value exponent);
  Value compareElements(CompareOp op, Value left, Value right);
  Value gelu(GeluForm form, Value x);
  Value cast(Value value, Type from, Type to);
  Value bitcast(Value value, Type from, Type to);

private:
  Value castToFloat(Value value, Type from, Type to);
  Value castToFewBits(Value value, bool toUnsigned, Type type);
  Value castToInteger(Value value, Type from, Type to);
  Value keepBits(Value value, Type to);
};
} // namespace

/// How an element type reads its bits: bool counts as unsigned.
static bool isUnsigned(Type element) { return element.isUnsignedInteger() || element.isInteger(1); }
static bool isShortFloat(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32; }

Value ElementBuilder::widen(Value value) {
  return isShortFloat(value.getType()) ? make<arith::ExtFOp>(builder.getF32Type(), value) : value;
}

Value ElementBuilder::narrow(Value value, Type type) {
  return isShortFloat(type) && value.getType() != type ? make<arith::TruncFOp>(type, value) : value;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Toward zero; 0 by a zero divisor; the least number by -1 wraps. The division itself never sees either
/// case, both of which trap on x86.
Value ElementBuilder::divideIntegers(Value left, Value right, bool isUnsigned) {
  Type type = left.getType();
  Value zero = integer(type, 0), one = integer(type, 1);
  Value byZero = compare(arith::CmpIPredicate::eq, right, zero);
  if (isUnsigned)
    return select(byZero, zero, make<arith::DivUIOp>(left, select(byZero, one, right)));
  Value byMinusOne = compare(arith::CmpIPredicate::eq, right, integer(type, -1));
  Value special = make<arith::OrIOp>(byZero, byMinusOne);
  Value quotient = make<arith::DivSIOp>(left, select(special, one, right));
  return select(byZero, zero, select(byMinusOne, make<arith::SubIOp>(zero, left), quotient));
}

/// With the sign of the dividend; 0 by a zero divisor. By 0 and -1, which trap, as by 1: what is left is 0.
Value ElementBuilder::remainderOfIntegers(Value left, Value right, bool isUnsigned) {
  Type type = left.getType();
  Value one = integer(type, 1), special = compare(arith::CmpIPredicate::eq, right, integer(type, 0));
  if (isUnsigned)
    return make<arith::RemUIOp>(left, select(special, one, right));
  Value byMinusOne = compare(arith::CmpIPredicate::eq, right, integer(type, -1));
  return make<arith::RemSIOp>(left, select(make<arith::OrIOp>(special, byMinusOne), one, right));
}

/// By squaring, a step for each bit of the exponent. A negative exponent leaves the truncated fraction: 1 and
/// -1 keep a power of their own, everything else becomes 0.
Value ElementBuilder::raiseIntegers(Value base, Value exponent, bool isExponentUnsigned) {
  Type type = base.getType(), exponentType = exponent.getType();
  Value zero = integer(type, 0), one = integer(type, 1), result = one, square = base;
  unsigned bits = exponentType.getIntOrFloatBitWidth();
  for (unsigned bit = 0; bit < bits; ++bit) {
    Value mask = integer(exponentType, APInt::getOneBitSet(bits, bit));
    Value isSet =
        compare(arith::CmpIPredicate::ne, make<arith::AndIOp>(exponent, mask), integer(exponentType, 0));
    result = select(isSet, make<arith::MulIOp>(result, square), result);
    square = make<arith::MulIOp>(square, square);
  }
  if (isExponentUnsigned)
    return result;
  Value isNegative = compare(arith::CmpIPredicate::slt, exponent, integer(exponentType, 0));
  Value isOne = compare(arith::CmpIPredicate::eq, base, one);
  Value isMinusOne = compare(arith::CmpIPredicate::eq, base, integer(type, -1));
  Value isUnit = make<arith::OrIOp>(isOne, isMinusOne); // whose power by squaring is right for any exponent
  return select(isNegative, select(isUnit, result, zero), result);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// A power with a float on either side. Integer bases go through f64; a power as close to an integer as its
/// error is that integer, so that 9^3 is truncated to 729 and not to 728.
Value ElementBuilder::raiseFloats(PowOp op, Value base, Value exponent) {
  Type baseElement = getElementTypeOrSelf(op.getLhs()), exponentElement = getElementTypeOrSelf(op.getRhs());
  bool isFloat = isa<FloatType>(baseElement);
  Type type = isFloat && !baseElement.isF64() ? builder.getF32Type() : Type(builder.getF64Type());
  Value power = make<math::PowFOp>(cast(base, baseElement, type), cast(exponent, exponentElement, type));
  if (!isFloat) {
    Value nearest = make<math::RoundEvenOp>(power);
    Value distance = make<math::AbsFOp>(make<arith::SubFOp>(power, nearest));
    Value error = make<arith::MulFOp>(make<math::AbsFOp>(nearest), number(type, 0x1p-46));
    power = select(compare(arith::CmpFPredicate::OLE, distance, error), nearest, power);
  }
  return cast(power, type, baseElement);
}

Value ElementBuilder::gelu(GeluForm form, Value x) {
  Type type = x.getType();
  Value half = make<arith::MulFOp>(x, number(type, 0.5)), inner;
  if (form == GeluForm::Erf) {
    inner = make<math::ErfOp>(make<arith::MulFOp>(x, number(type, 0.70710678118654752440)));
  } else {
    Value cube = make<arith::MulFOp>(make<arith::MulFOp>(x, x), x);
    Value sum = make<arith::AddFOp>(x, make<arith::MulFOp>(cube, number(type, 0.044715)));
    inner = make<math::TanhOp>(make<arith::MulFOp>(sum, number(type, 0.79788456080286535588)));
  }
  return make<arith::MulFOp>(half, make<arith::AddFOp>(inner, number(type, 1)));
}

//===----------------------------------------------------------------------===//
// Comparisons and casts
//===----------------------------------------------------------------------===//

Value ElementBuilder::compareElements(CompareOp op, Value left, Value right) {
  Type element = getElementTypeOrSelf(op.getLhs());
  ComparePredicate predicate = op.getPredicate();
  auto choose = [&](auto equal, auto less, auto lessEqual, auto greater, auto greaterEqual) {
    decltype(equal) predicates[] = {equal, less, lessEqual, greater, greaterEqual};
    return predicates[static_cast<unsigned>(predicate)];
  };
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  if (isa<FloatType>(element))
    return compare(choose(F::OEQ, F::OLT, F::OLE, F::OGT, F::OGE), left, right);
  if (isUnsigned(element))
    return compare(choose(I::eq, I::ult, I::ule, I::ugt, I::uge), left, right);
  return compare(choose(I::eq, I::slt, I::sle, I::sgt, I::sge), left, right);
}

Value ElementBuilder::cast(Value value, Type from, Type to) {
  if (from == to)
    return value;
  if (isCompactFloat(from))
    return cast(decodeFloat(*this, value, llvm::cast<FloatType>(from)), builder.getF32Type(), to);
  if (isCompactFloat(to)) {
    Type wide = from.isF64() ? from : builder.getF32Type();
    return encodeFloat(*this, cast(value, from, wide), llvm::cast<FloatType>(to));
  }
  if (to.isInteger(1)) {
    if (isa<FloatType>(from)) // NaN is true
      return compare(arith::CmpFPredicate::UNE, widen(value), number(widen(value).getType(), 0));
    return compare(arith::CmpIPredicate::ne, value, integer(value.getType(), 0));
  }
  return isa<FloatType>(to) ? castToFloat(value, from, to) : castToInteger(value, from, to);
}

/// Integers of at most so many bits, and the bounds of their types, are exact in f32.
static constexpr unsigned kFewBits = 16;

static bool isWholeConstant(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
  return number && number.getValue().isInteger();
}

/// Whether a float has surely nothing behind the point: it is rounded, and then zero points and bounds
/// follow. A sum is rounded, too, but to numbers of which large ones are all whole.
static bool isWhole(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<arith::AddFOp, arith::MaxNumFOp, arith::MinNumFOp>(op) &&
         isWholeConstant(op->getOperand(1)))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<math::RoundEvenOp, math::FloorOp, math::CeilOp>(op);
}

/// The number that an integer of few bits was converted from, which came from a float of type `wide`; null if
/// it did not. Quantized models go that way between any two operations.
static Value makeWhole(ElementBuilder &b, Value integer, bool asUnsigned, Type wide) {
  Operation *op = integer.getDefiningOp();
  bool isSame = asUnsigned ? isa_and_nonnull<arith::FPToUIOp>(op) : isa_and_nonnull<arith::FPToSIOp>(op);
  if (!isSame || op->getOperand(0).getType() != wide || integer.getType().getIntOrFloatBitWidth() > kFewBits)
    return {};
  Value number = op->getOperand(0);
  if (!isWhole(number))
    number = b.make<math::TruncOp>(number);
  return b.make<arith::AddFOp>(number, b.number(wide, 0)); // which has a sign no more
}

Value ElementBuilder::castToFloat(Value value, Type from, Type to) {
  if (isa<IntegerType>(from)) {
    Type wide = isShortFloat(to) ? builder.getF32Type() : to;
    if (Value whole = makeWhole(*this, value, isUnsigned(from), wide))
      return narrow(whole, to);
    value = isUnsigned(from) ? make<arith::UIToFPOp>(wide, value) : make<arith::SIToFPOp>(wide, value);
    return narrow(value, to);
  }
  value = widen(value);
  if (to.isF64())
    return value.getType() == to ? value : make<arith::ExtFOp>(to, value);
  if (value.getType().isF64())
    value = make<arith::TruncFOp>(builder.getF32Type(), value);
  return narrow(value, to);
}

/// The bits of an i8 that a compact type has, as a byte that extends them.
Value ElementBuilder::keepBits(Value value, Type to) {
  int64_t sign = int64_t(1) << (to.getIntOrFloatBitWidth() - 1);
  Type type = value.getType();
  Value bits = make<arith::AndIOp>(value, integer(type, 2 * sign - 1));
  if (isa<FloatType>(to) || isUnsigned(to))
    return bits;
  return make<arith::SubIOp>(make<arith::XOrIOp>(bits, integer(type, sign)), integer(type, sign));
}

/// From a float toward zero, saturating, NaN to 0.
Value ElementBuilder::castToFewBits(Value value, bool toUnsigned, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  auto bound = [&](double of) { return number(value.getType(), of); };
  double low = toUnsigned ? 0 : -std::ldexp(1.0, width - 1),
         high = std::ldexp(1.0, toUnsigned ? width : width - 1) - 1;
  if (!toUnsigned)
    value = select(compare(arith::CmpFPredicate::ORD, value, value), value, bound(0));
  value = make<arith::MaxNumFOp>(value, bound(low)); // of NaN the bound
  value = make<arith::MinNumFOp>(value, bound(high));
  return toUnsigned ? Value(make<arith::FPToUIOp>(type, value)) : Value(make<arith::FPToSIOp>(type, value));
}

/// From a float toward zero, saturating, NaN to 0: the conversion itself sees only values that fit, because
/// others are poison. Both bounds are powers of two, so they are exact in any float. Less than eight bits are
/// the lowest of an i32.
Value ElementBuilder::castToInteger(Value value, Type from, Type to) {
  if (isCompact(to)) {
    if (isa<FloatType>(from)) {
      value = castToInteger(value, from, builder.getI32Type());
      from = builder.getI32Type();
    }
    return keepBits(castToInteger(value, from, builder.getI8Type()), to);
  }
  Type type = getScalarType(to);
  unsigned width = type.getIntOrFloatBitWidth();
  if (isa<IntegerType>(from)) {
    unsigned fromWidth = value.getType().getIntOrFloatBitWidth();
    if (width == fromWidth)
      return value;
    if (width < fromWidth)
      return make<arith::TruncIOp>(type, value);
    return isUnsigned(from) ? Value(make<arith::ExtUIOp>(type, value))
                            : Value(make<arith::ExtSIOp>(type, value));
  }
  value = widen(value);
  bool toUnsigned = isUnsigned(to);
  if (width <= kFewBits)
    return castToFewBits(value, toUnsigned, type);
  double low = toUnsigned ? 0 : -std::ldexp(1.0, width - 1),
         high = std::ldexp(1.0, toUnsigned ? width : width - 1);
  Value least = number(value.getType(), low), beyond = number(value.getType(), high);
  Value notBelow = compare(arith::CmpFPredicate::OGE, value, least);
  Value above = compare(arith::CmpFPredicate::OGE, value, beyond);
  Value below = compare(arith::CmpFPredicate::OLT, value, least);
  Value fits = make<arith::AndIOp>(notBelow, compare(arith::CmpFPredicate::OLT, value, beyond));
  Value safe = select(fits, value, number(value.getType(), 0));
  Value converted =
      toUnsigned ? Value(make<arith::FPToUIOp>(type, safe)) : Value(make<arith::FPToSIOp>(type, safe));
  APInt minimum = toUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  APInt maximum = toUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  return select(above, integer(type, maximum), select(below, integer(type, minimum), converted));
}

Value ElementBuilder::bitcast(Value value, Type from, Type to) {
  if (from.isInteger(1))
    value = make<arith::ExtUIOp>(builder.getI8Type(), value);
  if (to.isInteger(1))
    return compare(arith::CmpIPredicate::ne, value, integer(value.getType(), 0));
  Type type = getScalarType(to);
  if (value.getType() != type)
    value = make<arith::BitcastOp>(type, value);
  return isCompact(to) ? keepBits(value, to) : value;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Operations on f32 or f64; null if `op` computes no float.
static Value buildFloat(ElementBuilder &b, Operation *op, ValueRange x) {
  Type type = x[0].getType();
  auto one = [&] { return b.number(type, 1); };
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](AddOp) { return b.make<arith::AddFOp>(x[0], x[1]); })
      .Case([&](SubOp) { return b.make<arith::SubFOp>(x[0], x[1]); })
      .Case([&](MulOp) { return b.make<arith::MulFOp>(x[0], x[1]); })
      .Case([&](DivOp) { return b.make<arith::DivFOp>(x[0], x[1]); })
      .Case([&](RemOp) { return b.make<arith::RemFOp>(x[0], x[1]); })
      .Case([&](MinOp) { return b.make<arith::MinimumFOp>(x[0], x[1]); })
      .Case([&](MaxOp) { return b.make<arith::MaximumFOp>(x[0], x[1]); })
      .Case([&](NegOp) { return b.make<arith::NegFOp>(x[0]); })
      .Case([&](AbsOp) { return b.make<math::AbsFOp>(x[0]); })
      .Case([&](SqrtOp) { return b.make<math::SqrtOp>(x[0]); })
      .Case([&](ExpOp) { return b.make<math::ExpOp>(x[0]); })
      .Case([&](LogOp) { return b.make<math::LogOp>(x[0]); })
      .Case([&](ErfOp) { return b.make<math::ErfOp>(x[0]); })
      .Case([&](TanhOp) { return b.make<math::TanhOp>(x[0]); })
      .Case([&](SinOp) { return b.make<math::SinOp>(x[0]); })
      .Case([&](CosOp) { return b.make<math::CosOp>(x[0]); })
      .Case([&](AtanOp) { return b.make<math::AtanOp>(x[0]); })
      .Case([&](FloorOp) { return b.make<math::FloorOp>(x[0]); })
      .Case([&](CeilOp) { return b.make<math::CeilOp>(x[0]); })
      .Case([&](RoundOp) { return b.make<math::RoundEvenOp>(x[0]); })
      .Case([&](ReciprocalOp) { return b.make<arith::DivFOp>(one(), x[0]); })
      .Case([&](ReluOp) { return b.make<arith::MaximumFOp>(x[0], b.number(type, 0)); })
      .Case([&](GeluOp gelu) { return b.gelu(gelu.getForm(), x[0]); })
      .Case([&](SigmoidOp) {
        Value inverse = b.make<math::ExpOp>(b.make<arith::NegFOp>(x[0]));
        return b.make<arith::DivFOp>(one(), b.make<arith::AddFOp>(one(), inverse));
      })
      .Default([](Operation *) { return Value(); });
}

/// Operations on integers and bools; null if `op` computes neither.
static Value buildInteger(ElementBuilder &b, Operation *op, ValueRange x) {
  Type type = x[0].getType();
  bool isUnsignedOp = isUnsigned(getElementTypeOrSelf(op->getOperand(0)));
  auto negate = [&](Value value) -> Value { return b.make<arith::SubIOp>(b.integer(type, 0), value); };
  auto greater = [&](Value left, Value right) -> Value {
    return isUnsignedOp ? Value(b.make<arith::MaxUIOp>(left, right))
                        : Value(b.make<arith::MaxSIOp>(left, right));
  };
  auto lesser = [&](Value left, Value right) -> Value {
    return isUnsignedOp ? Value(b.make<arith::MinUIOp>(left, right))
                        : Value(b.make<arith::MinSIOp>(left, right));
  };
  auto shifted = [&](auto shift) -> Value {
    // By all bits or more it would be poison.
    Value isWithin =
        b.compare(arith::CmpIPredicate::ult, x[1], b.integer(type, type.getIntOrFloatBitWidth()));
    Value zero = b.integer(type, 0);
    return b.select(isWithin, shift(x[0], b.select(isWithin, x[1], zero)), zero);
  };
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](AddOp) { return b.make<arith::AddIOp>(x[0], x[1]); })
      .Case([&](SubOp) { return b.make<arith::SubIOp>(x[0], x[1]); })
      .Case([&](MulOp) { return b.make<arith::MulIOp>(x[0], x[1]); })
      .Case([&](DivOp) { return b.divideIntegers(x[0], x[1], isUnsignedOp); })
      .Case([&](RemOp) { return b.remainderOfIntegers(x[0], x[1], isUnsignedOp); })
      .Case([&](MinOp) { return lesser(x[0], x[1]); })
      .Case([&](MaxOp) { return greater(x[0], x[1]); })
      .Case([&](BitAndOp) { return b.make<arith::AndIOp>(x[0], x[1]); })
      .Case([&](BitOrOp) { return b.make<arith::OrIOp>(x[0], x[1]); })
      .Case([&](BitXorOp) { return b.make<arith::XOrIOp>(x[0], x[1]); })
      .Case([&](ShiftLeftOp) {
        return shifted([&](Value value, Value by) -> Value { return b.make<arith::ShLIOp>(value, by); });
      })
      .Case([&](ShiftRightOp) {
        return shifted([&](Value value, Value by) -> Value { return b.make<arith::ShRUIOp>(value, by); });
      })
      .Case([&](AndOp) { return b.make<arith::AndIOp>(x[0], x[1]); })
      .Case([&](OrOp) { return b.make<arith::OrIOp>(x[0], x[1]); })
      .Case([&](NotOp) { return b.make<arith::XOrIOp>(x[0], b.integer(type, 1)); })
      .Case([&](NegOp) { return negate(x[0]); })
      .Case([&](ReluOp) { return greater(x[0], b.integer(type, 0)); })
      .Case([&](AbsOp) {
        Value isNegative = b.compare(arith::CmpIPredicate::slt, x[0], b.integer(type, 0));
        return isUnsignedOp ? x[0] : b.select(isNegative, negate(x[0]), x[0]);
      })
      .Default([](Operation *) { return Value(); });
}

FailureOr<Value> weft::buildScalarBody(OpBuilder &builder, Operation *op, ValueRange operands) {
  if (!isElementwise(op) || operands.size() != op->getNumOperands())
    return failure();
  ElementBuilder b(builder, op->getLoc());
  if (auto cast = dyn_cast<CastOp>(op))
    return b.cast(operands[0], getElementTypeOrSelf(cast.getInput()), cast.getTo());
  if (auto bitcast = dyn_cast<BitcastOp>(op))
    return b.bitcast(operands[0], getElementTypeOrSelf(bitcast.getInput()), bitcast.getTo());
  if (isa<WhereOp>(op))
    return b.select(operands[0], operands[1], operands[2]);
  if (auto pow = dyn_cast<PowOp>(op)) {
    Type base = getElementTypeOrSelf(pow.getLhs()), exponent = getElementTypeOrSelf(pow.getRhs());
    if (isa<FloatType>(base) || isa<FloatType>(exponent))
      return b.raiseFloats(pow, operands[0], operands[1]);
    return b.raiseIntegers(operands[0], operands[1], isUnsigned(exponent));
  }
  SmallVector<Value> wide = llvm::map_to_vector(operands, [&](Value operand) { return b.widen(operand); });
  if (auto compare = dyn_cast<CompareOp>(op))
    return b.compareElements(compare, wide[0], wide[1]);
  bool isFloat = isa<FloatType>(wide[0].getType());
  Value result = isFloat ? buildFloat(b, op, wide) : buildInteger(b, op, wide);
  if (!result)
    return failure();
  return b.narrow(result, getElementTypeOrSelf(op->getResult(0)));
}

Value weft::buildReduction(OpBuilder &builder, Location location, ReduceKind kind, bool isUnsigned,
                           Value left, Value right) {
  auto make = [&](auto ofFloats, auto ofSigned, auto ofUnsigned) -> Value {
    auto create = [&](auto op) -> Value { return decltype(op)::create(builder, location, left, right); };
    bool isFloat = isa<FloatType>(getElementTypeOrSelf(left));
    return isFloat ? create(ofFloats) : isUnsigned ? create(ofUnsigned) : create(ofSigned);
  };
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Mean:
    return make(arith::AddFOp(), arith::AddIOp(), arith::AddIOp());
  case ReduceKind::Prod:
    return make(arith::MulFOp(), arith::MulIOp(), arith::MulIOp());
  case ReduceKind::Max:
    return make(arith::MaximumFOp(), arith::MaxSIOp(), arith::MaxUIOp());
  case ReduceKind::Min:
    return make(arith::MinimumFOp(), arith::MinSIOp(), arith::MinUIOp());
  }
  llvm_unreachable("a kind");
}
