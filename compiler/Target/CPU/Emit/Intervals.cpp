// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interval arithmetic: i1, and the code that all of it is written in.
#include "compiler/Target/CPU/Emit/Intervals.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace weft::cpu;

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

Value Intervals::truth(bool value) {
  return arith::ConstantOp::create(builder, location, builder.getBoolAttr(value));
}

Value Intervals::integer(int64_t value) {
  return arith::ConstantOp::create(builder, location, builder.getI64IntegerAttr(value));
}

Value Intervals::number(Type type, double value) {
  return arith::ConstantOp::create(builder, location, builder.getFloatAttr(type, value));
}

Value Intervals::compare(arith::CmpIPredicate predicate, Value left, Value right) {
  return make<arith::CmpIOp>(predicate, left, right);
}

Value Intervals::compare(arith::CmpFPredicate predicate, Value left, Value right) {
  return make<arith::CmpFOp>(predicate, left, right);
}

/// Of a null condition `no`.
Value Intervals::select(Value condition, Value yes, Value no) {
  if (!condition || yes == no)
    return no;
  return make<arith::SelectOp>(condition, yes, no);
}

Value Intervals::choose(const Known &condition, Value yes, Value no, Value undecided) {
  return select(condition.isTrue, yes, select(condition.isFalse, no, undecided));
}

/// Null only by what is null, not by numbers, so that all tiles of a kernel have the same verdicts.
Value Intervals::both(Value left, Value right) {
  if (!left || !right)
    return {};
  for (auto [one, other] : {std::pair(left, right), std::pair(right, left)})
    if (auto constant = getConstantIntValue(one))
      return *constant ? other : one;
  return left == right ? left : make<arith::AndIOp>(left, right);
}

Value Intervals::either(Value left, Value right) {
  if (!left || !right)
    return left ? left : right;
  for (auto [one, other] : {std::pair(left, right), std::pair(right, left)})
    if (auto constant = getConstantIntValue(one))
      return *constant ? one : other;
  return left == right ? left : make<arith::OrIOp>(left, right);
}

//===----------------------------------------------------------------------===//
// i1
//===----------------------------------------------------------------------===//

Known Intervals::ofBool(bool value) {
  Known known;
  (value ? known.isTrue : known.isFalse) = truth(true);
  return known;
}

/// Whether it is certain that the chosen one of two is true.
Value Intervals::holds(const Known &condition, Value yes, Value no) {
  return either(either(both(condition.isTrue, yes), both(condition.isFalse, no)), both(yes, no));
}

Known Intervals::ofTruth(Operation *op, ArrayRef<Known> x) {
  Known result;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return ofBool(cast<IntegerAttr>(constant.getValue()).getValue().isOne());
  if (isa<arith::SelectOp>(op)) {
    result.isTrue = holds(x[0], x[1].isTrue, x[2].isTrue);
    result.isFalse = holds(x[0], x[1].isFalse, x[2].isFalse);
    return result;
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return compareFloats(compare.getPredicate(), x[0], x[1]);
  if (isa<arith::AndIOp>(op)) {
    result.isTrue = both(x[0].isTrue, x[1].isTrue);
    result.isFalse = either(x[0].isFalse, x[1].isFalse);
    return result;
  }
  if (isa<arith::OrIOp>(op)) {
    result.isTrue = either(x[0].isTrue, x[1].isTrue);
    result.isFalse = both(x[0].isFalse, x[1].isFalse);
    return result;
  }
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (compare && !compare.getLhs().getType().isInteger(1))
    return compareIntegers(compare.getPredicate(), x[0], x[1]);
  bool isEquality = compare && compare.getPredicate() == arith::CmpIPredicate::eq;
  bool isDifference = compare && compare.getPredicate() == arith::CmpIPredicate::ne;
  if (!isEquality && !isDifference && !isa<arith::XOrIOp>(op))
    return result;
  Known different;
  different.isTrue = either(both(x[0].isTrue, x[1].isFalse), both(x[0].isFalse, x[1].isTrue));
  different.isFalse = either(both(x[0].isTrue, x[1].isTrue), both(x[0].isFalse, x[1].isFalse));
  if (isEquality)
    std::swap(different.isTrue, different.isFalse);
  return different;
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

Known Intervals::ofArgument(Type type, Interval interval) {
  Known known;
  if (!interval.low || !interval.high)
    return known;
  if (type.isInteger(1)) {
    known.isTrue = interval.low;
    known.isFalse = make<arith::XOrIOp>(interval.high, truth(true));
    return known;
  }
  if (isa<FloatType>(type)) {
    known.low = interval.low;
    known.high = interval.high;
    return known;
  }
  auto widen = [&](Value end) -> Value {
    if (type.isIndex())
      return make<arith::IndexCastOp>(builder.getI64Type(), end);
    return type.isInteger(64) ? end : make<arith::ExtSIOp>(builder.getI64Type(), end);
  };
  known = everyInteger(type);
  known.low = widen(interval.low);
  known.high = interval.high == interval.low ? known.low : widen(interval.high);
  constexpr int64_t kMostPositions = int64_t(1) << 40;
  if (type.isIndex())
    std::tie(known.least, known.most) = std::pair(int64_t(0), kMostPositions);
  return known;
}

Known Intervals::of(Operation *op, ArrayRef<Known> operands) {
  Type type = op->getNumResults() == 1 ? op->getResult(0).getType() : Type();
  if (type && type.isInteger(1))
    return ofTruth(op, operands);
  if (type && type.isIntOrIndex())
    return ofInteger(op, operands);
  if (!type || !isa<FloatType>(type))
    return {};
  Known known = ofFloat(op, operands);
  for (const Known &operand : operands) {
    known.isLarge |= operand.isLarge;
    known.isFiniteLarge |= operand.isFiniteLarge;
  }
  return known;
}

Value Intervals::isConstant(const Known &x) {
  return x.hasRange() ? compare(arith::CmpFPredicate::OEQ, x.low, x.high) : Value();
}

Value Intervals::isAlways(const Known &x, Attribute value) {
  if (auto truth = dyn_cast<BoolAttr>(value))
    return truth.getValue() ? x.isTrue : x.isFalse;
  if (!x.hasRange())
    return {};
  Value expected = number(x.low.getType(), cast<FloatAttr>(value).getValueAsDouble());
  return both(compare(arith::CmpFPredicate::OEQ, x.low, expected),
              compare(arith::CmpFPredicate::OEQ, x.high, expected));
}

Value Intervals::isExcluded(const Known &x) {
  if (!x.hasRange() || !x.isLarge)
    return x.isExcluded;
  return either(x.isExcluded,
                compare(arith::CmpFPredicate::OLE, x.high, number(x.high.getType(), exclusion)));
}
