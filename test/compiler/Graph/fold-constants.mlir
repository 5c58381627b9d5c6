// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: weft-opt %s -weft-fold-constants | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: weft-opt %s -weft-fold-constants="cap=1000" | FileCheck %s --check-prefixes=CHECK,NARROW

// Chains fold in one walk, and what they were made of is gone.
// CHECK-LABEL: @chain
// CHECK-NEXT: %[[C:.*]] = weft.constant dense<[2.000000e+00, 6.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: return %[[C]]
func.func @chain() -> tensor<2xf32> {
  %a = weft.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = weft.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %m = weft.mul %s, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %half = weft.constant dense<[1.0, 0.75]> : tensor<2xf32>
  %r = weft.mul %m, %half : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// A splat stays one number, however large it gets.
// CHECK-LABEL: @splat
// WIDE-NEXT: weft.constant dense<1.000000e+00> : tensor<64x64xf32>
// NARROW: weft.expand
func.func @splat() -> tensor<64x64xf32> {
  %one = weft.constant dense<1.0> : tensor<f32>
  %r = weft.expand %one : (tensor<f32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// 8 x 8 x 64 multiplications are more work than the cap, although the result is small.
// CHECK-LABEL: @work
// WIDE-NEXT: weft.constant dense<6.400000e+01> : tensor<8x8xf32>
// NARROW: weft.matmul
func.func @work() -> tensor<8x8xf32> {
  %a = weft.constant dense<1.0> : tensor<8x64xf32>
  %b = weft.constant dense<1.0> : tensor<64x8xf32>
  %r = weft.matmul %a, %b : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// A transposed matrix that only packing reads is left to it; one with another reader is not.
// CHECK-LABEL: @weights
// CHECK: %[[T:.*]] = weft.transpose
// CHECK: weft.matmul %{{.*}}, %[[T]]
// CHECK: %[[C:.*]] = weft.constant dense<{{.*}}> : tensor<3x2xf32>
// CHECK: weft.matmul %{{.*}}, %[[C]]
// CHECK: return %{{.*}}, %{{.*}}, %[[C]]
func.func @weights(%x: tensor<4x3xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<3x2xf32>) {
  %a = weft.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = weft.constant dense<[[7.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %t = weft.transpose %a {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %y = weft.matmul %x, %t : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %u = weft.transpose %b {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %z = weft.matmul %x, %u : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  return %y, %z, %u : tensor<4x2xf32>, tensor<4x2xf32>, tensor<3x2xf32>
}

// A view of a constant costs nothing, so no cap holds for it.
// CHECK-LABEL: @view
// CHECK-NEXT: weft.constant dense<0.000000e+00> : tensor<4096xf32>
func.func @view() -> tensor<4096xf32> {
  %c = weft.constant dense<0.0> : tensor<64x64xf32>
  %r = weft.reshape %c : (tensor<64x64xf32>) -> tensor<4096xf32>
  return %r : tensor<4096xf32>
}

// What has an operand that is not constant stays.
// CHECK-LABEL: @variable
// CHECK: weft.add
func.func @variable(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = weft.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = weft.add %a, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %s : tensor<2xf32>
}
