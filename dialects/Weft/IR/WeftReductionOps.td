// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction: many elements to one, and softmax, which is made of reductions.
#ifndef WEFT_REDUCTION_OPS_TD
#define WEFT_REDUCTION_OPS_TD

include "Weft/IR/WeftOpBase.td"

def Weft_ReduceOp : Weft_Op<"reduce"> {
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
