// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A convolution whose windows cover the input without meeting is a product with nothing copied but for order.
// RUN: %python %S/../compare.py %s --element=f32 b=2,n=3 b=1,n=1 b=0,n=4 b=3,n=65
func.func @main(%x: tensor<?x3x16x8xTYPE, #weft.dims<"b", 3, 16, 8>> {weft.name = "x"},
                %f: tensor<?x3x4x2xTYPE, #weft.dims<"n", 3, 4, 2>> {weft.name = "f"})
  -> (tensor<?x?x?x?xTYPE> {weft.name = "y"}) {
  %y = weft.conv %x, %f {strides = array<i64: 4, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : (tensor<?x3x16x8xTYPE, #weft.dims<"b", 3, 16, 8>>, tensor<?x3x4x2xTYPE, #weft.dims<"n", 3, 4, 2>>) -> tensor<?x?x?x?xTYPE>
  return %y : tensor<?x?x?x?xTYPE>
}
