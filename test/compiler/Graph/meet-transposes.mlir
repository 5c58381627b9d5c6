// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: weft-opt %s -weft-meet-transposes | FileCheck %s

!product = tensor<4x?x?x?xf32, #weft.dims<4, "l", "b", "r">>
!scores = tensor<?x?x?x4xf32, #weft.dims<"l", "r", "b", 4>>
!zeros = tensor<?x1x?x4xf32, #weft.dims<"l", 1, "b", 4>>
!padded = tensor<?x?x?x4xf32, #weft.dims<"l", "r" + 1, "b", 4>>
!turned = tensor<?x?x?x4xf32, #weft.dims<"r" + 1, "l", "b", 4>>
!cut = tensor<?x?x?x4xf32, #weft.dims<"r", "l", "b", 4>>
!bias = tensor<?x4x?x?xf32, #weft.dims<"b", 4, "l", "r">>

// The relative shift of Transformer-XL: all that is left of two transposes is one of the product.
// CHECK-LABEL: @shift
// CHECK-SAME: %[[P:[a-z0-9]+]]:
// CHECK-DAG: %[[ZERO:.*]] = weft.expand %{{.*}} -> tensor<?x4x?x1xf32, #weft.dims<"b", 4, "l", 1>>
// CHECK-DAG: %[[T:.*]] = weft.transpose %[[P]] {permutation = array<i64: 2, 0, 1, 3>}
// CHECK: %[[PADDED:.*]] = weft.concat %[[ZERO]], %[[T]] {axis = 3 : i64}
// CHECK: %[[TURNED:.*]] = weft.reshape %[[PADDED]] : {{.*}} -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "r" + 1, "l">>
// CHECK: %[[CUT:.*]] = weft.slice %[[TURNED]] {offsets = #weft.dims<0, 0, 1, 0>, strides = array<i64: 1, 1, 1, 1>}
// CHECK: %[[BACK:.*]] = weft.reshape %[[CUT]] : {{.*}} -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "l", "r">>
// CHECK: return %[[BACK]]
func.func @shift(%product: !product) -> !bias {
  %zero = weft.constant dense<0.0> : tensor<f32>
  %x = weft.transpose %product {permutation = array<i64: 1, 3, 2, 0>} : (!product) -> !scores
  %zeros = weft.expand %zero : (tensor<f32>) -> !zeros
  %padded = weft.concat %zeros, %x {axis = 1 : i64} : (!zeros, !scores) -> !padded
  %turned = weft.reshape %padded : (!padded) -> !turned
  %cut = weft.slice %turned {offsets = #weft.dims<1, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (!turned) -> !cut
  %back = weft.reshape %cut : (!cut) -> !scores
  %bias = weft.transpose %back {permutation = array<i64: 2, 3, 0, 1>} : (!scores) -> !bias
  return %bias : !bias
}

// A stride and an offset go with their dim.
// CHECK-LABEL: @slice
// CHECK: %[[T:.*]] = weft.transpose %{{.*}} {permutation = array<i64: 1, 2, 0>}
// CHECK-NOT: weft.transpose
// CHECK: weft.slice %[[T]] {offsets = #weft.dims<2, 0, "n" - 1>, strides = array<i64: 3, 1, -1>}
func.func @slice(%x: tensor<?x8x5xf32, #weft.dims<"n", 8, 5>>) -> tensor<1x5x?xf32, #weft.dims<1, 5, "n">> {
  %u = weft.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<?x8x5xf32, #weft.dims<"n", 8, 5>>) -> tensor<?x5x8xf32, #weft.dims<"n", 5, 8>>
  %s = weft.slice %u {offsets = #weft.dims<"n" - 1, 0, 2>, strides = array<i64: -1, 1, 3>} : (tensor<?x5x8xf32, #weft.dims<"n", 5, 8>>) -> tensor<?x5x1xf32, #weft.dims<"n", 5, 1>>
  %y = weft.transpose %s {permutation = array<i64: 2, 1, 0>} : (tensor<?x5x1xf32, #weft.dims<"n", 5, 1>>) -> tensor<1x5x?xf32, #weft.dims<1, 5, "n">>
  return %y : tensor<1x5x?xf32, #weft.dims<1, 5, "n">>
}

// What is between them is needed as it is, too: one transpose is left of two.
// CHECK-LABEL: @used
// CHECK: %[[S:.*]] = weft.slice %{{.*}} {offsets = #weft.dims<0, 4>
// CHECK: %[[T:.*]] = weft.transpose %[[S]] {permutation = array<i64: 1, 0>}
// CHECK-NOT: weft.transpose
// CHECK: return %[[T]], %[[S]]
func.func @used(%x: tensor<?x8xf32, #weft.dims<"n", 8>>) -> (tensor<4x?xf32, #weft.dims<4, "n">>, tensor<?x4xf32, #weft.dims<"n", 4>>) {
  %t = weft.transpose %x {permutation = array<i64: 1, 0>} : (tensor<?x8xf32, #weft.dims<"n", 8>>) -> tensor<8x?xf32, #weft.dims<8, "n">>
  %s = weft.slice %t {offsets = #weft.dims<4, 0>, strides = array<i64: 1, 1>} : (tensor<8x?xf32, #weft.dims<8, "n">>) -> tensor<4x?xf32, #weft.dims<4, "n">>
  %r = weft.transpose %s {permutation = array<i64: 1, 0>} : (tensor<4x?xf32, #weft.dims<4, "n">>) -> tensor<?x4xf32, #weft.dims<"n", 4>>
  return %s, %r : tensor<4x?xf32, #weft.dims<4, "n">>, tensor<?x4xf32, #weft.dims<"n", 4>>
}

// Two values between them are needed as they are: there would be no fewer.
// CHECK-LABEL: @both_used
// CHECK: weft.transpose %arg0
// CHECK: weft.relu
// CHECK: weft.neg
// CHECK: weft.transpose
// CHECK: return
func.func @both_used(%x: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<4x8xf32>) {
  %t = weft.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %a = weft.relu %t : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %b = weft.neg %a : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %r = weft.transpose %b {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %a, %b, %r : tensor<8x4xf32>, tensor<8x4xf32>, tensor<4x8xf32>
}

// Of residual connections around activations: each sum is read twice.
// CHECK-LABEL: @residual
// CHECK-NOT: weft.transpose
// CHECK: %[[S:.*]] = weft.add %arg0, %arg1
// CHECK-NOT: weft.transpose
// CHECK: %[[R:.*]] = weft.relu %[[S]]
// CHECK-NOT: weft.transpose
// CHECK: %[[T:.*]] = weft.add %[[S]], %arg2
// CHECK-NOT: weft.transpose
// CHECK: return %[[R]], %[[T]]
func.func @residual(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %z: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %a = weft.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %b = weft.transpose %y {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %c = weft.transpose %z {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %s = weft.add %a, %b : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = weft.relu %s : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %r = weft.transpose %p {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %q = weft.add %s, %c : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %u = weft.transpose %q {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %r, %u : tensor<4x8xf32>, tensor<4x8xf32>
}

// The transpose takes apart what the reshape split.
// CHECK-LABEL: @split
// CHECK: weft.reshape
// CHECK: weft.transpose %{{.*}} {permutation = array<i64: 1, 0, 2>}
func.func @split(%x: tensor<?x8xf32, #weft.dims<"n", 8>>) -> tensor<4x2x?xf32, #weft.dims<4, 2, "n">> {
  %t = weft.transpose %x {permutation = array<i64: 1, 0>} : (tensor<?x8xf32, #weft.dims<"n", 8>>) -> tensor<8x?xf32, #weft.dims<8, "n">>
  %r = weft.reshape %t : (tensor<8x?xf32, #weft.dims<8, "n">>) -> tensor<2x4x?xf32, #weft.dims<2, 4, "n">>
  %y = weft.transpose %r {permutation = array<i64: 1, 0, 2>} : (tensor<2x4x?xf32, #weft.dims<2, 4, "n">>) -> tensor<4x2x?xf32, #weft.dims<4, 2, "n">>
  return %y : tensor<4x2x?xf32, #weft.dims<4, 2, "n">>
}

// Dims of 1 stand anywhere; what is joined is transposed, each of it.
// CHECK-LABEL: @ones
// CHECK-NOT: weft.transpose
// CHECK: %[[C:.*]] = weft.concat %{{.*}}, %{{.*}} {axis = 0 : i64}
// CHECK: weft.reshape %[[C]] : {{.*}} -> tensor<?x1x8xf32, #weft.dims<"m" + "n", 1, 8>>
// CHECK-NOT: weft.transpose
func.func @ones(%x: tensor<?x8xf32, #weft.dims<"n", 8>>, %y: tensor<?x8xf32, #weft.dims<"m", 8>>) -> tensor<?x1x8xf32, #weft.dims<"m" + "n", 1, 8>> {
  %a = weft.transpose %x {permutation = array<i64: 1, 0>} : (tensor<?x8xf32, #weft.dims<"n", 8>>) -> tensor<8x?xf32, #weft.dims<8, "n">>
  %b = weft.transpose %y {permutation = array<i64: 1, 0>} : (tensor<?x8xf32, #weft.dims<"m", 8>>) -> tensor<8x?xf32, #weft.dims<8, "m">>
  %c = weft.concat %a, %b {axis = 1 : i64} : (tensor<8x?xf32, #weft.dims<8, "n">>, tensor<8x?xf32, #weft.dims<8, "m">>) -> tensor<8x?xf32, #weft.dims<8, "m" + "n">>
  %r = weft.reshape %c : (tensor<8x?xf32, #weft.dims<8, "m" + "n">>) -> tensor<1x8x?xf32, #weft.dims<1, 8, "m" + "n">>
  %z = weft.transpose %r {permutation = array<i64: 2, 0, 1>} : (tensor<1x8x?xf32, #weft.dims<1, 8, "m" + "n">>) -> tensor<?x1x8xf32, #weft.dims<"m" + "n", 1, 8>>
  return %z : tensor<?x1x8xf32, #weft.dims<"m" + "n", 1, 8>>
}

// An image is enlarged between two others, along both of its dims: all of it moves rows of channels.
// CHECK-LABEL: @enlarge
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x?x?x8xf32
// CHECK-NOT: weft.transpose
// CHECK: %[[A:.*]] = weft.gather %[[X]], %arg1 {axis = 2 : i64}
// CHECK: %[[B:.*]] = weft.gather %[[X]], %arg2 {axis = 2 : i64}
// CHECK: %[[W:.*]] = weft.reshape %arg3 : {{.*}} -> tensor<1x1x?x1xf32, #weft.dims<1, 1, "n", 1>>
// CHECK: %[[M:.*]] = weft.mul %[[B]], %[[W]]
// CHECK: %[[S:.*]] = weft.add %[[A]], %[[M]]
// CHECK: %[[R:.*]] = weft.relu %[[X]]
// CHECK: %[[G:.*]] = weft.gather %[[R]], %arg1 {axis = 2 : i64}
// CHECK: %[[C:.*]] = weft.concat %[[S]], %[[G]] {axis = 3 : i64}
// CHECK-NOT: weft.transpose
// CHECK: return %[[C]]
func.func @enlarge(%x: tensor<1x?x?x8xf32, #weft.dims<1, "h", "w", 8>>, %a: tensor<?xi64, #weft.dims<"n">>, %b: tensor<?xi64, #weft.dims<"n">>, %part: tensor<?xf32, #weft.dims<"n">>) -> tensor<1x?x?x16xf32, #weft.dims<1, "h", "n", 16>> {
  %t = weft.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x?x?x8xf32, #weft.dims<1, "h", "w", 8>>) -> tensor<1x8x?x?xf32, #weft.dims<1, 8, "h", "w">>
  %low = weft.gather %t, %a {axis = 3 : i64} : (tensor<1x8x?x?xf32, #weft.dims<1, 8, "h", "w">>, tensor<?xi64, #weft.dims<"n">>) -> tensor<1x8x?x?xf32, #weft.dims<1, 8, "h", "n">>
  %high = weft.gather %t, %b {axis = 3 : i64} : (tensor<1x8x?x?xf32, #weft.dims<1, 8, "h", "w">>, tensor<?xi64, #weft.dims<"n">>) -> tensor<1x8x?x?xf32, #weft.dims<1, 8, "h", "n">>
  %m = weft.mul %high, %part : (tensor<1x8x?x?xf32, #weft.dims<1, 8, "h", "n">>, tensor<?xf32, #weft.dims<"n">>) -> tensor<1x8x?x?xf32, #weft.dims<1, 8, "h", "n">>
  %s = weft.add %low, %m : (tensor<1x8x?x?xf32, #weft.dims<1, 8, "h", "n">>, tensor<1x8x?x?xf32, #weft.dims<1, 8, "h", "n">>) -> tensor<1x8x?x?xf32, #weft.dims<1, 8, "h", "n">>
  %r = weft.relu %t : (tensor<1x8x?x?xf32, #weft.dims<1, 8, "h", "w">>) -> tensor<1x8x?x?xf32, #weft.dims<1, 8, "h", "w">>
  %g = weft.gather %r, %a {axis = 3 : i64} : (tensor<1x8x?x?xf32, #weft.dims<1, 8, "h", "w">>, tensor<?xi64, #weft.dims<"n">>) -> tensor<1x8x?x?xf32, #weft.dims<1, 8, "h", "n">>
  %c = weft.concat %s, %g {axis = 1 : i64} : (tensor<1x8x?x?xf32, #weft.dims<1, 8, "h", "n">>, tensor<1x8x?x?xf32, #weft.dims<1, 8, "h", "n">>) -> tensor<1x16x?x?xf32, #weft.dims<1, 16, "h", "n">>
  %y = weft.transpose %c {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x16x?x?xf32, #weft.dims<1, 16, "h", "n">>) -> tensor<1x?x?x16xf32, #weft.dims<1, "h", "n", 16>>
  return %y : tensor<1x?x?x16xf32, #weft.dims<1, "h", "n", 16>>
}

// Numbers in a row that are a part of something larger are turned around themselves.
// CHECK-LABEL: @row
// CHECK: %[[S:.*]] = weft.slice %arg1
// CHECK: %[[R:.*]] = weft.reshape %[[S]] : (tensor<3x1xf32>) -> tensor<1x3xf32>
// CHECK: weft.mul %arg0, %[[R]]
// CHECK-NOT: weft.transpose
func.func @row(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> tensor<2x3xf32> {
  %t = weft.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %s = weft.slice %y {offsets = #weft.dims<0, 1>, strides = array<i64: 1, 1>} : (tensor<3x2xf32>) -> tensor<3x1xf32>
  %m = weft.mul %t, %s : (tensor<3x2xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  %z = weft.transpose %m {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}

// Numbers of two dims are not turned around for it.
// CHECK-LABEL: @others
// CHECK: weft.transpose
// CHECK: weft.add
// CHECK: weft.transpose
func.func @others(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> tensor<2x3xf32> {
  %t = weft.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %s = weft.add %t, %y : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %z = weft.transpose %s {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}

// A few channels in front are mixed where they lie: a bias meets what is behind them.
// CHECK-LABEL: @mix_heads
// CHECK: %[[W:.*]] = weft.transpose %arg1 {permutation = array<i64: 1, 0>}
// CHECK: %[[L:.*]] = weft.reshape %[[W]] : {{.*}} -> tensor<1x6x4xf32>
// CHECK: %[[R:.*]] = weft.reshape %arg0 : {{.*}} -> tensor<?x4x?xf32, #weft.dims<"b", 4, "l" * "l">>
// CHECK: %[[P:.*]] = weft.matmul %[[L]], %[[R]]
// CHECK: %[[Y:.*]] = weft.reshape %[[P]] : {{.*}} -> tensor<?x6x?x?xf32, #weft.dims<"b", 6, "l", "l">>
// CHECK: %[[B:.*]] = weft.reshape %arg2 : {{.*}} -> tensor<1x6x1x1xf32>
// CHECK: %[[S:.*]] = weft.add %[[Y]], %[[B]]
// CHECK: return %[[S]]
func.func @mix_heads(%x: tensor<?x4x?x?xf32, #weft.dims<"b", 4, "l", "l">>, %w: tensor<4x6xf32>, %bias: tensor<6xf32>) -> tensor<?x6x?x?xf32, #weft.dims<"b", 6, "l", "l">> {
  %t = weft.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "l", "l">>) -> tensor<?x?x?x4xf32, #weft.dims<"b", "l", "l", 4>>
  %p = weft.matmul %t, %w : (tensor<?x?x?x4xf32, #weft.dims<"b", "l", "l", 4>>, tensor<4x6xf32>) -> tensor<?x?x?x6xf32, #weft.dims<"b", "l", "l", 6>>
  %q = weft.add %p, %bias : (tensor<?x?x?x6xf32, #weft.dims<"b", "l", "l", 6>>, tensor<6xf32>) -> tensor<?x?x?x6xf32, #weft.dims<"b", "l", "l", 6>>
  %y = weft.transpose %q {permutation = array<i64: 0, 3, 1, 2>} : (tensor<?x?x?x6xf32, #weft.dims<"b", "l", "l", 6>>) -> tensor<?x6x?x?xf32, #weft.dims<"b", 6, "l", "l">>
  return %y : tensor<?x6x?x?xf32, #weft.dims<"b", 6, "l", "l">>
}

// Many channels are moved; so are some that change places with others, and some that stay at the end.
// CHECK-LABEL: @mix_others
// CHECK: %[[A:.*]] = weft.transpose %arg0
// CHECK: weft.matmul %[[A]], %arg1
// CHECK: %[[B:.*]] = weft.transpose %arg2
// CHECK: weft.matmul %[[B]], %arg3
// CHECK: %[[C:.*]] = weft.transpose %arg2
// CHECK: weft.matmul %[[C]], %arg3
func.func @mix_others(%x: tensor<2x17x3xf32>, %w: tensor<17x2xf32>, %z: tensor<2x4x3x5xf32>, %v: tensor<4x2xf32>) -> (tensor<2x2x3xf32>, tensor<2x2x3x5xf32>, tensor<2x3x5x2xf32>) {
  %a = weft.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<2x17x3xf32>) -> tensor<2x3x17xf32>
  %p = weft.matmul %a, %w : (tensor<2x3x17xf32>, tensor<17x2xf32>) -> tensor<2x3x2xf32>
  %s = weft.transpose %p {permutation = array<i64: 0, 2, 1>} : (tensor<2x3x2xf32>) -> tensor<2x2x3xf32>
  %b = weft.transpose %z {permutation = array<i64: 0, 3, 2, 1>} : (tensor<2x4x3x5xf32>) -> tensor<2x5x3x4xf32>
  %q = weft.matmul %b, %v : (tensor<2x5x3x4xf32>, tensor<4x2xf32>) -> tensor<2x5x3x2xf32>
  %t = weft.transpose %q {permutation = array<i64: 0, 3, 2, 1>} : (tensor<2x5x3x2xf32>) -> tensor<2x2x3x5xf32>
  %c = weft.transpose %z {permutation = array<i64: 0, 2, 3, 1>} : (tensor<2x4x3x5xf32>) -> tensor<2x3x5x4xf32>
  %r = weft.matmul %c, %v : (tensor<2x3x5x4xf32>, tensor<4x2xf32>) -> tensor<2x3x5x2xf32>
  return %s, %t, %r : tensor<2x2x3xf32>, tensor<2x2x3x5xf32>, tensor<2x3x5x2xf32>
}
