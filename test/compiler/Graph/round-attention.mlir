// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention beside products of bf16 becomes one of bf16 where its keys and values are computed; casts to bf16 move to where numbers are made.
// RUN: weft-opt %s -weft-round-attention | FileCheck %s --implicit-check-not=weft.cast
#nm = #weft.dims<"n", 64>
#heads = #weft.dims<1, 4, "n", 16>
#rows = #weft.dims<1, "n", 4, 16>

// Behind the products nothing is f32 any more but sums, scores, and what goes out. A bias is added before a sum is rounded.
// CHECK-LABEL: @layer
// CHECK: %[[Q:.*]] = weft.matmul %arg0, %arg1 captures(%arg2 : tensor<64xf32>) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32):
// CHECK-NEXT: %[[BIASED:.*]] = arith.addf %[[SUM]], %[[BIAS]] : f32
// CHECK-NEXT: %[[ROUNDED:.*]] = arith.truncf %[[BIASED]] : f32 to bf16
// CHECK-NEXT: weft.yield %[[ROUNDED]] : bf16
// CHECK-NEXT: } {f32_sums} : {{.*}} -> tensor<?x64xbf16, #weft.dims<"n", 64>>
// CHECK: %[[ROWS:.*]] = weft.reshape %[[Q]] : {{.*}} -> tensor<1x?x4x16xbf16, #weft.dims<1, "n", 4, 16>>
// CHECK: %[[HEADS:.*]] = weft.transpose %[[ROWS]]
// CHECK: %[[K:.*]] = weft.matmul %arg0, %arg1 epilogue {
// CHECK-NEXT: ^bb0(%[[PLAIN:.*]]: f32):
// CHECK-NEXT: arith.truncf %[[PLAIN]] : f32 to bf16
// CHECK: %[[KEYS:.*]] = weft.transpose
// CHECK: %[[Y:.*]] = weft.attention %[[HEADS]], %[[KEYS]], %[[KEYS]] {{.*}} -> tensor<1x4x?x16xbf16, #weft.dims<1, 4, "n", 16>>
// CHECK: %[[BACK:.*]] = weft.transpose %[[Y]]
// CHECK: %[[LINES:.*]] = weft.reshape %[[BACK]] : {{.*}} -> tensor<?x64xbf16, #weft.dims<"n", 64>>
// CHECK: weft.matmul %[[LINES]], %arg1 {f32_sums} : {{.*}} -> tensor<?x64xf32, #weft.dims<"n", 64>>
func.func @layer(%x: tensor<?x64xbf16, #nm>, %w: tensor<64x64xbf16>, %b: tensor<64xf32>) -> tensor<?x64xf32, #nm> {
  %q = weft.matmul %x, %w captures(%b : tensor<64xf32>) epilogue {
  ^bb0(%sum: f32, %bias: f32):
    %0 = arith.addf %sum, %bias : f32
    weft.yield %0 : f32
  } {f32_sums} : (tensor<?x64xbf16, #nm>, tensor<64x64xbf16>) -> tensor<?x64xf32, #nm>
  %q4 = weft.reshape %q : (tensor<?x64xf32, #nm>) -> tensor<1x?x4x16xf32, #rows>
  %qh = weft.transpose %q4 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x?x4x16xf32, #rows>) -> tensor<1x4x?x16xf32, #heads>
  %k = weft.matmul %x, %w {f32_sums} : (tensor<?x64xbf16, #nm>, tensor<64x64xbf16>) -> tensor<?x64xf32, #nm>
  %k4 = weft.reshape %k : (tensor<?x64xf32, #nm>) -> tensor<1x?x4x16xf32, #rows>
  %kh = weft.transpose %k4 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x?x4x16xf32, #rows>) -> tensor<1x4x?x16xf32, #heads>
  %y = weft.attention %qh, %kh, %kh scale(0.25) empty_rows(nan)
    : (tensor<1x4x?x16xf32, #heads>, tensor<1x4x?x16xf32, #heads>, tensor<1x4x?x16xf32, #heads>) -> tensor<1x4x?x16xf32, #heads>
  %y4 = weft.transpose %y {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x4x?x16xf32, #heads>) -> tensor<1x?x4x16xf32, #rows>
  %lines = weft.reshape %y4 : (tensor<1x?x4x16xf32, #rows>) -> tensor<?x64xf32, #nm>
  %rounded = weft.cast %lines to bf16 : (tensor<?x64xf32, #nm>) -> tensor<?x64xbf16, #nm>
  %z = weft.matmul %rounded, %w {f32_sums} : (tensor<?x64xbf16, #nm>, tensor<64x64xbf16>) -> tensor<?x64xf32, #nm>
  return %z : tensor<?x64xf32, #nm>
}
