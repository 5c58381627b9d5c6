// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of f32 are marked, whatever rhs is; others are not.
// RUN: weft-opt %s -weft-tf32-products | FileCheck %s
// CHECK-LABEL: @products
// CHECK: weft.matmul %arg0, %arg1 {tf32}
// CHECK: weft.matmul %arg2, %arg3 :
// CHECK: weft.matmul %arg0, %arg4 {packed_columns = 5 : i64} :
func.func @products(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>, %h: tensor<3x4xf16>, %v: tensor<4x5xf16>, %p: tensor<1x4x48xf32>)
    -> (tensor<3x5xf32>, tensor<3x5xf16>, tensor<3x5xf32>) {
  %a = weft.matmul %x, %w : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %b = weft.matmul %h, %v : (tensor<3x4xf16>, tensor<4x5xf16>) -> tensor<3x5xf16>
  %c = weft.matmul %x, %p {packed_columns = 5 : i64} : (tensor<3x4xf32>, tensor<1x4x48xf32>) -> tensor<3x5xf32>
  return %a, %b, %c : tensor<3x5xf32>, tensor<3x5xf16>, tensor<3x5xf32>
}
