// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantize: numbers in fewer bits, with scales.
#ifndef WEFT_QUANTIZE_OPS_TD
#define WEFT_QUANTIZE_OPS_TD

include "Weft/IR/WeftOpBase.td"

def Weft_QuantizeRowsOp : Weft_Op<"quantize_rows"> {
  let summary = "rows as bytes, each row with a scale and a zero of its own";
  let description = [{
    For each row x along the last dim, with lo = min(0, least x) and hi = max(0, greatest x), in f32:

        scale = max(hi / 255 - lo / 255, the least normal number)
        zero  = clamp(-lo * (1 / scale))              clamp(y) = y rounded to nearest even, within 0 and 255
        bytes = clamp(round(x * (1 / scale)) + zero)

    so that (bytes - zero) * scale is within scale / 2 of x, but for rounding. Rows of bytes are as long as x's, rounded up
    to 64 and filled with 0. A row with an infinity or a NaN has the scale NaN and bytes of 0, so that all that is
    made of it is NaN.

    Constraints:
    - quantize-rows-c1: the input has rank 1 or more.

    Made by weft-quantize-products. Removed by weft-form-steps.

    Example:
    ```mlir
    %bytes, %scale, %zero = weft.quantize_rows %x : (tensor<?x100xf32, #weft.dims<"n", 100>>)
      -> (tensor<?x128xui8, #weft.dims<"n", 128>>, tensor<?x1xf32, #weft.dims<"n", 1>>, tensor<?x1xi32, #weft.dims<"n", 1>>)
    ```
  }];
  let arguments = (ins TensorOf<[F32]>:$input);
  let results = (outs TensorOf<[UI8]>:$bytes, TensorOf<[F32]>:$scale, TensorOf<[I32]>:$zero);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// The types of the results for an input of these dims, of which there is at least one.
    static ::llvm::SmallVector<::mlir::Type> typesFor(::mlir::MLIRContext *context, ::llvm::SmallVector<Dim> dims);
  }];
}

def Weft_DequantizeOp : Weft_Op<"dequantize", [AllElementTypesMatch<["scales", "zeros", "result"]>]> {
  let summary = "numbers of 2, 4 or 8 bits times scales, by groups along the last dim";
  let description = [{
    Bytes of `numbers` hold 8 / bits unsigned numbers each, the first in the lowest bits. With q the number k of a row:

        result[..., k] = (q - zeros[..., k / group]) * scales[..., k / group],  k < length

    With a `table`, q is what it has at the place that number k says. All is in f32 and rounded once, or twice where the
    difference is not exact. A scalar `zeros` is that of all groups. What is behind number `length` is not looked at.

    Constraints:
    - dequantize-c1: numbers have rank 1 or more, and bits are 2, 4 or 8.
    - dequantize-c2: group is positive; length is from 0 to as many as the bytes hold.
    - dequantize-c3: scales, and zeros that are no scalar, have numbers' dims, but the last is ceil(length / group).
    - dequantize-c4: bits are at most 4 where there is a table, which has 2^bits numbers.

    Made by the ONNX front end. Removed by weft-fold-constants, and by weft-pack-weights where its result is a matmul's
    right-hand side; with operands that are not constant it has no kernel.

    Example:
    ```mlir
    %w = weft.dequantize %q, %scales, %zeros {bits = 4, group = 32, length = 100}
      : (tensor<8x64xui8>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x100xf32>
    ```
  }];
  let arguments = (ins TensorOf<[UI8]>:$numbers, TensorOf<[F32, F16, BF16]>:$scales, TensorOf<[F32, F16, BF16]>:$zeros,
                       I64Attr:$bits, I64Attr:$group, I64Attr:$length, OptionalAttr<DenseF32ArrayAttr>:$table);
  let results = (outs TensorOf<[F32, F16, BF16]>:$result);
  let assemblyFormat = "$numbers `,` $scales `,` $zeros attr-dict `:` functional-type(operands, results)";
}

#endif // WEFT_QUANTIZE_OPS_TD
