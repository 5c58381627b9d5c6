// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of a dim of 0, reversed: where nothing begins is before the tensor.
// RUN: %python %S/../compare.py %s --element=f32 n=3
func.func @main(%x: tensor<?x0x4xTYPE, #weft.dims<"n", 0, 4>> {weft.name = "x"}) -> (tensor<?x?x?xTYPE> {weft.name = "y"}) {
  %s = weft.constant dense<[9223372036854775807]> : tensor<1xi64>
  %e = weft.constant dense<[-9223372036854775807]> : tensor<1xi64>
  %step = weft.constant dense<[-1]> : tensor<1xi64>
  %y = weft.slice %x starts %s ends %e steps %step {axes = array<i64: 1>} : (tensor<?x0x4xTYPE, #weft.dims<"n", 0, 4>>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?x?xTYPE>
  return %y : tensor<?x?x?xTYPE>
}
