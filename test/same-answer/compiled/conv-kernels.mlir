// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions with kernels: strides, pads, dilations, groups, one to three spatial dims, tiles that do not meet.
// RUN: %python %S/../compare.py %s --element=f32 b=2,n=13,m=6 b=1,n=5,m=4 b=3,n=37,m=19 b=0,n=8,m=5 b=1,n=100,m=7
func.func @main(%x1: tensor<?x4x?xTYPE, #weft.dims<"b", 4, "n">> {weft.name = "x1"},
                %x2: tensor<?x4x?x?xTYPE, #weft.dims<"b", 4, "n", "m">> {weft.name = "x2"},
                %x3: tensor<?x2x?x3x?xTYPE, #weft.dims<"b", 2, "m", 3, "n">> {weft.name = "x3"},
                %f3: tensor<8x4x3xTYPE> {weft.name = "f3"},
                %f31: tensor<8x1x3xTYPE> {weft.name = "f31"},
                %f22: tensor<6x4x2x2xTYPE> {weft.name = "f22"},
                %f35: tensor<5x4x3x5xTYPE> {weft.name = "f35"},
                %g33: tensor<6x2x3x3xTYPE> {weft.name = "g33"},
                %v: tensor<3x2x2x3x1xTYPE> {weft.name = "v"},
                %bias: tensor<8xTYPE> {weft.name = "bias"},
                %bias6: tensor<6xTYPE> {weft.name = "bias6"},
                %bias5: tensor<5xTYPE> {weft.name = "bias5"})
  -> (tensor<?x?x?xTYPE> {weft.name = "same"},
      tensor<?x?x?xTYPE> {weft.name = "halved"},
      tensor<?x?x?xTYPE> {weft.name = "dilated"},
      tensor<?x?x?xTYPE> {weft.name = "depthwise"},
      tensor<?x?x?x?xTYPE> {weft.name = "tiles"},
      tensor<?x?x?x?xTYPE> {weft.name = "plane"},
      tensor<?x?x?x?xTYPE> {weft.name = "grouped"},
      tensor<?x?x?x?x?xTYPE> {weft.name = "volume"}) {
  %same_ = weft.conv %x1, %f3, %bias {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<?x4x?xTYPE, #weft.dims<"b", 4, "n">>, tensor<8x4x3xTYPE>, tensor<8xTYPE>) -> tensor<?x?x?xTYPE>
  %same = weft.relu %same_ : (tensor<?x?x?xTYPE>) -> tensor<?x?x?xTYPE>
  %halved_ = weft.conv %x1, %f3, %bias {strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<?x4x?xTYPE, #weft.dims<"b", 4, "n">>, tensor<8x4x3xTYPE>, tensor<8xTYPE>) -> tensor<?x?x?xTYPE>
  %halved = weft.neg %halved_ : (tensor<?x?x?xTYPE>) -> tensor<?x?x?xTYPE>
  %dilated_ = weft.conv %x1, %f3 {strides = array<i64: 1>, pads = array<i64: 3, 0>, dilations = array<i64: 3>, groups = 1 : i64} : (tensor<?x4x?xTYPE, #weft.dims<"b", 4, "n">>, tensor<8x4x3xTYPE>) -> tensor<?x?x?xTYPE>
  %dilated = weft.neg %dilated_ : (tensor<?x?x?xTYPE>) -> tensor<?x?x?xTYPE>
  %depthwise_ = weft.conv %x1, %f31, %bias {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 4 : i64} : (tensor<?x4x?xTYPE, #weft.dims<"b", 4, "n">>, tensor<8x1x3xTYPE>, tensor<8xTYPE>) -> tensor<?x?x?xTYPE>
  %depthwise = weft.neg %depthwise_ : (tensor<?x?x?xTYPE>) -> tensor<?x?x?xTYPE>
  %tiles_ = weft.conv %x2, %f22, %bias6 {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x4x?x?xTYPE, #weft.dims<"b", 4, "n", "m">>, tensor<6x4x2x2xTYPE>, tensor<6xTYPE>) -> tensor<?x?x?x?xTYPE>
  %tiles = weft.neg %tiles_ : (tensor<?x?x?x?xTYPE>) -> tensor<?x?x?x?xTYPE>
  %plane_ = weft.conv %x2, %f35, %bias5 {strides = array<i64: 1, 2>, pads = array<i64: 1, 2, 0, 3>, dilations = array<i64: 2, 1>, groups = 1 : i64} : (tensor<?x4x?x?xTYPE, #weft.dims<"b", 4, "n", "m">>, tensor<5x4x3x5xTYPE>, tensor<5xTYPE>) -> tensor<?x?x?x?xTYPE>
  %plane = weft.neg %plane_ : (tensor<?x?x?x?xTYPE>) -> tensor<?x?x?x?xTYPE>
  %grouped_ = weft.conv %x2, %g33, %bias6 {strides = array<i64: 2, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<?x4x?x?xTYPE, #weft.dims<"b", 4, "n", "m">>, tensor<6x2x3x3xTYPE>, tensor<6xTYPE>) -> tensor<?x?x?x?xTYPE>
  %grouped = weft.relu %grouped_ : (tensor<?x?x?x?xTYPE>) -> tensor<?x?x?x?xTYPE>
  %volume_ = weft.conv %x3, %v {strides = array<i64: 1, 1, 2>, pads = array<i64: 1, 0, 0, 0, 1, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64} : (tensor<?x2x?x3x?xTYPE, #weft.dims<"b", 2, "m", 3, "n">>, tensor<3x2x2x3x1xTYPE>) -> tensor<?x?x?x?x?xTYPE>
  %volume = weft.neg %volume_ : (tensor<?x?x?x?x?xTYPE>) -> tensor<?x?x?x?x?xTYPE>
  return %same, %halved, %dilated, %depthwise, %tiles, %plane, %grouped, %volume : tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?x?xTYPE>
}
