// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients by constants that are rounded to small integers, without a division.
#ifndef WEFT_COMPILER_TARGET_CPU_MATH_ROUNDEDQUOTIENT_H
#define WEFT_COMPILER_TARGET_CPU_MATH_ROUNDEDQUOTIENT_H

#include "mlir/IR/PatternMatch.h"

namespace weft::cpu {

/// roundeven(x / constant) in f32, where bounds follow: quantization.
void populateRoundedQuotientPatterns(mlir::RewritePatternSet &patterns);

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_MATH_ROUNDEDQUOTIENT_H
