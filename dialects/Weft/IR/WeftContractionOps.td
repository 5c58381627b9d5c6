// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contraction: products summed over a shared dimension.
#ifndef WEFT_CONTRACTION_OPS_TD
#define WEFT_CONTRACTION_OPS_TD

include "Weft/IR/WeftOpBase.td"

def Weft_MatmulOp : Weft_Op<"matmul"> {
  let summary = "matrix product, batched, with an optional epilogue";
  let description = [{
    `result[..., m, n] = epilogue(sum over k of lhs[..., m, k] * rhs[..., k, n])`, with NumPy's rules: leading dims are
    broadcast; a rank-1 lhs (rhs) is a row (column) whose unit dim is dropped from the result. The sum is taken in f32 for
    f16 and bf16, and in the element type otherwise.

    The epilogue is a region of scalar `arith` and `math` operations: its first argument is the sum, the others are the
    elements of `captures`, each broadcast to the result; `weft.yield` gives the element. Without a region the sum is
    the element.

    `packed_columns = N` says that rhs is a packed [K, N] matrix of shape [ceil(N / 48), K, 48], zero padded; then
    lhs has rank 2 or more. Where lhs's elements have 32 bits or more, it may also be [ceil(N / 16), K, 16]. A packed rhs of fewer bits than lhs is read as numbers of lhs's type. One of i32 where lhs is
    f32 has shape [ceil(N / 48), ceil(K / 64), 9, 48]: numbers of 4 bits times scales, in blocks of 64 rows
    (dialects/Weft/IR/PackedWeights.h). One of i8 where lhs is ui8 has shape [ceil(N / 48), K / 4, 48, 4]: then the sum is an
    i32, and the epilogue makes an f32, a byte or another i32 of it. One of i32 where lhs is ui8 has numbers of 4 bits again, but integers as scales,
    and the sum is an i32, too. One of rank 4 and bf16 where lhs is bf16 has shape [ceil(N / 48), K / 2, 48, 2]: then the sum
    is an f32, as is the result, if no epilogue makes an f16 or a bf16 of it. With `groups` it is of i32 and holds numbers of
    2, 4 or 8 bits, scales and perhaps offsets as `#weft.weight_groups` says, for a lhs of f32, f16 or bf16; elements are not rounded to lhs's type. With `f32_sums` of f16 or
    bf16 the sum is not rounded: it is an f32, too, and the result what an epilogue makes of it. With `tf32`
    elements of f32 are rounded to the 10 bits behind the point that tf32 has, to nearest, halfway away from zero.

    Constraints:
    - matmul-c1: no operand has rank 0.
    - matmul-c2: the contracted dims are equal (a guard, where they are symbols).
    - matmul-c3: constant batch dims that meet are equal, or one of them is 1.
    - matmul-c4: lhs, rhs and result have one element type; but a packed rhs may be of bf16, f16, i8 or i32 where the others are f32,
      or of i8 or i32 where lhs is ui8 and the result f32, i32 or bytes; and of pairs of bf16, and with `f32_sums`, the result is f32,
      or what the epilogue makes of it.
    - matmul-c5: each capture broadcasts to the result's shape without enlarging it.
    - matmul-c6: an epilogue has one scalar argument for the sum and one for each capture, and yields one element. A product
      of ui8 has one.
    - matmul-c7: a packed rhs has ceil(packed_columns / 48) panels of 48 columns, or for a lhs of 32 bits or more ceil(packed_columns / 16) of 16, and rank 3; or numbers of 4 bits or groups, rank
      4 and as many blocks as lhs's constant depth takes; or for a lhs of ui8 rank 4 and quads of the depth, and for one of bf16
      rank 3, or rank 4 and pairs of the depth.
    - matmul-c8: only a packed rhs has groups.
    - matmul-c9: `f32_sums` are of f16 or bf16, and of no packed rhs without groups.

    - matmul-c10: operands of `tf32` are f32, and rhs is not packed.

    Made by the front ends; the epilogue by weft-fuse-epilogue; packing by weft-pack-weights. Removed by weft-form-steps.

    Example:
    ```mlir
    %y = weft.matmul %x, %w : (tensor<?x64xf32, #weft.dims<"n", 64>>, tensor<64x8xf32>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
    %z = weft.matmul %x, %w captures(%bias : tensor<8xf32>) epilogue {
    ^bb0(%sum: f32, %b: f32):
      %s = arith.addf %sum, %b : f32
      weft.yield %s : f32
    } : (tensor<?x64xf32, #weft.dims<"n", 64>>, tensor<64x8xf32>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
    ```
  }];
  let arguments = (ins Weft_NumberTensor:$lhs, Weft_NumberTensor:$rhs, Variadic<Weft_ComputedTensor>:$captures,
                       OptionalAttr<I64Attr>:$packed_columns, OptionalAttr<Weft_WeightGroupsAttr>:$groups, UnitAttr:$f32_sums,
                       UnitAttr:$tf32);
  let results = (outs Weft_NumberTensor:$result);
  let regions = (region AnyRegion:$epilogue);
  let assemblyFormat = [{
    $lhs `,` $rhs (`captures` `(` $captures^ `:` type($captures) `)`)? (`epilogue` $epilogue^)? attr-dict
    `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Columns of one packed panel: three vectors of 16 floats, so that 8 rows of sums and a panel's row fit the
    /// 32 registers of AVX-512 (docs/numerics.md).
    static constexpr int64_t kPanelColumns = 48;
    /// And of a narrow one: two vectors of 8 floats, beside 6 rows of sums in the 16 registers of AVX2.
    static constexpr int64_t kNarrowPanelColumns = 16;
    /// Whether lhs is bytes, which a packed rhs's numbers of 8 or of 4 bits are multiplied with; the sum is an i32.
    bool multipliesBytes();
    /// Whether a packed rhs is quads of i8.
    bool hasQuads();
    /// Whether a packed rhs is pairs of bf16, which lhs's numbers of bf16 are multiplied with; the sum is an f32.
    bool hasPairs();
    /// What the epilogue gets.
    ::mlir::Type getSumType();
    /// How many of the summed dim lie side by side in a packed rhs.
    int64_t packedTogether();
    /// Whether a packed rhs is blocks of 4-bit numbers (Int4Block, Int4Quads).
    bool hasInt4Weights();
    /// How a packed rhs is read.
    ::weft::PackedForm getPackedForm();
  }];
}

def Weft_ConvOp : Weft_Op<"conv"> {
  let summary = "convolution over any number of spatial dims";
  let description = [{
    `result[b, o, s...] = bias[o] + sum over c, t... of input[b, c, s*stride + t*dilation - pad] * filter[o, c, t...]`,
    on input [B, C, spatial...] and filter [O, C / groups, kernel...]; outside the input is zero. Integers wrap. `pads` holds all begins,
    then all ends. A result's spatial dim is `floordiv(in + begin + end - dilation * (kernel - 1) - 1, stride) + 1`.

    Constraints:
    - conv-c1: input and filter have one rank, at least 3.
    - conv-c2: strides, dilations and kernel are positive, pads are not negative, and each has its entry per spatial dim.
    - conv-c3: input channels are groups * the filter's channels, and groups divides the filter's outputs.
    - conv-c4: bias, if there, has shape [O]; all have one element type.
    - conv-c5: the kernel fits the padded input.

    Example:
    ```mlir
    %y = weft.conv %x, %f {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
      : (tensor<1x8x?xf32, #weft.dims<1, 8, "n">>, tensor<16x8x1xf32>) -> tensor<1x16x?xf32, #weft.dims<1, 16, "n">>
    ```
  }];
  let arguments = (ins Weft_NumberTensor:$input, Weft_NumberTensor:$filter, Optional<Weft_NumberTensor>:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations,
                       I64Attr:$groups);
  let results = (outs Weft_NumberTensor:$result);
  let assemblyFormat = "$input `,` $filter (`,` $bias^)? attr-dict `:` functional-type(operands, results)";
}

def Weft_DepthwiseConvOp : Weft_Op<"depthwise_conv"> {
  let summary = "a convolution whose channels do not meet";
  let description = [{
    `result[b, s..., c] = sum over t... of input[b, s*stride + t*dilation, c] * filter[t..., c]`

    on input [B, spatial..., C], channels last, and filter [kernel..., C]. The sum is taken in f32 for f16 and bf16, and in the
    element type otherwise; integers wrap.

    Constraints:
    - depthwise-conv-c1: input has rank 3 or more, and filter one less; both have one element type.
    - depthwise-conv-c2: strides and dilations are positive and have an entry per spatial dim; the filter's kernel is known.
    - depthwise-conv-c3: input and filter have as many channels (guards, where they are symbols).
    - depthwise-conv-c4: the kernel fits the input.

    Made by weft-normalize-contractions. Removed by weft-form-steps.

    Example:
    ```mlir
    %y = weft.depthwise_conv %x, %f {strides = array<i64: 1>, dilations = array<i64: 1>}
      : (tensor<1x18x8xf32>, tensor<3x8xf32>) -> tensor<1x16x8xf32>
    ```
  }];
  let arguments = (ins Weft_NumberTensor:$input, Weft_NumberTensor:$filter, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations);
  let results = (outs Weft_NumberTensor:$result);
  let assemblyFormat = "$input `,` $filter attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// The most taps that a kernel may have: each is an operation of the step.
    static constexpr int64_t kMostTaps = 64;
  }];
}

def Weft_WindowsOp : Weft_Op<"windows"> {
  let summary = "the windows that a convolution or a pool looks at";
  let description = [{
    `result[b, s..., t..., c] = input[b, s*stride + t*dilation, c]` on input [B, spatial..., C], channels last. A convolution is a
    product of these and its filter, a pool a reduction of them. A view, which nothing need be copied for.

    Constraints:
    - windows-c1: the input has rank 3 or more.
    - windows-c2: kernel, strides and dilations are positive, and each has its entry per spatial dim.
    - windows-c3: the kernel fits the input.

    Made by weft-normalize-contractions, and by the importer for pools. Removed by weft-form-steps.

    Example:
    ```mlir
    %y = weft.windows %x {kernel = array<i64: 3>, strides = array<i64: 2>, dilations = array<i64: 1>}
      : (tensor<1x17x8xf32>) -> tensor<1x8x3x8xf32>
    ```
  }];
  let arguments = (ins Weft_NumberTensor:$input, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations);
  let results = (outs Weft_NumberTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Weft_RoutedMatmulOp : Weft_Op<"routed_matmul"> {
  let summary = "products of rows with one matrix each, of several";
  let description = [{
    On input [S, K], weights [E, K, N] and experts [S]:

    `result[s, n] = sum over k of input[s, k] * weights[experts[s], k, n]`

    (Mixtures of experts: Shazeer et al., arXiv 1701.06538.) A negative expert counts from the end. One that the weights do not
    have is an error of the run. The sum is taken in f32 for f16 and bf16, and in the element type otherwise.

    `packed_columns = N` and `groups` say that weights are packed as in weft.matmul, each matrix in panels of its own, those of the
    first matrix first: [E * ceil(N / 48), K, 48], or with more dims behind it. They may be of bf16, f16 or, in blocks of 4 bits, of i32
    where input is f32, and of i32 with `groups`.

    Constraints:
    - routed-matmul-c1: input has rank 2, weights rank 3 and experts rank 1; input and weights have one element type, or
      packed weights one that may stand for it.
    - routed-matmul-c2: there is an expert for each row, and the depth is that of the weights (guards, where they are symbols).
    - routed-matmul-c3: packed weights are whole matrices in panels of 48 columns; of numbers of few bits as many blocks as
      input's constant depth takes. Only packed weights have groups.

    Made by weft-route-products; packing by weft-pack-weights. Removed by weft-form-steps.

    Example:
    ```mlir
    %y = weft.routed_matmul %x, %w, %experts
      : (tensor<?x64xf32, #weft.dims<"n", 64>>, tensor<8x64x32xf32>, tensor<?xi64, #weft.dims<"n">>)
      -> tensor<?x32xf32, #weft.dims<"n", 32>>
    ```
  }];
  let arguments = (ins Weft_FloatTensor:$input, Weft_NumberTensor:$weights, Weft_IndexTensor:$experts,
                       OptionalAttr<I64Attr>:$packed_columns, OptionalAttr<Weft_WeightGroupsAttr>:$groups);
  let results = (outs Weft_FloatTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// How packed weights are read: as one matrix, with the columns that fill panels.
    ::weft::PackedForm getPackedForm();
  }];
}

def Weft_EinsumOp : Weft_Op<"einsum"> {
  let summary = "a sum of products, by letters";
  let description = [{
    Each input's dims are named by letters of the equation; `...` stands for any number of leading dims, which are
    broadcast. Letters that the output lacks are summed over; a letter twice in one input walks its diagonal. Without `->`
    the output is `...` and then the letters that occur once, in alphabetical order (upper case first). f16 and bf16 are
    summed in f32.

    Constraints:
    - einsum-c1: the equation is well formed and names every input, and each input's dims.
    - einsum-c2: dims of one letter are equal (a guard, where they are symbols), or a constant 1, which is broadcast; those
      under `...` broadcast.
    - einsum-c3: operands have one element type.

    Made by the importer. weft-normalize-contractions makes matmuls, moves and reductions of it.

    Example:
    ```mlir
    %s = weft.einsum "bihd,bjhd->bhij" %q, %k : (tensor<2x5x4x8xf32>, tensor<2x7x4x8xf32>) -> tensor<2x4x5x7xf32>
    ```
  }];
  let arguments = (ins StrAttr:$equation, Variadic<Weft_NumberTensor>:$inputs);
  let results = (outs Weft_NumberTensor:$result);
  let assemblyFormat = "$equation $inputs attr-dict `:` functional-type(operands, results)";
}

#endif // WEFT_CONTRACTION_OPS_TD
