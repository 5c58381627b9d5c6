// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What looks at windows copies none of them.
// RUN: weft-opt %s -weft-form-steps --cse -o %t
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=KERNEL < %t

!x = tensor<?x?x?x32xf32, #weft.dims<"b", "h", "w", 32>>
!p = tensor<?x?x?x32xf32, #weft.dims<"b", "h" + 2, "w" + 2, 32>>

// A frame is filled and the input copied into it; three taps of a row of the kernel lie side by side, in three pieces of 96 numbers.
// CHECK-LABEL: @product
// CHECK: weft.step @fill
// CHECK: weft.step @pad
// CHECK-NOT: weft.step @windows
// CHECK: weft.step @matmul
// KERNEL-LABEL: weft.kernel @matmul(
// KERNEL: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%{{.*}}, %{{.*}}, %{{.*}}, 3, 96], strides: [%{{.*}}, %{{.*}}, 32, %{{.*}}, 1]
// KERNEL: weft.gemm_tile {{.*}} {row_dims = 3 : i64}
func.func @product(%x: !x, %f: tensor<288x8xf32>) -> tensor<?x?x?x8xf32, #weft.dims<"b", "h", "w", 8>> {
  %p = weft.pad constant %x {before = #weft.dims<0, 1, 1, 0>, after = #weft.dims<0, 1, 1, 0>} : (!x) -> !p
  %w = weft.windows %p {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (!p) -> tensor<?x?x?x3x3x32xf32, #weft.dims<"b", "h", "w", 3, 3, 32>>
  %r = weft.reshape %w : (tensor<?x?x?x3x3x32xf32, #weft.dims<"b", "h", "w", 3, 3, 32>>) -> tensor<?x?x?x288xf32, #weft.dims<"b", "h", "w", 288>>
  %y = weft.matmul %r, %f : (tensor<?x?x?x288xf32, #weft.dims<"b", "h", "w", 288>>, tensor<288x8xf32>) -> tensor<?x?x?x8xf32, #weft.dims<"b", "h", "w", 8>>
  return %y : tensor<?x?x?x8xf32, #weft.dims<"b", "h", "w", 8>>
}

// Short pieces are copied side by side.
// CHECK-LABEL: @short
// CHECK: weft.step @windows
// CHECK: weft.step @matmul
func.func @short(%x: tensor<1x9x9x8xf32>, %f: tensor<72x8xf32>) -> tensor<1x7x7x8xf32> {
  %w = weft.windows %x {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x9x9x8xf32>) -> tensor<1x7x7x3x3x8xf32>
  %r = weft.reshape %w : (tensor<1x7x7x3x3x8xf32>) -> tensor<1x7x7x72xf32>
  %y = weft.matmul %r, %f : (tensor<1x7x7x72xf32>, tensor<72x8xf32>) -> tensor<1x7x7x8xf32>
  return %y : tensor<1x7x7x8xf32>
}

// Each tap is the input, seen from there: tap 1 of 3 begins 2 rows further, and places are 3 rows apart.
// CHECK-LABEL: @depthwise
// CHECK: weft.step @depthwise_conv{{.*}} work(<240> flops, <416> bytes)
// KERNEL: weft.kernel @depthwise_conv(%{{.*}}: index, %[[X:.*]]: memref<1x18x8xf32>, %[[F:.*]]: memref<3x8xf32>, %{{.*}}: memref<5x8xf32>)
// KERNEL: memref.reinterpret_cast %[[X]] to offset: [0], sizes: [5, 8], strides: [24, 1]
// KERNEL: memref.reinterpret_cast %[[X]] to offset: [16], sizes: [5, 8], strides: [24, 1]
// KERNEL: memref.reinterpret_cast %[[F]] to offset: [8], sizes: [8], strides: [1]
// KERNEL: arith.mulf
// KERNEL: math.fma
func.func @depthwise(%x: tensor<1x18x8xf32>, %f: tensor<3x8xf32>) -> tensor<1x5x8xf32> {
  %y = weft.depthwise_conv %x, %f {strides = array<i64: 3>, dilations = array<i64: 2>} : (tensor<1x18x8xf32>, tensor<3x8xf32>) -> tensor<1x5x8xf32>
  return %y : tensor<1x5x8xf32>
}

// A pool.
// CHECK-LABEL: @pool
// CHECK-NOT: weft.step @windows
// CHECK: weft.step @reduce_max
// KERNEL: arith.maximumf
func.func @pool(%x: tensor<1x9x8xf32>) -> tensor<1x7x8xf32> {
  %w = weft.windows %x {kernel = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<1x9x8xf32>) -> tensor<1x7x3x8xf32>
  %t = weft.transpose %w {permutation = array<i64: 0, 1, 3, 2>} : (tensor<1x7x3x8xf32>) -> tensor<1x7x8x3xf32>
  %y = weft.reduce max %t {axes = array<i64: 3>} : (tensor<1x7x8x3xf32>) -> tensor<1x7x8xf32>
  return %y : tensor<1x7x8xf32>
}
