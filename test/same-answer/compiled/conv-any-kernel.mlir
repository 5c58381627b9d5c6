// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions whose kernels only a run knows, groups of them, too: strides, pads, dilations.
// RUN: %python %S/../compare.py %s --element=f32 b=2,n=13,m=6,c=3,o=4,k=3,j=2,e=6,u=4 b=1,n=9,m=5,c=1,o=1,k=1,j=1,e=2,u=2 b=3,n=37,m=19,c=2,o=5,k=5,j=7,e=4,u=6 b=0,n=8,m=5,c=2,o=2,k=2,j=3,e=4,u=2
func.func @main(%x: tensor<?x?x?xTYPE, #weft.dims<"b", "c", "n">> {weft.name = "x"},
                %f: tensor<?x?x?xTYPE, #weft.dims<"o", "c", "k">> {weft.name = "f"},
                %bias: tensor<?xTYPE, #weft.dims<"o">> {weft.name = "bias"},
                %p: tensor<?x?x?x?xTYPE, #weft.dims<"b", "e", "n", "m">> {weft.name = "p"},
                %g: tensor<?x?x?x?xTYPE, #weft.dims<"u", "c", "k", "j">> {weft.name = "g"})
  -> (tensor<?x?x?xTYPE> {weft.name = "row"}, tensor<?x?x?x?xTYPE> {weft.name = "plane"}) {
  %row_ = weft.conv %x, %f, %bias {strides = array<i64: 2>, pads = array<i64: 1, 2>, dilations = array<i64: 2>, groups = 1 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"b", "c", "n">>, tensor<?x?x?xTYPE, #weft.dims<"o", "c", "k">>, tensor<?xTYPE, #weft.dims<"o">>) -> tensor<?x?x?xTYPE>
  %row = weft.neg %row_ : (tensor<?x?x?xTYPE>) -> tensor<?x?x?xTYPE>
  %plane_ = weft.conv %p, %g {strides = array<i64: 1, 3>, pads = array<i64: 0, 1, 1, 2>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<?x?x?x?xTYPE, #weft.dims<"b", "e", "n", "m">>, tensor<?x?x?x?xTYPE, #weft.dims<"u", "c", "k", "j">>) -> tensor<?x?x?x?xTYPE>
  %plane = weft.neg %plane_ : (tensor<?x?x?x?xTYPE>) -> tensor<?x?x?x?xTYPE>
  return %row, %plane : tensor<?x?x?xTYPE>, tensor<?x?x?x?xTYPE>
}
