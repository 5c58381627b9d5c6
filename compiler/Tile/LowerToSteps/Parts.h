// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that become a part of a larger tensor: what a concat joins, what is appended to a state.
#ifndef WEFT_COMPILER_TILE_LOWERTOSTEPS_PARTS_H
#define WEFT_COMPILER_TILE_LOWERTOSTEPS_PARTS_H

#include "compiler/Tile/LowerToSteps/StridedView.h"

namespace weft {

/// Adds the step that puts a graph value where `to` says, and gives the tensor that it is in then. An
/// elementwise operation that was left to its user is computed there; what a slice, a transpose or a reshape
/// made is read where they find it, if its rows are in one piece. `axis` is the first dim of the value that
/// is in one piece in `to`, `tensorAxis` the same of the tensor.
mlir::FailureOr<mlir::Value> placePart(StepBuilder &steps, llvm::StringRef name, mlir::Value graphValue,
                                       const StridedView &to, int64_t axis, int64_t tensorAxis);

/// Makes the tensor of a graph value that was left to its user, where that cannot compute it.
llvm::LogicalResult computeLeft(StepBuilder &steps, mlir::Value graphValue);

/// Whether neighbours along the last dim that has more than one element lie side by side.
bool areRowsWhole(const StridedView &view);

} // namespace weft

#endif // WEFT_COMPILER_TILE_LOWERTOSTEPS_PARTS_H
