// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of 4 bits for products of bytes, word by word: a block is a row of scales, eight a word, each for 8 of the depth, and eight rows of eight
// numbers a word, plus 8, the first four in the lower halves of its bytes.
// RUN: rm -rf %t && mkdir %t
// RUN: weft compile %s --from=import --precision=int4 --to=graph -o %t/main.mlir
// RUN: FileCheck %s --input-file=%t/main.mlir
// RUN: od -Ad -tx4 -w192 %t/main.weights | cut -c1-43 | FileCheck %s --check-prefix=WORDS --match-full-lines

// Scales are a 105th of the greatest; sums are those of numbers times their groups' factors.
// CHECK-DAG: %[[SCALE:.*]] = weft.constant dense<[1.000000e+00, 1.17549435E-38, 1.000000e+00, 3.24078425E+36]> : tensor<4xf32>
// CHECK-DAG: %[[SUM:.*]] = weft.constant dense<[84, 0, 90, 105]> : tensor<4xi32>
// CHECK-DAG: %[[B:.*]] = weft.constant weight<"main.weights", 0, 3456, {{[0-9]+}}> : tensor<1x2x9x48xi32>
// CHECK-DAG: weft.constant dense<1.000000e+00> : tensor<1xf32>
// CHECK-DAG: weft.constant dense<329> : tensor<1xi32>
// CHECK-DAG: %[[A:.*]] = weft.constant weight<"main.weights", 3456, 1728, {{[0-9]+}}> : tensor<1x1x9x48xi32>
// CHECK: weft.matmul %{{.*}}, %[[A]] captures(%{{.*}}, %{{.*}}, %[[SCALE]], %[[SUM]] : tensor<1x1xf32>, tensor<1x1xi32>, tensor<4xf32>, tensor<4xi32>) epilogue {
// CHECK-NEXT: ^bb0(%{{.*}}: i32 {{.*}}, %{{.*}}: f32 {{.*}}, %{{.*}}: i32 {{.*}}, %{{.*}}: f32 {{.*}}, %{{.*}}: i32 {{.*}}):
// CHECK: } {packed_columns = 4 : i64} : (tensor<1x64xui8>, tensor<1x1x9x48xi32>) -> tensor<1x4xf32>
// CHECK: weft.matmul %{{.*}}, %[[B]] captures({{.*}}) epilogue {
// CHECK: } {packed_columns = 1 : i64} : (tensor<1x128xui8>, tensor<1x2x9x48xi32>) -> tensor<1x1xf32>

// A line is a row of words after its byte; a star says that rows are as the one above. Depth 66: sixteen of 1, which is 1 of 1; sixteen of -2;
// sixteen of 7 and as many of 8, whose factor is 2; and in the second block 105, the greatest, which is 7 of 15, and 0.
// WORDS: 0000000 22111111 00000000 00000000 00000000
// WORDS-NEXT: 0000192 99999999 00000000 00000000 00000000
// WORDS-NEXT: *
// WORDS-NEXT: 0000576 66666666 00000000 00000000 00000000
// WORDS-NEXT: *
// WORDS-NEXT: 0000960 ffffffff 00000000 00000000 00000000
// WORDS-NEXT: *
// WORDS-NEXT: 0001344 cccccccc 00000000 00000000 00000000
// WORDS-NEXT: *
// WORDS-NEXT: 0001728 0000000f 00000000 00000000 00000000
// WORDS-NEXT: 0001920 8888888f 00000000 00000000 00000000
// WORDS-NEXT: 0002112 00000000 00000000 00000000 00000000
// WORDS-NEXT: *

// A column of 105, -7.5, 22.5, -37.5 and 15, which are 7, -0.5, 1.5, -2.5 and 1 of 15, but nearer to 7, -1, 2, -3 and 1 of 14. One of zeros; one of
// 105, 105, -105, 0 and -15; and one with the largest float.
// WORDS-NEXT: 0003456 0000000e 00000001 0000000f 0000000f
// WORDS-NEXT: 0003648 858a879f 88888888 88818f7f 8888888f
// WORDS-NEXT: 0003840 00000000 00000000 00000000 00000000
// WORDS-NEXT: *
// WORDS-NEXT: 0005184
func.func @main(%x: tensor<1x5xf32> {weft.name = "x"}, %y: tensor<1x66xf32> {weft.name = "y"})
    -> (tensor<1x4xf32> {weft.name = "a"}, tensor<1x1xf32> {weft.name = "b"}) {
  %one = weft.constant dense<1.0> : tensor<16x1xf32>
  %two = weft.constant dense<-2.0> : tensor<16x1xf32>
  %seven = weft.constant dense<7.0> : tensor<16x1xf32>
  %eight = weft.constant dense<8.0> : tensor<16x1xf32>
  %last = weft.constant dense<[[105.0], [0.0]]> : tensor<2x1xf32>
  %u = weft.concat %one, %two, %seven, %eight, %last {axis = 0 : i64}
    : (tensor<16x1xf32>, tensor<16x1xf32>, tensor<16x1xf32>, tensor<16x1xf32>, tensor<2x1xf32>) -> tensor<66x1xf32>
  %w = weft.constant dense<[[105.0, 0.0, 105.0, 3.4028235e38], [-7.5, 0.0, 105.0, 0.0], [22.5, 0.0, -105.0, 0.0], [-37.5, 0.0, 0.0, 0.0], [15.0, 0.0, -15.0, 0.0]]> : tensor<5x4xf32>
  %a = weft.matmul %x, %w : (tensor<1x5xf32>, tensor<5x4xf32>) -> tensor<1x4xf32>
  %b = weft.matmul %y, %u : (tensor<1x66xf32>, tensor<66x1xf32>) -> tensor<1x1xf32>
  return %a, %b : tensor<1x4xf32>, tensor<1x1xf32>
}
