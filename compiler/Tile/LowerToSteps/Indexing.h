// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps that compute places in data from indices, which they check: what gathers and scatters share.
#ifndef WEFT_COMPILER_TILE_LOWERTOSTEPS_INDEXING_H
#define WEFT_COMPILER_TILE_LOWERTOSTEPS_INDEXING_H

#include "compiler/Tile/LowerToSteps/Families.h"
#include "compiler/Tile/LowerToSteps/PointwiseStep.h"

namespace weft {

/// Sizes that a body computes with: constants are written into it, others come from the host as scalars.
struct HostSizes {
  llvm::SmallVector<Dim> dims;
  llvm::SmallVector<mlir::Value> values; ///< on the host, one for each of `dims`

  void add(StepBuilder &steps, Dim dim);
  /// A size that was added, in a body whose first scalars are `values`.
  mlir::Value get(mlir::OpBuilder &body, mlir::Location location, Dim dim, mlir::ValueRange scalars) const;
};

/// What a step stores for a place; `data` is the buffer of all of data's elements.
using ElementBody = llvm::function_ref<mlir::FailureOr<mlir::Value>(
    mlir::OpBuilder &body, mlir::Location location, mlir::Value place, mlir::Value data)>;

/// Adds a step over the elements of `indices`. Each means the element of data at its own position, but for
/// the axis, where the index counts; `place` is where that is.
mlir::FailureOr<mlir::Value> buildElementStep(StepBuilder &steps, llvm::StringRef name, mlir::Value data,
                                              mlir::Value indices, int64_t axis, mlir::Type storedElement,
                                              ElementBody finish);

/// Adds a step over the tuples in the last dim of `indices`; its result has one dim. Each means a slice of
/// data; `place` says which, if data is cut into slices of that size. The first `batch` dims are those of
/// both.
mlir::FailureOr<mlir::Value> buildTupleStep(StepBuilder &steps, llvm::StringRef name, mlir::Value data,
                                            mlir::Value indices, int64_t batch, mlir::Type storedElement,
                                            ElementBody finish);

/// Stores the place itself, as i64.
mlir::FailureOr<mlir::Value> storePlace(mlir::OpBuilder &body, mlir::Location location, mlir::Value place,
                                        mlir::Value data);

/// Adds a step that changes slices of data, `rows` of `inner` elements in one dim, where it lies: at each of
/// the places [count], by a row of the updates.
mlir::Value buildScatterStep(StepBuilder &steps, ScatterKind kind, bool isUnsigned, mlir::Value places,
                             Dim count, mlir::Value updates, mlir::Value data, Dim rows, Dim inner);

} // namespace weft

#endif // WEFT_COMPILER_TILE_LOWERTOSTEPS_INDEXING_H
