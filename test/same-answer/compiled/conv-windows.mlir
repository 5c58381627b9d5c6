// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows that are multiplied where they lie, in one piece of the depth or several; filters that are inputs, of groups, too, and one that is packed.
// RUN: %python %S/../compare.py %s --element=f32 --rtol=1e-3 b=2,n=13,m=6 b=1,n=4,m=4 b=3,n=21,m=19 b=0,n=8,m=5 b=1,n=70,m=7
// RUN: %python %S/../compare.py %s --element=f16 --rtol=1e-2 --atol=5e-2 b=2,n=13,m=6 b=1,n=20,m=9
func.func @main(%x1: tensor<?x24x?xTYPE, #weft.dims<"b", 24, "n">> {weft.name = "x1"},
                %x2: tensor<?x24x?x?xTYPE, #weft.dims<"b", 24, "n", "m">> {weft.name = "x2"},
                %x64: tensor<?x64x?x?xTYPE, #weft.dims<"b", 64, "n", "m">> {weft.name = "x64"},
                %f3: tensor<50x24x3xTYPE> {weft.name = "f3"},
                %f33: tensor<50x24x3x3xTYPE> {weft.name = "f33"},
                %g22: tensor<50x64x2x2xTYPE> {weft.name = "g22"},
                %h33: tensor<50x32x3x3xTYPE> {weft.name = "h33"},
                %bias: tensor<50xTYPE> {weft.name = "bias"})
  -> (tensor<?x?x?xTYPE> {weft.name = "row"},
      tensor<?x?x?x?xTYPE> {weft.name = "plane"},
      tensor<?x?x?x?xTYPE> {weft.name = "halved"},
      tensor<?x?x?x?xTYPE> {weft.name = "dilated"},
      tensor<?x?x?x?xTYPE> {weft.name = "grouped"},
      tensor<?x?x?x?xTYPE> {weft.name = "packed"}) {
  %row_ = weft.conv %x1, %f3, %bias {strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<?x24x?xTYPE, #weft.dims<"b", 24, "n">>, tensor<50x24x3xTYPE>, tensor<50xTYPE>) -> tensor<?x?x?xTYPE>
  %row = weft.relu %row_ : (tensor<?x?x?xTYPE>) -> tensor<?x?x?xTYPE>
  %plane_ = weft.conv %x2, %f33, %bias {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x24x?x?xTYPE, #weft.dims<"b", 24, "n", "m">>, tensor<50x24x3x3xTYPE>, tensor<50xTYPE>) -> tensor<?x?x?x?xTYPE>
  %plane = weft.relu %plane_ : (tensor<?x?x?x?xTYPE>) -> tensor<?x?x?x?xTYPE>
  %halved_ = weft.conv %x2, %f33 {strides = array<i64: 2, 3>, pads = array<i64: 0, 1, 2, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x24x?x?xTYPE, #weft.dims<"b", 24, "n", "m">>, tensor<50x24x3x3xTYPE>) -> tensor<?x?x?x?xTYPE>
  %halved = weft.relu %halved_ : (tensor<?x?x?x?xTYPE>) -> tensor<?x?x?x?xTYPE>
  %dilated_ = weft.conv %x64, %g22 {strides = array<i64: 1, 1>, pads = array<i64: 1, 2, 1, 0>, dilations = array<i64: 2, 3>, groups = 1 : i64} : (tensor<?x64x?x?xTYPE, #weft.dims<"b", 64, "n", "m">>, tensor<50x64x2x2xTYPE>) -> tensor<?x?x?x?xTYPE>
  %dilated = weft.relu %dilated_ : (tensor<?x?x?x?xTYPE>) -> tensor<?x?x?x?xTYPE>
  %grouped_ = weft.conv %x64, %h33, %bias {strides = array<i64: 2, 1>, pads = array<i64: 1, 1, 0, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<?x64x?x?xTYPE, #weft.dims<"b", 64, "n", "m">>, tensor<50x32x3x3xTYPE>, tensor<50xTYPE>) -> tensor<?x?x?x?xTYPE>
  %grouped = weft.relu %grouped_ : (tensor<?x?x?x?xTYPE>) -> tensor<?x?x?x?xTYPE>
  %first = weft.constant dense<-2.0> : tensor<f32>
  %limit = weft.constant dense<5.59375> : tensor<f32>
  %step = weft.constant dense<0.0009765625> : tensor<f32>
  %flat = weft.range %first to %limit by %step : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<7776xf32>
  %shape = weft.constant dense<[36, 24, 3, 3]> : tensor<4xi64>
  %whole = weft.reshape %flat, %shape : (tensor<7776xf32>, tensor<4xi64>) -> tensor<36x24x3x3xf32>
  %small = weft.sin %whole : (tensor<36x24x3x3xf32>) -> tensor<36x24x3x3xf32>
  %weight = weft.cast %small to TYPE : (tensor<36x24x3x3xf32>) -> tensor<36x24x3x3xTYPE>
  %packed_ = weft.conv %x2, %weight {strides = array<i64: 1, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x24x?x?xTYPE, #weft.dims<"b", 24, "n", "m">>, tensor<36x24x3x3xTYPE>) -> tensor<?x?x?x?xTYPE>
  %packed = weft.relu %packed_ : (tensor<?x?x?x?xTYPE>) -> tensor<?x?x?x?xTYPE>
  return %row, %plane, %halved, %dilated, %grouped, %packed : tensor<?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>
}
