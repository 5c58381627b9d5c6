// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// exp and log with errors of 1 to 2 units in the last place, subnormal numbers included; pow by way of f64.
#include "compiler/Target/CPU/Math/ExpLogPow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weft::cpu;
using Predicate = Formula::Predicate;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLog2OfE = 1.44269504088896338700;

/// What the formulas have to know of a float type.
struct Format {
  unsigned bits, fractionBits;
  int64_t bias;
  int64_t rootHalf; ///< sqrt(1/2), as bits
  double leastNormal;
  double ln2High, ln2Low;  ///< their sum is ln 2; a multiple of the first by an exponent is exact
  double lowest, highest;  ///< beyond these exp is 0 and infinity
  SmallVector<double> exp; ///< coefficients of exp(r), |r| <= ln 2 / 2
  SmallVector<double> log; ///< coefficients 2/3, 2/5, ... of emitLog
};

} // namespace

static Format floatFormat() {
  Format format{32, 23, 127, 0x3F3504F3, 0x1p-126, 0.693359375, -2.12194440054690583e-4, -105, 89, {}, {}};
  // The minimax polynomial with its first two coefficients fixed at 1; its relative error is 3.1e-9.
  format.exp = {1,
                1,
                0.4999999341351278,
                0.16666520110196284,
                0.04166839378256925,
                0.008368780277760068,
                0.001381449628513832};
  format.log = {2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9};
  return format;
}

static Format doubleFormat() {
  Format format{64,
                52,
                1023,
                0x3FE6A09E667F3BCD,
                0x1p-1022,
                6.93147180369123816490e-01,
                1.90821492927058770002e-10,
                -746,
                710,
                {1},
                {}};
  for (int i = 1; i <= 13; ++i) // the Taylor series is exact enough
    format.exp.push_back(format.exp.back() / i);
  for (int i = 3; i <= 23; i += 2)
    format.log.push_back(2.0 / i);
  return format;
}

static Format formatOf(Type type) {
  return getElementTypeOrSelf(type).isF32() ? floatFormat() : doubleFormat();
}

/// 2^exponent, of integers in the range of normal numbers.
static Value powerOfTwo(Formula &f, const Format &format, Value exponent, Type floats) {
  Value biased = f.make<arith::AddIOp>(exponent, f.integer(32, format.bias));
  if (format.bits == 64)
    biased = f.make<arith::ExtSIOp>(f.integerType(64), biased);
  Value bits = f.make<arith::ShLIOp>(biased, f.integer(format.bits, format.fractionBits));
  return f.make<arith::BitcastOp>(floats, bits);
}

/// r and k, where x = k ln 2 + r.
static std::pair<Value, Value> reduceByLn2(Formula &f, const Format &format, Value x) {
  Value k = f.make<math::RoundEvenOp>(f.mul(x, kLog2OfE));
  return {f.fma(k, -format.ln2Low, f.fma(k, -format.ln2High, x)), k};
}

/// A power of e, or of 2: which x, beyond which it is 0 or infinity, and what is left of x.
struct Power {
  double logarithm;  ///< of the base, to the base of 2
  bool mayBeFlushed; ///< whether 0 will do for what is smaller than normal numbers are
  bool isOfTwo() const { return logarithm == 1; }
  double lowest(const Format &format) const {
    return (mayBeFlushed ? 1.0 - format.bias : format.lowest * kLog2OfE) / logarithm;
  }
  double highest(const Format &format) const { return format.highest * kLog2OfE / logarithm; }
};

/// The power of r, and k.
static std::pair<Value, Value> reducePower(Formula &f, const Format &format, Power of, Value x) {
  if (!of.isOfTwo()) {
    auto [r, k] = reduceByLn2(f, format, x);
    return {f.polynomial(r, format.exp), k};
  }
  SmallVector<double> coefficients(format.exp);
  for (auto [i, coefficient] : llvm::enumerate(coefficients))
    coefficient *= std::pow(1 / kLog2OfE, i);
  Value k = f.make<math::RoundEvenOp>(x);
  return {f.polynomial(f.sub(x, k), coefficients), k};
}

static Value emitPower(Formula &f, const Format &format, Power of, Value x) {
  // A comparison with NaN is false, so NaN becomes a number here, which can be converted to an integer.
  double lowest = of.lowest(format), highest = of.highest(format);
  Value clamped = f.select(f.is(x, Predicate::OGT, lowest), x, f.number(lowest));
  clamped = f.select(f.is(clamped, Predicate::OLT, highest), clamped, f.number(highest));
  auto [power, k] = reducePower(f, format, of, clamped);
  // In two steps: 2^k alone may lie outside of the normal numbers where the result does not.
  Value exponent = f.make<arith::FPToSIOp>(f.integerType(32), k);
  Value half = f.make<arith::ShRSIOp>(exponent, f.integer(32, 1));
  Value rest = f.make<arith::SubIOp>(exponent, half);
  Value result =
      f.mul(f.mul(power, powerOfTwo(f, format, half, x.getType())), powerOfTwo(f, format, rest, x.getType()));
  if (of.mayBeFlushed)
    result = f.select(f.is(x, Predicate::OLT, lowest), 0, result);
  return f.select(f.is(x, Predicate::UNO, x), x, result);
}

/// 2^k (exp(r) - 1) + (2^k - 1).
Value weft::cpu::emitExpMinusOne(Formula &f, Value x) {
  Format format = doubleFormat();
  auto [r, k] = reduceByLn2(f, format, x);
  Value power = f.fma(f.mul(r, r), f.polynomial(r, ArrayRef(format.exp).drop_front(2)), r);
  Value exponent = f.make<arith::FPToSIOp>(f.integerType(32), k);
  Value scale = powerOfTwo(f, format, exponent, x.getType());
  return f.fma(power, scale, f.add(scale, -1));
}

/// Coefficients of 2^g, 0 <= g < 1: sqrt(2) 2^h of h = g - 1/2.
static SmallVector<double> fractionalPowerOfTwo(const Format &format) {
  SmallVector<double> coefficients(format.exp.size(), 0);
  for (auto [degree, coefficient] : llvm::enumerate(format.exp)) {
    // (g - 1/2)^degree, a power of g at a time: binomials times powers of -1/2.
    double term = llvm::numbers::sqrt2 * coefficient * std::pow(llvm::numbers::ln2, degree);
    for (size_t power = degree + 1; power-- > 0;) {
      coefficients[power] += term;
      term *= -0.5 * double(power) / double(degree - power + 1);
    }
  }
  return coefficients;
}

/// A power of 16 floats. scalef multiplies by 2^floor(k) and gets overflow right. What would be 0 is made so
/// by a mask: a result below the least number takes the processor a hundred cycles. NaN is not below.
static Value emitPowerWithScalef(OpBuilder &builder, Formula &f, const Format &format, Power of, Value x) {
  auto constant = [&](int32_t value) -> Value {
    return f.make<arith::ConstantOp>(builder.getI32IntegerAttr(value));
  };
  Value isThere = f.is(x, Predicate::UGE, of.lowest(format)), power, k = x;
  Value lanes = f.make<LLVM::BitcastOp>(builder.getI16Type(), isThere), currentRounding = constant(4);
  if (of.isOfTwo()) { // what is above floor(x) takes one instruction
    constexpr int32_t kAboveFloor = 1 | 8;
    Value all = f.make<arith::ConstantOp>(builder.getI16IntegerAttr(-1));
    Value fraction = f.call("llvm.x86.avx512.mask.reduce.ps.512",
                            {x, constant(kAboveFloor), f.number(0), all, currentRounding});
    power = f.polynomial(fraction, fractionalPowerOfTwo(format));
  } else {
    std::tie(power, k) = reducePower(f, format, of, x);
  }
  return f.call("llvm.x86.avx512.mask.scalef.ps.512", {power, k, f.number(0), lanes, currentRounding});
}

/// log(x) = e ln 2 + log(1 + t) with x = 2^e (1 + t), 1 + t in [sqrt(1/2), sqrt(2)); log(1 + t) by s = t / (2
/// + t) as t - (t^2/2 - s (t^2/2 + R(s^2))), R(z) = 2z/3 + 2z^2/5 + ...
static Value emitLog(Formula &f, const Format &format, Value x) {
  auto integer = [&](int64_t value) { return f.integer(format.bits, value); };
  Value isSmall = f.is(x, Predicate::OLT, format.leastNormal);
  Value normal = f.select(isSmall, f.mul(x, 0x1p54), x);
  Value bits = f.make<arith::BitcastOp>(f.integerType(format.bits), normal);
  Value exponent = f.make<arith::ShRSIOp>(f.make<arith::SubIOp>(bits, integer(format.rootHalf)),
                                          integer(format.fractionBits));
  Value fraction = f.make<arith::SubIOp>(bits, f.make<arith::ShLIOp>(exponent, integer(format.fractionBits)));
  if (format.bits == 64)
    exponent = f.make<arith::TruncIOp>(f.integerType(32), exponent);
  Value e = f.make<arith::SIToFPOp>(x.getType(), exponent);
  e = f.select(isSmall, f.add(e, -54), e);

  Value t = f.add(f.make<arith::BitcastOp>(x.getType(), fraction), -1);
  Value s = f.div(t, f.add(t, 2)), z = f.mul(s, s), halfSquare = f.mul(f.mul(t, t), 0.5);
  Value remainder = f.mul(z, f.polynomial(z, format.log));
  Value low = f.fma(e, format.ln2Low, f.mul(s, f.add(halfSquare, remainder)));
  Value result = f.fma(e, format.ln2High, f.sub(t, f.sub(halfSquare, low)));

  result = f.select(f.is(x, Predicate::OEQ, kInfinity), x, result);
  result = f.select(f.is(x, Predicate::OEQ, 0.0), -kInfinity, result);
  result = f.select(f.is(x, Predicate::OLT, 0.0), kNaN, result);
  return f.select(f.is(x, Predicate::UNO, x), x, result);
}

/// exp(y log |x|), with C's rules for signs, infinities and NaN.
static Value emitPow(Formula &f, Value x, Value y) {
  Value magnitude = f.make<math::AbsFOp>(x), yMagnitude = f.make<math::AbsFOp>(y);
  Value result = f.make<math::ExpOp>(f.mul(y, f.make<math::LogOp>(magnitude)));
  Value half = f.mul(y, 0.5);
  Value isFraction = f.is(f.floor(y), Predicate::ONE, y);
  Value isOdd = f.both(f.is(f.floor(y), Predicate::OEQ, y), f.is(f.floor(half), Predicate::ONE, half));
  Value sign = f.make<math::CopySignOp>(f.number(1), x); // -1 for -0, too
  result = f.select(isOdd, f.mul(result, sign), result);
  Value isNegative = f.both(f.is(x, Predicate::OLT, 0.0), f.is(x, Predicate::OGT, -kInfinity));
  result = f.select(f.both(isNegative, isFraction), kNaN, result);
  Value isUnit = f.either(f.is(x, Predicate::OEQ, 1.0), f.both(f.is(magnitude, Predicate::OEQ, 1.0),
                                                               f.is(yMagnitude, Predicate::OEQ, kInfinity)));
  return f.select(f.either(f.is(y, Predicate::OEQ, 0.0), isUnit), 1, result);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

static bool isComputed(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF32() || element.isF64();
}

namespace {

template <typename Op> struct ExpandPower : OpRewritePattern<Op> {
  ExpandPower(MLIRContext *context, double logarithm, bool avx512)
      : OpRewritePattern<Op>(context), logarithm(logarithm), avx512(avx512) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isComputed(op.getType()))
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    Formula formula(rewriter, op.getLoc(), op.getType());
    Format format = formatOf(op.getType());
    bool hasScalef = avx512 && op.getType() == VectorType::get(16, rewriter.getF32Type());
    Power of{logarithm, arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn)};
    Value x = op.getOperand();
    rewriter.replaceOp(op, hasScalef ? emitPowerWithScalef(rewriter, formula, format, of, x)
                                     : emitPower(formula, format, of, x));
    return success();
  }
  double logarithm;
  bool avx512;
};

struct ExpandLog : OpRewritePattern<math::LogOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::LogOp op, PatternRewriter &rewriter) const override {
    if (!isComputed(op.getType()))
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    Formula formula(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, emitLog(formula, formatOf(op.getType()), op.getOperand()));
    return success();
  }
};

/// f32 goes through f64, where the error of log is small enough to be multiplied by y.
struct ExpandPow : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::PowFOp op, PatternRewriter &rewriter) const override {
    if (!isComputed(op.getType()))
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    Type wide = Formula(rewriter, op.getLoc(), op.getType()).f64();
    Formula f(rewriter, op.getLoc(), wide);
    bool isWide = op.getType() == wide;
    auto widen = [&](Value value) { return isWide ? value : f.make<arith::ExtFOp>(wide, value); };
    Value result = emitPow(f, widen(op.getLhs()), widen(op.getRhs()));
    rewriter.replaceOp(op, isWide ? result : f.make<arith::TruncFOp>(op.getType(), result));
    return success();
  }
};

} // namespace

void weft::cpu::populateExpLogPowPatterns(RewritePatternSet &patterns, bool avx512) {
  patterns.add<ExpandPower<math::ExpOp>>(patterns.getContext(), kLog2OfE, avx512);
  patterns.add<ExpandPower<math::Exp2Op>>(patterns.getContext(), 1.0, avx512);
  patterns.add<ExpandLog, ExpandPow>(patterns.getContext());
}
