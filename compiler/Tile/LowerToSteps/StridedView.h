// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposes, slices and reshapes that move nothing: their result is a strided view of another tensor, for
// steps that can read one.
#ifndef WEFT_COMPILER_TILE_LOWERTOSTEPS_STRIDEDVIEW_H
#define WEFT_COMPILER_TILE_LOWERTOSTEPS_STRIDEDVIEW_H

#include "compiler/Tile/LowerToSteps/CopyStep.h"

namespace weft {

/// A graph value in a tensor of the program: element (i, j, ...) is element offset + i * strides[0] + j *
/// strides[1] + ... of the tensor, which is contiguous.
struct StridedView {
  mlir::Value tensor;
  Dim offset;
  llvm::SmallVector<Dim> sizes, strides;
};

/// How far apart neighbours along each dim of a contiguous tensor are.
llvm::SmallVector<Dim> contiguousStrides(mlir::MLIRContext *context, llvm::ArrayRef<Dim> sizes);

/// Whether the offset and the strides are formulas of at most 64 bits.
bool isKnown(const StridedView &view);

/// All of a tensor of these dims.
StridedView wholeOf(StepBuilder &steps, mlir::Value tensor, llvm::ArrayRef<Dim> dims);

/// Whether the view is all of its tensor, in order.
bool isWhole(StepBuilder &steps, const StridedView &view);

/// Where a graph value's elements are: in its own tensor, if it has one, or else where what it is made of
/// lies, seen through weft.transpose, weft.slice, weft.toeplitz, weft.windows and weft.reshape as far as
/// strides can say what they do.
StridedView viewOf(StepBuilder &steps, mlir::Value graphValue);

/// The same of the result of one of these but weft.reshape, even if it has a tensor of its own.
StridedView viewThrough(StepBuilder &steps, SliceOp op);
StridedView viewThrough(StepBuilder &steps, ToeplitzOp op);
StridedView viewThrough(StepBuilder &steps, TransposeOp op);
StridedView viewThrough(StepBuilder &steps, WindowsOp op);

/// Windows of dims `sizes`, as weft.windows has them, of a view with channels last.
StridedView windowsOf(const StridedView &view, llvm::ArrayRef<Dim> sizes, llvm::ArrayRef<int64_t> strides,
                      llvm::ArrayRef<int64_t> dilations);

/// What there is at each index of `count` dims from `first` on, whose sizes are constants, in order.
llvm::SmallVector<StridedView> slicesAlong(const StridedView &view, size_t first, size_t count);

/// The view as a contiguous tensor of the program: a copy, unless it is one.
mlir::Value copyView(StepBuilder &steps, llvm::StringRef name, const StridedView &view);

/// Dims that a kernel takes as numbers among its inputs, each once; constants are written into it, and so is
/// what a view begins with behind another.
class DimInputs {
public:
  DimInputs(StepBuilder &steps, llvm::SmallVector<mlir::Value> &inputs) : steps(steps), inputs(inputs) {}

  void add(Dim dim);
  void add(const StridedView &view);
  mlir::OpFoldResult get(StepBuilder::Kernel &kernel, Dim dim) const;
  /// The view in a kernel whose input `tensor` is its tensor.
  mlir::Value makeView(StepBuilder::Kernel &kernel, mlir::Value tensor, const StridedView &view) const;

private:
  /// The place among the inputs of the dim, or of a number from which it differs by a constant, and that.
  std::optional<std::pair<size_t, int64_t>> findNumber(Dim dim) const;

  StepBuilder &steps;
  llvm::SmallVector<mlir::Value> &inputs;
  llvm::SmallVector<std::pair<Dim, size_t>> numbers; ///< the place of each among the inputs
};

/// A tensor as kernels take it: all of it, or what a view says.
struct TensorPart {
  mlir::Value tensor;
  std::optional<StridedView> view = {}; ///< which elements it is, if not all of them in order

  void addDims(DimInputs &dims) const {
    if (view)
      dims.add(*view);
  }
  /// What it is in a kernel whose input `tensor` is its tensor.
  mlir::Value read(StepBuilder::Kernel &kernel, mlir::Value tensor, const DimInputs &dims) const {
    return view ? dims.makeView(kernel, tensor, *view) : tensor;
  }
};

} // namespace weft

#endif // WEFT_COMPILER_TILE_LOWERTOSTEPS_STRIDEDVIEW_H
