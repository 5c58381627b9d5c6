// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that a model computes in floats. Private to the dialect.
#ifndef WEFT_DIALECTS_WEFT_IR_EXACTFLOATS_H
#define WEFT_DIALECTS_WEFT_IR_EXACTFLOATS_H

#include "dialects/Weft/IR/KnownElements.h"

namespace weft {

/// The contents of floor, ceil and casts from floats to integers, which round the quotient of integers that
/// they are given.
Contents inferRoundedContents(mlir::Operation *op, InferContext &context);

/// Relies on a float tensor's known elements to be what the model computes: all that it is computed from are
/// integers small enough for the element type, which becomes a guard. Nothing to do for integers. False if
/// some number never fits.
bool requireExact(InferContext &context, mlir::Operation *op, mlir::Value value);

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_IR_EXACTFLOATS_H
