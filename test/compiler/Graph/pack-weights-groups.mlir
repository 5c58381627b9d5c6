// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of few bits that a model has, word by word: a group is a row of scales, one of offsets where zeros are not the middle of the
// range, and rows of numbers, which lose the middle and so are signed. Two matmuls share what they read. Numbers behind the length, 20, are
// in words that are packed, and not read.
// RUN: rm -rf %t && mkdir %t
// RUN: weft compile %s --from=import --to=graph -o %t/main.mlir
// RUN: FileCheck %s --input-file=%t/main.mlir
// RUN: od -Ad -tx4 -w192 %t/main.weights | cut -c1-34 | FileCheck %s --check-prefix=WORDS --match-full-lines

// RUN: weft compile %s --from=import --target=emulator --precision=bf16 --to=graph 2>&1 | FileCheck %s --check-prefix=ROUNDED --implicit-check-not=warning
// For GPUs rows may be rounded to bf16: once, where two products have them.
// ROUNDED: %[[X:.*]] = weft.cast %arg0 to bf16
// ROUNDED: weft.matmul %[[X]], %{{.*}} {f32_sums, groups = #weft.weight_groups<bits = 4, rows = 32, hasOffsets = false>, packed_columns = 2 : i64} : (tensor<3x20xbf16>, {{.*}}) -> tensor<3x2xf32>

// CHECK-DAG: %[[A:.*]] = weft.constant weight<"main.weights", {{[0-9]+}}, 960, {{[0-9]+}}> : tensor<1x1x5x48xi32>
// CHECK-DAG: %[[B:.*]] = weft.constant weight<"main.weights", {{[0-9]+}}, 1536, {{[0-9]+}}> : tensor<1x2x4x48xi32>
// CHECK-NOT: weft.dequantize
// CHECK: weft.matmul %arg0, %[[A]] {groups = #weft.weight_groups<bits = 4, rows = 32, hasOffsets = false>, packed_columns = 2 : i64}
// CHECK: weft.matmul %arg1, %[[A]] captures
// CHECK: weft.matmul %arg2, %[[B]] {groups = #weft.weight_groups<bits = 4, rows = 16, hasOffsets = true>, packed_columns = 1 : i64}

// Two columns of 20, shorter than the model's group, with the scales 0.5 and 0.25; 1 and F less 8.
// WORDS: 0000000 3f000000 3e800000 00000000
// WORDS-NEXT: 0000192 99999999 77777777 00000000
// WORDS-NEXT: *
// WORDS-NEXT: 0000768 00000000 00000000 00000000
// Two groups of 16: the scales 1 and 2, the offsets -8 and 7, and 0 to F less 8, of which 0 to 3 are in the second.
// WORDS-NEXT: 0000960 3f800000 00000000 00000000
// WORDS-NEXT: 0001152 c1000000 00000000 00000000
// WORDS-NEXT: 0001344 fedcba98 00000000 00000000
// WORDS-NEXT: 0001536 76543210 00000000 00000000
// WORDS-NEXT: 0001728 40000000 00000000 00000000
// WORDS-NEXT: 0001920 40e00000 00000000 00000000
// WORDS-NEXT: 0002112 2222ba98 00000000 00000000
// WORDS-NEXT: 0002304 00000000 00000000 00000000
// WORDS-NEXT: 0002496
func.func @main(%x: tensor<3x20xf32>, %y: tensor<1x20xf32>, %z: tensor<1x20xf32>, %bias: tensor<2xf32>)
    -> (tensor<3x2xf32>, tensor<1x2xf32>, tensor<1x1xf32>) {
  %q = weft.constant dense<[[0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]]> : tensor<2x33xui8>
  %s = weft.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32>
  %middle = weft.constant dense<8.0> : tensor<f32>
  %w = weft.dequantize %q, %s, %middle {bits = 4, group = 32, length = 20} : (tensor<2x33xui8>, tensor<2x1xf32>, tensor<f32>) -> tensor<2x20xf32>
  %t = weft.transpose %w {permutation = array<i64: 1, 0>} : (tensor<2x20xf32>) -> tensor<20x2xf32>
  %a = weft.matmul %x, %t : (tensor<3x20xf32>, tensor<20x2xf32>) -> tensor<3x2xf32>
  %b = weft.matmul %y, %t : (tensor<1x20xf32>, tensor<20x2xf32>) -> tensor<1x2xf32>
  %c = weft.add %b, %bias : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  %p = weft.constant dense<[[0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE, 0x10, 0x32, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA]]> : tensor<1x66xui8>
  %u = weft.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %zeros = weft.constant dense<[[0.0, 15.0]]> : tensor<1x2xf32>
  %v = weft.dequantize %p, %u, %zeros {bits = 4, group = 16, length = 20} : (tensor<1x66xui8>, tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x20xf32>
  %r = weft.transpose %v {permutation = array<i64: 1, 0>} : (tensor<1x20xf32>) -> tensor<20x1xf32>
  %d = weft.matmul %z, %r : (tensor<1x20xf32>, tensor<20x1xf32>) -> tensor<1x1xf32>
  return %a, %c, %d : tensor<3x2xf32>, tensor<1x2xf32>, tensor<1x1xf32>
}
