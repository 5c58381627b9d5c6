// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: weft-opt %s -weft-normalize-contractions | FileCheck %s

!x = tensor<?x?x8xf32, #weft.dims<"b", "l", 8>>
!c = tensor<?x8x?xf32, #weft.dims<"b", 8, "l">>

// A feed-forward block written with convolutions of width 1 is matmuls on [b, l, d]: no activation moves.
// CHECK-LABEL: @feed_forward
// CHECK-SAME: %[[X:.*]]: tensor<?x?x8xf32, {{.*}}>, %[[F:.*]]: tensor<16x8x1xf32>, %[[B:.*]]: tensor<16xf32>, %[[G:.*]]: tensor<8x16x1xf32>
// CHECK-NEXT: %[[F2:.*]] = weft.reshape %[[F]] : (tensor<16x8x1xf32>) -> tensor<16x8xf32>
// CHECK-NEXT: %[[FT:.*]] = weft.transpose %[[F2]] {permutation = array<i64: 1, 0>}
// CHECK-NEXT: %[[Y:.*]] = weft.matmul %[[X]], %[[FT]]
// CHECK-NEXT: %[[A:.*]] = weft.add %[[Y]], %[[B]]
// CHECK-NEXT: %[[R:.*]] = weft.relu %[[A]]
// CHECK-NEXT: %[[G2:.*]] = weft.reshape %[[G]]
// CHECK-NEXT: %[[GT:.*]] = weft.transpose %[[G2]] {permutation = array<i64: 1, 0>}
// CHECK-NEXT: %[[Z:.*]] = weft.matmul %[[R]], %[[GT]]
// CHECK-NEXT: return %[[Z]] : tensor<?x?x8xf32, #weft.dims<"b", "l", 8>>
func.func @feed_forward(%x: !x, %f: tensor<16x8x1xf32>, %b: tensor<16xf32>, %g: tensor<8x16x1xf32>) -> !x {
  %t = weft.transpose %x {permutation = array<i64: 0, 2, 1>} : (!x) -> !c
  %y = weft.conv %t, %f, %b {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
    : (!c, tensor<16x8x1xf32>, tensor<16xf32>) -> tensor<?x16x?xf32, #weft.dims<"b", 16, "l">>
  %r = weft.relu %y : (tensor<?x16x?xf32, #weft.dims<"b", 16, "l">>) -> tensor<?x16x?xf32, #weft.dims<"b", 16, "l">>
  %z = weft.conv %r, %g {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
    : (tensor<?x16x?xf32, #weft.dims<"b", 16, "l">>, tensor<8x16x1xf32>) -> !c
  %u = weft.transpose %z {permutation = array<i64: 0, 2, 1>} : (!c) -> !x
  return %u : !x
}

// Two spatial dims.
// CHECK-LABEL: @conv_2d
// CHECK: weft.transpose %arg0 {permutation = array<i64: 0, 2, 3, 1>}
// CHECK: weft.matmul {{.*}} -> tensor<1x5x6x4xf32>
// CHECK: weft.transpose {{.*}} {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x5x6x4xf32>) -> tensor<1x4x5x6xf32>
func.func @conv_2d(%x: tensor<1x3x5x6xf32>, %f: tensor<4x3x1x1xf32>) -> tensor<1x4x5x6xf32> {
  %y = weft.conv %x, %f {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : (tensor<1x3x5x6xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x5x6xf32>
  return %y : tensor<1x4x5x6xf32>
}

// Declined: a real kernel, a stride, padding, groups.
// CHECK-LABEL: @real_convs
// CHECK-COUNT-4: weft.conv
// CHECK-NOT: weft.matmul
func.func @real_convs(%x: tensor<1x4x9xf32>, %f: tensor<4x4x3xf32>, %g: tensor<4x4x1xf32>, %h: tensor<4x2x1xf32>)
    -> (tensor<1x4x7xf32>, tensor<1x4x5xf32>, tensor<1x4x10xf32>, tensor<1x4x9xf32>) {
  %a = weft.conv %x, %f {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x4x9xf32>, tensor<4x4x3xf32>) -> tensor<1x4x7xf32>
  %b = weft.conv %x, %g {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x4x9xf32>, tensor<4x4x1xf32>) -> tensor<1x4x5xf32>
  %c = weft.conv %x, %g {strides = array<i64: 1>, pads = array<i64: 0, 1>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x4x9xf32>, tensor<4x4x1xf32>) -> tensor<1x4x10xf32>
  %d = weft.conv %x, %h {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 2 : i64} : (tensor<1x4x9xf32>, tensor<4x2x1xf32>) -> tensor<1x4x9xf32>
  return %a, %b, %c, %d : tensor<1x4x7xf32>, tensor<1x4x5xf32>, tensor<1x4x10xf32>, tensor<1x4x9xf32>
}

// CHECK-LABEL: @vectors
// CHECK: %[[ROW:.*]] = weft.reshape %arg0 : (tensor<8xf32>) -> tensor<1x8xf32>
// CHECK: %[[P:.*]] = weft.matmul %[[ROW]], %arg1 : {{.*}} -> tensor<?x1x4xf32, #weft.dims<"n", 1, 4>>
// CHECK: weft.reshape %[[P]] : {{.*}} -> tensor<?x4xf32, #weft.dims<"n", 4>>
// CHECK: %[[COLUMN:.*]] = weft.reshape %arg2 : (tensor<4xf32>) -> tensor<4x1xf32>
// CHECK: %[[Q:.*]] = weft.matmul %arg1, %[[COLUMN]] : {{.*}} -> tensor<?x8x1xf32, #weft.dims<"n", 8, 1>>
// CHECK: weft.reshape %[[Q]] : {{.*}} -> tensor<?x8xf32, #weft.dims<"n", 8>>
// CHECK: %[[D:.*]] = weft.matmul {{.*}} -> tensor<1x1xf32>
// CHECK: weft.reshape %[[D]] : (tensor<1x1xf32>) -> tensor<f32>
func.func @vectors(%v: tensor<8xf32>, %m: tensor<?x8x4xf32, #weft.dims<"n", 8, 4>>, %w: tensor<4xf32>)
    -> (tensor<?x4xf32, #weft.dims<"n", 4>>, tensor<?x8xf32, #weft.dims<"n", 8>>, tensor<f32>) {
  %a = weft.matmul %v, %m : (tensor<8xf32>, tensor<?x8x4xf32, #weft.dims<"n", 8, 4>>) -> tensor<?x4xf32, #weft.dims<"n", 4>>
  %b = weft.matmul %m, %w : (tensor<?x8x4xf32, #weft.dims<"n", 8, 4>>, tensor<4xf32>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
  %c = weft.matmul %v, %v : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  return %a, %b, %c : tensor<?x4xf32, #weft.dims<"n", 4>>, tensor<?x8xf32, #weft.dims<"n", 8>>, tensor<f32>
}

// CHECK-LABEL: @reductions
// CHECK: %[[T:.*]] = weft.transpose %arg0 {permutation = array<i64: 1, 0, 2>}
// CHECK: %[[S:.*]] = weft.reduce sum %[[T]] {axes = array<i64: 1, 2>} : ({{.*}}) -> tensor<?xf32, #weft.dims<"l">>
// CHECK: weft.reshape %[[S]] : ({{.*}}) -> tensor<1x?x1xf32, #weft.dims<1, "l", 1>>
// CHECK: weft.reduce max %arg0 {axes = array<i64: 1, 2>}
// CHECK: return {{.*}}, %arg0 :
func.func @reductions(%x: !x) -> (tensor<1x?x1xf32, #weft.dims<1, "l", 1>>, tensor<?xf32, #weft.dims<"b">>, !x) {
  %a = weft.reduce sum %x {axes = array<i64: 0, 2>, keepdims} : (!x) -> tensor<1x?x1xf32, #weft.dims<1, "l", 1>>
  %b = weft.reduce max %x {axes = array<i64: 1, 2>} : (!x) -> tensor<?xf32, #weft.dims<"b">>
  %c = weft.reduce mean %x {axes = array<i64>} : (!x) -> !x
  return %a, %b, %c : tensor<1x?x1xf32, #weft.dims<1, "l", 1>>, tensor<?xf32, #weft.dims<"b">>, !x
}

// CHECK-LABEL: @softmaxes
// CHECK: %[[T:.*]] = weft.transpose %arg0 {permutation = array<i64: 2, 1, 0>}
// CHECK: %[[S:.*]] = weft.softmax %[[T]] {axis = 2 : i64}
// CHECK: weft.transpose %[[S]] {permutation = array<i64: 2, 1, 0>}
// CHECK: weft.log_softmax {{.*}} {axis = 2 : i64}
// CHECK: weft.softmax %arg0 {axis = 2 : i64}
func.func @softmaxes(%x: !x) -> (!x, !x, !x) {
  %a = weft.softmax %x {axis = 0 : i64} : (!x) -> !x
  %b = weft.log_softmax %x {axis = 1 : i64} : (!x) -> !x
  %c = weft.softmax %x {axis = 2 : i64} : (!x) -> !x
  return %a, %b, %c : !x, !x, !x
}

// Element-wise operations move in front of transposes, alone, with numbers, and with the same transposition.
// CHECK-LABEL: @sink
// CHECK-SAME: %[[X:.*]]: {{.*}}, %[[Y:.*]]: tensor<?x?x8xf32, #weft.dims<"b", "l", 8>>)
// CHECK: %[[S:.*]] = weft.add %[[X]], %[[Y]]
// CHECK: %[[M:.*]] = weft.mul %[[S]], %{{.*}} : ({{.*}}, tensor<f32>)
// CHECK: %[[G:.*]] = weft.compare gt %[[M]], %{{.*}} -> tensor<?x?x8xi1, #weft.dims<"b", "l", 8>>
// CHECK: %[[T:.*]] = weft.transpose %[[G]] {permutation = array<i64: 0, 2, 1>} : ({{.*}}) -> tensor<?x8x?xi1, #weft.dims<"b", 8, "l">>
// CHECK: return %[[T]]
func.func @sink(%x: !x, %y: !x) -> tensor<?x8x?xi1, #weft.dims<"b", 8, "l">> {
  %two = weft.constant dense<2.0> : tensor<8x1xf32>
  %a = weft.transpose %x {permutation = array<i64: 0, 2, 1>} : (!x) -> !c
  %b = weft.transpose %y {permutation = array<i64: 0, 2, 1>} : (!x) -> !c
  %s = weft.add %a, %b : (!c, !c) -> !c
  %m = weft.mul %s, %two : (!c, tensor<8x1xf32>) -> !c
  %g = weft.compare gt %m, %two : (!c, tensor<8x1xf32>) -> tensor<?x8x?xi1, #weft.dims<"b", 8, "l">>
  return %g : tensor<?x8x?xi1, #weft.dims<"b", 8, "l">>
}

// A permutation that is not its own inverse.
// CHECK-LABEL: @sink_rotation
// CHECK: %[[R:.*]] = weft.relu %arg0 : ({{.*}}) -> tensor<2x3x4xf32>
// CHECK: weft.transpose %[[R]] {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
func.func @sink_rotation(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  %t = weft.transpose %x {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %r = weft.relu %t : (tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  return %r : tensor<3x4x2xf32>
}

// Declined: another operand in its own layout; a number that enlarges the result; a transpose that others read too.
// CHECK-LABEL: @do_not_sink
// CHECK: %[[A:.*]] = weft.transpose %arg0
// CHECK: weft.add %[[A]], %arg1
// CHECK: %[[B:.*]] = weft.transpose %arg2
// CHECK: weft.add %[[B]]
// CHECK: %[[C:.*]] = weft.transpose %arg3
// CHECK: %[[R:.*]] = weft.relu %[[C]]
// CHECK: return {{.*}} %[[C]], %[[R]]
func.func @do_not_sink(%x: !x, %y: !c, %z: tensor<1x4xf32>, %w: tensor<2x4xf32>)
    -> (!c, tensor<4x3xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %a = weft.transpose %x {permutation = array<i64: 0, 2, 1>} : (!x) -> !c
  %s = weft.add %a, %y : (!c, !c) -> !c
  %two = weft.constant dense<2.0> : tensor<3xf32>
  %b = weft.transpose %z {permutation = array<i64: 1, 0>} : (tensor<1x4xf32>) -> tensor<4x1xf32>
  %m = weft.add %b, %two : (tensor<4x1xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %c = weft.transpose %w {permutation = array<i64: 1, 0>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %r = weft.relu %c : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %s, %m, %c, %r : !c, tensor<4x3xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}
