// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of 4 bits, word by word: a block is a row of scales, those of its first 32 rows in the lower halves, and eight rows of eight
// numbers a word, the first in the lowest bits.
// RUN: rm -rf %t && mkdir %t
// RUN: weft compile %s --from=import --weights=int4 --to=graph -o %t/main.mlir
// RUN: FileCheck %s --input-file=%t/main.mlir
// RUN: od -Ad -tx4 -w192 %t/main.weights | cut -c1-43 | FileCheck %s --check-prefix=WORDS --match-full-lines

// CHECK-DAG: %[[C:.*]] = weft.constant weight<"main.weights", 0, 3456, {{[0-9]+}}> : tensor<1x2x9x48xi32>
// CHECK-DAG: %[[B:.*]] = weft.constant weight<"main.weights", 3456, 1728, {{[0-9]+}}> : tensor<1x1x9x48xi32>
// CHECK-DAG: %[[A:.*]] = weft.constant weight<"main.weights", 5184, 1728, {{[0-9]+}}> : tensor<1x1x9x48xi32>
// CHECK: weft.matmul %arg0, %[[A]] {packed_columns = 4 : i64} : (tensor<1x4xf32>, tensor<1x1x9x48xi32>) -> tensor<1x4xf32>
// CHECK: weft.matmul %arg1, %[[B]] {packed_columns = 1 : i64} : (tensor<1x33xf32>, tensor<1x1x9x48xi32>) -> tensor<1x1xf32>
// CHECK: weft.matmul %arg2, %[[C]] {packed_columns = 1 : i64} : (tensor<1x65xf32>, tensor<1x2x9x48xi32>) -> tensor<1x1xf32>

// A line is a row of words after its byte; a star says that rows are as the one above. Depth 65: 1 / 7 and 2 / 7, four words of 7 and four of
// -7; then a block with one number in use.
// WORDS: 0000000 3e923e12 00000000 00000000 00000000
// WORDS-NEXT: 0000192 77777777 00000000 00000000 00000000
// WORDS-NEXT: *
// WORDS-NEXT: 0000960 99999999 00000000 00000000 00000000
// WORDS-NEXT: *
// WORDS-NEXT: 0001728 00004000 00000000 00000000 00000000
// WORDS-NEXT: 0001920 00000007 00000000 00000000 00000000
// WORDS-NEXT: 0002112 00000000 00000000 00000000 00000000
// WORDS-NEXT: *

// Depth 33: one number in a second group, 7 times 2.
// WORDS-NEXT: 0003456 40003e12 00000000 00000000 00000000
// WORDS-NEXT: 0003648 77777777 00000000 00000000 00000000
// WORDS-NEXT: *
// WORDS-NEXT: 0004416 00000007 00000000 00000000 00000000
// WORDS-NEXT: 0004608 00000000 00000000 00000000 00000000
// WORDS-NEXT: *

// Columns divided by 1; by the smallest scale, of zeros; by 1 / 7, in bf16 0.142578; and by a seventh of the largest float. The first are 7,
// -7, 2.5 and -3.5, halves to even; the third 7.01, -3.507, 0.49 and 0.
// WORDS-NEXT: 0005184 00003f80 00000080 00003e12 00007e12
// WORDS-NEXT: 0005376 0000c297 00000000 000000c7 00000007
// WORDS-NEXT: 0005568 00000000 00000000 00000000 00000000
// WORDS-NEXT: *
// WORDS-NEXT: 0006912
func.func @main(%x: tensor<1x4xf32> {weft.name = "x"}, %y: tensor<1x33xf32> {weft.name = "y"}, %z: tensor<1x65xf32> {weft.name = "z"})
    -> (tensor<1x4xf32> {weft.name = "a"}, tensor<1x1xf32> {weft.name = "b"}, tensor<1x1xf32> {weft.name = "c"}) {
  %ones = weft.constant dense<1.0> : tensor<32x1xf32>
  %twos = weft.constant dense<-2.0> : tensor<32x1xf32>
  %last = weft.constant dense<14.0> : tensor<1x1xf32>
  %v = weft.concat %ones, %last {axis = 0 : i64} : (tensor<32x1xf32>, tensor<1x1xf32>) -> tensor<33x1xf32>
  %u = weft.concat %ones, %twos, %last {axis = 0 : i64} : (tensor<32x1xf32>, tensor<32x1xf32>, tensor<1x1xf32>) -> tensor<65x1xf32>
  %w = weft.constant dense<[[7.0, 0.0, 1.0, 3.4028235e38], [-7.0, 0.0, -0.5, 0.0], [2.5, 0.0, 0.07, 0.0], [-3.5, 0.0, 0.0, 0.0]]> : tensor<4x4xf32>
  %a = weft.matmul %x, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %b = weft.matmul %y, %v : (tensor<1x33xf32>, tensor<33x1xf32>) -> tensor<1x1xf32>
  %c = weft.matmul %z, %u : (tensor<1x65xf32>, tensor<65x1xf32>) -> tensor<1x1xf32>
  return %a, %b, %c : tensor<1x4xf32>, tensor<1x1xf32>, tensor<1x1xf32>
}
