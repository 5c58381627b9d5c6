// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sin and cos: x = k pi/2 + r, and a series in r. f32 goes through f64, where a few products reduce any
// argument that a model has.
#include "compiler/Target/CPU/Math/SinCos.h"
#include "compiler/Target/CPU/Math/Formula.h"

using namespace mlir;
using namespace weft::cpu;
using Predicate = Formula::Predicate;

/// The greatest argument: below it k is exact and r as exact as a double can be. Beyond, the result is NaN.
static constexpr double kGreatest = 0x1p40;

/// pi/2 in three parts: rounded to a double, what is left of it, and what is left of that.
static constexpr double kHalfPi[] = {1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33};

namespace {
/// x is quadrant * pi/2 + high + low, with high + low in [-pi/4, pi/4].
struct Reduced {
  Value quadrant, high, low;
};
} // namespace

/// The first product leaves an exact difference, since x and k pi/2 are near each other. `low` is what
/// rounding drops of the second, and the third: it counts where x is near a multiple of pi/2, and little is
/// left of it.
static Reduced reduce(Formula &f, Value x) {
  Value k = f.make<math::RoundEvenOp>(f.mul(x, 0.63661977236758134308));
  Value rest = f.fma(k, -kHalfPi[0], x);
  Value product = f.mul(k, -kHalfPi[1]), high = f.add(rest, product);
  Value added = f.sub(high, rest); // of the product; with what is missing the sum is exact
  Value missing = f.add(f.sub(rest, f.sub(high, added)), f.sub(product, added));
  Value productError = f.fma(k, -kHalfPi[1], f.make<arith::NegFOp>(product));
  return {k, high, f.fma(k, -kHalfPi[2], f.add(missing, productError))};
}

/// 1/2!, -1/4!, ... or 1/3!, -1/5!, ...: coefficients in r^2, as far as a double needs them.
static SmallVector<double> series(int first) {
  SmallVector<double> coefficients;
  double factorial = 1, sign = 1;
  for (int i = 2; i <= first; ++i)
    factorial *= i;
  for (int i = first; i <= 18; i += 2) {
    coefficients.push_back(sign / factorial);
    factorial *= double(i + 1) * (i + 2);
    sign = -sign;
  }
  return coefficients;
}

/// sin of high + low: r - r^3 (1/3! - r^2/5! + ...).
static Value sineOf(Formula &f, const Reduced &r) {
  Value square = f.mul(r.high, r.high), cube = f.mul(square, r.high);
  return f.add(r.high, f.sub(r.low, f.mul(cube, f.polynomial(square, series(3)))));
}

/// cos of high + low: 1 - r^2/2 + r^4 (1/4! - ...), with the rounding error of 1 - r^2/2 added to the rest.
static Value cosineOf(Formula &f, const Reduced &r) {
  Value square = f.mul(r.high, r.high), half = f.mul(square, 0.5), first = f.sub(f.number(1), half);
  Value error = f.sub(f.sub(f.number(1), first), half);
  Value rest = f.sub(f.mul(f.mul(square, square), f.polynomial(square, series(4))), f.mul(r.high, r.low));
  return f.add(first, f.add(error, rest));
}

/// cos is sin a quadrant on.
static Value emitSine(Formula &f, Value x, bool isCosine) {
  Value magnitude = f.make<math::AbsFOp>(x), inRange = f.is(magnitude, Predicate::OLE, kGreatest);
  Reduced r = reduce(f, x);
  Value quadrant = isCosine ? f.add(r.quadrant, 1) : r.quadrant;
  // sin, cos, -sin, -cos: the lowest bits of the quadrant, without a conversion to integers.
  Value half = f.mul(quadrant, 0.5), pair = f.floor(half), halfPair = f.mul(pair, 0.5);
  Value isOdd = f.is(pair, Predicate::ONE, half);
  Value isNegative = f.is(f.floor(halfPair), Predicate::ONE, halfPair);
  Value result = f.select(isOdd, cosineOf(f, r), sineOf(f, r));
  result = f.select(isNegative, f.make<arith::NegFOp>(result), result);
  if (!isCosine) // of -0 too
    result = f.select(f.is(magnitude, Predicate::OLT, 0x1p-30), x, result);
  return f.select(inRange, result, f.number(std::numeric_limits<double>::quiet_NaN()));
}

namespace {
template <typename Op> struct ExpandSinCos : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    return replaceByDoubles(
        op, rewriter, [](Formula &f, Value x) { return emitSine(f, x, std::is_same_v<Op, math::CosOp>); });
  }
};
} // namespace

void weft::cpu::populateSinCosPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandSinCos<math::SinOp>, ExpandSinCos<math::CosOp>>(patterns.getContext());
}
