// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sin and cos in arithmetic, of f32 and f64, on scalars and vectors.
#ifndef WEFT_COMPILER_TARGET_CPU_MATH_SINCOS_H
#define WEFT_COMPILER_TARGET_CPU_MATH_SINCOS_H

#include "mlir/IR/PatternMatch.h"

namespace weft::cpu {
void populateSinCosPatterns(mlir::RewritePatternSet &patterns);
} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_MATH_SINCOS_H
