// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions whose channels do not meet: causal, dilated, strided, of one to three spatial dims, of three filters for each
// channel, and of more taps than one step takes.
// RUN: %python %S/../compare.py %s --element=f32 b=2,n=13,m=6 b=1,n=5,m=5 b=3,n=37,m=19 b=0,n=8,m=5 b=1,n=100,m=7
// RUN: %python %S/../compare.py %s --element=f64 b=2,n=9,m=6
// RUN: %python %S/../compare.py %s --element=f16 --rtol=2e-3 --atol=5e-3 b=1,n=9,m=6 b=2,n=20,m=11
func.func @main(%x1: tensor<?x37x?xTYPE, #weft.dims<"b", 37, "n">> {weft.name = "x1"},
                %x2: tensor<?x37x?x?xTYPE, #weft.dims<"b", 37, "n", "m">> {weft.name = "x2"},
                %x3: tensor<?x37x2x?x?xTYPE, #weft.dims<"b", 37, 2, "n", "m">> {weft.name = "x3"},
                %k4: tensor<37x1x4xTYPE> {weft.name = "k4"},
                %k31: tensor<37x1x31xTYPE> {weft.name = "k31"},
                %k33: tensor<37x1x3x3xTYPE> {weft.name = "k33"},
                %k333: tensor<111x1x3x3xTYPE> {weft.name = "k333"},
                %k77: tensor<37x1x7x7xTYPE> {weft.name = "k77"},
                %k222: tensor<37x1x2x2x1xTYPE> {weft.name = "k222"},
                %k99: tensor<37x1x9x9xTYPE> {weft.name = "k99"},
                %bias: tensor<37xTYPE> {weft.name = "bias"})
  -> (tensor<?x?x?xTYPE> {weft.name = "causal"},
      tensor<?x?x?xTYPE> {weft.name = "far"},
      tensor<?x?x?x?xTYPE> {weft.name = "plane"},
      tensor<?x?x?x?xTYPE> {weft.name = "halved"},
      tensor<?x?x?x?xTYPE> {weft.name = "thrice"},
      tensor<?x?x?x?xTYPE> {weft.name = "wide"},
      tensor<?x?x?x?xTYPE> {weft.name = "most"},
      tensor<?x?x?x?x?xTYPE> {weft.name = "volume"}) {
  %causal_ = weft.conv %x1, %k4, %bias {strides = array<i64: 1>, pads = array<i64: 3, 0>, dilations = array<i64: 1>, groups = 37 : i64} : (tensor<?x37x?xTYPE, #weft.dims<"b", 37, "n">>, tensor<37x1x4xTYPE>, tensor<37xTYPE>) -> tensor<?x?x?xTYPE>
  %causal = weft.relu %causal_ : (tensor<?x?x?xTYPE>) -> tensor<?x?x?xTYPE>
  %far_ = weft.conv %x1, %k31 {strides = array<i64: 2>, pads = array<i64: 45, 45>, dilations = array<i64: 3>, groups = 37 : i64} : (tensor<?x37x?xTYPE, #weft.dims<"b", 37, "n">>, tensor<37x1x31xTYPE>) -> tensor<?x?x?xTYPE>
  %far = weft.relu %far_ : (tensor<?x?x?xTYPE>) -> tensor<?x?x?xTYPE>
  %plane_ = weft.conv %x2, %k33, %bias {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 37 : i64} : (tensor<?x37x?x?xTYPE, #weft.dims<"b", 37, "n", "m">>, tensor<37x1x3x3xTYPE>, tensor<37xTYPE>) -> tensor<?x?x?x?xTYPE>
  %plane = weft.relu %plane_ : (tensor<?x?x?x?xTYPE>) -> tensor<?x?x?x?xTYPE>
  %halved_ = weft.conv %x2, %k33 {strides = array<i64: 2, 3>, pads = array<i64: 0, 1, 2, 0>, dilations = array<i64: 1, 2>, groups = 37 : i64} : (tensor<?x37x?x?xTYPE, #weft.dims<"b", 37, "n", "m">>, tensor<37x1x3x3xTYPE>) -> tensor<?x?x?x?xTYPE>
  %halved = weft.relu %halved_ : (tensor<?x?x?x?xTYPE>) -> tensor<?x?x?x?xTYPE>
  %thrice_ = weft.conv %x2, %k333 {strides = array<i64: 1, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 37 : i64} : (tensor<?x37x?x?xTYPE, #weft.dims<"b", 37, "n", "m">>, tensor<111x1x3x3xTYPE>) -> tensor<?x?x?x?xTYPE>
  %thrice = weft.relu %thrice_ : (tensor<?x?x?x?xTYPE>) -> tensor<?x?x?x?xTYPE>
  %wide_ = weft.conv %x2, %k77, %bias {strides = array<i64: 1, 1>, pads = array<i64: 3, 3, 3, 3>, dilations = array<i64: 1, 1>, groups = 37 : i64} : (tensor<?x37x?x?xTYPE, #weft.dims<"b", 37, "n", "m">>, tensor<37x1x7x7xTYPE>, tensor<37xTYPE>) -> tensor<?x?x?x?xTYPE>
  %wide = weft.relu %wide_ : (tensor<?x?x?x?xTYPE>) -> tensor<?x?x?x?xTYPE>
  %most_ = weft.conv %x2, %k99 {strides = array<i64: 1, 1>, pads = array<i64: 4, 4, 4, 4>, dilations = array<i64: 1, 1>, groups = 37 : i64} : (tensor<?x37x?x?xTYPE, #weft.dims<"b", 37, "n", "m">>, tensor<37x1x9x9xTYPE>) -> tensor<?x?x?x?xTYPE>
  %most = weft.relu %most_ : (tensor<?x?x?x?xTYPE>) -> tensor<?x?x?x?xTYPE>
  %volume_ = weft.conv %x3, %k222 {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 1, 0>, dilations = array<i64: 1, 1, 1>, groups = 37 : i64} : (tensor<?x37x2x?x?xTYPE, #weft.dims<"b", 37, 2, "n", "m">>, tensor<37x1x2x2x1xTYPE>) -> tensor<?x?x?x?x?xTYPE>
  %volume = weft.relu %volume_ : (tensor<?x?x?x?x?xTYPE>) -> tensor<?x?x?x?x?xTYPE>
  return %causal, %far, %plane, %halved, %thrice, %wide, %most, %volume : tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?x?xTYPE>
}
