// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interval arithmetic: integers. Ranges are i64; what would wrap in a narrower type, or in i64 itself, has
// its type's whole range instead.
#include "compiler/Target/CPU/Emit/Intervals.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft::cpu;
using arith::CmpIPredicate;

static unsigned getWidth(Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); }

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

Known Intervals::everyInteger(Type type) {
  Known all;
  all.least = llvm::minIntN(getWidth(type));
  all.most = llvm::maxIntN(getWidth(type));
  all.low = integer(all.least);
  all.high = integer(all.most);
  return all;
}

Known Intervals::ofInteger(int64_t value) {
  Known known;
  known.low = known.high = integer(value);
  known.least = known.most = value;
  return known;
}

/// `known` where `holds`, else every value of the type.
Known Intervals::where(Value holds, Known known, Type type) {
  if (holds && getConstantIntValue(holds) == 1)
    return known;
  Known all = everyInteger(type);
  all.low = select(holds, known.low, all.low);
  all.high = select(holds, known.high, all.high);
  return all;
}

/// Whether the range lies in another.
Value Intervals::within(const Known &x, int64_t least, int64_t most) {
  Value above = x.least >= least ? truth(true) : compare(CmpIPredicate::sge, x.low, integer(least));
  return both(above, x.most <= most ? truth(true) : compare(CmpIPredicate::sle, x.high, integer(most)));
}

/// A result that was computed exactly, in its type.
Known Intervals::fitted(const Known &exact, Type type) {
  return where(within(exact, llvm::minIntN(getWidth(type)), llvm::maxIntN(getWidth(type))), exact, type);
}

/// Whether both are the same, read as signed or unsigned.
Value Intervals::areUnsigned(const Known &a, const Known &b) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  return both(within(a, 0, kMost), within(b, 0, kMost));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// a + b, or a - b, where the ends of b change places.
Known Intervals::addOrSubtract(const Known &a, const Known &b, Type type, bool isSum) {
  auto combine = [&](Value left, Value right) -> Value {
    return isSum ? make<arith::AddIOp>(left, right) : make<arith::SubIOp>(left, right);
  };
  auto overflows = [&](int64_t left, int64_t right, int64_t &result) {
    return isSum ? llvm::AddOverflow(left, right, result) : llvm::SubOverflow(left, right, result);
  };
  Known result = everyInteger(type);
  result.low = combine(a.low, isSum ? b.low : b.high);
  result.high = combine(a.high, isSum ? b.high : b.low);
  int64_t least, most;
  if (overflows(a.least, isSum ? b.least : b.most, least) ||
      overflows(a.most, isSum ? b.most : b.least, most)) {
    constexpr int64_t kHalf = (int64_t(1) << 62) - 1;
    return where(both(within(a, -kHalf, kHalf), within(b, -kHalf, kHalf)), result, type);
  }
  result.least = least;
  result.most = most;
  return fitted(result, type);
}

Known Intervals::multiply(const Known &a, const Known &b, Type type) {
  Known product = everyInteger(type);
  SmallVector<Value, 4> ends;
  SmallVector<int64_t, 4> bounds;
  bool overflows = false;
  for (auto [end, bound] : {std::pair(a.low, a.least), std::pair(a.high, a.most)})
    for (auto [otherEnd, otherBound] : {std::pair(b.low, b.least), std::pair(b.high, b.most)}) {
      ends.push_back(make<arith::MulIOp>(end, otherEnd));
      overflows |= llvm::MulOverflow(bound, otherBound, bounds.emplace_back());
    }
  product.low = product.high = ends[0];
  for (Value end : ArrayRef(ends).drop_front()) {
    product.low = make<arith::MinSIOp>(product.low, end);
    product.high = make<arith::MaxSIOp>(product.high, end);
  }
  if (overflows) {
    constexpr int64_t kRoot = int64_t(1) << 31;
    return where(both(within(a, -kRoot, kRoot), within(b, -kRoot, kRoot)), product, type);
  }
  product.least = *llvm::min_element(bounds);
  product.most = *llvm::max_element(bounds);
  return fitted(product, type);
}

/// Toward zero, by a divisor above zero.
Known Intervals::divide(const Known &a, const Known &b, Type type) {
  Known quotient = everyInteger(type);
  Known divisor = maximum(b, ofInteger(1)); // the division is done in any case
  auto end = [&](Value dividend, auto choose) {
    Value left = make<arith::DivSIOp>(dividend, divisor.low);
    return b.low == b.high ? left : choose(left, make<arith::DivSIOp>(dividend, divisor.high));
  };
  quotient.low = end(a.low, [&](Value left, Value right) { return make<arith::MinSIOp>(left, right); });
  quotient.high = end(a.high, [&](Value left, Value right) { return make<arith::MaxSIOp>(left, right); });
  quotient.least = std::min<int64_t>(a.least, 0);
  quotient.most = std::max<int64_t>(a.most, 0);
  return where(within(b, 1, std::numeric_limits<int64_t>::max()), quotient, type);
}

/// With the sign of the dividend, by a divisor above zero. Within one turn of one divisor it is the
/// dividend's range, shifted.
Known Intervals::remainder(const Known &a, const Known &b, Type type) {
  Known divisor = maximum(b, ofInteger(1));
  Value zero = integer(0), beyond = make<arith::SubIOp>(divisor.high, integer(1));
  Known rough;
  rough.low = make<arith::MinSIOp>(zero, make<arith::MaxSIOp>(a.low, make<arith::SubIOp>(zero, beyond)));
  rough.high = make<arith::MaxSIOp>(zero, make<arith::MinSIOp>(a.high, beyond));
  rough.least = std::min<int64_t>(0, std::max(a.least, 1 - divisor.most));
  rough.most = std::max<int64_t>(0, std::min(a.most, divisor.most - 1));
  Value turn = make<arith::DivSIOp>(a.low, divisor.low);
  Value isOneTurn = compare(CmpIPredicate::eq, turn, make<arith::DivSIOp>(a.high, divisor.low));
  if (b.low != b.high)
    isOneTurn = both(isOneTurn, compare(CmpIPredicate::eq, divisor.low, divisor.high));
  rough.low = select(isOneTurn, make<arith::RemSIOp>(a.low, divisor.low), rough.low);
  rough.high = select(isOneTurn, make<arith::RemSIOp>(a.high, divisor.low), rough.high);
  return where(within(b, 1, std::numeric_limits<int64_t>::max()), rough, type);
}

Known Intervals::minimum(const Known &a, const Known &b) {
  Known least;
  least.low = make<arith::MinSIOp>(a.low, b.low);
  least.high = make<arith::MinSIOp>(a.high, b.high);
  least.least = std::min(a.least, b.least);
  least.most = std::min(a.most, b.most);
  return least;
}

Known Intervals::maximum(const Known &a, const Known &b) {
  Known greatest;
  greatest.low = make<arith::MaxSIOp>(a.low, b.low);
  greatest.high = make<arith::MaxSIOp>(a.high, b.high);
  greatest.least = std::max(a.least, b.least);
  greatest.most = std::max(a.most, b.most);
  return greatest;
}

//===----------------------------------------------------------------------===//
// Conversions and choices
//===----------------------------------------------------------------------===//

Known Intervals::extendUnsigned(const Known &x, Type from) {
  unsigned width = getWidth(from);
  if (width >= 64 || x.least >= 0)
    return x;
  Value isSame = within(x, 0, x.most);
  Known wide;
  wide.most = llvm::maxUIntN(width);
  wide.low = select(isSame, x.low, integer(0));
  wide.high = select(isSame, x.high, integer(wide.most));
  return wide;
}

/// An i1 as 0 and 1, or as 0 and -1.
Known Intervals::ofBits(const Known &x, bool isSigned) {
  Known known;
  Value zero = integer(0), one = integer(isSigned ? -1 : 1);
  known.low = isSigned ? select(x.isFalse, zero, one) : select(x.isTrue, one, zero);
  known.high = isSigned ? select(x.isTrue, one, zero) : select(x.isFalse, zero, one);
  known.least = isSigned ? -1 : 0;
  known.most = isSigned ? 0 : 1;
  return known;
}

Known Intervals::chooseInteger(const Known &condition, Known yes, Known no, Type type) {
  if (!yes.hasRange() && !no.hasRange())
    return {};
  yes = yes.hasRange() ? yes : everyInteger(type);
  no = no.hasRange() ? no : everyInteger(type);
  if (condition.isTrue && getConstantIntValue(condition.isTrue) == 1)
    return yes;
  if (condition.isFalse && getConstantIntValue(condition.isFalse) == 1)
    return no;
  Known hull;
  hull.low = choose(condition, yes.low, no.low, make<arith::MinSIOp>(yes.low, no.low));
  hull.high = choose(condition, yes.high, no.high, make<arith::MaxSIOp>(yes.high, no.high));
  hull.least = std::min(yes.least, no.least);
  hull.most = std::max(yes.most, no.most);
  return hull;
}

static bool isUnsigned(CmpIPredicate predicate) {
  return predicate == CmpIPredicate::ult || predicate == CmpIPredicate::ule ||
         predicate == CmpIPredicate::ugt || predicate == CmpIPredicate::uge;
}

Known Intervals::compareIntegers(CmpIPredicate predicate, const Known &a, const Known &b) {
  Known result;
  if (!a.hasRange() || !b.hasRange())
    return result;
  auto isBelow = [&](Value left, Value right) { return compare(CmpIPredicate::slt, left, right); };
  auto isAtMost = [&](Value left, Value right) { return compare(CmpIPredicate::sle, left, right); };
  switch (predicate) {
  case CmpIPredicate::eq:
  case CmpIPredicate::ne:
    result.isTrue =
        both(compare(CmpIPredicate::eq, a.low, b.high), compare(CmpIPredicate::eq, a.high, b.low));
    result.isFalse = either(isBelow(a.high, b.low), isBelow(b.high, a.low));
    break;
  case CmpIPredicate::slt:
  case CmpIPredicate::ult:
  case CmpIPredicate::sge:
  case CmpIPredicate::uge:
    result.isTrue = isBelow(a.high, b.low);
    result.isFalse = isAtMost(b.high, a.low);
    break;
  case CmpIPredicate::sle:
  case CmpIPredicate::ule:
  case CmpIPredicate::sgt:
  case CmpIPredicate::ugt:
    result.isTrue = isAtMost(a.high, b.low);
    result.isFalse = isBelow(b.high, a.low);
    break;
  }
  using P = CmpIPredicate;
  if (llvm::is_contained({P::ne, P::sge, P::uge, P::sgt, P::ugt}, predicate))
    std::swap(result.isTrue, result.isFalse);
  if (isUnsigned(predicate)) {
    Value holds = areUnsigned(a, b);
    result.isTrue = both(result.isTrue, holds);
    result.isFalse = both(result.isFalse, holds);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Known Intervals::ofInteger(Operation *op, ArrayRef<Known> x) {
  using namespace arith;
  Type type = op->getResult(0).getType();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    const APInt &value = cast<IntegerAttr>(constant.getValue()).getValue();
    return value.isSignedIntN(64) ? ofInteger(value.getSExtValue()) : Known();
  }
  if (isa<SelectOp>(op))
    return chooseInteger(x[0], x[1], x[2], type);
  Type from = op->getNumOperands() > 0 ? op->getOperand(0).getType() : Type();
  if (from && from.isInteger(1) && isa<ExtUIOp, ExtSIOp, IndexCastOp, IndexCastUIOp>(op))
    return ofBits(x[0], isa<ExtSIOp, IndexCastOp>(op));
  if (llvm::any_of(x, [](const Known &known) { return !known.hasRange(); }))
    return {};
  return llvm::TypeSwitch<Operation *, Known>(op)
      .Case([&](AddIOp) { return addOrSubtract(x[0], x[1], type, /*isSum=*/true); })
      .Case([&](SubIOp) { return addOrSubtract(x[0], x[1], type, /*isSum=*/false); })
      .Case([&](MulIOp) { return multiply(x[0], x[1], type); })
      .Case([&](DivSIOp) { return divide(x[0], x[1], type); })
      .Case([&](RemSIOp) { return remainder(x[0], x[1], type); })
      .Case([&](DivUIOp) { return where(areUnsigned(x[0], x[1]), divide(x[0], x[1], type), type); })
      .Case([&](RemUIOp) { return where(areUnsigned(x[0], x[1]), remainder(x[0], x[1], type), type); })
      .Case([&](MinSIOp) { return minimum(x[0], x[1]); })
      .Case([&](MaxSIOp) { return maximum(x[0], x[1]); })
      .Case([&](MinUIOp) { return where(areUnsigned(x[0], x[1]), minimum(x[0], x[1]), type); })
      .Case([&](MaxUIOp) { return where(areUnsigned(x[0], x[1]), maximum(x[0], x[1]), type); })
      .Case<ExtSIOp>([&](auto) { return x[0]; })
      .Case<ExtUIOp>([&](auto) { return extendUnsigned(x[0], from); })
      .Case<IndexCastUIOp>([&](auto) { return fitted(extendUnsigned(x[0], from), type); })
      .Case<IndexCastOp, TruncIOp>([&](auto) { return fitted(x[0], type); })
      .Case([&](FPToSIOp) { return toInteger(x[0], type, /*isSigned=*/true); })
      .Case([&](FPToUIOp) { return toInteger(x[0], type, /*isSigned=*/false); })
      .Default([](Operation *) { return Known(); });
}
