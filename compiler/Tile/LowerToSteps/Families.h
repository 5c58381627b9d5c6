// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lowering of each family, and what they share.
#ifndef WEFT_COMPILER_TILE_LOWERTOSTEPS_FAMILIES_H
#define WEFT_COMPILER_TILE_LOWERTOSTEPS_FAMILIES_H

#include "compiler/Tile/StepBuilder.h"

namespace weft {

struct StridedView;

void attachElementwiseLowering(mlir::MLIRContext *context);
void attachContractionLowering(mlir::MLIRContext *context);
void attachRoutedMatmulLowering(mlir::MLIRContext *context); ///< of the Contraction family, in its own file
void attachReductionLowering(mlir::MLIRContext *context);
void attachScanLowering(mlir::MLIRContext *context);
void attachNormLowering(mlir::MLIRContext *context);
void attachQuantizeLowering(mlir::MLIRContext *context);
void attachAttentionLowering(mlir::MLIRContext *context);
void attachLinearAttentionLowering(mlir::MLIRContext *context);
void attachShapeLowering(mlir::MLIRContext *context);
void attachPadLowering(mlir::MLIRContext *context);
void attachDepthwiseConvLowering(mlir::MLIRContext *context);
void attachIndexLowering(mlir::MLIRContext *context);
void attachScatterLowering(mlir::MLIRContext *context);
void attachTopKLowering(mlir::MLIRContext *context);
void attachLoopLowering(mlir::MLIRContext *context);

/// Adds an operation's steps. One that has none is reported, and an empty tensor takes its place: the next
/// may have none either.
mlir::LogicalResult lowerToSteps(mlir::Operation &op, StepBuilder &steps);

/// The step of an elementwise operation that was left to its user (StepBuilder::leaveToUser): its elements go
/// where `into` says, if that is given. The tensor that they are in.
mlir::FailureOr<mlir::Value> buildElementwiseStep(StepBuilder &steps, mlir::Operation *op,
                                                  const StridedView *into = nullptr);

/// An element as a value: a bool is stored as i8 and computed with as i1, bf16 as i16. Compact types are
/// bytes in both.
mlir::Value loadStored(mlir::OpBuilder &body, mlir::Location location, mlir::Value element, mlir::Type type);
/// The other way.
mlir::Value toStored(mlir::OpBuilder &body, mlir::Location location, mlir::Value element);

/// The same of a number that a sum goes on with: f16 and bf16 are widened to f32, and rounded once.
mlir::Value loadComputed(mlir::OpBuilder &body, mlir::Location location, mlir::Value element,
                         mlir::Type type);
mlir::Value storeComputed(mlir::OpBuilder &body, mlir::Location location, mlir::Value number,
                          mlir::Type type);

/// Tells a kernel's work that its buffers of i16 hold bf16, if `element` is that.
void markElement(mlir::Operation *work, mlir::Type element);

/// Rows that a tile of a row-wise kernel takes: few for long rows, so that there is something to share out.
int64_t chooseRows(StepBuilder &steps, Dim length);
/// Emits the error that an operation is not in the form of the graph level, unless `holds`.
mlir::LogicalResult requireForm(mlir::Operation *op, bool holds, llvm::StringRef expected);

} // namespace weft

#endif // WEFT_COMPILER_TILE_LOWERTOSTEPS_FAMILIES_H
