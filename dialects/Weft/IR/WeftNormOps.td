// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Norm: rows brought to a common scale.
#ifndef WEFT_NORM_OPS_TD
#define WEFT_NORM_OPS_TD

include "Weft/IR/WeftOpBase.td"

def Weft_LayerNormOp : Weft_Op<"layer_norm"> {
  let summary = "layer normalization over the trailing dims from an axis on";
  let description = [{
    `(x - mean) / sqrt(variance + epsilon) * scale + bias`, with the biased variance (Ba et al., arXiv 1607.06450). f16 and
    bf16 are normalised in f32 and rounded before scale and bias.

    Constraints:
    - layer-norm-c1: the axis is within the input's rank, not negative.
    - layer-norm-c2: scale and bias broadcast to the input's shape without enlarging it; one element type.
    - layer-norm-c3: epsilon is not negative.

    Made by the importer (LayerNormalization-17) and by weft-recognize-norm.

    Example:
    ```mlir
    %y = weft.layer_norm %x, %g, %b {axis = 1 : i64, epsilon = 1.0e-5 : f32}
      : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Weft_FloatTensor:$input, Weft_FloatTensor:$scale, Optional<Weft_FloatTensor>:$bias,
                       I64Attr:$axis, F32Attr:$epsilon);
  let results = (outs Weft_FloatTensor:$result);
  let assemblyFormat = "$input `,` $scale (`,` $bias^)? attr-dict `:` functional-type(operands, results)";
}

def Weft_RMSNormOp : Weft_Op<"rms_norm"> {
  let summary = "root mean square normalization over the trailing dims from an axis on";
  let description = [{
    `x / sqrt(mean of x^2 + epsilon) * scale` (Zhang and Sennrich, arXiv 1910.07467). f16 and bf16 are normalised in f32 and
    rounded before scale.

    Constraints:
    - rms-norm-c1: the axis is within the input's rank, not negative.
    - rms-norm-c2: scale broadcasts to the input's shape without enlarging it; one element type.
    - rms-norm-c3: epsilon is not negative.

    Made by the builder and by weft-recognize-norm.

    Example:
    ```mlir
    %y = weft.rms_norm %x, %g {axis = 1 : i64, epsilon = 1.0e-6 : f32} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Weft_FloatTensor:$input, Weft_FloatTensor:$scale, I64Attr:$axis, F32Attr:$epsilon);
  let results = (outs Weft_FloatTensor:$result);
  let assemblyFormat = "$input `,` $scale attr-dict `:` functional-type(operands, results)";
}

#endif // WEFT_NORM_OPS_TD
