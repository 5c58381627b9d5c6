// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bytes are compared, too: their sums are exact, and only what the epilogue makes of them is off.
// RUN: weft verify %s --from=graph --all | FileCheck %s
// CHECK: kernels  2 operations compared{{.*}}; 0 differ
func.func @main(%x: tensor<5x64xui8> {weft.name = "x"}, %q: tensor<1x16x48x4xi8> {weft.name = "q"}, %w: tensor<1x1x9x48xi32> {weft.name = "w"},
                %scale: tensor<48xf32> {weft.name = "scale"}) -> (tensor<5x48xf32> {weft.name = "y"}, tensor<5x48xf32> {weft.name = "z"}) {
  %y = weft.matmul %x, %q captures(%scale : tensor<48xf32>) epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    %1 = arith.mulf %0, %s : f32
    weft.yield %1 : f32
  } {packed_columns = 48 : i64} : (tensor<5x64xui8>, tensor<1x16x48x4xi8>) -> tensor<5x48xf32>
  %z = weft.matmul %x, %w captures(%scale : tensor<48xf32>) epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    %1 = arith.mulf %0, %s : f32
    weft.yield %1 : f32
  } {packed_columns = 48 : i64} : (tensor<5x64xui8>, tensor<1x1x9x48xi32>) -> tensor<5x48xf32>
  return %y, %z : tensor<5x48xf32>, tensor<5x48xf32>
}
