// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of eight bits and less, whose bits are bytes in memory, as arithmetic on those bits.
#ifndef WEFT_DIALECTS_WEFT_IR_COMPACTFLOATS_H
#define WEFT_DIALECTS_WEFT_IR_COMPACTFLOATS_H

#include "dialects/Weft/IR/ScalarBuilder.h"
#include "mlir/IR/BuiltinTypes.h"

namespace weft {

/// The number that the bits `code`, an i8, are in `type`, as an f32; exact.
mlir::Value decodeFloat(ScalarBuilder &builder, mlir::Value code, mlir::FloatType type);
/// The bits, an i8, of an f32 or f64 rounded to `type` as weft.cast says.
mlir::Value encodeFloat(ScalarBuilder &builder, mlir::Value number, mlir::FloatType type);

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_IR_COMPACTFLOATS_H
