// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// exp, log and pow in arithmetic, of f32 and f64, on scalars and vectors.
#ifndef WEFT_COMPILER_TARGET_CPU_MATH_EXPLOGPOW_H
#define WEFT_COMPILER_TARGET_CPU_MATH_EXPLOGPOW_H

#include "mlir/IR/PatternMatch.h"

namespace weft::cpu {
/// `avx512` lets exp of 16 floats use the scalef instruction.
void populateExpLogPowPatterns(mlir::RewritePatternSet &patterns, bool avx512);
} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_MATH_EXPLOGPOW_H
