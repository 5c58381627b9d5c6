// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// atan: of 1/x where x is above 1; from there the difference to the nearest of 0, pi/8 and pi/4, whose
// tangent is small, by its series. f32 goes through f64.
#include "compiler/Target/CPU/Math/Atan.h"
#include "compiler/Target/CPU/Math/Formula.h"

using namespace mlir;
using namespace weft::cpu;
using Predicate = Formula::Predicate;

/// tan(pi/16), tan(pi/8), tan(3 pi/16).
static constexpr double kTan1 = 0.19891236737965800691, kTan2 = 0.41421356237309504880,
                        kTan3 = 0.66817863791929891999;
/// pi/2 and what rounding it to a double leaves of it.
static constexpr double kRightAngle = 1.5707963267948966, kRightAngleRest = 6.123233995736766e-17;

/// 1/3, -1/5, 1/7, ...: coefficients in t^2, as far as a double needs them for |t| up to tan(pi/16).
static SmallVector<double> arctangentSeries() {
  SmallVector<double> coefficients;
  for (int i = 3, sign = 1; i <= 25; i += 2, sign = -sign)
    coefficients.push_back(double(sign) / i);
  return coefficients;
}

/// With c the tangent of an angle a, atan x = a + atan((x - c) / (1 + x c)); for 1/x in the place of x,
/// (1 - x c) / (x + c).
static Value emitAtan(Formula &f, Value x) {
  Value magnitude = f.make<math::AbsFOp>(x);
  constexpr double kInfinite = 0x1p500; // whose angle is pi/2, and whose product with 0 is no NaN
  Value bounded = f.select(f.is(magnitude, Predicate::OGT, kInfinite), kInfinite, magnitude);
  Value isInverse = f.is(bounded, Predicate::OGT, 1);
  // Which of the three it is for x, and for 1/x.
  auto isBeyond = [&](double bound) {
    return f.select(isInverse, f.is(bounded, Predicate::OLT, 1 / bound),
                    f.is(bounded, Predicate::OGT, bound));
  };
  Value isSecond = isBeyond(kTan1), isThird = isBeyond(kTan3);
  auto choose = [&](double first, double second, double third) {
    return f.select(isThird, third, f.select(isSecond, second, f.number(first)));
  };
  Value c = choose(0, kTan2, 1);
  Value numerator = f.select(isInverse, f.sub(f.number(1), f.mul(bounded, c)), f.sub(bounded, c));
  Value denominator = f.select(isInverse, f.add(bounded, c), f.add(f.mul(bounded, c), 1));
  Value t = f.div(numerator, denominator), square = f.mul(t, t);
  Value small = f.sub(t, f.mul(f.mul(square, t), f.polynomial(square, arctangentSeries())));
  // The angle's double, and what it lacks: of pi/8 and pi/4 they are those of pi/2 in exact parts.
  Value angle = choose(0, kRightAngle / 4, kRightAngle / 2),
        rest = choose(0, kRightAngleRest / 4, kRightAngleRest / 2);
  Value direct = f.add(angle, f.add(small, rest));
  Value inverse =
      f.sub(f.sub(f.number(kRightAngle), angle), f.add(f.sub(small, f.number(kRightAngleRest)), rest));
  Value result = f.select(isInverse, inverse, direct);
  return f.make<math::CopySignOp>(result, x);
}

namespace {
struct ExpandAtan : OpRewritePattern<math::AtanOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::AtanOp op, PatternRewriter &rewriter) const override {
    return replaceByDoubles(op, rewriter, emitAtan);
  }
};
} // namespace

void weft::cpu::populateAtanPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandAtan>(patterns.getContext());
}
