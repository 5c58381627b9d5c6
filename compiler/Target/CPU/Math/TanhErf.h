// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tanh and erf of f64 in arithmetic, on scalars and vectors.
#ifndef WEFT_COMPILER_TARGET_CPU_MATH_TANHERF_H
#define WEFT_COMPILER_TARGET_CPU_MATH_TANHERF_H

#include "mlir/IR/PatternMatch.h"

namespace weft::cpu {
void populateTanhErfPatterns(mlir::RewritePatternSet &patterns, bool avx512);
} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_MATH_TANHERF_H
