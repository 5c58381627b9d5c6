// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys of a constant width, whose state is on the stack if it is no wider than 256; heads that only a run knows.
// RUN: sed -e 's/WIDTH/64/g' %s > %t.64.mlir
// RUN: %python %S/../compare.py %t.64.mlir --element=f32 n=1,h=2,g=1,v=64 n=3,h=2,g=2,v=128 n=2,h=3,g=3,v=70 n=2,h=0,g=1,v=33 n=0,h=2,g=1,v=5
// RUN: %python %S/../compare.py %t.64.mlir --element=f64 n=3,h=2,g=1,v=33
// RUN: sed -e 's/WIDTH/257/g' %s > %t.257.mlir
// RUN: %python %S/../compare.py %t.257.mlir --element=f32 n=2,h=2,g=1,v=70
func.func @main(%q: tensor<2x?x?xWIDTHxTYPE, #weft.dims<2, "n", "h", WIDTH>> {weft.name = "q"},
                %k: tensor<2x?x?xWIDTHxTYPE, #weft.dims<2, "n", "g", WIDTH>> {weft.name = "k"},
                %v: tensor<2x?x?x?xTYPE, #weft.dims<2, "n", "g", "v">> {weft.name = "v"},
                %s: tensor<2x?xWIDTHx?xTYPE, #weft.dims<2, "g", WIDTH, "v">> {weft.name = "s"},
                %d: tensor<2x?x?xWIDTHxTYPE, #weft.dims<2, "n", "g", WIDTH>> {weft.name = "d"},
                %r: tensor<2x?x?x1xTYPE, #weft.dims<2, "n", "g", 1>> {weft.name = "r"})
  -> (tensor<2x?x?x?xTYPE> {weft.name = "y"}, tensor<2x?xWIDTHx?xTYPE> {weft.name = "state"},
      tensor<2x?x?x?xTYPE> {weft.name = "plain"}, tensor<2x?xWIDTHx?xTYPE> {weft.name = "plain_state"}) {
  %small = weft.constant dense<0.01> : tensor<TYPE>
  %rate = weft.mul %r, %small : (tensor<2x?x?x1xTYPE, #weft.dims<2, "n", "g", 1>>, tensor<TYPE>) -> tensor<2x?x?x1xTYPE, #weft.dims<2, "n", "g", 1>>
  %0:2 = weft.linear_attention %q, %k, %v, %s decay(%d : tensor<2x?x?xWIDTHxTYPE, #weft.dims<2, "n", "g", WIDTH>>)
      rate(%rate : tensor<2x?x?x1xTYPE, #weft.dims<2, "n", "g", 1>>)
    : (tensor<2x?x?xWIDTHxTYPE, #weft.dims<2, "n", "h", WIDTH>>, tensor<2x?x?xWIDTHxTYPE, #weft.dims<2, "n", "g", WIDTH>>,
       tensor<2x?x?x?xTYPE, #weft.dims<2, "n", "g", "v">>, tensor<2x?xWIDTHx?xTYPE, #weft.dims<2, "g", WIDTH, "v">>)
    -> (tensor<2x?x?x?xTYPE>, tensor<2x?xWIDTHx?xTYPE>)
  %1:2 = weft.linear_attention %q, %k, %v, %s
    : (tensor<2x?x?xWIDTHxTYPE, #weft.dims<2, "n", "h", WIDTH>>, tensor<2x?x?xWIDTHxTYPE, #weft.dims<2, "n", "g", WIDTH>>,
       tensor<2x?x?x?xTYPE, #weft.dims<2, "n", "g", "v">>, tensor<2x?xWIDTHx?xTYPE, #weft.dims<2, "g", WIDTH, "v">>)
    -> (tensor<2x?x?x?xTYPE>, tensor<2x?xWIDTHx?xTYPE>)
  return %0#0, %0#1, %1#0, %1#1 : tensor<2x?x?x?xTYPE>, tensor<2x?xWIDTHx?xTYPE>, tensor<2x?x?x?xTYPE>, tensor<2x?xWIDTHx?xTYPE>
}
