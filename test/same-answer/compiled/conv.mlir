// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions with a kernel of 1 are products over the channels.
// RUN: %python %S/../compare.py %s --element=f32 b=1,c=3,o=5,n=7,h=2 b=2,c=1,o=1,n=1,h=1 b=3,c=17,o=49,n=33,h=3 b=0,c=2,o=3,n=4,h=1
// RUN: %python %S/../compare.py %s --element=f64 b=2,c=3,o=9,n=13,h=4
// RUN: %python %S/../compare.py %s --element=f16 --rtol=2e-3 --atol=2e-3 b=1,c=3,o=5,n=7,h=2 b=3,c=17,o=49,n=33,h=3
func.func @main(%x: tensor<?x?x?xTYPE, #weft.dims<"b", "c", "n">> {weft.name = "x"},
                %f: tensor<?x?x1xTYPE, #weft.dims<"o", "c", 1>> {weft.name = "f"},
                %x2: tensor<?x?x?x?xTYPE, #weft.dims<"b", "c", "h", "n">> {weft.name = "x2"},
                %f2: tensor<?x?x1x1xTYPE, #weft.dims<"o", "c", 1, 1>> {weft.name = "f2"},
                %bias: tensor<?xTYPE, #weft.dims<"o">> {weft.name = "bias"})
  -> (tensor<?x?x?xTYPE> {weft.name = "plain"},
     tensor<?x?x?xTYPE> {weft.name = "bias_"},
     tensor<?x?x?x?xTYPE> {weft.name = "plane"}) {
  %plain = weft.conv %x, %f {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"b", "c", "n">>, tensor<?x?x1xTYPE, #weft.dims<"o", "c", 1>>) -> tensor<?x?x?xTYPE>
  %bias_ = weft.conv %x, %f, %bias {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"b", "c", "n">>, tensor<?x?x1xTYPE, #weft.dims<"o", "c", 1>>, tensor<?xTYPE, #weft.dims<"o">>) -> tensor<?x?x?xTYPE>
  %t2 = weft.conv %x2, %f2, %bias {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x?x?x?xTYPE, #weft.dims<"b", "c", "h", "n">>, tensor<?x?x1x1xTYPE, #weft.dims<"o", "c", 1, 1>>, tensor<?xTYPE, #weft.dims<"o">>) -> tensor<?x?x?x?xTYPE>
  %plane = weft.relu %t2 : (tensor<?x?x?x?xTYPE>) -> tensor<?x?x?x?xTYPE>
  return %plain, %bias_, %plane : tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?x?xTYPE>
}
