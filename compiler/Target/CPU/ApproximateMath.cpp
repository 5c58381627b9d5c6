// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-approximate-math: no operation is left that would become a call of libm.
#include "compiler/Target/CPU/Math/Atan.h"
#include "compiler/Target/CPU/Math/ExpLogPow.h"
#include "compiler/Target/CPU/Math/Remainder.h"
#include "compiler/Target/CPU/Math/RoundedQuotient.h"
#include "compiler/Target/CPU/Math/SinCos.h"
#include "compiler/Target/CPU/Math/TanhErf.h"
#include "compiler/Target/CPU/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace weft::cpu {
#define GEN_PASS_DEF_APPROXIMATEMATH
#include "compiler/Target/CPU/Passes.h.inc"
} // namespace weft::cpu

/// What the processor has an instruction for, or a short sequence without a call.
static bool isNative(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::FloorOp, math::TruncOp, math::RoundEvenOp,
             math::SqrtOp, math::FmaOp, math::CopySignOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp, math::IsNaNOp, math::IsInfOp, math::IsFiniteOp>(op);
}

namespace {
struct ApproximateMath : weft::cpu::impl::ApproximateMathBase<ApproximateMath> {
  using ApproximateMathBase::ApproximateMathBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    weft::cpu::populateExpLogPowPatterns(patterns, avx512);
    weft::cpu::populateTanhErfPatterns(patterns, avx512);
    weft::cpu::populateSinCosPatterns(patterns);
    weft::cpu::populateAtanPatterns(patterns);
    weft::cpu::populateRemainderPatterns(patterns);
    weft::cpu::populateRoundedQuotientPatterns(patterns);
    populateMathAlgebraicSimplificationPatterns(patterns);
    math::populateExpansionPatterns(patterns,
                                    {"sinh", "cosh", "tan", "asinh", "acosh", "atanh", "round", "rsqrt"});
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return !llvm::is_contained({"atan", "erf", "exp", "exp2", "log", "sin", "cos"}, name);
    });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      getOperation()->emitError("weft-approximate-math: the patterns do not come to an end");
      return signalPassFailure();
    }
    getOperation()->walk([&](Operation *op) {
      if (!isa<math::MathDialect>(op->getDialect()) || isNative(op))
        return;
      op->emitError()
          << op->getName() << " on " << op->getResult(0).getType()
          << " has no form without a call of libm; expects f32, or of f64 exp, exp2, log, powf, tanh, "
             "erf, sin, cos or atan";
      signalPassFailure();
    });
  }
};
} // namespace
