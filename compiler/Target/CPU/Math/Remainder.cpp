// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The remainder as in a long division: by the divisor times a power of two, the highest first, each step
// exact.
#include "compiler/Target/CPU/Math/Remainder.h"
#include "compiler/Target/CPU/Math/Formula.h"

using namespace mlir;
using namespace weft::cpu;
using Predicate = Formula::Predicate;

/// Bits of the quotient that a step takes: with one more, that rounding may add, a double holds them.
static constexpr int kBits = 52;

/// How far apart the exponents of two finite numbers are at most, in f64.
static int exponentsOf(Type element) { return element.isF32() ? 128 + 149 : 1024 + 1074; }

/// x * 2^exponent for an exponent that may be no double's.
static Value scale(Formula &f, Value x, int exponent) {
  constexpr int kMost = 1000;
  for (; exponent > kMost; exponent -= kMost)
    x = f.mul(x, std::ldexp(1.0, kMost));
  return exponent == 0 ? x : f.mul(x, std::ldexp(1.0, exponent));
}

/// What is left of `x` by `divisor`, where x / divisor < 2^52 and both are positive. The rounded quotient may
/// be one too many; what is left is then negative, and as few bits hold it.
static Value reduce(Formula &f, Value x, Value divisor) {
  Value quotient = f.floor(f.div(x, divisor));
  Value rest = f.fma(f.make<arith::NegFOp>(quotient), divisor, x);
  rest = f.select(f.is(rest, Predicate::OLT, 0.0), f.add(rest, divisor), rest);
  return f.select(f.is(divisor, Predicate::OEQ, std::numeric_limits<double>::infinity()), x, rest);
}

/// With the sign of x; NaN where x is infinite, or y is 0.
static Value emitRemainder(Formula &f, Value x, Value y, int exponents) {
  Value size = f.make<math::AbsFOp>(x), divisor = f.make<math::AbsFOp>(y), rest = size;
  for (int step = exponents / kBits; step >= 0; --step)
    rest = reduce(f, rest, scale(f, divisor, step * kBits));
  Value isInfinite = f.is(size, Predicate::OEQ, std::numeric_limits<double>::infinity());
  rest = f.select(isInfinite, std::numeric_limits<double>::quiet_NaN(), rest);
  return f.make<math::CopySignOp>(rest, x);
}

namespace {
struct ExpandRemainder : OpRewritePattern<arith::RemFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::RemFOp op, PatternRewriter &rewriter) const override {
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    // The remainder of two f32 is one, and doubles lose nothing on the way to it.
    Type wide = Formula(rewriter, op.getLoc(), type).f64();
    Formula f(rewriter, op.getLoc(), wide);
    auto widen = [&](Value x) { return wide == type ? x : f.make<arith::ExtFOp>(wide, x); };
    Value result = emitRemainder(f, widen(op.getLhs()), widen(op.getRhs()), exponentsOf(element));
    rewriter.replaceOp(op, wide == type ? result : f.make<arith::TruncFOp>(type, result));
    return success();
  }
};
} // namespace

void weft::cpu::populateRemainderPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandRemainder>(patterns.getContext());
}
