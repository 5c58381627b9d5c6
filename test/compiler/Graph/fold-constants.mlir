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

// 8 x 8 x 512 multiplications are more work than 32 times the cap, although the result is small.
// CHECK-LABEL: @work
// WIDE-NEXT: weft.constant dense<5.120000e+02> : tensor<8x8xf32>
// NARROW: weft.matmul
func.func @work() -> tensor<8x8xf32> {
  %a = weft.constant dense<1.0> : tensor<8x512xf32>
  %b = weft.constant dense<1.0> : tensor<512x8xf32>
  %r = weft.matmul %a, %b : (tensor<8x512xf32>, tensor<512x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// 8 x 8 x 64 are not.
// CHECK-LABEL: @product
// CHECK-NEXT: weft.constant dense<6.400000e+01> : tensor<8x8xf32>
// CHECK-NOT: weft.matmul
func.func @product() -> tensor<8x8xf32> {
  %a = weft.constant dense<1.0> : tensor<8x64xf32>
  %b = weft.constant dense<1.0> : tensor<64x8xf32>
  %r = weft.matmul %a, %b : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// A transposed matrix is not left to packing where the product is constant, too.
// CHECK-LABEL: @product_of_transposed
// CHECK-NEXT: weft.constant dense<{{\[\[}}8.000000e+00, 1.000000e+01], [1.800000e+01, 2.400000e+01{{\]\]}}> : tensor<2x2xf32>
// CHECK-NOT: weft.matmul
func.func @product_of_transposed() -> tensor<2x2xf32> {
  %a = weft.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = weft.constant dense<[[2.0, 3.0], [4.0, 3.0]]> : tensor<2x2xf32>
  %t = weft.transpose %b {permutation = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %r = weft.matmul %a, %t : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
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

// A transposed constant takes the place of one that nothing else reads. Beside another it is one more; that of a matrix is
// left to packing, or stays.
// CHECK-LABEL: @transposed
// CHECK-NEXT: weft.constant dense<0.000000e+00> : tensor<16x4x16xf32>
// WIDE-NOT: weft.transpose
// NARROW: weft.transpose {{.*}} (tensor<4x16x32xf32>)
// NARROW: weft.transpose {{.*}} (tensor<32x64xf32>)
// CHECK: return
func.func @transposed() -> (tensor<16x4x16xf32>, tensor<4x16x32xf32>, tensor<16x32x4xf32>, tensor<64x32xf32>) {
  %c = weft.constant dense<0.0> : tensor<4x16x16xf32>
  %r = weft.transpose %c {permutation = array<i64: 1, 0, 2>} : (tensor<4x16x16xf32>) -> tensor<16x4x16xf32>
  %d = weft.constant dense<1.0> : tensor<4x16x32xf32>
  %s = weft.transpose %d {permutation = array<i64: 1, 2, 0>} : (tensor<4x16x32xf32>) -> tensor<16x32x4xf32>
  %e = weft.constant dense<1.0> : tensor<32x64xf32>
  %t = weft.transpose %e {permutation = array<i64: 1, 0>} : (tensor<32x64xf32>) -> tensor<64x32xf32>
  return %r, %d, %s, %t : tensor<16x4x16xf32>, tensor<4x16x32xf32>, tensor<16x32x4xf32>, tensor<64x32xf32>
}

// What has an operand that is not constant stays.
// CHECK-LABEL: @variable
// CHECK: weft.add
func.func @variable(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = weft.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = weft.add %a, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %s : tensor<2xf32>
}

// Numbers of 4 bits, the first in the lowest: 1, 2, 3, 4 less the group's zero, times its scale; of 2 bits: 0, 1, 2, 3 less 1; and a byte. What
// is behind the length is not read.
// CHECK-LABEL: @dequantize
// CHECK-NEXT: %[[A:.*]] = weft.constant dense<{{\[\[}}0.000000e+00, 5.000000e-01, 5.000000e+00, 7.000000e+00]]> : tensor<1x4xf32>
// CHECK-NEXT: %[[B:.*]] = weft.constant dense<[-2.000000e+00, 0.000000e+00, 2.000000e+00, 4.000000e+00, -2.000000e+00]> : tensor<5xf16>
// CHECK-NEXT: %[[C:.*]] = weft.constant dense<{{\[\[}}2.550000e+02], [1.280000e+02]]> : tensor<2x1xbf16>
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @dequantize() -> (tensor<1x4xf32>, tensor<5xf16>, tensor<2x1xbf16>) {
  %q = weft.constant dense<[[0x21, 0x43, 0xFF]]> : tensor<1x3xui8>
  %s = weft.constant dense<[[0.5, 2.0]]> : tensor<1x2xf32>
  %z = weft.constant dense<[[1.0, 0.5]]> : tensor<1x2xf32>
  %a = weft.dequantize %q, %s, %z {bits = 4, group = 2, length = 4} : (tensor<1x3xui8>, tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32>
  %p = weft.constant dense<[0xE4, 0xFC]> : tensor<2xui8>
  %t = weft.constant dense<[2.0]> : tensor<1xf16>
  %one = weft.constant dense<1.0> : tensor<f16>
  %b = weft.dequantize %p, %t, %one {bits = 2, group = 8, length = 5} : (tensor<2xui8>, tensor<1xf16>, tensor<f16>) -> tensor<5xf16>
  %bytes = weft.constant dense<[[255], [128]]> : tensor<2x1xui8>
  %u = weft.constant dense<1.0> : tensor<2x1xbf16>
  %none = weft.constant dense<0.0> : tensor<bf16>
  %c = weft.dequantize %bytes, %u, %none {bits = 8, group = 1, length = 1} : (tensor<2x1xui8>, tensor<2x1xbf16>, tensor<bf16>) -> tensor<2x1xbf16>
  return %a, %b, %c : tensor<1x4xf32>, tensor<5xf16>, tensor<2x1xbf16>
}

// Numbers that only right-hand sides of matmul read, transposed, are packed as they are; those of groups of 20 are not.
// CHECK-LABEL: @left_to_packing
// CHECK: weft.dequantize {{.*}} {bits = 4 : i64, group = 32 : i64
// CHECK-NOT: weft.dequantize
func.func @left_to_packing(%x: tensor<3x40xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %q = weft.constant dense<0x21> : tensor<5x20xui8>
  %s = weft.constant dense<0.5> : tensor<5x2xf32>
  %z = weft.constant dense<1.0> : tensor<f32>
  %w = weft.dequantize %q, %s, %z {bits = 4, group = 32, length = 40} : (tensor<5x20xui8>, tensor<5x2xf32>, tensor<f32>) -> tensor<5x40xf32>
  %t = weft.transpose %w {permutation = array<i64: 1, 0>} : (tensor<5x40xf32>) -> tensor<40x5xf32>
  %y = weft.matmul %x, %t : (tensor<3x40xf32>, tensor<40x5xf32>) -> tensor<3x5xf32>
  %v = weft.dequantize %q, %s, %z {bits = 4, group = 20, length = 40} : (tensor<5x20xui8>, tensor<5x2xf32>, tensor<f32>) -> tensor<5x40xf32>
  %u = weft.transpose %v {permutation = array<i64: 1, 0>} : (tensor<5x40xf32>) -> tensor<40x5xf32>
  %r = weft.matmul %x, %u : (tensor<3x40xf32>, tensor<40x5xf32>) -> tensor<3x5xf32>
  return %y, %r : tensor<3x5xf32>, tensor<3x5xf32>
}

// Scales and zero points of a weight that is packed fold whatever they take.
// CHECK-LABEL: @parts
// CHECK-NOT: weft.dequantize {{.*}} length = 600
// CHECK-NOT: weft.cast
// CHECK: weft.dequantize {{.*}} length = 9600
// CHECK-NOT: weft.dequantize
func.func @parts(%x: tensor<3x9600xf32>) -> tensor<3x2xf32> {
  %q = weft.constant dense<0x21> : tensor<2x4800xui8>
  %h = weft.constant dense<0.5> : tensor<2x600xf16>
  %s = weft.cast %h to f32 : (tensor<2x600xf16>) -> tensor<2x600xf32>
  %b = weft.constant dense<0x87> : tensor<2x300xui8>
  %ones = weft.constant dense<1.0> : tensor<2x1xf32>
  %none = weft.constant dense<0.0> : tensor<f32>
  %z = weft.dequantize %b, %ones, %none {bits = 4, group = 600, length = 600} : (tensor<2x300xui8>, tensor<2x1xf32>, tensor<f32>) -> tensor<2x600xf32>
  %w = weft.dequantize %q, %s, %z {bits = 4, group = 16, length = 9600} : (tensor<2x4800xui8>, tensor<2x600xf32>, tensor<2x600xf32>) -> tensor<2x9600xf32>
  %t = weft.transpose %w {permutation = array<i64: 1, 0>} : (tensor<2x9600xf32>) -> tensor<9600x2xf32>
  %y = weft.matmul %x, %t : (tensor<3x9600xf32>, tensor<9600x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}
