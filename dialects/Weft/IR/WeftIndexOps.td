// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index: elements chosen by data.
#ifndef WEFT_INDEX_OPS_TD
#define WEFT_INDEX_OPS_TD

include "Weft/IR/WeftOpBase.td"

def Weft_GatherOp : Weft_ShapeMathOp<"gather"> {
  let summary = "slices of an axis chosen by indices";
  let description = [{
    `result[a..., i..., z...] = data[a..., indices[i...], z...]`. A negative index counts from the end. An index out of range
    is an error at run time, which names the node.

    Constraints:
    - gather-c1: the axis is within data's rank, not negative.

    Example:
    ```mlir
    %e = weft.gather %table, %ids {axis = 0 : i64} : (tensor<100x8xf32>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
    ```
  }];
  let arguments = (ins Weft_AnyTensor:$data, Weft_IndexTensor:$indices, I64Attr:$axis);
  let results = (outs Weft_AnyTensor:$result);
  let assemblyFormat = "$data `,` $indices attr-dict `:` functional-type(operands, results)";
}

#endif // WEFT_INDEX_OPS_TD
