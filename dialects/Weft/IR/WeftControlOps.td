// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control: what runs more than once.
#ifndef WEFT_CONTROL_OPS_TD
#define WEFT_CONTROL_OPS_TD

include "Weft/IR/WeftOpBase.td"

def Weft_LoopOp : Weft_Op<"loop", [AttrSizedOperandSegments, IsolatedFromAbove, SingleBlock]> {
  let summary = "a body that runs as many times as sizes say";
  let description = [{
    The body has the number of the iteration, from 0 on, then the states and the captures, which are what it reads from
    around it. It yields the states as the next iteration has them, and then what each iteration leaves behind. Results are
    the states after the last iteration, and what was left behind, stacked along a new first dim.

    How many iterations there are, `trips` says, of which less than 0 is none, or `count`, once it is known as a dim, which is
    not negative. At the graph level it is `count`.

    Constraints:
    - loop-c1: the body's arguments are a scalar of i64, and then have the types of states and captures; it yields a tensor for
      each result, and at least one.
    - loop-c2: trips is an integer of one element, or there is a count, which is not below 0.
    - loop-c3: each state keeps its element type and its dims.

    Example:
    ```mlir
    %sum, %sums = weft.loop count(#weft.dim<"n">) states(%zero : tensor<f32>) captures(%x : tensor<?xf32, #weft.dims<"n">>) {
    ^bb0(%i: tensor<i64>, %s: tensor<f32>, %all: tensor<?xf32, #weft.dims<"n">>):
      %e = weft.gather %all, %i {axis = 0 : i64} : (tensor<?xf32, #weft.dims<"n">>, tensor<i64>) -> tensor<f32>
      %t = weft.add %s, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
      weft.yield %t, %t : tensor<f32>, tensor<f32>
    } -> (tensor<f32>, tensor<?xf32, #weft.dims<"n">>)
    ```
  }];
  let arguments = (ins Optional<Weft_IndexTensor>:$trips, Variadic<Weft_AnyTensor>:$states, Variadic<Weft_AnyTensor>:$captures,
                       OptionalAttr<Weft_DimAttr>:$count);
  let results = (outs Variadic<Weft_AnyTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
    /// What the body has of the states, and of the captures.
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getBodyStates() {
      return getBody().getArguments().slice(1, getStates().size());
    }
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getBodyCaptures() {
      return getBody().getArguments().drop_front(1 + getStates().size());
    }
    /// What an argument of the body captures; null if it is none of the captures.
    ::mlir::Value getCaptured(::mlir::BlockArgument argument);
    /// What the body yields: states, then what an iteration leaves behind.
    ::mlir::OperandRange getYielded() { return getBlock().getTerminator()->getOperands(); }
  }];
  let assemblyFormat = [{
    (`trips` `(` $trips^ `:` type($trips) `)`)? (`count` `(` $count^ `)`)? (`states` `(` $states^ `:` type($states) `)`)?
    (`captures` `(` $captures^ `:` type($captures) `)`)? $body attr-dict `->` `(` type($results) `)`
  }];
}

#endif // WEFT_CONTROL_OPS_TD
