// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantization divides by a scale that is constant: a product with its reciprocal, corrected until the
// quotient is the one that a division rounds to. Divisions take 16 cycles for a vector of 512 bits, this 3.
#include "compiler/Target/CPU/Math/RoundedQuotient.h"
#include "compiler/Target/CPU/Math/Formula.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace weft::cpu;

/// Divisors whose reciprocals, and what is left of numbers by them, are normal numbers.
static bool isCommon(float divisor) {
  return std::isfinite(divisor) && std::abs(divisor) > 0x1p-60F && std::abs(divisor) < 0x1p60F;
}

/// The constant f32 that a value is, or of which all its lanes are.
static std::optional<float> matchConstant(Value value) {
  APFloat number(0.0F);
  if (!getElementTypeOrSelf(value).isF32() || !matchPattern(value, m_ConstantFloat(&number)))
    return std::nullopt;
  return number.convertToFloat();
}

/// Whether bounds are all that a rounded number is for, perhaps with a zero point added: what is not finite,
/// or at the end of what f32 holds, is then as good as any number beyond the bounds.
static bool isBounded(Value rounded) {
  if (!rounded.hasOneUse())
    return false;
  Operation *user = *rounded.user_begin();
  return isa<arith::MaxNumFOp>(user) || (isa<arith::AddFOp>(user) && isBounded(user->getResult(0)));
}

/// x / divisor, rounded once: after one correction the quotient is within an ulp, and a second one by the
/// nearest reciprocal rounds it as a division does (P. Markstein, Computation of elementary functions on the
/// IBM RISC System/6000 processor, 1990). Corrections of an infinity are NaN. Quotients too small for exact
/// corrections are next to 0.
static Value emitQuotient(Formula &f, Value x, float divisor) {
  Value reciprocal = f.number(1.0F / divisor), negative = f.number(-divisor), first = f.mul(x, reciprocal);
  auto correct = [&](Value quotient) { return f.fma(f.fma(quotient, negative, x), reciprocal, quotient); };
  Value quotient = correct(correct(first));
  return f.select(f.is(quotient, Formula::Predicate::ORD, quotient), quotient, first);
}

namespace {
struct MultiplyByReciprocal : OpRewritePattern<math::RoundEvenOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::RoundEvenOp op, PatternRewriter &rewriter) const override {
    auto quotient = op.getOperand().getDefiningOp<arith::DivFOp>();
    std::optional<float> divisor = quotient ? matchConstant(quotient.getRhs()) : std::nullopt;
    if (!divisor || !isCommon(*divisor) || !isBounded(op.getResult()))
      return rewriter.notifyMatchFailure(op, "no quotient by a constant that bounds follow");
    Formula f(rewriter, op.getLoc(), op.getType());
    rewriter.modifyOpInPlace(
        op, [&] { op.getOperandMutable().assign(emitQuotient(f, quotient.getLhs(), *divisor)); });
    return success();
  }
};
} // namespace

void weft::cpu::populateRoundedQuotientPatterns(RewritePatternSet &patterns) {
  patterns.add<MultiplyByReciprocal>(patterns.getContext());
}
