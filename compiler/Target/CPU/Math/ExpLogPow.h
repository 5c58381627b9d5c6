// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// exp, log and pow in arithmetic, of f32 and f64, on scalars and vectors.
#ifndef WEFT_COMPILER_TARGET_CPU_MATH_EXPLOGPOW_H
#define WEFT_COMPILER_TARGET_CPU_MATH_EXPLOGPOW_H

#include "compiler/Target/CPU/Math/Formula.h"
#include "mlir/IR/PatternMatch.h"

namespace weft::cpu {
/// `avx512` lets exp of 16 floats use the scalef instruction. One with the flag afn gives 0 where the result
/// is no normal number.
void populateExpLogPowPatterns(mlir::RewritePatternSet &patterns, bool avx512);

/// e^x - 1 of f64, 0 <= x <= 700, without cancellation near 0.
mlir::Value emitExpMinusOne(Formula &f, mlir::Value x);
} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_MATH_EXPLOGPOW_H
