// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// atan in arithmetic, of f32 and f64, on scalars and vectors.
#ifndef WEFT_COMPILER_TARGET_CPU_MATH_ATAN_H
#define WEFT_COMPILER_TARGET_CPU_MATH_ATAN_H

#include "mlir/IR/PatternMatch.h"

namespace weft::cpu {

void populateAtanPatterns(mlir::RewritePatternSet &patterns);

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_MATH_ATAN_H
