// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tanh and erf of f64. (Upstream's polynomials serve f32.)
#include "compiler/Target/CPU/Math/TanhErf.h"
#include "compiler/Target/CPU/Math/ExpLogPow.h"
#include "compiler/Target/CPU/Math/Formula.h"

using namespace mlir;
using namespace weft::cpu;
using Predicate = Formula::Predicate;

/// Coefficients of erf(x) / x in x^2, |x| <= 1: minimax, with a relative error of 7.3e-18.
static constexpr double kErf[] = {1.1283791670955126,      -0.3761263890318352,     0.112837916709442,
                                  -0.026866170643113415,   0.005223977606130842,    -0.0008548325929766244,
                                  0.0001205529358693695,   -1.4924712439534814e-05, 1.6447132699786621e-06,
                                  -1.6206318752969208e-07, 1.3710988704190523e-08,  -7.779462971761597e-10};

/// Coefficients of -log(1 - erf(1 + u)) in u, 0 <= u <= 5: minimax in the relative error that they make in
/// erf, 3.1e-17.
static constexpr double kErfTail[] = {
    1.8496055099332485,     2.638967514234732,      0.8431072563618535,      0.04156109797268208,
    -0.010033824605587962,  0.001977897519123818,   -0.00023730116040241857, -2.6339040301161662e-05,
    2.728274737880251e-05,  -9.78930775302184e-06,  2.252699083046217e-06,   -2.9520346270860554e-07,
    -8.735438930599976e-09, 1.4101458097654067e-08, -3.250848779565613e-09,  3.6857294122296975e-10,
    -1.7705642699899457e-11};

/// tanh(a) = (e^2a - 1) / (e^2a + 1), which cancels nowhere if the numerator does not.
static Value emitTanh(Formula &f, Value x) {
  Value magnitude = f.make<math::AbsFOp>(x);
  // Beyond 20 it is 1. A comparison with NaN is false, so NaN becomes a number.
  Value clamped = f.select(f.is(magnitude, Predicate::OLT, 20.0), magnitude, f.number(20));
  Value numerator = emitExpMinusOne(f, f.add(clamped, clamped));
  Value result = f.make<math::CopySignOp>(f.div(numerator, f.add(numerator, 2)), x);
  return f.select(f.is(x, Predicate::UNO, x), x, result);
}

/// A polynomial up to 1; beyond, 1 minus the exponential of a polynomial.
static Value emitErf(Formula &f, Value x) {
  Value magnitude = f.make<math::AbsFOp>(x);
  Value inner = f.mul(x, f.polynomial(f.mul(x, x), kErf));
  // Beyond 6 it is 1.
  Value clamped = f.select(f.is(magnitude, Predicate::OLT, 6.0), magnitude, f.number(6));
  Value logarithm = f.polynomial(f.add(clamped, -1), kErfTail);
  Value complement = f.make<math::ExpOp>(f.make<arith::NegFOp>(logarithm));
  Value outer = f.make<math::CopySignOp>(f.sub(f.number(1), complement), x);
  // Of NaN x * ... is NaN.
  return f.select(f.is(magnitude, Predicate::OGT, 1.0), outer, inner);
}

namespace {
template <typename Op, Value (*emit)(Formula &, Value)> struct ExpandF64 : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64())
      return rewriter.notifyMatchFailure(op, "not f64");
    Formula formula(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, emit(formula, op.getOperand()));
    return success();
  }
};
} // namespace

void weft::cpu::populateTanhErfPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandF64<math::TanhOp, emitTanh>, ExpandF64<math::ErfOp, emitErf>>(patterns.getContext());
}
