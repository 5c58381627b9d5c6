// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of packed numbers that cancel: the bound is that of magnitudes, of what the words stand for. Eight numbers are 1, eight -1.
// RUN: weft verify %s --from=graph --all --input x=20x16xf32=1.1 | FileCheck %s
// CHECK: kernels  {{[0-9]+}} operations compared, worst ratio 0.{{[0-9]+}} of the bound at node "{{.*}}" (weft.matmul); 0 differ
func.func @main(%x: tensor<20x16xf32> {weft.name = "x"}) -> (tensor<20x48xf32> {weft.name = "y"}) {
  %scales = weft.constant dense<0x3F8CCCCD> : tensor<1x1x1x48xi32>
  %numbers = weft.constant dense<0xDDDDDDDD> : tensor<1x1x1x48xi32>
  %w = weft.concat %scales, %numbers {axis = 2 : i64} : (tensor<1x1x1x48xi32>, tensor<1x1x1x48xi32>) -> tensor<1x1x2x48xi32>
  %y = weft.matmul %x, %w {groups = #weft.weight_groups<bits = 2, rows = 16, hasOffsets = false>, packed_columns = 48 : i64}
    : (tensor<20x16xf32>, tensor<1x1x2x48xi32>) -> tensor<20x48xf32>
  return %y : tensor<20x48xf32>
}
