// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One step that computes each element from elements of its inputs: what elementwise operations and moves
// become.
#ifndef WEFT_COMPILER_TILE_LOWERTOSTEPS_POINTWISESTEP_H
#define WEFT_COMPILER_TILE_LOWERTOSTEPS_POINTWISESTEP_H

#include "compiler/Tile/LowerToSteps/StridedView.h"

namespace weft {

/// An input of a pointwise step: a tensor and its dims, aligned with the result's on the right and broadcast
/// to them. A dim that is not provably the result's may be 1 at run time.
struct PointwiseInput {
  mlir::Value tensor;
  llvm::SmallVector<Dim> dims;
  std::optional<StridedView> view = {}; ///< which elements it is, if not all of the tensor's in order
};

/// What a view sees as an input, all of its dims.
PointwiseInput inputOf(const StridedView &view);

/// A graph value as the input of a step over `dims`: where a transpose, a slice or a reshape finds it, if
/// rows of the result lie there in one piece, and no dim may turn out to be 1.
PointwiseInput findPointwiseInput(StepBuilder &steps, mlir::Value graphValue, llvm::ArrayRef<Dim> dims);

/// The element of the result from the inputs' elements, as they are stored (a bool is i8).
using PointwiseBody = llvm::function_ref<mlir::FailureOr<mlir::Value>(
    mlir::OpBuilder &body, mlir::Location location, mlir::ValueRange elements, mlir::ValueRange scalars)>;

/// Adds the step and returns its result. Neighbouring dims that all inputs treat alike are merged, unless
/// `keepDims`, which a body that asks for its place (linalg.index) needs. `scalars` are values of the host
/// that the body may use: index values, and tensors of rank 1, which it gets as buffers and reads with
/// weft.read. `flopsOfEach` is what an element takes, where that is more than to move it.
mlir::FailureOr<mlir::Value> buildPointwiseStep(StepBuilder &steps, llvm::StringRef name,
                                                llvm::ArrayRef<PointwiseInput> inputs,
                                                llvm::ArrayRef<Dim> dims, mlir::Type storedElement,
                                                PointwiseBody body, mlir::ValueRange scalars = {},
                                                bool keepDims = false, int64_t flopsOfEach = 0);

/// The same of elements that go where the view says, whose rows are in one piece; the view's tensor, then.
mlir::FailureOr<mlir::Value> buildPointwiseStepInto(StepBuilder &steps, llvm::StringRef name,
                                                    llvm::ArrayRef<PointwiseInput> inputs,
                                                    const StridedView &into, PointwiseBody body);

/// The body of a move.
mlir::FailureOr<mlir::Value> copyElement(mlir::OpBuilder &body, mlir::Location location,
                                         mlir::ValueRange elements, mlir::ValueRange scalars);

/// A tensor of dims `from` with all of `dims`, to which it broadcasts: by a step of its own unless it has
/// them.
mlir::Value spreadOver(StepBuilder &steps, mlir::Value tensor, llvm::ArrayRef<Dim> from,
                       llvm::ArrayRef<Dim> dims);

/// The grid and schedule of a loop nest over `dims`: rows of the last dim, `leastRows` at a time or more and
/// a multiple of `multipleOf`, or pieces of the only one.
Dim getLoopGrid(StepBuilder &steps, llvm::ArrayRef<Dim> dims,
                llvm::SmallVectorImpl<std::pair<llvm::StringRef, int64_t>> &schedule, int64_t leastRows = 1,
                int64_t multipleOf = 1);

/// Adds a linalg.generic without reductions to a kernel.
mlir::LogicalResult buildLoops(StepBuilder::Kernel &kernel, mlir::ValueRange inputs, mlir::Value output,
                               llvm::ArrayRef<mlir::AffineMap> inputMaps, PointwiseBody body,
                               mlir::ValueRange scalars);

} // namespace weft

#endif // WEFT_COMPILER_TILE_LOWERTOSTEPS_POINTWISESTEP_H
