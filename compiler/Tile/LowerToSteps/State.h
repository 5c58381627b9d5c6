// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors that a session keeps from run to run: appending to them, and reading them where they lie.
#ifndef WEFT_COMPILER_TILE_LOWERTOSTEPS_STATE_H
#define WEFT_COMPILER_TILE_LOWERTOSTEPS_STATE_H

#include "compiler/Tile/StepBuilder.h"

namespace weft {

/// Adds steps that write what `op` concatenates to the state behind what is there. Where something reads the
/// result that cannot read it where it lies, there is one more, which copies it.
mlir::FailureOr<mlir::Value> appendToState(ConcatOp op, StateTensor &state, StepBuilder &steps);

/// Whether attention reads the keys or values of `use` where a state holds them: as [B, H, S, d], which grew
/// along S, of the type that it computes in.
bool readsStateInPlace(mlir::OpOperand &use);

/// What a kernel sees of a state's buffer: the first `length` positions along the axis.
mlir::Value viewState(mlir::OpBuilder &body, mlir::Location location, mlir::Value buffer, mlir::Value length,
                      int64_t axis);

} // namespace weft

#endif // WEFT_COMPILER_TILE_LOWERTOSTEPS_STATE_H
