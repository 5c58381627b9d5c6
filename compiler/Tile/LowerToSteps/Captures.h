// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Captures of a region that goes into a kernel: an epilogue's, a score region's.
#ifndef WEFT_COMPILER_TILE_LOWERTOSTEPS_CAPTURES_H
#define WEFT_COMPILER_TILE_LOWERTOSTEPS_CAPTURES_H

#include "compiler/Tile/LowerToSteps/StridedView.h"

namespace weft {

struct Capture : TensorPart {
  llvm::SmallVector<Dim> dims;
};

/// Captures with dims that broadcast to `to` beyond doubt: one that may turn out to be 1 where `to` is not is
/// spread by a step of its own.
llvm::SmallVector<Capture> spreadCaptures(StepBuilder &steps, mlir::ValueRange captures,
                                          llvm::ArrayRef<Dim> to);
/// The same, and where `canRead` holds captures stay where a transpose, a slice or a reshape finds them.
llvm::SmallVector<Capture> findCaptures(StepBuilder &steps, mlir::ValueRange captures, llvm::ArrayRef<Dim> to,
                                        llvm::function_ref<bool(const StridedView &)> canRead);
/// Emits the error that a region ("an epilogue") cannot read a capture, if there is one of unsigned integers.
mlir::LogicalResult requireReadable(mlir::Operation *op, mlir::ValueRange captures, llvm::StringRef region);
/// Gives a region's arguments the types that elements have in memory. (A bool is the emitter's to widen.)
void readStored(mlir::Region &region);

} // namespace weft

#endif // WEFT_COMPILER_TILE_LOWERTOSTEPS_CAPTURES_H
