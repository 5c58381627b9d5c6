// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// erf, and tanh of f64. (Upstream's polynomial serves tanh of f32.)
#include "compiler/Target/CPU/Math/TanhErf.h"
#include "compiler/Target/CPU/Math/ExpLogPow.h"
#include "compiler/Target/CPU/Math/Formula.h"

using namespace mlir;
using namespace weft::cpu;
using Predicate = Formula::Predicate;

/// Coefficients of erf(x) / x in x^2, |x| <= 1: minimax, with a relative error of 7.3e-18; for f32 1.2e-9.
static constexpr double kErf[] = {1.1283791670955126,      -0.3761263890318352,     0.112837916709442,
                                  -0.026866170643113415,   0.005223977606130842,    -0.0008548325929766244,
                                  0.0001205529358693695,   -1.4924712439534814e-05, 1.6447132699786621e-06,
                                  -1.6206318752969208e-07, 1.3710988704190523e-08,  -7.779462971761597e-10};
static constexpr double kErfSingle[] = {1.128379165726714,   -0.3761262582422034,  0.11283585148487073,
                                        -0.0268538119309714, 0.005188327678681982, -0.0008010193569258915,
                                        7.85386118009673e-05};

/// Coefficients of -log(1 - erf(1 + u)) in u, 0 <= u <= 5: minimax in the relative error that they make in
/// erf, 3.1e-17; for f32 1.1e-9 for u up to 3.
static constexpr double kErfTail[] = {
    1.8496055099332485,     2.638967514234732,      0.8431072563618535,      0.04156109797268208,
    -0.010033824605587962,  0.001977897519123818,   -0.00023730116040241857, -2.6339040301161662e-05,
    2.728274737880251e-05,  -9.78930775302184e-06,  2.252699083046217e-06,   -2.9520346270860554e-07,
    -8.735438930599976e-09, 1.4101458097654067e-08, -3.250848779565613e-09,  3.6857294122296975e-10,
    -1.7705642699899457e-11};
static constexpr double kErfTailSingle[] = {
    1.8496055156539888,    2.6389668797893915,    0.8431176078369901,     0.04150349688526012,
    -0.009895458974841167, 0.0018293821541010315, -0.00018637893889682464};

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
  bool isSingle = getElementTypeOrSelf(x).isF32();
  ArrayRef<double> small = isSingle ? ArrayRef(kErfSingle) : ArrayRef(kErf),
                   tail = isSingle ? ArrayRef(kErfTailSingle) : ArrayRef(kErfTail);
  double end = isSingle ? 4 : 6; // where it is 1
  Value magnitude = f.make<math::AbsFOp>(x);
  Value inner = f.mul(x, f.polynomial(f.mul(x, x), small));
  Value clamped = f.select(f.is(magnitude, Predicate::OLT, end), magnitude, f.number(end));
  Value logarithm = f.polynomial(f.add(clamped, -1), tail);
  Value complement = f.make<math::ExpOp>(f.make<arith::NegFOp>(logarithm));
  Value outer = f.make<math::CopySignOp>(f.sub(f.number(1), complement), x);
  // Of NaN x * ... is NaN.
  return f.select(f.is(magnitude, Predicate::OGT, 1.0), outer, inner);
}

namespace {
template <typename Op, Value (*emit)(Formula &, Value), bool isForF32> struct Expand : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF64() && !(isForF32 && element.isF32()))
      return rewriter.notifyMatchFailure(op, "another type");
    Formula formula(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, emit(formula, op.getOperand()));
    return success();
  }
};
} // namespace

void weft::cpu::populateTanhErfPatterns(RewritePatternSet &patterns) {
  patterns.add<Expand<math::TanhOp, emitTanh, /*isForF32=*/false>, Expand<math::ErfOp, emitErf, true>>(
      patterns.getContext());
}
