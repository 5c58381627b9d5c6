// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: weft-opt %s -split-input-file -weft-fuse-attention | FileCheck %s

// The epilogue becomes the score region, as it stands; every score is kept.
// CHECK-LABEL: @heads
// CHECK: %[[KEY:.*]] = weft.transpose %[[KT:.*]] {permutation = array<i64: 0, 1, 3, 2>}
// CHECK: %[[Y:.*]] = weft.attention %{{.*}}, %[[KEY]], %{{.*}} scale(1.0{{.*}}) empty_rows(nan) captures(%[[MASK:.*]] : tensor<?x1x1x?xf32
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[M:.*]]: f32):
// CHECK-DAG: %[[SUM:.*]] = arith.addf %[[S]], %[[M]] : f32
// CHECK-DAG: %[[KEEP:.*]] = arith.constant true
// CHECK: weft.yield %[[SUM]], %[[KEEP]] : f32, i1
// CHECK-NOT: weft.softmax
// CHECK: return %[[Y]]
func.func @heads(%q: tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, %kt: tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>,
                 %v: tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>, %mask: tensor<?x1x1x?xf32, #weft.dims<"b", 1, 1, "m">>)
    -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>> {
  %s = weft.matmul %q, %kt captures(%mask : tensor<?x1x1x?xf32, #weft.dims<"b", 1, 1, "m">>) epilogue {
  ^bb0(%sum: f32, %m: f32):
    %0 = arith.addf %sum, %m : f32
    weft.yield %0 : f32
  } : (tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %p = weft.softmax %s {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %y = weft.matmul %p, %v : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
  return %y : tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
}

// -----

// Batches of matrices are batches of one head; a capture of their rank too.
// CHECK-LABEL: @batched
// CHECK: weft.attention
// CHECK-SAME: captures(%{{.*}} : tensor<?x1x?x?xf32, #weft.dims<"b", 1, "n", "m">>)
// CHECK: weft.reshape %{{.*}} -> tensor<?x?x8xf32, #weft.dims<"b", "n", 8>>
func.func @batched(%q: tensor<?x?x8xf32, #weft.dims<"b", "n", 8>>, %kt: tensor<?x8x?xf32, #weft.dims<"b", 8, "m">>,
                   %v: tensor<?x?x8xf32, #weft.dims<"b", "m", 8>>, %bias: tensor<?x?x?xf32, #weft.dims<"b", "n", "m">>)
    -> tensor<?x?x8xf32, #weft.dims<"b", "n", 8>> {
  %s = weft.matmul %q, %kt captures(%bias : tensor<?x?x?xf32, #weft.dims<"b", "n", "m">>) epilogue {
  ^bb0(%sum: f32, %b: f32):
    %0 = arith.addf %sum, %b : f32
    weft.yield %0 : f32
  } : (tensor<?x?x8xf32, #weft.dims<"b", "n", 8>>, tensor<?x8x?xf32, #weft.dims<"b", 8, "m">>) -> tensor<?x?x?xf32, #weft.dims<"b", "n", "m">>
  %p = weft.softmax %s {axis = 2 : i64} : (tensor<?x?x?xf32, #weft.dims<"b", "n", "m">>) -> tensor<?x?x?xf32, #weft.dims<"b", "n", "m">>
  %y = weft.matmul %p, %v : (tensor<?x?x?xf32, #weft.dims<"b", "n", "m">>, tensor<?x?x8xf32, #weft.dims<"b", "m", 8>>) -> tensor<?x?x8xf32, #weft.dims<"b", "n", 8>>
  return %y : tensor<?x?x8xf32, #weft.dims<"b", "n", 8>>
}

// -----

// One head without a batch.
// CHECK-LABEL: @matrices
// CHECK: weft.attention {{.*}} scale(1.0{{.*}}) empty_rows(nan) : (tensor<1x1x5x8xf64>, tensor<1x1x7x8xf64>, tensor<1x1x7x3xf64>) -> tensor<1x1x5x3xf64>
func.func @matrices(%q: tensor<5x8xf64>, %kt: tensor<8x7xf64>, %v: tensor<7x3xf64>) -> tensor<5x3xf64> {
  %s = weft.matmul %q, %kt : (tensor<5x8xf64>, tensor<8x7xf64>) -> tensor<5x7xf64>
  %p = weft.softmax %s {axis = 1 : i64} : (tensor<5x7xf64>) -> tensor<5x7xf64>
  %y = weft.matmul %p, %v : (tensor<5x7xf64>, tensor<7x3xf64>) -> tensor<5x3xf64>
  return %y : tensor<5x3xf64>
}

// -----

// The weights are an output too.
// CHECK-LABEL: @weights_are_used
// CHECK-NOT: weft.attention
func.func @weights_are_used(%q: tensor<5x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x3xf32>) -> (tensor<5x3xf32>, tensor<5x7xf32>) {
  %s = weft.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  %p = weft.softmax %s {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %y = weft.matmul %p, %v : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  return %y, %p : tensor<5x3xf32>, tensor<5x7xf32>
}

// -----

// So are the scores.
// CHECK-LABEL: @scores_are_used
// CHECK-NOT: weft.attention
func.func @scores_are_used(%q: tensor<5x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x3xf32>) -> (tensor<5x3xf32>, tensor<5x7xf32>) {
  %s = weft.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  %p = weft.softmax %s {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %y = weft.matmul %p, %v : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  return %y, %s : tensor<5x3xf32>, tensor<5x7xf32>
}

// -----

// A softmax along the queries.
// CHECK-LABEL: @softmax_of_columns
// CHECK-NOT: weft.attention
func.func @softmax_of_columns(%q: tensor<5x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x3xf32>) -> tensor<5x3xf32> {
  %s = weft.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  %p = weft.softmax %s {axis = 0 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %y = weft.matmul %p, %v : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// -----

// The weights times the transposed: the softmax is the right operand.
// CHECK-LABEL: @weights_on_the_right
// CHECK-NOT: weft.attention
func.func @weights_on_the_right(%q: tensor<5x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<3x5xf32>) -> tensor<3x7xf32> {
  %s = weft.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  %p = weft.softmax %s {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %y = weft.matmul %v, %p : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  return %y : tensor<3x7xf32>
}

// -----

// Scores that are rounded to 16 bits.
// CHECK-LABEL: @rounded
// CHECK-NOT: weft.attention
func.func @rounded(%q: tensor<5x8xf16>, %kt: tensor<8x7xf16>, %v: tensor<7x3xf16>) -> tensor<5x3xf16> {
  %s = weft.matmul %q, %kt : (tensor<5x8xf16>, tensor<8x7xf16>) -> tensor<5x7xf16>
  %p = weft.softmax %s {axis = 1 : i64} : (tensor<5x7xf16>) -> tensor<5x7xf16>
  %y = weft.matmul %p, %v : (tensor<5x7xf16>, tensor<7x3xf16>) -> tensor<5x3xf16>
  return %y : tensor<5x3xf16>
}

// -----

// Keys of one batch for all queries: the batches differ.
// CHECK-LABEL: @broadcast_keys
// CHECK-NOT: weft.attention
func.func @broadcast_keys(%q: tensor<2x5x8xf32>, %kt: tensor<1x8x7xf32>, %v: tensor<2x7x3xf32>) -> tensor<2x5x3xf32> {
  %s = weft.matmul %q, %kt : (tensor<2x5x8xf32>, tensor<1x8x7xf32>) -> tensor<2x5x7xf32>
  %p = weft.softmax %s {axis = 2 : i64} : (tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
  %y = weft.matmul %p, %v : (tensor<2x5x7xf32>, tensor<2x7x3xf32>) -> tensor<2x5x3xf32>
  return %y : tensor<2x5x3xf32>
}
