// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels in front of rows that a small matrix mixes, as talking-heads attention does its heads.
// RUN: %python %S/../compare.py %s --element=f32 b=2,n=13,m=6 b=1,n=1,m=1 b=3,n=37,m=33 b=0,n=8,m=5
// RUN: %python %S/../compare.py %s --element=f16 --rtol=1e-2 --atol=1e-2 b=2,n=13,m=6
func.func @main(%x: tensor<?x5x?x?xTYPE, #weft.dims<"b", 5, "n", "m">> {weft.name = "x"},
                %w: tensor<5x7xTYPE> {weft.name = "w"},
                %bias: tensor<7xTYPE> {weft.name = "bias"})
  -> (tensor<?x7x?x?xTYPE, #weft.dims<"b", 7, "n", "m">> {weft.name = "mixed"}) {
  %t = weft.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<?x5x?x?xTYPE, #weft.dims<"b", 5, "n", "m">>) -> tensor<?x?x?x5xTYPE, #weft.dims<"b", "n", "m", 5>>
  %p = weft.matmul %t, %w : (tensor<?x?x?x5xTYPE, #weft.dims<"b", "n", "m", 5>>, tensor<5x7xTYPE>) -> tensor<?x?x?x7xTYPE, #weft.dims<"b", "n", "m", 7>>
  %q = weft.add %p, %bias : (tensor<?x?x?x7xTYPE, #weft.dims<"b", "n", "m", 7>>, tensor<7xTYPE>) -> tensor<?x?x?x7xTYPE, #weft.dims<"b", "n", "m", 7>>
  %y = weft.transpose %q {permutation = array<i64: 0, 3, 1, 2>} : (tensor<?x?x?x7xTYPE, #weft.dims<"b", "n", "m", 7>>) -> tensor<?x7x?x?xTYPE, #weft.dims<"b", 7, "n", "m">>
  return %y : tensor<?x7x?x?xTYPE, #weft.dims<"b", 7, "n", "m">>
}
