// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: weft-opt %s -weft-join-products | FileCheck %s

!q = tensor<?x4x?x8xf32, #weft.dims<"b", 4, "l", 8>>
!near = tensor<?x4x?x8xf32, #weft.dims<"b", 4, "m", 8>>
!nearT = tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>
!far = tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>
!farT = tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "n">>
!sNear = tensor<?x4x?x?xf32, #weft.dims<"b", 4, "l", "m">>
!sFar = tensor<?x4x?x?xf32, #weft.dims<"b", 4, "l", "n">>
!s = tensor<?x4x?x?xf32, #weft.dims<"b", 4, "l", "m" + "n">>
!mask = tensor<?x1x1x?xf32, #weft.dims<"b", 1, 1, "n">>

// Two sets of keys, of lengths that only a run knows; what is added to the scores of one of them is 0 for the other.
// CHECK-LABEL: @two
// CHECK-SAME: %[[Q:[a-z0-9]+]]: {{[^%]*}}, %[[K0:[a-z0-9]+]]: {{[^%]*}}, %[[K1:[a-z0-9]+]]: {{[^%]*}}, %[[V0:[a-z0-9]+]]: {{[^%]*}}, %[[V1:[a-z0-9]+]]: {{[^%]*}}, %[[MASK:[a-z0-9]+]]:
// CHECK: %[[SCALE:.*]] = weft.constant dense<5.000000e-01> : tensor<f32>
// CHECK: %[[K:.*]] = weft.concat %[[K0]], %[[K1]] {axis = 3 : i64}
// CHECK: %[[P:.*]] = weft.matmul %[[Q]], %[[K]]
// CHECK: %[[SCALED:.*]] = weft.mul %[[P]], %[[SCALE]]
// CHECK: %[[NONE:.*]] = weft.expand {{.*}} -> tensor<?x1x1x?xf32, #weft.dims<"b", 1, 1, "m">>
// CHECK: %[[ADDED:.*]] = weft.concat %[[NONE]], %[[MASK]] {axis = 3 : i64}
// CHECK: %[[S:.*]] = weft.add %[[SCALED]], %[[ADDED]]
// CHECK: %[[W:.*]] = weft.softmax %[[S]] {axis = 3 : i64}
// CHECK: %[[V:.*]] = weft.concat %[[V0]], %[[V1]] {axis = 2 : i64}
// CHECK: %[[Y:.*]] = weft.matmul %[[W]], %[[V]]
// CHECK: return %[[Y]]
func.func @two(%q: !q, %k0: !nearT, %k1: !farT, %v0: !near, %v1: !far, %mask: !mask) -> !q {
  %half = weft.constant dense<0.5> : tensor<f32>
  %p0 = weft.matmul %q, %k0 : (!q, !nearT) -> !sNear
  %s0 = weft.mul %p0, %half : (!sNear, tensor<f32>) -> !sNear
  %p1 = weft.matmul %q, %k1 : (!q, !farT) -> !sFar
  %h1 = weft.mul %p1, %half : (!sFar, tensor<f32>) -> !sFar
  %s1 = weft.add %h1, %mask : (!sFar, !mask) -> !sFar
  %s = weft.concat %s0, %s1 {axis = 3 : i64} : (!sNear, !sFar) -> !s
  %w = weft.softmax %s {axis = 3 : i64} : (!s) -> !s
  %w1 = weft.slice %w {offsets = #weft.dims<0, 0, 0, "m">, strides = array<i64: 1, 1, 1, 1>} : (!s) -> !sFar
  %w0 = weft.slice %w {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (!s) -> !sNear
  %y1 = weft.matmul %w1, %v1 : (!sFar, !far) -> !q
  %y0 = weft.matmul %w0, %v0 : (!sNear, !near) -> !q
  %y = weft.add %y1, %y0 : (!q, !q) -> !q
  return %y : !q
}

// Rows that one product takes as a dim for blocks and one for queries, and the other, of the same keys for all blocks, as one.
// CHECK-LABEL: @split
// CHECK-SAME: %[[Q:[a-z0-9]+]]: {{[^%]*}}, %[[K0:[a-z0-9]+]]: {{[^%]*}}, %[[K1:[a-z0-9]+]]: {{[^%]*}}, %[[V0:[a-z0-9]+]]: {{[^%]*}}, %[[V1:[a-z0-9]+]]:
// CHECK: %[[LIFTED:.*]] = weft.reshape %[[K1]] : {{.*}} -> tensor<?x1x8x5xf32
// CHECK: %[[REPEATED:.*]] = weft.expand %[[LIFTED]] : {{.*}} -> tensor<?x3x8x5xf32
// CHECK: %[[K:.*]] = weft.concat %[[K0]], %[[REPEATED]] {axis = 3 : i64}
// CHECK: weft.matmul %[[Q]], %[[K]]
// CHECK: weft.softmax
// CHECK-NOT: weft.slice
// CHECK: weft.matmul
func.func @split(%q: tensor<?x3x4x8xf32, #weft.dims<"b", 3, 4, 8>>, %k0: tensor<?x3x8x6xf32, #weft.dims<"b", 3, 8, 6>>, %k1: tensor<?x8x5xf32, #weft.dims<"b", 8, 5>>,
                 %v0: tensor<?x3x6x7xf32, #weft.dims<"b", 3, 6, 7>>, %v1: tensor<?x5x7xf32, #weft.dims<"b", 5, 7>>) -> tensor<?x3x4x7xf32, #weft.dims<"b", 3, 4, 7>> {
  %s0 = weft.matmul %q, %k0 : (tensor<?x3x4x8xf32, #weft.dims<"b", 3, 4, 8>>, tensor<?x3x8x6xf32, #weft.dims<"b", 3, 8, 6>>) -> tensor<?x3x4x6xf32, #weft.dims<"b", 3, 4, 6>>
  %rows = weft.reshape %q : (tensor<?x3x4x8xf32, #weft.dims<"b", 3, 4, 8>>) -> tensor<?x12x8xf32, #weft.dims<"b", 12, 8>>
  %p1 = weft.matmul %rows, %k1 : (tensor<?x12x8xf32, #weft.dims<"b", 12, 8>>, tensor<?x8x5xf32, #weft.dims<"b", 8, 5>>) -> tensor<?x12x5xf32, #weft.dims<"b", 12, 5>>
  %s1 = weft.reshape %p1 : (tensor<?x12x5xf32, #weft.dims<"b", 12, 5>>) -> tensor<?x3x4x5xf32, #weft.dims<"b", 3, 4, 5>>
  %s = weft.concat %s0, %s1 {axis = 3 : i64} : (tensor<?x3x4x6xf32, #weft.dims<"b", 3, 4, 6>>, tensor<?x3x4x5xf32, #weft.dims<"b", 3, 4, 5>>) -> tensor<?x3x4x11xf32, #weft.dims<"b", 3, 4, 11>>
  %w = weft.softmax %s {axis = 3 : i64} : (tensor<?x3x4x11xf32, #weft.dims<"b", 3, 4, 11>>) -> tensor<?x3x4x11xf32, #weft.dims<"b", 3, 4, 11>>
  %w0 = weft.slice %w {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (tensor<?x3x4x11xf32, #weft.dims<"b", 3, 4, 11>>) -> tensor<?x3x4x6xf32, #weft.dims<"b", 3, 4, 6>>
  %w1 = weft.slice %w {offsets = #weft.dims<0, 0, 0, 6>, strides = array<i64: 1, 1, 1, 1>} : (tensor<?x3x4x11xf32, #weft.dims<"b", 3, 4, 11>>) -> tensor<?x3x4x5xf32, #weft.dims<"b", 3, 4, 5>>
  %y0 = weft.matmul %w0, %v0 : (tensor<?x3x4x6xf32, #weft.dims<"b", 3, 4, 6>>, tensor<?x3x6x7xf32, #weft.dims<"b", 3, 6, 7>>) -> tensor<?x3x4x7xf32, #weft.dims<"b", 3, 4, 7>>
  %flat = weft.reshape %w1 : (tensor<?x3x4x5xf32, #weft.dims<"b", 3, 4, 5>>) -> tensor<?x12x5xf32, #weft.dims<"b", 12, 5>>
  %z1 = weft.matmul %flat, %v1 : (tensor<?x12x5xf32, #weft.dims<"b", 12, 5>>, tensor<?x5x7xf32, #weft.dims<"b", 5, 7>>) -> tensor<?x12x7xf32, #weft.dims<"b", 12, 7>>
  %y1 = weft.reshape %z1 : (tensor<?x12x7xf32, #weft.dims<"b", 12, 7>>) -> tensor<?x3x4x7xf32, #weft.dims<"b", 3, 4, 7>>
  %y = weft.add %y0, %y1 : (tensor<?x3x4x7xf32, #weft.dims<"b", 3, 4, 7>>, tensor<?x3x4x7xf32, #weft.dims<"b", 3, 4, 7>>) -> tensor<?x3x4x7xf32, #weft.dims<"b", 3, 4, 7>>
  return %y : tensor<?x3x4x7xf32, #weft.dims<"b", 3, 4, 7>>
}

!t = tensor<2x3x8xf32>
!kT = tensor<2x8x5xf32>
!v = tensor<2x5x8xf32>
!part = tensor<2x3x5xf32>
!both = tensor<2x3x10xf32>

// A part of the weights that is used for nothing is a part of the softmax all the same.
// CHECK-LABEL: @half_is_lost
// CHECK: weft.concat {{.*}} -> tensor<2x3x10xf32>
func.func @half_is_lost(%q: !t, %k0: !kT, %k1: !kT, %v0: !v, %v1: !v) -> !t {
  %p0 = weft.matmul %q, %k0 : (!t, !kT) -> !part
  %p1 = weft.matmul %q, %k1 : (!t, !kT) -> !part
  %s = weft.concat %p0, %p1 {axis = 2 : i64} : (!part, !part) -> !both
  %w = weft.softmax %s {axis = 2 : i64} : (!both) -> !both
  %w0 = weft.slice %w {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (!both) -> !part
  %w1 = weft.slice %w {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (!both) -> !part
  %y0 = weft.matmul %w0, %v0 : (!part, !v) -> !t
  %y1 = weft.matmul %w1, %v1 : (!part, !v) -> !t
  %y = weft.add %y0, %y1 : (!t, !t) -> !t
  return %y : !t
}

// The queries of the second product are others.
// CHECK-LABEL: @other_queries
// CHECK: weft.concat {{.*}} -> tensor<2x3x10xf32>
func.func @other_queries(%q: !t, %other: !t, %k0: !kT, %k1: !kT, %v0: !v, %v1: !v) -> !t {
  %p0 = weft.matmul %q, %k0 : (!t, !kT) -> !part
  %p1 = weft.matmul %other, %k1 : (!t, !kT) -> !part
  %s = weft.concat %p0, %p1 {axis = 2 : i64} : (!part, !part) -> !both
  %w = weft.softmax %s {axis = 2 : i64} : (!both) -> !both
  %w0 = weft.slice %w {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (!both) -> !part
  %w1 = weft.slice %w {offsets = #weft.dims<0, 0, 5>, strides = array<i64: 1, 1, 1>} : (!both) -> !part
  %y0 = weft.matmul %w0, %v0 : (!part, !v) -> !t
  %y1 = weft.matmul %w1, %v1 : (!part, !v) -> !t
  %y = weft.add %y0, %y1 : (!t, !t) -> !t
  return %y : !t
}

// Scales that differ.
// CHECK-LABEL: @other_scale
// CHECK: weft.concat {{.*}} -> tensor<2x3x10xf32>
func.func @other_scale(%q: !t, %k0: !kT, %k1: !kT, %v0: !v, %v1: !v) -> !t {
  %half = weft.constant dense<0.5> : tensor<f32>
  %p0 = weft.matmul %q, %k0 : (!t, !kT) -> !part
  %p1 = weft.matmul %q, %k1 : (!t, !kT) -> !part
  %h1 = weft.mul %p1, %half : (!part, tensor<f32>) -> !part
  %s = weft.concat %p0, %h1 {axis = 2 : i64} : (!part, !part) -> !both
  %w = weft.softmax %s {axis = 2 : i64} : (!both) -> !both
  %w0 = weft.slice %w {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (!both) -> !part
  %w1 = weft.slice %w {offsets = #weft.dims<0, 0, 5>, strides = array<i64: 1, 1, 1>} : (!both) -> !part
  %y0 = weft.matmul %w0, %v0 : (!part, !v) -> !t
  %y1 = weft.matmul %w1, %v1 : (!part, !v) -> !t
  %y = weft.add %y0, %y1 : (!t, !t) -> !t
  return %y : !t
}

// One of the products with values counts twice.
// CHECK-LABEL: @counts_twice
// CHECK: weft.concat {{.*}} -> tensor<2x3x10xf32>
func.func @counts_twice(%q: !t, %k0: !kT, %k1: !kT, %v0: !v, %v1: !v) -> !t {
  %p0 = weft.matmul %q, %k0 : (!t, !kT) -> !part
  %p1 = weft.matmul %q, %k1 : (!t, !kT) -> !part
  %s = weft.concat %p0, %p1 {axis = 2 : i64} : (!part, !part) -> !both
  %w = weft.softmax %s {axis = 2 : i64} : (!both) -> !both
  %w0 = weft.slice %w {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (!both) -> !part
  %w1 = weft.slice %w {offsets = #weft.dims<0, 0, 5>, strides = array<i64: 1, 1, 1>} : (!both) -> !part
  %y0 = weft.matmul %w0, %v0 : (!part, !v) -> !t
  %y1 = weft.matmul %w1, %v1 : (!part, !v) -> !t
  %y = weft.add %y0, %y1 : (!t, !t) -> !t
  %z = weft.add %y, %y1 : (!t, !t) -> !t
  return %z : !t
}
