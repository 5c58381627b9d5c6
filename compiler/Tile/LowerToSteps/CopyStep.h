// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps that only move elements, between strided views of their buffers.
#ifndef WEFT_COMPILER_TILE_LOWERTOSTEPS_COPYSTEP_H
#define WEFT_COMPILER_TILE_LOWERTOSTEPS_COPYSTEP_H

#include "compiler/Tile/StepBuilder.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace weft {

/// Adds a step that copies every element of `operands`' first buffer, over the loops `loops`; `views` may
/// give the kernel's buffers other strides.
using ViewBuilder =
    llvm::function_ref<void(StepBuilder::Kernel &kernel, mlir::Value &input, mlir::Value &output)>;
mlir::Value buildCopyStep(StepBuilder &steps, llvm::StringRef name, mlir::ValueRange operands,
                          mlir::Value output, llvm::ArrayRef<Dim> loops, mlir::AffineMap inputMap,
                          ViewBuilder views);

/// Adds a step that copies a `matrix` into columns of `output`, from column `first` on: into a matrix whose
/// columns are the elements of output's dims from `axis` on.
mlir::Value fillColumns(StepBuilder &steps, llvm::StringRef name, mlir::Value matrix,
                        llvm::ArrayRef<Dim> dims, Dim first, mlir::Value output, int64_t axis);

/// The buffer seen from `offset` on with other sizes and strides.
mlir::Value makeStrided(mlir::OpBuilder &body, mlir::Location location, mlir::Value buffer,
                        mlir::OpFoldResult offset, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                        llvm::ArrayRef<mlir::OpFoldResult> strides);

// Arithmetic on sizes that folds constants.
mlir::OpFoldResult multiply(mlir::OpBuilder &body, mlir::Location location, mlir::OpFoldResult left,
                            mlir::OpFoldResult right);
mlir::OpFoldResult plus(mlir::OpBuilder &body, mlir::Location location, mlir::OpFoldResult left,
                        mlir::OpFoldResult right);
/// The size of a buffer's dim: a constant if it is one.
mlir::OpFoldResult sizeOf(mlir::OpBuilder &body, mlir::Location location, mlir::Value buffer, int64_t dim);
/// How far apart neighbours along each dim of a contiguous buffer are.
llvm::SmallVector<mlir::OpFoldResult> stridesOf(mlir::OpBuilder &body, mlir::Location location,
                                                mlir::Value buffer);

} // namespace weft

#endif // WEFT_COMPILER_TILE_LOWERTOSTEPS_COPYSTEP_H
