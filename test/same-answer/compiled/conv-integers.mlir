// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of integers, which wrap: of windows, of places alone, of channels that do not meet, of groups.
// RUN: %python %S/../compare.py %s --element=i32 b=2,n=13,m=6 b=1,n=5,m=5 b=0,n=8,m=5 b=1,n=40,m=19
// RUN: %python %S/../compare.py %s --element=i64 b=2,n=9,m=6
#x = #weft.dims<"b", 12, "n", "m">
func.func @main(%x: tensor<?x12x?x?xTYPE, #weft.dims<"b", 12, "n", "m">> {weft.name = "x"},
                %k33: tensor<20x12x3x3xTYPE> {weft.name = "k33"},
                %k11: tensor<50x12x1x1xTYPE> {weft.name = "k11"},
                %each: tensor<12x1x3x3xTYPE> {weft.name = "each"},
                %groups: tensor<20x3x2x2xTYPE> {weft.name = "groups"},
                %bias: tensor<20xTYPE> {weft.name = "bias"})
  -> (tensor<?x?x?x?xTYPE> {weft.name = "windows"}, tensor<?x?x?x?xTYPE> {weft.name = "places"},
      tensor<?x?x?x?xTYPE> {weft.name = "apart"}, tensor<?x?x?x?xTYPE> {weft.name = "grouped"}) {
  %windows = weft.conv %x, %k33, %bias {strides = array<i64: 2, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : (tensor<?x12x?x?xTYPE, #x>, tensor<20x12x3x3xTYPE>, tensor<20xTYPE>) -> tensor<?x?x?x?xTYPE>
  %places = weft.conv %x, %k11 {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : (tensor<?x12x?x?xTYPE, #x>, tensor<50x12x1x1xTYPE>) -> tensor<?x?x?x?xTYPE>
  %apart = weft.conv %x, %each {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 12 : i64}
    : (tensor<?x12x?x?xTYPE, #x>, tensor<12x1x3x3xTYPE>) -> tensor<?x?x?x?xTYPE>
  %grouped = weft.conv %x, %groups, %bias {strides = array<i64: 1, 1>, pads = array<i64: 0, 1, 1, 0>, dilations = array<i64: 1, 2>, groups = 4 : i64}
    : (tensor<?x12x?x?xTYPE, #x>, tensor<20x3x2x2xTYPE>, tensor<20xTYPE>) -> tensor<?x?x?x?xTYPE>
  return %windows, %places, %apart, %grouped : tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>
}
