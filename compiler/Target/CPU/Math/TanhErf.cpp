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

/// erf on 16 intervals, of which number i has its middle at i / 4 + i / 128: coefficients of each power of
/// what is above the middle, fitted to erf on that interval, and of the first one, which has odd powers
/// alone, to its relative error. The last interval is 1 at its middle, so that what is beyond it is.
constexpr int64_t kErfIntervals = 16;
static constexpr double kErfInterval = 33.0 / 128;
static constexpr float kErfOfIntervals[][kErfIntervals] = {
    {0, 0.284591436, 0.534123003, 0.725959837, 0.855271816, 0.931698084, 0.971302092, 0.9892959, 0.996463776,
     0.998967111, 0.999733686, 0.999939442, 0.999987841, 0.999997854, 0.999999642, 1},
    {1.12837911, 1.05581713, 0.86494714, 0.620379865, 0.389576793, 0.214188263, 0.103101633, 0.0434512869,
     0.0160327125, 0.00517939078, 0.00146493257, 0.000362763851, 7.86498422e-05, 1.49292955e-05,
     2.48112451e-06, 3.61015452e-07},
    {0, -0.272196442, -0.445980728, -0.479821354, -0.401752234, -0.276105464, -0.159488082, -0.0784170479,
     -0.0330673456, -0.0120173255, -0.00377639569, -0.00102857384, -0.00024324219, -5.00105489e-05,
     -8.94846016e-06, -1.22855181e-05},
    {-0.376122236, -0.305150419, -0.135008797, 0.0406119898, 0.146341577, 0.165878654, 0.130103365,
     0.0798618495, 0.0401241668, 0.0168636236, 0.00600287039, 0.00182396872, 0.000475564564, 0.000106795953,
     2.0713207e-05, 3.47692117e-06},
    {0, 0.129043207, 0.1822429, 0.143641472, 0.058649648, -0.0143330181, -0.0470250733, -0.0457549728,
     -0.0303752851, -0.0156355333, -0.00654079486, -0.00227582944, -0.00066750613, -0.000166452213,
     -3.54961485e-05, 0.000517726643},
    {0.112170435, 0.0776818693, 0.00285329064, -0.0562634505, -0.0676140487, -0.0420351513, -0.00982106943,
     0.00902850274, 0.0129300673, 0.00937583018, 0.00489985291, 0.00201440649, 0.000676028722, 0.000188879349,
     4.44630168e-05, 8.88891191e-06},
};

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

/// The same of 16 floats by AVX-512, whose permutation looks at the low four bits of each index: 16 floats
/// are a table. It takes half as many instructions.
static Value emitErfByTable(Formula &f, Value x) {
  // What is added to an index has it in a float's lowest bits.
  constexpr double kOnes = 0x1.8p23, kEnd = (kErfIntervals - 0.51) * kErfInterval;
  Value magnitude = f.make<math::AbsFOp>(x);
  Value clamped = f.select(f.is(magnitude, Predicate::OGT, kEnd), kEnd, magnitude); // NaN stays
  Value index = f.fma(clamped, 1 / kErfInterval, f.number(kOnes));
  Value above = f.fma(f.add(index, -kOnes), -kErfInterval, clamped);
  Value bits = f.make<arith::BitcastOp>(f.integerType(32), index);
  Value result;
  for (ArrayRef<float> power : llvm::reverse(ArrayRef(kErfOfIntervals))) {
    Value table = f.make<arith::ConstantOp>(DenseElementsAttr::get(cast<ShapedType>(x.getType()), power));
    Value coefficient = f.call("llvm.x86.avx512.permvar.sf.512", {table, bits});
    result = result ? f.fma(result, above, coefficient) : coefficient;
  }
  return f.make<math::CopySignOp>(result, x);
}

namespace {
struct ExpandErfByTable : OpRewritePattern<math::ErfOp> {
  explicit ExpandErfByTable(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(math::ErfOp op, PatternRewriter &rewriter) const override {
    if (op.getType() != VectorType::get(kErfIntervals, rewriter.getF32Type()))
      return rewriter.notifyMatchFailure(op, "not a vector of 16 floats");
    Formula formula(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, emitErfByTable(formula, op.getOperand()));
    return success();
  }
};

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

void weft::cpu::populateTanhErfPatterns(RewritePatternSet &patterns, bool avx512) {
  if (avx512)
    patterns.add<ExpandErfByTable>(patterns.getContext());
  patterns.add<Expand<math::TanhOp, emitTanh, /*isForF32=*/false>, Expand<math::ErfOp, emitErf, true>>(
      patterns.getContext());
}
