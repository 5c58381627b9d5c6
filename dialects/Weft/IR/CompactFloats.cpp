// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A format is read off its APFloat semantics: how many bits its parts have, and which codes are special.
#include "dialects/Weft/IR/CompactFloats.h"

using namespace mlir;
using namespace weft;
using arith::CmpFPredicate;
using arith::CmpIPredicate;
using llvm::APFloat;

/// The bits of floats that have a bit for the sign and some for the fraction.
namespace {
struct Format {
  explicit Format(FloatType type);

  int64_t signBit() const { return int64_t(1) << (width - 1); }
  /// The exponent of the least normal number, a power of two.
  int leastExponent() const { return 1 - bias; }
  /// Whether the code of -0 is the NaN.
  bool hasOneZero() const { return nan == signBit() && hasNaN; }

  int width, fractionBits, bias;
  bool hasNaN, hasInfinity;
  int64_t largest;  ///< The greatest finite number.
  int64_t nan;      ///< What NaN becomes: -0 where there is none.
  int64_t overflow; ///< What is greater than the greatest becomes: infinity, NaN or the greatest.
};
} // namespace

static int64_t getCode(const APFloat &value) { return int64_t(value.bitcastToAPInt().getZExtValue()); }

Format::Format(FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  width = APFloat::semanticsSizeInBits(semantics);
  fractionBits = APFloat::semanticsPrecision(semantics) - 1;
  bias = 1 - APFloat::semanticsMinExponent(semantics);
  hasNaN = APFloat::semanticsHasNaN(semantics);
  hasInfinity = APFloat::semanticsHasInf(semantics);
  largest = getCode(APFloat::getLargest(semantics));
  nan = hasNaN ? getCode(APFloat::getNaN(semantics)) : signBit();
  overflow = hasInfinity ? getCode(APFloat::getInf(semantics)) : hasNaN ? nan : largest;
}

static constexpr int kFraction32 = 23, kBias32 = 127;

/// A power of two: the exponent of an f32, biased alike; code 0 is the f32's greatest subnormal power.
static Value decodePower(ScalarBuilder &b, Value code, Type f32) {
  Type i32 = IntegerType::get(code.getContext(), 32);
  Value wide = b.make<arith::ExtUIOp>(i32, code);
  Value bits = b.make<arith::ShLIOp>(wide, b.integer(i32, kFraction32));
  Value isLeast = b.compare(CmpIPredicate::eq, wide, b.integer(i32, 0));
  bits = b.select(isLeast, b.integer(i32, 1 << (kFraction32 - 1)), bits);
  Value isNaN = b.compare(CmpIPredicate::eq, wide, b.integer(i32, 0xFF));
  return b.select(isNaN, b.number(f32, std::nan("")), b.make<arith::BitcastOp>(f32, bits));
}

static Value encodePower(ScalarBuilder &b, Value number) {
  Type i32 = IntegerType::get(number.getContext(), 32), i8 = IntegerType::get(number.getContext(), 8);
  if (number.getType().isF64())
    number = b.make<arith::TruncFOp>(Float32Type::get(number.getContext()), number);
  Value bits = b.make<arith::BitcastOp>(i32, number);
  return b.make<arith::TruncIOp>(i8, b.make<arith::ShRUIOp>(bits, b.integer(i32, kFraction32)));
}

Value weft::decodeFloat(ScalarBuilder &b, Value code, FloatType type) {
  Type f32 = Float32Type::get(code.getContext()), i32 = IntegerType::get(code.getContext(), 32);
  if (isa<Float8E8M0FNUType>(type))
    return decodePower(b, code, f32);
  Format format(type);
  Value wide = b.make<arith::ExtUIOp>(i32, code);
  Value magnitude = b.make<arith::AndIOp>(wide, b.integer(i32, format.signBit() - 1));
  // At its place in an f32 it is the number but for the biases, subnormal or not.
  Value bits = b.make<arith::ShLIOp>(magnitude, b.integer(i32, kFraction32 - format.fractionBits));
  Value number = b.make<arith::MulFOp>(b.make<arith::BitcastOp>(f32, bits),
                                       b.number(f32, std::ldexp(1.0, kBias32 - format.bias)));
  if (format.hasInfinity) {
    Value isInfinite = b.compare(CmpIPredicate::eq, magnitude, b.integer(i32, format.overflow));
    number = b.select(isInfinite, b.number(f32, std::numeric_limits<double>::infinity()), number);
  }
  Value sign = b.make<arith::AndIOp>(wide, b.integer(i32, format.signBit()));
  sign = b.make<arith::ShLIOp>(sign, b.integer(i32, 32 - format.width));
  number = b.make<arith::BitcastOp>(f32, b.make<arith::OrIOp>(b.make<arith::BitcastOp>(i32, number), sign));
  if (!format.hasNaN)
    return number;
  Value isNaN = format.hasOneZero()
                    ? b.compare(CmpIPredicate::eq, wide, b.integer(i32, format.nan))
                    : b.compare(CmpIPredicate::ugt, magnitude,
                                b.integer(i32, format.hasInfinity ? format.overflow : format.largest));
  return b.select(isNaN, b.number(f32, std::nan("")), number);
}

/// The code of a number's magnitude, rounded to nearest even: of a normal number its own bits, shortened; a
/// smaller one added to a power of two whose last bit is the format's.
static Value roundMagnitude(ScalarBuilder &b, Value bits, Type element, const Format &format) {
  Type type = bits.getType();
  const llvm::fltSemantics &semantics = cast<FloatType>(element).getFloatSemantics();
  int fraction = APFloat::semanticsPrecision(semantics) - 1, dropped = fraction - format.fractionBits;
  int bias = 1 - APFloat::semanticsMinExponent(semantics);
  Value last =
      b.make<arith::AndIOp>(b.make<arith::ShRUIOp>(bits, b.integer(type, dropped)), b.integer(type, 1));
  Value belowHalf = b.integer(type, (int64_t(1) << (dropped - 1)) - 1);
  Value rounded = b.make<arith::AddIOp>(b.make<arith::AddIOp>(bits, belowHalf), last);
  Value normal = b.make<arith::SubIOp>(b.make<arith::ShRUIOp>(rounded, b.integer(type, dropped)),
                                       b.integer(type, int64_t(bias - format.bias) << format.fractionBits));
  Value power = b.number(element, std::ldexp(1.0, dropped + format.leastExponent()));
  Value number = b.make<arith::BitcastOp>(element, bits);
  Value sum = b.make<arith::BitcastOp>(type, b.make<arith::AddFOp>(number, power));
  Value subnormal = b.make<arith::SubIOp>(sum, b.make<arith::BitcastOp>(type, power));
  Value least = b.number(element, std::ldexp(1.0, format.leastExponent()));
  return b.select(b.compare(CmpFPredicate::OLT, number, least), subnormal, normal);
}

Value weft::encodeFloat(ScalarBuilder &b, Value number, FloatType type) {
  if (isa<Float8E8M0FNUType>(type))
    return encodePower(b, number);
  Format format(type);
  Type element = number.getType();
  int width = element.getIntOrFloatBitWidth();
  Type bitsType = IntegerType::get(number.getContext(), width);
  auto integer = [&](int64_t value) { return b.integer(bitsType, value); };
  Value bits = b.make<arith::BitcastOp>(bitsType, number);
  Value magnitude = b.make<arith::AndIOp>(bits, b.integer(bitsType, APInt::getSignedMaxValue(width)));
  Value code = roundMagnitude(b, magnitude, element, format);
  Value isBeyond = b.compare(CmpIPredicate::ugt, code, integer(format.largest));
  code = b.select(isBeyond, integer(format.overflow), code);
  Value sign = b.make<arith::ShRUIOp>(bits, integer(width - 1));
  sign = b.make<arith::ShLIOp>(sign, integer(format.width - 1));
  Value isZero = b.compare(CmpIPredicate::eq, code, integer(0));
  Value isSigned = b.make<arith::OrIOp>(code, sign);
  code = format.hasOneZero() ? b.select(isZero, code, isSigned) : isSigned;
  code = b.select(b.compare(CmpFPredicate::UNO, number, number), integer(format.nan), code);
  return b.make<arith::TruncIOp>(IntegerType::get(number.getContext(), 8), code);
}
