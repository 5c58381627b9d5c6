// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of bf16, which no input here has: of windows that lie, and of channels that do not meet.
// RUN: %python %S/../compare.py %s --rtol=2e-2 --atol=2e-2 b=2,n=13,m=6 b=1,n=4,m=4 b=0,n=8,m=5 b=1,n=30,m=7
func.func @main(%x: tensor<?x24x?x?xf32, #weft.dims<"b", 24, "n", "m">> {weft.name = "x"},
                %f: tensor<50x24x3x3xf32> {weft.name = "f"},
                %d: tensor<24x1x3x3xf32> {weft.name = "d"})
  -> (tensor<?x?x?x?xf32> {weft.name = "product"},
      tensor<?x?x?x?xf32> {weft.name = "depthwise"}) {
  %half = weft.constant dense<0.0625> : tensor<f32>
  %g = weft.mul %f, %half : (tensor<50x24x3x3xf32>, tensor<f32>) -> tensor<50x24x3x3xf32>
  %xb = weft.cast %x to bf16 : (tensor<?x24x?x?xf32, #weft.dims<"b", 24, "n", "m">>) -> tensor<?x24x?x?xbf16, #weft.dims<"b", 24, "n", "m">>
  %fb = weft.cast %g to bf16 : (tensor<50x24x3x3xf32>) -> tensor<50x24x3x3xbf16>
  %db = weft.cast %d to bf16 : (tensor<24x1x3x3xf32>) -> tensor<24x1x3x3xbf16>
  %yb = weft.conv %xb, %fb {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x24x?x?xbf16, #weft.dims<"b", 24, "n", "m">>, tensor<50x24x3x3xbf16>) -> tensor<?x?x?x?xbf16>
  %zb = weft.conv %xb, %db {strides = array<i64: 2, 1>, pads = array<i64: 1, 1, 0, 1>, dilations = array<i64: 1, 1>, groups = 24 : i64} : (tensor<?x24x?x?xbf16, #weft.dims<"b", 24, "n", "m">>, tensor<24x1x3x3xbf16>) -> tensor<?x?x?x?xbf16>
  %product = weft.cast %yb to f32 : (tensor<?x?x?x?xbf16>) -> tensor<?x?x?x?xf32>
  %depthwise = weft.cast %zb to f32 : (tensor<?x?x?x?xbf16>) -> tensor<?x?x?x?xf32>
  return %product, %depthwise : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>
}
