// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pads computed from sizes: up to a multiple of 8, and of empty dims.
// RUN: %python %S/../compare.py %s --element=f32 m=2,n=5 m=1,n=8 m=3,n=1 m=0,n=3 m=4,n=0 m=2,n=41
func.func @main(%x: tensor<?x?xTYPE, #weft.dims<"m", "n">> {weft.name = "x"})
  -> (tensor<?x?xTYPE> {weft.name = "multiple"}, tensor<?x?xTYPE> {weft.name = "doubled"}) {
  %size = weft.shape %x {start = 1 : i64, end = 2 : i64} : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<1xi64>
  %zero = weft.constant dense<0> : tensor<1xi64>
  %seven = weft.constant dense<7> : tensor<1xi64>
  %eight = weft.constant dense<8> : tensor<1xi64>
  %raised = weft.add %size, %seven : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %count = weft.div %raised, %eight : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %whole = weft.mul %count, %eight : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %missing = weft.sub %whole, %size : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %up = weft.concat %zero, %missing {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %multiple = weft.pad constant %x pads %up {axes = array<i64: 1>} : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<2xi64>) -> tensor<?x?xTYPE>
  %before = weft.concat %size, %zero {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %doubled = weft.pad constant %x pads %before {axes = array<i64: 1>} : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<2xi64>) -> tensor<?x?xTYPE>
  return %multiple, %doubled : tensor<?x?xTYPE>, tensor<?x?xTYPE>
}
