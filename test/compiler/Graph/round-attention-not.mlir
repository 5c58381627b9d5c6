// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What weft-round-attention leaves as it is.
// RUN: weft-opt %s -weft-round-attention | FileCheck %s
#heads = #weft.dims<1, 4, "n", 16>
#all = #weft.dims<1, 4, "m" + "n", 16>

// Keys of runs before are there as f32.
// CHECK-LABEL: @past
// CHECK: weft.attention {{.*}} -> tensor<1x4x?x16xf32, #weft.dims<1, 4, "n", 16>>
func.func @past(%q: tensor<1x4x?x16xf32, #heads>, %past: tensor<1x4x?x16xf32, #weft.dims<1, 4, "m", 16>>) -> tensor<1x4x?x16xf32, #heads> {
  %new = weft.neg %q : (tensor<1x4x?x16xf32, #heads>) -> tensor<1x4x?x16xf32, #heads>
  %k = weft.concat %past, %new {axis = 2 : i64} : (tensor<1x4x?x16xf32, #weft.dims<1, 4, "m", 16>>, tensor<1x4x?x16xf32, #heads>) -> tensor<1x4x?x16xf32, #all>
  %y = weft.attention %q, %k, %k scale(0.25) empty_rows(nan)
    : (tensor<1x4x?x16xf32, #heads>, tensor<1x4x?x16xf32, #all>, tensor<1x4x?x16xf32, #all>) -> tensor<1x4x?x16xf32, #heads>
  return %y : tensor<1x4x?x16xf32, #heads>
}

// Tensor cores take no heads of 12.
// CHECK-LABEL: @width
// CHECK: weft.attention {{.*}} -> tensor<1x4x?x12xf32, #weft.dims<1, 4, "n", 12>>
func.func @width(%x: tensor<1x4x?x12xf32, #weft.dims<1, 4, "n", 12>>) -> tensor<1x4x?x12xf32, #weft.dims<1, 4, "n", 12>> {
  %q = weft.neg %x : (tensor<1x4x?x12xf32, #weft.dims<1, 4, "n", 12>>) -> tensor<1x4x?x12xf32, #weft.dims<1, 4, "n", 12>>
  %y = weft.attention %q, %q, %q scale(0.25) empty_rows(nan)
    : (tensor<1x4x?x12xf32, #weft.dims<1, 4, "n", 12>>, tensor<1x4x?x12xf32, #weft.dims<1, 4, "n", 12>>, tensor<1x4x?x12xf32, #weft.dims<1, 4, "n", 12>>)
    -> tensor<1x4x?x12xf32, #weft.dims<1, 4, "n", 12>>
  return %y : tensor<1x4x?x12xf32, #weft.dims<1, 4, "n", 12>>
}

// A sum that is read as f32, too, is rounded behind the product; so is one of another product.
// CHECK-LABEL: @both
// CHECK: %[[SUM:.*]] = weft.matmul {{.*}} {f32_sums} : {{.*}} -> tensor<?x64xf32, #weft.dims<"n", 64>>
// CHECK: %[[ROUNDED:.*]] = weft.cast %[[SUM]] to bf16
// CHECK: %[[OTHER:.*]] = weft.matmul {{.*}} -> tensor<?x64xf32, #weft.dims<"n", 64>>
// CHECK: weft.cast %[[OTHER]] to bf16
func.func @both(%x: tensor<?x64xbf16, #weft.dims<"n", 64>>, %w: tensor<64x64xbf16>, %y: tensor<?x64xf32, #weft.dims<"n", 64>>, %v: tensor<64x64xf32>)
    -> (tensor<?x64xf32, #weft.dims<"n", 64>>, tensor<?x64xbf16, #weft.dims<"n", 64>>, tensor<?x64xbf16, #weft.dims<"n", 64>>) {
  %sum = weft.matmul %x, %w {f32_sums} : (tensor<?x64xbf16, #weft.dims<"n", 64>>, tensor<64x64xbf16>) -> tensor<?x64xf32, #weft.dims<"n", 64>>
  %rounded = weft.cast %sum to bf16 : (tensor<?x64xf32, #weft.dims<"n", 64>>) -> tensor<?x64xbf16, #weft.dims<"n", 64>>
  %other = weft.matmul %y, %v : (tensor<?x64xf32, #weft.dims<"n", 64>>, tensor<64x64xf32>) -> tensor<?x64xf32, #weft.dims<"n", 64>>
  %rounded_other = weft.cast %other to bf16 : (tensor<?x64xf32, #weft.dims<"n", 64>>) -> tensor<?x64xbf16, #weft.dims<"n", 64>>
  return %sum, %rounded, %rounded_other : tensor<?x64xf32, #weft.dims<"n", 64>>, tensor<?x64xbf16, #weft.dims<"n", 64>>, tensor<?x64xbf16, #weft.dims<"n", 64>>
}
