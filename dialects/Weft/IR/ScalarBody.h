// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an element-wise operation computes for one element, as scalar arith and math operations: the body of
// an epilogue and of a pointwise kernel.
#ifndef WEFT_DIALECTS_WEFT_IR_SCALARBODY_H
#define WEFT_DIALECTS_WEFT_IR_SCALARBODY_H

#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace weft {

/// Whether an operation is one of the Elementwise family, so that `buildScalarBody` knows it.
bool isElementwise(mlir::Operation *op);

/// The type that an element has as a scalar: unsigned integers are signless there, since arith knows no
/// others, and compact types are the bytes that they are stored as.
mlir::Type getScalarType(mlir::Type element);

/// Builds one element of `op`'s result from one element of each operand, at `builder`'s insertion point and
/// with op's location. The operands are scalars of `getScalarType` of op's operands; so is the result. f16
/// and bf16 are computed in f32 and rounded once. Fails if `op` is not element-wise.
mlir::FailureOr<mlir::Value> buildScalarBody(mlir::OpBuilder &builder, mlir::Operation *op,
                                             mlir::ValueRange operands);

/// What a reduction makes of two numbers, or of two vectors lane by lane: their sum for a mean. A maximum or
/// a minimum with a NaN is NaN.
mlir::Value buildReduction(mlir::OpBuilder &builder, mlir::Location location, ReduceKind kind,
                           bool isUnsigned, mlir::Value left, mlir::Value right);

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_IR_SCALARBODY_H
