// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that are places in a table have no sign, and nothing is subtracted from them: words are as the model has them.
// RUN: rm -rf %t && mkdir %t
// RUN: weft compile %s --from=import --to=graph -o %t/main.mlir
// RUN: FileCheck %s --input-file=%t/main.mlir
// RUN: od -Ad -tx4 -w192 %t/main.weights | cut -c1-25 | FileCheck %s --check-prefix=WORDS --match-full-lines

// CHECK: %[[A:.*]] = weft.constant weight<"main.weights", {{[0-9]+}}, 576, {{[0-9]+}}> : tensor<1x1x3x48xi32>
// CHECK-NOT: weft.dequantize
// CHECK: weft.matmul %arg0, %[[A]] {groups = #weft.weight_groups<bits = 4, rows = 16, hasOffsets = false, table = [-1.0{{.*}}, 1.000000e+00]>, packed_columns = 2 : i64}

// WORDS: 0000000 3f000000 3e800000
// WORDS-NEXT: 0000192 76543210 11111111
// WORDS-NEXT: 0000384 fedcba98 ffffffff
// WORDS-NEXT: 0000576
func.func @main(%x: tensor<3x16xf32>) -> tensor<3x2xf32> {
  %q = weft.constant dense<[[0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA], [0x11, 0x11, 0x11, 0x11, 0xFF, 0xFF, 0xFF, 0xFF, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA]]> : tensor<2x33xui8>
  %s = weft.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32>
  %none = weft.constant dense<0.0> : tensor<f32>
  %w = weft.dequantize %q, %s, %none {bits = 4, group = 32, length = 16,
      table = array<f32: -1.0, -0.875, -0.75, -0.625, -0.5, -0.375, -0.25, -0.125, 0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 1.0>}
    : (tensor<2x33xui8>, tensor<2x1xf32>, tensor<f32>) -> tensor<2x16xf32>
  %t = weft.transpose %w {permutation = array<i64: 1, 0>} : (tensor<2x16xf32>) -> tensor<16x2xf32>
  %y = weft.matmul %x, %t : (tensor<3x16xf32>, tensor<16x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}
