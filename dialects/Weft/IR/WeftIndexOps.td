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
  let hasCanonicalizer = 1;
}

def Weft_GatherElementsOp : Weft_ShapeMathOp<"gather_elements"> {
  let summary = "elements of an axis, each chosen by its own index";
  let description = [{
    `result[a..., i, z...] = data[a..., indices[a..., i, z...], z...]`; the result has the shape of `indices`. Negative and
    wrong indices are as in weft.gather.

    Constraints:
    - gather-elements-c1: data and indices have one rank, at least 1; the axis is within it, not negative.
    - gather-elements-c2: where both are constants, a dim of indices is at most data's, but along the axis.

    Example:
    ```mlir
    %y = weft.gather_elements %x, %i {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x3xi64>) -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Weft_AnyTensor:$data, Weft_IndexTensor:$indices, I64Attr:$axis);
  let results = (outs Weft_AnyTensor:$result);
  let assemblyFormat = "$data `,` $indices attr-dict `:` functional-type(operands, results)";
}

def Weft_GatherNDOp : Weft_ShapeMathOp<"gather_nd"> {
  let summary = "slices chosen by tuples of indices";
  let description = [{
    The last dim of `indices`, which is constant, holds tuples of N indices into the N dims of data that follow the first
    `batch_dims`, which both share: `result[b..., i..., z...] = data[b..., indices[b..., i..., :]..., z...]`. Negative and
    wrong indices are as in weft.gather.

    Constraints:
    - gather-nd-c1: indices has rank 1 or more and a constant last dim; batch_dims is not negative and less than its rank.
    - gather-nd-c2: batch_dims + N is at most data's rank.
    - gather-nd-c3: the batch dims are equal (a guard, where they are symbols).

    Example:
    ```mlir
    %y = weft.gather_nd %x, %i {batch_dims = 0 : i64} : (tensor<4x8x5xf32>, tensor<?x2xi64, #weft.dims<"n", 2>>) -> tensor<?x5xf32, #weft.dims<"n", 5>>
    ```
  }];
  let arguments = (ins Weft_AnyTensor:$data, Weft_IndexTensor:$indices, I64Attr:$batch_dims);
  let results = (outs Weft_AnyTensor:$result);
  let assemblyFormat = "$data `,` $indices attr-dict `:` functional-type(operands, results)";
}

def Weft_ScatterNDOp : Weft_ShapeMathOp<"scatter_nd"> {
  let summary = "a copy of data with slices changed at tuples of indices";
  let description = [{
    For each i: `result[indices[i..., :]..., z...] = kind(data, updates[i..., z...])`, in rising order of i, so that the last
    of several updates of one place wins. The last dim of `indices` is constant. Negative and wrong indices are as in
    weft.gather.

    Constraints:
    - scatter-nd-c1: indices has rank 1 or more and a constant last dim N, at most data's rank.
    - scatter-nd-c2: updates has the shape of indices without its last dim, then data's without its first N.
    - scatter-nd-c3: data and updates have one element type; bools are only replaced.

    Example:
    ```mlir
    %y = weft.scatter_nd replace %x, %i, %u : (tensor<4x8xf32>, tensor<3x1xi64>, tensor<3x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Weft_ScatterKind:$kind, Weft_AnyTensor:$data, Weft_IndexTensor:$indices, Weft_AnyTensor:$updates);
  let results = (outs Weft_AnyTensor:$result);
  let assemblyFormat = "$kind $data `,` $indices `,` $updates attr-dict `:` functional-type(operands, results)";
}

def Weft_ScatterElementsOp : Weft_ShapeMathOp<"scatter_elements"> {
  let summary = "a copy of data with elements of an axis changed, each at its own index";
  let description = [{
    `result[a..., indices[a..., i, z...], z...] = kind(data, updates[a..., i, z...])`, in rising order, so that the last of
    several updates of one place wins. Negative and wrong indices are as in weft.gather.

    Constraints:
    - scatter-elements-c1: data, indices and updates have one rank, at least 1; the axis is within it, not negative.
    - scatter-elements-c2: indices and updates have one shape; where both are constants, a dim of it is at most data's, but
      along the axis.
    - scatter-elements-c3: data and updates have one element type; bools are only replaced.

    Example:
    ```mlir
    %y = weft.scatter_elements add %x, %i, %u {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Weft_ScatterKind:$kind, Weft_AnyTensor:$data, Weft_IndexTensor:$indices, Weft_AnyTensor:$updates,
                       I64Attr:$axis);
  let results = (outs Weft_AnyTensor:$result);
  let assemblyFormat = "$kind $data `,` $indices `,` $updates attr-dict `:` functional-type(operands, results)";
}

def Weft_TopKOp : Weft_Op<"top_k"> {
  let summary = "where the k largest (or smallest) elements of an axis are, best first";
  let description = [{
    The result holds indices; the values are weft.gather_elements of them. Of equal elements the lower index comes first; NaN
    counts as larger than any number. At import `k` is data of one element; from graph level on there is none, and the
    result's type says how many.

    Constraints:
    - top-k-c1: the axis is within the input's rank, not negative.
    - top-k-c2: k has one element; it is not negative and at most the axis.

    Example:
    ```mlir
    %i = weft.top_k %x {axis = 1 : i64, largest} : (tensor<4x8xf32>) -> tensor<4x3xi64>
    ```
  }];
  let arguments = (ins Weft_NumberTensor:$input, Optional<Weft_IndexTensor>:$k, I64Attr:$axis, UnitAttr:$largest);
  let results = (outs TensorOf<[I64]>:$result);
  let assemblyFormat = "$input (`,` $k^)? attr-dict `:` functional-type(operands, results)";
}

#endif // WEFT_INDEX_OPS_TD
