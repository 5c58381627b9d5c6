// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The remainder of floats in arithmetic, of f32 and f64, on scalars and vectors.
#ifndef WEFT_COMPILER_TARGET_CPU_MATH_REMAINDER_H
#define WEFT_COMPILER_TARGET_CPU_MATH_REMAINDER_H

#include "mlir/IR/PatternMatch.h"

namespace weft::cpu {
/// arith.remf as C's fmod, without an error.
void populateRemainderPatterns(mlir::RewritePatternSet &patterns);
} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_MATH_REMAINDER_H
