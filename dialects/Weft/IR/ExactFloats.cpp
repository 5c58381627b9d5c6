// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that a model computes in floats: int(length / 2), floor(height * 0.5), arange(float(length)).
//
// Why this is right. A float type holds every integer up to 2^24 (f32), or 2^53 (f64), 2^11 (f16), 2^8
// (bf16), and sums and products of such that stay below are exact. A quotient n / d of such integers that is
// not an integer is at least 1/d away from the next one, which is more than half a unit in the last place of
// the quotient: rounding to the nearest float does not reach it, so floor, ceil and truncation give what they
// give for the fraction.
#include "dialects/Weft/IR/ExactFloats.h"
#include "dialects/Weft/IR/Weft.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------===//
// Quotients
//===----------------------------------------------------------------------===//

namespace {
/// numerator / denominator; null where it is not known.
struct Quotient {
  Dim numerator, denominator;
};
} // namespace

/// A float constant at an index as n / 2^k, with n and 2^k small.
static Quotient getFraction(Value value, ArrayRef<int64_t> index) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto dense = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : DenseFPElementsAttr();
  auto shape = getShortShape(value);
  if (!dense || !shape || shape->size() > index.size())
    return {};
  int64_t place = 0;
  for (auto [at, size] : llvm::zip_equal(index.take_back(shape->size()), *shape))
    place = place * size + (size == 1 ? 0 : at);
  if (place >= dense.getNumElements())
    return {};
  double number = dense.getValues<APFloat>()[place].convertToDouble();
  constexpr int kMostBits = 16;
  for (int bits = 0; bits <= kMostBits; ++bits) {
    double scaled = std::ldexp(number, bits);
    if (std::abs(scaled) <= 1 << kMostBits && scaled == std::trunc(scaled))
      return {Dim::constant(value.getContext(), int64_t(scaled)),
              Dim::constant(value.getContext(), int64_t(1) << bits)};
  }
  return {};
}

/// Whether a float type holds all numbers of another.
static bool isWider(Type type, Type other) {
  return isa<Float32Type, Float64Type>(type) && isa<FloatType>(other) &&
         type.getIntOrFloatBitWidth() > other.getIntOrFloatBitWidth();
}

/// What a value is at an index, if that is a fraction of integers which one division or product makes.
static Quotient getQuotient(InferContext &context, Value value, ArrayRef<int64_t> index) {
  auto known = [&](Value operand) {
    auto elements = getKnownElements(context, operand);
    return elements ? elements->atBroadcast(index) : Dim();
  };
  Dim one = Dim::constant(value.getContext(), 1);
  if (Dim whole = known(value))
    return {whole, one};
  Operation *op = value.getDefiningOp();
  if (!op)
    return getFraction(value, index);
  return TypeSwitch<Operation *, Quotient>(op)
      .Case([&](DivOp) {
        Quotient divisor = getFraction(op->getOperand(1), index);
        if (Dim whole = known(op->getOperand(1)))
          divisor = {whole, one};
        return Quotient{known(op->getOperand(0)) * divisor.denominator, divisor.numerator};
      })
      .Case([&](MulOp) {
        for (int side : {0, 1})
          if (Quotient factor = getFraction(op->getOperand(side), index); factor.numerator)
            return Quotient{known(op->getOperand(1 - side)) * factor.numerator, factor.denominator};
        return Quotient();
      })
      .Case([&](CastOp cast) {
        bool isWidened = isWider(cast.getTo(), getElementTypeOrSelf(cast.getInput()));
        bool isSame = getElementTypeOrSelf(cast.getInput()) == cast.getTo();
        return isWidened || isSame ? getQuotient(context, cast.getInput(), index) : Quotient();
      })
      .Default([&](Operation *) { return getFraction(value, index); });
}

/// Floor, ceil, or the truncation of a cast.
static Dim roundQuotient(Operation *op, Quotient quotient) {
  if (!quotient.numerator || !quotient.denominator)
    return Dim();
  if (isa<FloorOp>(op))
    return Dim::floorDiv(quotient.numerator, quotient.denominator);
  if (isa<CeilOp>(op))
    return Dim::ceilDiv(quotient.numerator, quotient.denominator);
  return divideTruncating(quotient.numerator, quotient.denominator);
}

//===----------------------------------------------------------------------===//
// Exactness
//===----------------------------------------------------------------------===//

static std::optional<int64_t> greatestExactInteger(Type element) {
  auto type = dyn_cast<FloatType>(element);
  bool isKnown = type && !isCompact(type) && type.getFPMantissaWidth() <= 53;
  return isKnown ? std::optional(int64_t(1) << type.getFPMantissaWidth()) : std::nullopt;
}

/// Requires |dim| <= limit.
static bool requireAtMost(InferContext &context, Operation *op, Dim dim, int64_t limit) {
  Dim most = Dim::constant(op->getContext(), limit);
  for (Dim side : {dim, -dim}) {
    if (!side || provablyLess(most, side))
      return false;
    if (!provablyLessEqual(side, most))
      context.guard(op, Relation::LessEqual, side, most);
  }
  return true;
}

bool weft::requireExact(InferContext &context, Operation *op, Value value) {
  llvm::SetVector<Value> pending;
  pending.insert(value);
  for (size_t i = 0; i < pending.size(); ++i) {
    Value next = pending[i];
    Type element = getElementTypeOrSelf(next);
    Operation *producer = next.getDefiningOp();
    if (!isa<FloatType>(element))
      continue;
    std::optional<int64_t> limit = greatestExactInteger(element);
    auto shape = getShortShape(next);
    if (!limit || !shape)
      return false;
    bool fits = true;
    if (!isa_and_present<FloorOp, CeilOp>(producer)) // whose results are exact whatever they are
      visitIndices(*shape, [&](ArrayRef<int64_t> index) {
        Quotient quotient = getQuotient(context, next, index);
        for (Dim dim : {quotient.numerator, quotient.denominator})
          fits = fits && (!dim || requireAtMost(context, op, dim, *limit));
      });
    if (!fits)
      return false;
    if (producer && !isa<ConstantOp>(producer))
      for (Value operand : producer->getOperands())
        pending.insert(operand);
  }
  return true;
}

Contents weft::inferRoundedContents(Operation *op, InferContext &context) {
  Value input = op->getOperand(0);
  Contents result = makeContents(
      op, [&](ArrayRef<int64_t> index) { return roundQuotient(op, getQuotient(context, input, index)); });
  // The result of floor is a float: whoever uses it asks.
  if (!result || isa<FloatType>(getElementTypeOrSelf(op->getResult(0))))
    return result;
  return requireExact(context, op, input) ? result : std::nullopt;
}
