// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction: many elements to one, and softmax, which is made of reductions.
#ifndef WEFT_REDUCTION_OPS_TD
#define WEFT_REDUCTION_OPS_TD

include "Weft/IR/WeftOpBase.td"

def Weft_ReduceOp : Weft_ShapeMathOp<"reduce"> {
  let summary = "reduces axes to one element";
  let description = [{
    Of no elements a sum is 0, a product 1, a maximum the least value of the type (minus infinity), a minimum the greatest,
    a mean NaN. An integer mean truncates. f16 and bf16 accumulate in f32.

    Constraints:
    - reduce-c1: axes are sorted, distinct and within the input's rank, not negative.

    Example:
    ```mlir
    %m = weft.reduce mean %x {axes = array<i64: 1>, keepdims} : (tensor<4x8xf32>) -> tensor<4x1xf32>
    ```
  }];
  let arguments = (ins Weft_ReduceKind:$kind, Weft_NumberTensor:$input, DenseI64ArrayAttr:$axes, UnitAttr:$keepdims);
  let results = (outs Weft_NumberTensor:$result);
  let assemblyFormat = "$kind $input attr-dict `:` functional-type(operands, results)";
}

def Weft_ArgReduceOp : Weft_Op<"arg_reduce"> {
  let summary = "where the largest or smallest element of an axis is";
  let description = [{
    Of equal elements the first, or with `last` the last. The first NaN, if there is one (with `last` the last).

    Constraints:
    - arg-reduce-c1: the axis is within the input's rank, not negative, and not empty.
    - arg-reduce-c2: the kind is max or min.

    Example:
    ```mlir
    %i = weft.arg_reduce max %x {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4xi64>
    ```
  }];
  let arguments = (ins Weft_ReduceKind:$kind, Weft_NumberTensor:$input, I64Attr:$axis, UnitAttr:$keepdims, UnitAttr:$last);
  let results = (outs TensorOf<[I64]>:$result);
  let assemblyFormat = "$kind $input attr-dict `:` functional-type(operands, results)";
}

def Weft_CumulativeOp : Weft_ShapeMathOp<"cumulative"> {
  let summary = "sums or products of an axis's elements up to each";
  let description = [{
    `result[i] = x[0] + ... + x[i]`, or with `prod` their product; `exclusive` leaves out x[i], `reverse` goes from the end.
    Integers wrap; f16 and bf16 are summed and multiplied in f32.

    Constraints:
    - cumulative-c1: the axis is within the input's rank, not negative.
    - cumulative-c2: the kind is sum or prod.

    Example:
    ```mlir
    %y = weft.cumulative sum %x {axis = 1 : i64, exclusive} : (tensor<4x8xi64>) -> tensor<4x8xi64>
    ```
  }];
  let arguments = (ins Weft_ReduceKind:$kind, Weft_NumberTensor:$input, I64Attr:$axis, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Weft_NumberTensor:$result);
  let assemblyFormat = "$kind $input attr-dict `:` functional-type(operands, results)";
}

class Weft_SoftmaxLikeOp<string opMnemonic, string formula> : Weft_Op<opMnemonic> {
  let summary = formula;
  let description = [{
    The maximum along the axis is subtracted first. A row of minus infinities yields NaN, as in PyTorch.

    Constraints:
    - softmax-c1: the axis is within the input's rank, not negative.

    Example:
    ```mlir
    %p = weft.}] # opMnemonic # [{ %s {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Weft_FloatTensor:$input, I64Attr:$axis);
  let results = (outs Weft_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() { return ::weft::verifyInferredTypes(getOperation()); }
    ::llvm::LogicalResult $cppClass::inferTypes(::weft::InferContext &context,
                                                ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::weft::inferSoftmax(getOperation(), getAxis(), types);
    }
  }];
}
def Weft_SoftmaxOp : Weft_SoftmaxLikeOp<"softmax", "exp(x) / sum of exp(x) along an axis">;
def Weft_LogSoftmaxOp : Weft_SoftmaxLikeOp<"log_softmax", "x - log(sum of exp(x)) along an axis">;

#endif // WEFT_REDUCTION_OPS_TD
