// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interval arithmetic: floats. Only operations that round to nearest, and so keep order, are known. NaN
// stands for "nothing is known" in both ends of a range; each function keeps it so, and comparisons of it are
// false.
#include "compiler/Target/CPU/Emit/Intervals.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace weft::cpu;
using arith::CmpFPredicate;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A range where `holds`, else nothing is known.
Known Intervals::rangeWhere(Value holds, Value low, Value high) {
  Known known;
  Value unknown = number(low.getType(), kNaN);
  known.low = select(holds, low, unknown);
  known.high = select(holds, high, unknown);
  return known;
}

Value Intervals::isFinite(Value value) {
  return compare(CmpFPredicate::OLT, make<math::AbsFOp>(value), number(value.getType(), kInfinity));
}

/// Above zero and finite: a factor that keeps what is excluded excluded.
Value Intervals::isPositive(const Known &x) {
  if (!x.hasRange())
    return {};
  return both(compare(CmpFPredicate::OGT, x.low, number(x.low.getType(), 0)),
              compare(CmpFPredicate::OLT, x.high, number(x.low.getType(), kInfinity)));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// From here down numbers stay what they are if something less than 2^64 in size is added.
static double getLeastKept(Type type) {
  return -std::ldexp(1.0, 65 + cast<FloatType>(type).getFPMantissaWidth());
}

Known Intervals::addUnknown(const Known &x) {
  if (!x.isFiniteLarge) // an infinity makes isExcluded say all
    return {};
  Type type = x.low.getType();
  return rangeWhere(compare(CmpFPredicate::OLE, x.high, number(type, getLeastKept(type))), x.low, x.high);
}

/// Where infinities of both signs may meet, so do opposite ends.
Known Intervals::addFloats(const Known &a, const Known &b) {
  Known sum;
  if (a.hasRange() && b.hasRange()) {
    Value ends[] = {make<arith::AddFOp>(a.low, b.high), make<arith::AddFOp>(a.high, b.low)};
    sum = rangeWhere(compare(CmpFPredicate::ORD, ends[0], ends[1]), make<arith::AddFOp>(a.low, b.low),
                     make<arith::AddFOp>(a.high, b.high));
  } else if (a.hasRange() && !b.isLarge)
    sum = addUnknown(a);
  else if (b.hasRange() && !a.isLarge)
    sum = addUnknown(b);
  sum.isExcluded = either(isExcluded(a), isExcluded(b));
  return sum;
}

Known Intervals::negate(const Known &x) {
  Known negative;
  negative.isLarge = x.isLarge;
  negative.isFiniteLarge = x.isFiniteLarge;
  if (x.hasRange()) {
    negative.low = make<arith::NegFOp>(x.high);
    negative.high = x.low == x.high ? negative.low : make<arith::NegFOp>(x.low);
  }
  return negative;
}

/// The range of `ends` where these are finite and it `holds`. Infinite and unknown operands make ends that
/// are not finite.
Known Intervals::combine(ArrayRef<Value> ends, Value holds) {
  Value low = ends[0], high = ends[0];
  for (Value end : ends)
    holds = both(holds, isFinite(end));
  for (Value end : ends.drop_front()) {
    low = make<arith::MinimumFOp>(low, end);
    high = make<arith::MaximumFOp>(high, end);
  }
  return rangeWhere(holds, low, high);
}

Known Intervals::multiplyFloats(const Known &a, const Known &b) {
  Known product;
  if (a.hasRange() && b.hasRange()) {
    Value ends[] = {make<arith::MulFOp>(a.low, b.low), make<arith::MulFOp>(a.low, b.high),
                    make<arith::MulFOp>(a.high, b.low), make<arith::MulFOp>(a.high, b.high)};
    product = combine(ends, truth(true));
  }
  product.isExcluded = either(both(isExcluded(a), isPositive(b)), both(isExcluded(b), isPositive(a)));
  return product;
}

/// By what is of one sign.
Known Intervals::divideFloats(const Known &a, const Known &b) {
  Known quotient;
  if (a.hasRange() && b.hasRange()) {
    Value zero = number(b.low.getType(), 0);
    Value isOneSign =
        either(compare(CmpFPredicate::OGT, b.low, zero), compare(CmpFPredicate::OLT, b.high, zero));
    Value ends[] = {make<arith::DivFOp>(a.low, b.low), make<arith::DivFOp>(a.low, b.high),
                    make<arith::DivFOp>(a.high, b.low), make<arith::DivFOp>(a.high, b.high)};
    quotient = combine(ends, isOneSign);
  }
  quotient.isExcluded = both(isExcluded(a), isPositive(b));
  return quotient;
}

Known Intervals::absolute(const Known &x) {
  Known size;
  if (!x.hasRange())
    return size;
  Value negative = make<arith::NegFOp>(x.high), zero = number(x.low.getType(), 0);
  size.low = make<arith::MaximumFOp>(make<arith::MaximumFOp>(x.low, negative), zero);
  size.high = make<arith::MaximumFOp>(make<arith::NegFOp>(x.low), x.high);
  return size;
}

//===----------------------------------------------------------------------===//
// Conversions and choices
//===----------------------------------------------------------------------===//

Known Intervals::toFloat(Known x, Type from, Type to, bool isSigned) {
  if (from.isInteger(1))
    x = ofBits(x, isSigned);
  if (!x.hasRange())
    return {};
  Value low = make<arith::SIToFPOp>(to, x.low);
  Value high = x.low == x.high ? low : make<arith::SIToFPOp>(to, x.high);
  return rangeWhere(isSigned ? truth(true) : within(x, 0, x.most), low, high);
}

/// What does not fit may become any integer.
Known Intervals::toInteger(const Known &x, Type to, bool isSigned) {
  Type type = x.low.getType();
  unsigned width = to.isIndex() ? 64 : to.getIntOrFloatBitWidth();
  double beyond = std::ldexp(1.0, width - 1);
  Value zero = number(type, 0);
  Value fits = both(compare(CmpFPredicate::OGE, x.low, isSigned ? number(type, -beyond) : zero),
                    compare(CmpFPredicate::OLT, x.high, number(type, beyond)));
  Known integers = everyInteger(to);
  integers.low = make<arith::FPToSIOp>(builder.getI64Type(), select(fits, x.low, zero));
  integers.high = make<arith::FPToSIOp>(builder.getI64Type(), select(fits, x.high, zero));
  return where(fits, integers, to);
}

Known Intervals::chooseFloat(const Known &condition, const Known &yes, const Known &no, Type type) {
  Known result;
  result.isExcluded = holds(condition, isExcluded(yes), isExcluded(no));
  bool isHull = yes.hasRange() && no.hasRange(), isDecidable = condition.isTrue || condition.isFalse;
  if (!isHull && !(isDecidable && (yes.hasRange() || no.hasRange())))
    return result;
  Value unknown = number(type, kNaN);
  auto end = [&](Value ifYes, Value ifNo, Value hull) {
    return choose(condition, ifYes ? ifYes : unknown, ifNo ? ifNo : unknown, hull);
  };
  result.low = end(yes.low, no.low, isHull ? make<arith::MinimumFOp>(yes.low, no.low) : unknown);
  result.high = end(yes.high, no.high, isHull ? make<arith::MaximumFOp>(yes.high, no.high) : unknown);
  return result;
}

Known Intervals::compareFloats(CmpFPredicate predicate, const Known &a, const Known &b) {
  Known result;
  if (predicate == CmpFPredicate::AlwaysFalse || predicate == CmpFPredicate::AlwaysTrue)
    return ofBool(predicate == CmpFPredicate::AlwaysTrue);
  if (!a.hasRange() || !b.hasRange())
    return result;
  auto isBelow = [&](Value left, Value right) { return compare(CmpFPredicate::OLT, left, right); };
  auto isAtMost = [&](Value left, Value right) { return compare(CmpFPredicate::OLE, left, right); };
  using P = CmpFPredicate;
  if (llvm::is_contained({P::ORD, P::UNO}, predicate))
    result.isTrue = compare(P::ORD, a.low, b.low);
  else if (llvm::is_contained({P::OEQ, P::UEQ, P::ONE, P::UNE}, predicate)) {
    result.isTrue = both(compare(P::OEQ, a.low, b.high), compare(P::OEQ, a.high, b.low));
    result.isFalse = either(isBelow(a.high, b.low), isBelow(b.high, a.low));
  } else if (llvm::is_contained({P::OLT, P::ULT, P::OGE, P::UGE}, predicate)) {
    result.isTrue = isBelow(a.high, b.low);
    result.isFalse = isAtMost(b.high, a.low);
  } else {
    result.isTrue = isAtMost(a.high, b.low);
    result.isFalse = isBelow(b.high, a.low);
  }
  if (llvm::is_contained({P::UNO, P::ONE, P::UNE, P::OGE, P::UGE, P::OGT, P::UGT}, predicate))
    std::swap(result.isTrue, result.isFalse);
  return result;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// An operation of one operand that keeps order.
static bool isMonotone(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, math::FloorOp, math::CeilOp, math::RoundEvenOp>(op);
}

Known Intervals::ofMonotone(Operation *op, const Known &x) {
  Known result;
  result.isExcluded = isa<arith::ExtFOp, arith::TruncFOp>(op) ? x.isExcluded : Value();
  if (!x.hasRange())
    return result;
  Type type = op->getResult(0).getType();
  auto apply = [&](Value end) -> Value {
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case([&](arith::ExtFOp) { return make<arith::ExtFOp>(type, end); })
        .Case([&](arith::TruncFOp) { return make<arith::TruncFOp>(type, end); })
        .Case([&](math::FloorOp) { return make<math::FloorOp>(end); })
        .Case([&](math::CeilOp) { return make<math::CeilOp>(end); })
        .Default([&](Operation *) { return make<math::RoundEvenOp>(end); });
  };
  result.low = apply(x.low);
  result.high = x.low == x.high ? result.low : apply(x.high);
  return result;
}

/// The lesser or greater. What is less than something excluded is excluded.
Known Intervals::extremeOf(const Known &a, const Known &b, bool isLeast) {
  Known result;
  result.isExcluded = isLeast ? either(isExcluded(a), isExcluded(b)) : both(isExcluded(a), isExcluded(b));
  if (!a.hasRange() || !b.hasRange())
    return result;
  auto choose = [&](Value left, Value right) {
    return isLeast ? make<arith::MinimumFOp>(left, right) : make<arith::MaximumFOp>(left, right);
  };
  result.low = choose(a.low, b.low);
  result.high = choose(a.high, b.high);
  return result;
}

Known Intervals::ofNumber(Type type, double value) {
  Known known;
  known.low = known.high = number(type, value);
  double size = std::fabs(value), leastKept = -getLeastKept(type);
  known.isLarge = size >= std::min(-exclusion, leastKept);
  known.isFiniteLarge = size >= leastKept && std::isfinite(value);
  return known;
}

Known Intervals::ofFloat(Operation *op, ArrayRef<Known> x) {
  using namespace arith;
  Type type = op->getResult(0).getType(), from = op->getNumOperands() ? op->getOperand(0).getType() : type;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return ofNumber(type, cast<FloatAttr>(constant.getValue()).getValueAsDouble());
  if (isMonotone(op))
    return ofMonotone(op, x[0]);
  return llvm::TypeSwitch<Operation *, Known>(op)
      .Case([&](arith::SelectOp) { return chooseFloat(x[0], x[1], x[2], type); })
      .Case([&](AddFOp) { return addFloats(x[0], x[1]); })
      .Case([&](SubFOp) { return addFloats(x[0], negate(x[1])); })
      .Case([&](MulFOp) { return multiplyFloats(x[0], x[1]); })
      .Case([&](DivFOp) { return divideFloats(x[0], x[1]); })
      .Case([&](NegFOp) { return negate(x[0]); })
      .Case([&](math::AbsFOp) { return absolute(x[0]); })
      .Case<MinimumFOp, MinNumFOp>([&](auto) { return extremeOf(x[0], x[1], /*isLeast=*/true); })
      .Case<MaximumFOp, MaxNumFOp>([&](auto) { return extremeOf(x[0], x[1], /*isLeast=*/false); })
      .Case([&](SIToFPOp) { return toFloat(x[0], from, type, /*isSigned=*/true); })
      .Case([&](UIToFPOp) { return toFloat(x[0], from, type, /*isSigned=*/false); })
      .Default([](Operation *) { return Known(); });
}
