// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposes sink to the end of a long chain of residual connections: two are left.
// RUN: weft-opt %s -weft-normalize-contractions | FileCheck %s

// CHECK-LABEL: @chain
// CHECK: weft.transpose %arg0 {permutation = array<i64: 0, 2, 1>}
// CHECK-NOT: weft.transpose %{{.*}} : (tensor<1x
// CHECK: %[[LAST:.*]] = weft.transpose %{{.*}} {permutation = array<i64: 0, 2, 1>} : (tensor<1x9x8xf32>) -> tensor<1x8x9xf32>
// CHECK-NEXT: return %[[LAST]]
func.func @chain(%x0: tensor<1x8x9xf32>, %f: tensor<8x8x1xf32>, %d: tensor<8x1x3xf32>) -> tensor<1x8x9xf32> {
  %one = weft.constant dense<1.0> : tensor<f32>
  %y0 = weft.conv %x0, %f {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x8x9xf32>, tensor<8x8x1xf32>) -> tensor<1x8x9xf32>
  %c0 = weft.conv %y0, %d {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 8 : i64} : (tensor<1x8x9xf32>, tensor<8x1x3xf32>) -> tensor<1x8x9xf32>
  %y1 = weft.add %y0, %c0 : (tensor<1x8x9xf32>, tensor<1x8x9xf32>) -> tensor<1x8x9xf32>
  %c1 = weft.conv %y1, %d {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 8 : i64} : (tensor<1x8x9xf32>, tensor<8x1x3xf32>) -> tensor<1x8x9xf32>
  %y2 = weft.add %y1, %c1 : (tensor<1x8x9xf32>, tensor<1x8x9xf32>) -> tensor<1x8x9xf32>
  %c2 = weft.conv %y2, %d {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 8 : i64} : (tensor<1x8x9xf32>, tensor<8x1x3xf32>) -> tensor<1x8x9xf32>
  %y3 = weft.add %y2, %c2 : (tensor<1x8x9xf32>, tensor<1x8x9xf32>) -> tensor<1x8x9xf32>
  %c3 = weft.conv %y3, %d {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 8 : i64} : (tensor<1x8x9xf32>, tensor<8x1x3xf32>) -> tensor<1x8x9xf32>
  %y4 = weft.add %y3, %c3 : (tensor<1x8x9xf32>, tensor<1x8x9xf32>) -> tensor<1x8x9xf32>
  %c4 = weft.conv %y4, %d {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 8 : i64} : (tensor<1x8x9xf32>, tensor<8x1x3xf32>) -> tensor<1x8x9xf32>
  %y5 = weft.add %y4, %c4 : (tensor<1x8x9xf32>, tensor<1x8x9xf32>) -> tensor<1x8x9xf32>
  %c5 = weft.conv %y5, %d {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 8 : i64} : (tensor<1x8x9xf32>, tensor<8x1x3xf32>) -> tensor<1x8x9xf32>
  %y6 = weft.add %y5, %c5 : (tensor<1x8x9xf32>, tensor<1x8x9xf32>) -> tensor<1x8x9xf32>
  %c6 = weft.conv %y6, %d {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 8 : i64} : (tensor<1x8x9xf32>, tensor<8x1x3xf32>) -> tensor<1x8x9xf32>
  %y7 = weft.add %y6, %c6 : (tensor<1x8x9xf32>, tensor<1x8x9xf32>) -> tensor<1x8x9xf32>
  %c7 = weft.conv %y7, %d {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 8 : i64} : (tensor<1x8x9xf32>, tensor<8x1x3xf32>) -> tensor<1x8x9xf32>
  %y8 = weft.add %y7, %c7 : (tensor<1x8x9xf32>, tensor<1x8x9xf32>) -> tensor<1x8x9xf32>
  %c8 = weft.conv %y8, %d {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 8 : i64} : (tensor<1x8x9xf32>, tensor<8x1x3xf32>) -> tensor<1x8x9xf32>
  %y9 = weft.add %y8, %c8 : (tensor<1x8x9xf32>, tensor<1x8x9xf32>) -> tensor<1x8x9xf32>
  %c9 = weft.conv %y9, %d {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 8 : i64} : (tensor<1x8x9xf32>, tensor<8x1x3xf32>) -> tensor<1x8x9xf32>
  %y10 = weft.add %y9, %c9 : (tensor<1x8x9xf32>, tensor<1x8x9xf32>) -> tensor<1x8x9xf32>
  %c10 = weft.conv %y10, %d {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 8 : i64} : (tensor<1x8x9xf32>, tensor<8x1x3xf32>) -> tensor<1x8x9xf32>
  %y11 = weft.add %y10, %c10 : (tensor<1x8x9xf32>, tensor<1x8x9xf32>) -> tensor<1x8x9xf32>
  %c11 = weft.conv %y11, %d {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 8 : i64} : (tensor<1x8x9xf32>, tensor<8x1x3xf32>) -> tensor<1x8x9xf32>
  %y12 = weft.add %y11, %c11 : (tensor<1x8x9xf32>, tensor<1x8x9xf32>) -> tensor<1x8x9xf32>
  %c12 = weft.conv %y12, %d {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 8 : i64} : (tensor<1x8x9xf32>, tensor<8x1x3xf32>) -> tensor<1x8x9xf32>
  %y13 = weft.add %y12, %c12 : (tensor<1x8x9xf32>, tensor<1x8x9xf32>) -> tensor<1x8x9xf32>
  %c13 = weft.conv %y13, %d {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 8 : i64} : (tensor<1x8x9xf32>, tensor<8x1x3xf32>) -> tensor<1x8x9xf32>
  %y14 = weft.add %y13, %c13 : (tensor<1x8x9xf32>, tensor<1x8x9xf32>) -> tensor<1x8x9xf32>
  return %y14 : tensor<1x8x9xf32>
}
