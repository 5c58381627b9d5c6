// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps so large that the strides of a slice of a slice are beyond 64 bits: one row is left.
// RUN: %python %S/../compare.py %s --element=f32 n=3 n=1 n=0
func.func @main(%x: tensor<?x8xTYPE, #weft.dims<"n", 8>> {weft.name = "x"}) -> (tensor<?x?xTYPE> {weft.name = "used"}, tensor<?x?xTYPE> {weft.name = "returned"}) {
  %s = weft.constant dense<[0]> : tensor<1xi64>
  %e = weft.constant dense<[9223372036854775807]> : tensor<1xi64>
  %step = weft.constant dense<[1000000000000000000]> : tensor<1xi64>
  %once = weft.slice %x starts %s ends %e steps %step {axes = array<i64: 0>} : (tensor<?x8xTYPE, #weft.dims<"n", 8>>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xTYPE>
  %twice = weft.slice %once starts %s ends %e steps %step {axes = array<i64: 0>} : (tensor<?x?xTYPE>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xTYPE>
  %used = weft.relu %twice : (tensor<?x?xTYPE>) -> tensor<?x?xTYPE>
  return %used, %twice : tensor<?x?xTYPE>, tensor<?x?xTYPE>
}
