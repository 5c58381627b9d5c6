// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shape: constants, shapes as data, views and moves.
#ifndef WEFT_SHAPE_OPS_TD
#define WEFT_SHAPE_OPS_TD

include "Weft/IR/WeftOpBase.td"

def Weft_ConstantOp : Weft_ShapeMathOp<"constant", [ConstantLike]> {
  let summary = "constant data";
  let description = [{
    Splats and up to 64 elements are inline (`dense<...>`); anything else is a handle (`#weft.weight`), so that weights never
    enter the IR.

    Constraints:
    - constant-c1: the type is static.
    - constant-c2: inline data has the result's type; a handle has as many bytes as the type takes.

    Example:
    ```mlir
    %eps = weft.constant dense<1.0e-5> : tensor<f32>
    %w = weft.constant weight<"model.onnx", 512, 1024, 12345> : tensor<16x16xf32>
    ```
  }];
  let arguments = (ins AnyAttr:$value);
  let results = (outs Weft_AnyTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
}

def Weft_DimsOp : Weft_ShapeMathOp<"dims"> {
  let summary = "dims as data: a short integer tensor of expressions";
  let description = [{
    `values` are the elements, row-major. What remains of shape arithmetic whose result is true data.

    Constraints:
    - dims-c1: the result has rank 0 or 1 and one element per value.

    Made by weft-infer-shapes.

    Example:
    ```mlir
    %n = weft.dims <"batch", 2 * "seq"> : tensor<2xi64>
    ```
  }];
  let arguments = (ins Weft_DimsAttr:$values);
  let results = (outs Weft_IndexTensor:$result);
  let assemblyFormat = "$values attr-dict `:` type($result)";
}

def Weft_ShapeOp : Weft_ShapeMathOp<"shape"> {
  let summary = "the shape of a tensor, as data";
  let description = "Dims from `start` up to `end`, not negative. Folded by weft-infer-shapes.";
  let arguments = (ins Weft_AnyTensor:$input, I64Attr:$start, I64Attr:$end);
  let results = (outs TensorOf<[I64]>:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Weft_ReshapeOp : Weft_ShapeMathOp<"reshape"> {
  let summary = "the same elements, row-major, in another shape";
  let description = [{
    At import `shape` is data with ONNX's meaning: -1 is what remains, 0 copies the input's dim unless `allow_zero`.
    From graph level on there is no `shape`: the result's type says it all.

    Constraints:
    - reshape-c1: shape is rank 1, with at most one -1 and nothing below it.
    - reshape-c2: input and result have as many elements (a guard, where that is symbols).
    - reshape-c3: without `shape` the result's dims are all known.

    Example:
    ```mlir
    %y = weft.reshape %x : (tensor<?x64xf32, #weft.dims<"n", 64>>) -> tensor<?x8x8xf32, #weft.dims<"n", 8, 8>>
    ```
  }];
  let arguments = (ins Weft_AnyTensor:$input, Optional<Weft_IndexTensor>:$shape, UnitAttr:$allow_zero);
  let results = (outs Weft_AnyTensor:$result);
  let assemblyFormat = "$input (`,` $shape^)? attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Weft_SqueezeOp : Weft_ShapeMathOp<"squeeze"> {
  let summary = "drops dims of size 1";
  let description = [{
    Constraints:
    - squeeze-c1: axes are sorted, distinct, within the input's rank, not negative.
    - squeeze-c2: each dropped dim is 1 (a guard, where it is a symbol).

    Becomes a reshape in canonicalization.
  }];
  let arguments = (ins Weft_AnyTensor:$input, DenseI64ArrayAttr:$axes);
  let results = (outs Weft_AnyTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Weft_UnsqueezeOp : Weft_ShapeMathOp<"unsqueeze"> {
  let summary = "adds dims of size 1";
  let description = [{
    Constraints:
    - unsqueeze-c1: axes (of the result) are sorted, distinct, within the result's rank, not negative.

    Becomes a reshape in canonicalization.
  }];
  let arguments = (ins Weft_AnyTensor:$input, DenseI64ArrayAttr:$axes);
  let results = (outs Weft_AnyTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Weft_TransposeOp : Weft_ShapeMathOp<"transpose"> {
  let summary = "permutes dims: result dim i is input dim permutation[i]";
  let description = [{
    Constraints:
    - transpose-c1: permutation holds each of the input's dims once.

    Example:
    ```mlir
    %y = weft.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Weft_AnyTensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Weft_AnyTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Weft_ConcatOp : Weft_ShapeMathOp<"concat"> {
  let summary = "joins tensors along an axis";
  let description = [{
    Constraints:
    - concat-c1: at least one input; all have one rank and one element type; the axis is within it, not negative.
    - concat-c2: dims other than the axis are equal (a guard, where they are symbols).
  }];
  let arguments = (ins Variadic<Weft_AnyTensor>:$inputs, I64Attr:$axis);
  let results = (outs Weft_AnyTensor:$result);
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Weft_SliceOp : Weft_ShapeMathOp<"slice", [AttrSizedOperandSegments]> {
  let summary = "a strided part of a tensor";
  let description = [{
    At import `starts`, `ends` and `steps` are data with ONNX's meaning for the dims `axes` (a negative start or end counts
    from the end, then both are clamped). From graph level on there are none: `offsets` and `strides` hold an entry for
    each dim, and the result's type the sizes: `result[i...] = input[offset + i * stride...]`.

    Constraints:
    - slice-c1: starts, ends and steps are rank 1 with one element per entry of axes; steps are not 0.
    - slice-c2: axes are distinct and within the input's rank, not negative.
    - slice-c3: offsets and strides, if there, have an entry per dim of the input, and the result the input's rank.

    Example:
    ```mlir
    %y = weft.slice %x {offsets = #weft.dims<0, "past">, strides = array<i64: 1, 1>}
      : (tensor<4x?xf32, #weft.dims<4, "n" + "past">>) -> tensor<4x?xf32, #weft.dims<4, "n">>
    ```
  }];
  let arguments = (ins Weft_AnyTensor:$input, Optional<Weft_IndexTensor>:$starts, Optional<Weft_IndexTensor>:$ends,
                       Optional<Weft_IndexTensor>:$steps, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axes,
                       OptionalAttr<Weft_DimsAttr>:$offsets, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$strides);
  let results = (outs Weft_AnyTensor:$result);
  let assemblyFormat = [{
    $input (`starts` $starts^ `ends` $ends)? (`steps` $steps^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Where each dim of a slice with `starts` begins and how it strides, if all of it is known.
    bool resolveParts(::weft::InferContext &context, ::llvm::SmallVectorImpl<::weft::Dim> &offsets,
                      ::llvm::SmallVectorImpl<int64_t> &strides);
  }];
}

def Weft_ExpandOp : Weft_ShapeMathOp<"expand"> {
  let summary = "broadcasts a tensor to a shape";
  let description = [{
    At import `shape` is data, and the result is the input broadcast *with* it (a 1 in it keeps the input's dim). From graph
    level on there is no `shape`.

    Constraints:
    - expand-c1: shape is rank 1 and holds nothing negative.
    - expand-c2: constant dims that meet are equal, or one of them is 1.
    - expand-c3: without `shape` the result's dims are known, and the input broadcasts to them.
  }];
  let arguments = (ins Weft_AnyTensor:$input, Optional<Weft_IndexTensor>:$shape);
  let results = (outs Weft_AnyTensor:$result);
  let assemblyFormat = "$input (`,` $shape^)? attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Weft_TileOp : Weft_ShapeMathOp<"tile"> {
  let summary = "repeats a tensor along each dim";
  let description = [{
    At import `repeats` is data, one per dim. From graph level on there is none: the result's dims are multiples of the
    input's, and `result[i...] = input[i mod dim...]`.

    Constraints:
    - tile-c1: repeats is rank 1, with one element per dim of the input, none negative.
  }];
  let arguments = (ins Weft_AnyTensor:$input, Optional<Weft_IndexTensor>:$repeats);
  let results = (outs Weft_AnyTensor:$result);
  let assemblyFormat = "$input (`,` $repeats^)? attr-dict `:` functional-type(operands, results)";
}

def Weft_PadOp : Weft_ShapeMathOp<"pad", [AttrSizedOperandSegments]> {
  let summary = "adds elements before and after each dim, or drops them";
  let description = [{
    A negative number drops. Mode `constant` adds the scalar `fill`, or 0 if there is none; `edge` repeats the outermost
    element, `reflect` mirrors without repeating it, `wrap` goes round.

    At import `pads` is data: for the dims `axes` all numbers before, then all after. From graph level on there is none:
    `before` and `after` hold an entry for each dim.

    Constraints:
    - pad-c1: pads is rank 1 with two elements per entry of axes; axes are distinct and within the input's rank, not negative.
    - pad-c2: no dim of the result is negative; `reflect` adds less than the dim has, and `edge` and `wrap` need one that is
      not empty, as have `reflect` dims to which they add.
    - pad-c3: fill has rank 0 and the input's element type.
    - pad-c4: before and after, if there, have an entry per dim of the input.

    Example:
    ```mlir
    %y = weft.pad constant %x {before = #weft.dims<0, 1>, after = #weft.dims<0, 2>} : (tensor<4x8xf32>) -> tensor<4x11xf32>
    ```
  }];
  let arguments = (ins Weft_PadMode:$mode, Weft_AnyTensor:$input, Optional<Weft_IndexTensor>:$pads,
                       Optional<Weft_AnyTensor>:$fill, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axes,
                       OptionalAttr<Weft_DimsAttr>:$before, OptionalAttr<Weft_DimsAttr>:$after);
  let results = (outs Weft_AnyTensor:$result);
  let assemblyFormat = [{
    $mode $input (`pads` $pads^)? (`fill` $fill^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// What is added before and after each dim, if `pads` is known.
    bool resolvePads(::weft::InferContext &context, ::llvm::SmallVectorImpl<::weft::Dim> &before,
                     ::llvm::SmallVectorImpl<::weft::Dim> &after);
  }];
}

def Weft_TriluOp : Weft_Op<"trilu"> {
  let summary = "keeps the upper or lower triangle of the last two dims, zero elsewhere";
  let description = [{
    Upper keeps `column - row >= diagonal`, lower `column - row <= diagonal`.

    Constraints:
    - trilu-c1: the input has rank 2 or more.
  }];
  let arguments = (ins Weft_AnyTensor:$input, UnitAttr:$upper, I64Attr:$diagonal);
  let results = (outs Weft_AnyTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Weft_ToeplitzOp : Weft_Op<"toeplitz"> {
  let summary = "matrices whose elements say one number for each distance between row and column";
  let description = [{
    `result[..., q, k] = input[..., Q - 1 - q + k]` of Q rows and K columns, which the result's type says: the distances are
    1 - Q up to K - 1. A view, which nothing need be copied for.

    Constraints:
    - toeplitz-c1: with [..., n] as the input's dims the result's are [..., Q, K], and n is Q + K - 1, or 0 if Q or K is.

    Made by weft-compute-by-distance.

    Example:
    ```mlir
    %m = weft.toeplitz %d : (tensor<8x9xf32>) -> tensor<8x4x6xf32>
    ```
  }];
  let arguments = (ins Weft_AnyTensor:$input);
  let results = (outs Weft_AnyTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// How many distances there are.
    static ::weft::Dim countDistances(::weft::Dim rows, ::weft::Dim columns);
  }];
}

def Weft_RangeOp : Weft_ShapeMathOp<"range", [AttrSizedOperandSegments]> {
  let summary = "start, start + delta, ... up to but without limit";
  let description = [{
    `max(ceil((limit - start) / delta), 0)` elements. At import all three are data of rank 0. From graph level on there is no
    `limit`, the result's type says how many, and integer start and delta are `first` and `step`.

    Constraints:
    - range-c1: start, limit and delta have rank 0 and one element type; an integer delta is not 0.
    - range-c2: with `first` and `step` there are no operands.

    Example:
    ```mlir
    %i = weft.range {first = #weft.dim<1>, step = 1 : i64} : () -> tensor<?xi64, #weft.dims<"n">>
    ```
  }];
  let arguments = (ins Optional<Weft_NumberTensor>:$start, Optional<Weft_NumberTensor>:$limit,
                       Optional<Weft_NumberTensor>:$delta, OptionalAttr<Weft_DimAttr>:$first, OptionalAttr<I64Attr>:$step);
  let results = (outs Weft_NumberTensor:$result);
  let assemblyFormat = [{
    ($start^ `to` $limit `by` $delta)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // WEFT_SHAPE_OPS_TD
