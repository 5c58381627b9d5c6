// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is fused, and what becomes of it; what is not is in fuse-attention-explain.mlir.
// RUN: weft-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(weft-fuse-attention,canonicalize))' | FileCheck %s

// Pointwise operations between the product and the softmax are the score region; what they read is captured.
// CHECK-LABEL: @mask
// CHECK: %[[KEY:.*]] = weft.transpose %{{.*}} {permutation = array<i64: 0, 1, 3, 2>}
// CHECK: %[[Y:.*]] = weft.attention %{{.*}}, %[[KEY]], %{{.*}} scale(1.0{{.*}}) empty_rows(nan) captures(%{{.*}} : tensor<?x1x1x?xf32
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[M:.*]]: f32):
// CHECK-DAG: %[[SUM:.*]] = arith.addf %[[S]], %[[M]] : f32
// CHECK-DAG: %[[KEEP:.*]] = arith.constant true
// CHECK: weft.yield %[[SUM]], %[[KEEP]] : f32, i1
// CHECK-NOT: weft.softmax
func.func @mask(%q: tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, %kt: tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>, %v: tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>, %mask: tensor<?x1x1x?xf32, #weft.dims<"b", 1, 1, "m">>) -> (tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>) {
  %0 = weft.matmul %q, %kt : (tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %1 = weft.add %0, %mask : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x1x1x?xf32, #weft.dims<"b", 1, 1, "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %2 = weft.softmax %1 {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %3 = weft.matmul %2, %v : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
  return %3 : tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
}

// -----

// Constants that scale the query, the key and the scores are one scale.
// CHECK-LABEL: @scales
// CHECK: weft.attention %arg0, %{{.*}} scale(6.250000e-02)
// CHECK-NOT: arith.divf
// CHECK: arith.addf
func.func @scales(%q: tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, %kt: tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>, %v: tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>, %mask: tensor<?x?xf32, #weft.dims<"n", "m">>) -> (tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>) {
  %0 = weft.constant dense<0.5> : tensor<f32>
  %1 = weft.mul %q, %0 : (tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, tensor<f32>) -> tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>
  %2 = weft.constant dense<0.5> : tensor<f32>
  %3 = weft.mul %kt, %2 : (tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>, tensor<f32>) -> tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>
  %4 = weft.matmul %1, %3 : (tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %5 = weft.constant dense<4.0> : tensor<f32>
  %6 = weft.div %4, %5 : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<f32>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %7 = weft.add %6, %mask : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x?xf32, #weft.dims<"n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %8 = weft.softmax %7 {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %9 = weft.matmul %8, %v : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
  return %9 : tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
}

// -----

// A factor that is known at run time alone is read.
// CHECK-LABEL: @run_time_scale
// CHECK: weft.attention %arg0, %{{.*}} captures(%{{.*}} : tensor<1x1x1x1xf32>)
// CHECK: arith.mulf
func.func @run_time_scale(%q: tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, %kt: tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>, %v: tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>, %scale: tensor<f32>) -> (tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>) {
  %0 = weft.mul %q, %scale : (tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, tensor<f32>) -> tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>
  %1 = weft.matmul %0, %kt : (tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %2 = weft.softmax %1 {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %3 = weft.matmul %2, %v : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
  return %3 : tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
}

// -----

// A mask that follows from places is computed: no tensor of it remains. Sizes are read.
// CHECK-LABEL: @causal
// CHECK: %[[P:.*]] = weft.dims <"p">
// CHECK: weft.attention {{.*}} captures(%[[P]] : tensor<1xi64>)
// CHECK: ^bb0(%[[S:.*]]: f32, %[[B:.*]]: index, %[[H:.*]]: index, %[[I:.*]]: index, %[[J:.*]]: index
// CHECK: arith.cmpi sgt
// CHECK-NOT: weft.compare
func.func @causal(%q: tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, %kt: tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>, %v: tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>, %past: tensor<?xf32, #weft.dims<"p">>) -> (tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>) {
  %0 = weft.matmul %q, %kt : (tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %1 = weft.range  {first = #weft.dim<"p">, step = 1 : i64} : () -> tensor<?xi64, #weft.dims<"n">>
  %2 = weft.range  {first = #weft.dim<0>, step = 1 : i64} : () -> tensor<?xi64, #weft.dims<"m">>
  %3 = weft.reshape %1 : (tensor<?xi64, #weft.dims<"n">>) -> tensor<?x1xi64, #weft.dims<"n", 1>>
  %4 = weft.compare gt %2, %3 : (tensor<?xi64, #weft.dims<"m">>, tensor<?x1xi64, #weft.dims<"n", 1>>) -> tensor<?x?xi1, #weft.dims<"n", "m">>
  %5 = weft.expand %4 : (tensor<?x?xi1, #weft.dims<"n", "m">>) -> tensor<?x4x?x?xi1, #weft.dims<"b", 4, "n", "m">>
  %6 = weft.constant dense<0xFF800000> : tensor<f32>
  %7 = weft.where %5, %6, %0 : (tensor<?x4x?x?xi1, #weft.dims<"b", 4, "n", "m">>, tensor<f32>, tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %8 = weft.softmax %7 {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %9 = weft.matmul %8, %v : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
  return %9 : tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
}

// -----

// A triangle of a constant, added.
// CHECK-LABEL: @triangle
// CHECK-NOT: weft.trilu
// CHECK: weft.attention {{.*}} scale(1.0{{.*}}) empty_rows(nan) score
// CHECK: arith.select
func.func @triangle(%q: tensor<5x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x3xf32>) -> (tensor<5x3xf32>) {
  %0 = weft.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  %1 = weft.constant dense<0xFF800000> : tensor<5x7xf32>
  %2 = weft.trilu %1 {diagonal = 1 : i64, upper} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %3 = weft.add %0, %2 : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  %4 = weft.softmax %3 {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %5 = weft.matmul %4, %v : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  return %5 : tensor<5x3xf32>
}

// -----

// A triangle that was drawn as a table, of which a part is used.
// CHECK-LABEL: @drawn_triangle
// CHECK: weft.attention {{.*}} empty_rows(nan) score
// CHECK: arith.cmpi sle
func.func @drawn_triangle(%q: tensor<3x8xf32>, %kt: tensor<8x4xf32>, %v: tensor<4x3xf32>) -> (tensor<3x3xf32>) {
  %0 = weft.matmul %q, %kt : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %1 = weft.constant dense<[[true,false,false,false,false],[true,true,false,false,false],[true,true,true,false,false],[true,true,true,true,false],[true,true,true,true,true]]> : tensor<5x5xi1>
  %2 = weft.slice %1 {offsets = #weft.dims<1, 0>, strides = array<i64: 1, 1>} : (tensor<5x5xi1>) -> tensor<3x4xi1>
  %3 = weft.constant dense<-1.0e9> : tensor<f32>
  %4 = weft.where %2, %0, %3 : (tensor<3x4xi1>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %5 = weft.softmax %4 {axis = 1 : i64} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %6 = weft.matmul %5, %v : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
  return %6 : tensor<3x3xf32>
}

// -----

// What depends on data is made once for each key, not for each score.
// CHECK-LABEL: @padding
// CHECK: %[[C:.*]] = weft.compare eq
// CHECK: weft.attention {{.*}} captures(%{{.*}} : tensor<?x1x1x?xi1
func.func @padding(%q: tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, %kt: tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>, %v: tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>, %ids: tensor<?x?xi64, #weft.dims<"b", "m">>) -> (tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>) {
  %0 = weft.matmul %q, %kt : (tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %1 = weft.reshape %ids : (tensor<?x?xi64, #weft.dims<"b", "m">>) -> tensor<?x1x1x?xi64, #weft.dims<"b", 1, 1, "m">>
  %2 = weft.constant dense<0> : tensor<i64>
  %3 = weft.compare eq %1, %2 : (tensor<?x1x1x?xi64, #weft.dims<"b", 1, 1, "m">>, tensor<i64>) -> tensor<?x1x1x?xi1, #weft.dims<"b", 1, 1, "m">>
  %4 = weft.constant dense<-1.0e9> : tensor<f32>
  %5 = weft.where %3, %4, %0 : (tensor<?x1x1x?xi1, #weft.dims<"b", 1, 1, "m">>, tensor<f32>, tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %6 = weft.softmax %5 {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %7 = weft.matmul %6, %v : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
  return %7 : tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
}

// -----

// Heads that are merged into the batch for the products, and split for the mask.
// CHECK-LABEL: @merged_heads
// CHECK: weft.attention {{.*}} captures(%{{.*}} : tensor<?x1x?x?xf32, #weft.dims<"b", 1, "n", "m">>)
// CHECK: -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
func.func @merged_heads(%q: tensor<?x?x8xf32, #weft.dims<4 * "b", "n", 8>>, %kt: tensor<?x8x?xf32, #weft.dims<4 * "b", 8, "m">>, %v: tensor<?x?x5xf32, #weft.dims<4 * "b", "m", 5>>, %mask: tensor<?x1x?x?xf32, #weft.dims<"b", 1, "n", "m">>) -> (tensor<?x?x5xf32, #weft.dims<4 * "b", "n", 5>>) {
  %0 = weft.matmul %q, %kt : (tensor<?x?x8xf32, #weft.dims<4 * "b", "n", 8>>, tensor<?x8x?xf32, #weft.dims<4 * "b", 8, "m">>) -> tensor<?x?x?xf32, #weft.dims<4 * "b", "n", "m">>
  %1 = weft.reshape %0 : (tensor<?x?x?xf32, #weft.dims<4 * "b", "n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %2 = weft.add %1, %mask : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x1x?x?xf32, #weft.dims<"b", 1, "n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %3 = weft.reshape %2 : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x?x?xf32, #weft.dims<4 * "b", "n", "m">>
  %4 = weft.softmax %3 {axis = 2 : i64} : (tensor<?x?x?xf32, #weft.dims<4 * "b", "n", "m">>) -> tensor<?x?x?xf32, #weft.dims<4 * "b", "n", "m">>
  %5 = weft.matmul %4, %v : (tensor<?x?x?xf32, #weft.dims<4 * "b", "n", "m">>, tensor<?x?x5xf32, #weft.dims<4 * "b", "m", 5>>) -> tensor<?x?x5xf32, #weft.dims<4 * "b", "n", 5>>
  return %5 : tensor<?x?x5xf32, #weft.dims<4 * "b", "n", 5>>
}

// -----

// Rows for keys and columns for queries; the weights are the right operand.
// CHECK-LABEL: @keys_by_queries
// CHECK: weft.attention
// CHECK-SAME: -> tensor<1x1x?x5xf32, #weft.dims<1, 1, "n", 5>>
// CHECK-NOT: weft.softmax
func.func @keys_by_queries(%k: tensor<?x8xf32, #weft.dims<"m", 8>>, %qt: tensor<8x?xf32, #weft.dims<8, "n">>, %vt: tensor<5x?xf32, #weft.dims<5, "m">>) -> (tensor<5x?xf32, #weft.dims<5, "n">>) {
  %0 = weft.matmul %k, %qt : (tensor<?x8xf32, #weft.dims<"m", 8>>, tensor<8x?xf32, #weft.dims<8, "n">>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %1 = weft.softmax %0 {axis = 0 : i64} : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %2 = weft.matmul %vt, %1 : (tensor<5x?xf32, #weft.dims<5, "m">>, tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<5x?xf32, #weft.dims<5, "n">>
  return %2 : tensor<5x?xf32, #weft.dims<5, "n">>
}

// -----

// Keys and values that are repeated for groups of heads are taken as they were.
// CHECK-LABEL: @grouped
// CHECK-NOT: weft.expand
// CHECK: weft.attention
// CHECK-SAME: tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, tensor<?x2x?x8xf32, #weft.dims<"b", 2, "m", 8>>, tensor<?x2x?x5xf32, #weft.dims<"b", 2, "m", 5>>
func.func @grouped(%q: tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, %kt: tensor<?x2x8x?xf32, #weft.dims<"b", 2, 8, "m">>, %v: tensor<?x2x?x5xf32, #weft.dims<"b", 2, "m", 5>>) -> (tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>) {
  %0 = weft.reshape %kt : (tensor<?x2x8x?xf32, #weft.dims<"b", 2, 8, "m">>) -> tensor<?x2x1x8x?xf32, #weft.dims<"b", 2, 1, 8, "m">>
  %1 = weft.expand %0 : (tensor<?x2x1x8x?xf32, #weft.dims<"b", 2, 1, 8, "m">>) -> tensor<?x2x2x8x?xf32, #weft.dims<"b", 2, 2, 8, "m">>
  %2 = weft.reshape %1 : (tensor<?x2x2x8x?xf32, #weft.dims<"b", 2, 2, 8, "m">>) -> tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>
  %3 = weft.reshape %v : (tensor<?x2x?x5xf32, #weft.dims<"b", 2, "m", 5>>) -> tensor<?x2x1x?x5xf32, #weft.dims<"b", 2, 1, "m", 5>>
  %4 = weft.expand %3 : (tensor<?x2x1x?x5xf32, #weft.dims<"b", 2, 1, "m", 5>>) -> tensor<?x2x2x?x5xf32, #weft.dims<"b", 2, 2, "m", 5>>
  %5 = weft.reshape %4 : (tensor<?x2x2x?x5xf32, #weft.dims<"b", 2, 2, "m", 5>>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>
  %6 = weft.matmul %q, %2 : (tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %7 = weft.softmax %6 {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %8 = weft.matmul %7, %5 : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
  return %8 : tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
}

// -----

// The same by broadcasting, with a dim for the groups.
// CHECK-LABEL: @broadcast_keys
// CHECK: weft.attention
// CHECK-SAME: tensor<?x6x?x8xf32, #weft.dims<"b", 6, "n", 8>>, tensor<?x2x?x8xf32, #weft.dims<"b", 2, "m", 8>>
func.func @broadcast_keys(%q: tensor<?x2x3x?x8xf32, #weft.dims<"b", 2, 3, "n", 8>>, %kt: tensor<?x2x1x8x?xf32, #weft.dims<"b", 2, 1, 8, "m">>, %v: tensor<?x2x1x?x5xf32, #weft.dims<"b", 2, 1, "m", 5>>) -> (tensor<?x2x3x?x5xf32, #weft.dims<"b", 2, 3, "n", 5>>) {
  %0 = weft.matmul %q, %kt : (tensor<?x2x3x?x8xf32, #weft.dims<"b", 2, 3, "n", 8>>, tensor<?x2x1x8x?xf32, #weft.dims<"b", 2, 1, 8, "m">>) -> tensor<?x2x3x?x?xf32, #weft.dims<"b", 2, 3, "n", "m">>
  %1 = weft.softmax %0 {axis = 4 : i64} : (tensor<?x2x3x?x?xf32, #weft.dims<"b", 2, 3, "n", "m">>) -> tensor<?x2x3x?x?xf32, #weft.dims<"b", 2, 3, "n", "m">>
  %2 = weft.matmul %1, %v : (tensor<?x2x3x?x?xf32, #weft.dims<"b", 2, 3, "n", "m">>, tensor<?x2x1x?x5xf32, #weft.dims<"b", 2, 1, "m", 5>>) -> tensor<?x2x3x?x5xf32, #weft.dims<"b", 2, 3, "n", 5>>
  return %2 : tensor<?x2x3x?x5xf32, #weft.dims<"b", 2, 3, "n", 5>>
}

// -----

// A guard against NaN says what rows without keys give.
// CHECK-LABEL: @guard
// CHECK: weft.attention {{.*}} empty_rows(nan_to_zero) captures
func.func @guard(%q: tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, %kt: tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>, %v: tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>, %mask: tensor<?x?xf32, #weft.dims<"n", "m">>) -> (tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>) {
  %0 = weft.matmul %q, %kt : (tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %1 = weft.add %0, %mask : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x?xf32, #weft.dims<"n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %2 = weft.softmax %1 {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %3 = weft.compare eq %2, %2 : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xi1, #weft.dims<"b", 4, "n", "m">>
  %4 = weft.not %3 : (tensor<?x4x?x?xi1, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xi1, #weft.dims<"b", 4, "n", "m">>
  %5 = weft.constant dense<0.0> : tensor<f32>
  %6 = weft.where %4, %5, %2 : (tensor<?x4x?x?xi1, #weft.dims<"b", 4, "n", "m">>, tensor<f32>, tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %7 = weft.matmul %6, %v : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
  return %7 : tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
}

// -----

// Weights that are also an output are the second result.
// CHECK-LABEL: @weights_kept
// CHECK: %[[Y:.*]], %[[W:.*]] = weft.attention
// CHECK-NOT: weft.softmax
// CHECK: return %[[Y]], %[[W]]
func.func @weights_kept(%q: tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, %kt: tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>, %v: tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> (tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>, tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) {
  %0 = weft.matmul %q, %kt : (tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %1 = weft.softmax %0 {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %2 = weft.matmul %1, %v : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
  return %2, %1 : tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>, tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
}

// -----

// Scores that are also an output stay.
// CHECK-LABEL: @scores_kept
// CHECK-DAG: %[[S:.*]] = weft.matmul
// CHECK-DAG: %[[Y:.*]] = weft.attention
// CHECK: return %[[Y]], %[[S]]
func.func @scores_kept(%q: tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, %kt: tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>, %v: tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> (tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>, tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) {
  %0 = weft.matmul %q, %kt : (tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %1 = weft.softmax %0 {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %2 = weft.matmul %1, %v : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
  return %2, %0 : tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>, tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
}

// -----

// A factor of the weights is one of the result.
// CHECK-LABEL: @scaled_weights
// CHECK: %[[Y:.*]] = weft.attention
// CHECK: weft.mul %[[Y]]
func.func @scaled_weights(%q: tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, %kt: tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>, %v: tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> (tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>) {
  %0 = weft.matmul %q, %kt : (tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %1 = weft.softmax %0 {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %2 = weft.constant dense<2.0> : tensor<f32>
  %3 = weft.mul %1, %2 : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<f32>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %4 = weft.matmul %3, %v : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
  return %4 : tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
}

// -----

// Scores of 16 bits are rounded as the model rounds them.
// CHECK-LABEL: @rounded
// CHECK: weft.attention {{.*}} score
// CHECK: %[[R:.*]] = arith.truncf %{{.*}} : f32 to f16
// CHECK: %[[W:.*]] = arith.extf %[[R]] : f16 to f32
// CHECK: weft.yield %[[W]]
func.func @rounded(%q: tensor<?x4x?x8xf16, #weft.dims<"b", 4, "n", 8>>, %kt: tensor<?x4x8x?xf16, #weft.dims<"b", 4, 8, "m">>, %v: tensor<?x4x?x5xf16, #weft.dims<"b", 4, "m", 5>>) -> (tensor<?x4x?x5xf16, #weft.dims<"b", 4, "n", 5>>) {
  %0 = weft.matmul %q, %kt : (tensor<?x4x?x8xf16, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x8x?xf16, #weft.dims<"b", 4, 8, "m">>) -> tensor<?x4x?x?xf16, #weft.dims<"b", 4, "n", "m">>
  %1 = weft.softmax %0 {axis = 3 : i64} : (tensor<?x4x?x?xf16, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xf16, #weft.dims<"b", 4, "n", "m">>
  %2 = weft.matmul %1, %v : (tensor<?x4x?x?xf16, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x5xf16, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xf16, #weft.dims<"b", 4, "n", 5>>
  return %2 : tensor<?x4x?x5xf16, #weft.dims<"b", 4, "n", 5>>
}

// -----

// Casts around the softmax.
// CHECK-LABEL: @softmax_in_single
// CHECK: weft.attention
// CHECK-NOT: weft.cast
func.func @softmax_in_single(%q: tensor<?x4x?x8xf16, #weft.dims<"b", 4, "n", 8>>, %kt: tensor<?x4x8x?xf16, #weft.dims<"b", 4, 8, "m">>, %v: tensor<?x4x?x5xf16, #weft.dims<"b", 4, "m", 5>>) -> (tensor<?x4x?x5xf16, #weft.dims<"b", 4, "n", 5>>) {
  %0 = weft.matmul %q, %kt : (tensor<?x4x?x8xf16, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x8x?xf16, #weft.dims<"b", 4, 8, "m">>) -> tensor<?x4x?x?xf16, #weft.dims<"b", 4, "n", "m">>
  %1 = weft.cast %0 to f32 : (tensor<?x4x?x?xf16, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %2 = weft.softmax %1 {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %3 = weft.cast %2 to f16 : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xf16, #weft.dims<"b", 4, "n", "m">>
  %4 = weft.matmul %3, %v : (tensor<?x4x?x?xf16, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x5xf16, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xf16, #weft.dims<"b", 4, "n", 5>>
  return %4 : tensor<?x4x?x5xf16, #weft.dims<"b", 4, "n", 5>>
}

// -----

// One head without a batch.
// CHECK-LABEL: @matrices
// CHECK: weft.attention {{.*}} scale(1.0{{.*}}) empty_rows(nan) : (tensor<1x1x5x8xf64>, tensor<1x1x7x8xf64>, tensor<1x1x7x3xf64>) -> tensor<1x1x5x3xf64>
func.func @matrices(%q: tensor<5x8xf64>, %kt: tensor<8x7xf64>, %v: tensor<7x3xf64>) -> (tensor<5x3xf64>) {
  %0 = weft.matmul %q, %kt : (tensor<5x8xf64>, tensor<8x7xf64>) -> tensor<5x7xf64>
  %1 = weft.softmax %0 {axis = 1 : i64} : (tensor<5x7xf64>) -> tensor<5x7xf64>
  %2 = weft.matmul %1, %v : (tensor<5x7xf64>, tensor<7x3xf64>) -> tensor<5x3xf64>
  return %2 : tensor<5x3xf64>
}

// -----

// Values of 16 bits beside a query of 32.
// CHECK-LABEL: @mixed
// CHECK: weft.attention {{.*}} : (tensor<1x1x5x8xf32>, tensor<1x1x7x8xf32>, tensor<1x1x7x3xf32>)
// CHECK: weft.cast %{{.*}} to f16
// CHECK: return %{{.*}} : tensor<5x3xf16>
func.func @mixed(%q: tensor<5x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x3xf16>) -> (tensor<5x3xf16>) {
  %0 = weft.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  %1 = weft.softmax %0 {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %2 = weft.cast %1 to f16 : (tensor<5x7xf32>) -> tensor<5x7xf16>
  %3 = weft.matmul %2, %v : (tensor<5x7xf16>, tensor<7x3xf16>) -> tensor<5x3xf16>
  return %3 : tensor<5x3xf16>
}

// -----

// No dim but 1.
// CHECK-LABEL: @ones
// CHECK: weft.attention
func.func @ones(%q: tensor<1x1xf32>, %kt: tensor<1x1xf32>, %v: tensor<1x1xf32>) -> (tensor<1x1xf32>) {
  %0 = weft.matmul %q, %kt : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  %1 = weft.softmax %0 {axis = 1 : i64} : (tensor<1x1xf32>) -> tensor<1x1xf32>
  %2 = weft.matmul %1, %v : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
}

// -----

// More operations than a small map holds.
// CHECK-LABEL: @long_chain
// CHECK: weft.attention
// CHECK-COUNT-60: math.tanh
func.func @long_chain(%q: tensor<5x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x3xf32>) -> (tensor<5x3xf32>) {
  %0 = weft.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  %1 = weft.tanh %0 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %2 = weft.tanh %1 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %3 = weft.tanh %2 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %4 = weft.tanh %3 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %5 = weft.tanh %4 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %6 = weft.tanh %5 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %7 = weft.tanh %6 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %8 = weft.tanh %7 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %9 = weft.tanh %8 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %10 = weft.tanh %9 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %11 = weft.tanh %10 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %12 = weft.tanh %11 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %13 = weft.tanh %12 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %14 = weft.tanh %13 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %15 = weft.tanh %14 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %16 = weft.tanh %15 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %17 = weft.tanh %16 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %18 = weft.tanh %17 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %19 = weft.tanh %18 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %20 = weft.tanh %19 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %21 = weft.tanh %20 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %22 = weft.tanh %21 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %23 = weft.tanh %22 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %24 = weft.tanh %23 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %25 = weft.tanh %24 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %26 = weft.tanh %25 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %27 = weft.tanh %26 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %28 = weft.tanh %27 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %29 = weft.tanh %28 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %30 = weft.tanh %29 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %31 = weft.tanh %30 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %32 = weft.tanh %31 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %33 = weft.tanh %32 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %34 = weft.tanh %33 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %35 = weft.tanh %34 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %36 = weft.tanh %35 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %37 = weft.tanh %36 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %38 = weft.tanh %37 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %39 = weft.tanh %38 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %40 = weft.tanh %39 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %41 = weft.tanh %40 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %42 = weft.tanh %41 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %43 = weft.tanh %42 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %44 = weft.tanh %43 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %45 = weft.tanh %44 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %46 = weft.tanh %45 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %47 = weft.tanh %46 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %48 = weft.tanh %47 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %49 = weft.tanh %48 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %50 = weft.tanh %49 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %51 = weft.tanh %50 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %52 = weft.tanh %51 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %53 = weft.tanh %52 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %54 = weft.tanh %53 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %55 = weft.tanh %54 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %56 = weft.tanh %55 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %57 = weft.tanh %56 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %58 = weft.tanh %57 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %59 = weft.tanh %58 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %60 = weft.tanh %59 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %61 = weft.softmax %60 {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %62 = weft.matmul %61, %v : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  return %62 : tensor<5x3xf32>
}

// -----

// Weights that are 0 by the mask that the softmax knows already.
// CHECK-LABEL: @masked_weights
// CHECK: weft.attention {{.*}} empty_rows(zero)
// CHECK: %[[KEEP:.*]] = arith.xori
// CHECK: weft.yield %{{.*}}, %[[KEEP]]
func.func @masked_weights(%q: tensor<4x8xf32>, %kt: tensor<8x4xf32>, %v: tensor<4x3xf32>, %m: tensor<4x4xi1>) -> (tensor<4x3xf32>) {
  %0 = weft.matmul %q, %kt : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = weft.constant dense<-3.40282347e+38> : tensor<f32>
  %2 = weft.where %m, %1, %0 : (tensor<4x4xi1>, tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = weft.softmax %2 {axis = 1 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = weft.constant dense<0.0> : tensor<f32>
  %5 = weft.where %m, %4, %3 : (tensor<4x4xi1>, tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = weft.matmul %5, %v : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %6 : tensor<4x3xf32>
}

// -----

// An attention that is given as one takes in what its mask is made of, too: the triangle is computed, the padding read.
// CHECK-LABEL: @given_mask
// CHECK-SAME: %[[X:.*]]: tensor<2x4x?x8xf32, {{.*}}>, %[[OPEN:.*]]: tensor<2x?xi1
// CHECK: %[[MASK:.*]] = weft.reshape %[[OPEN]] : {{.*}} -> tensor<2x1x1x?xi1
// CHECK: weft.attention {{.*}} empty_rows(zero) captures(%[[MASK]] : tensor<2x1x1x?xi1, {{.*}}>) score {
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, %{{.*}}: index, %{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index, %[[O:.*]]: i1):
// CHECK-DAG: %[[ROW:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK-DAG: %[[COLUMN:.*]] = arith.index_cast %[[J]] : index to i64
// CHECK: %[[BEFORE:.*]] = arith.cmpi sle, %[[COLUMN]], %[[ROW]] : i64
// CHECK: %[[BOTH:.*]] = arith.andi %[[BEFORE]], %[[O]] : i1
// CHECK-NEXT: weft.yield %[[S]], %[[BOTH]] : f32, i1
func.func @given_mask(%x: tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>, %open: tensor<2x?xi1, #weft.dims<2, "n">>) -> tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>> {
  %0 = weft.range {first = #weft.dim<0>, step = 1 : i64} : () -> tensor<?xi64, #weft.dims<"n">>
  %1 = weft.reshape %0 : (tensor<?xi64, #weft.dims<"n">>) -> tensor<?x1xi64, #weft.dims<"n", 1>>
  %2 = weft.compare le %0, %1 : (tensor<?xi64, #weft.dims<"n">>, tensor<?x1xi64, #weft.dims<"n", 1>>) -> tensor<?x?xi1, #weft.dims<"n", "n">>
  %3 = weft.reshape %open : (tensor<2x?xi1, #weft.dims<2, "n">>) -> tensor<2x1x1x?xi1, #weft.dims<2, 1, 1, "n">>
  %4 = weft.and %2, %3 : (tensor<?x?xi1, #weft.dims<"n", "n">>, tensor<2x1x1x?xi1, #weft.dims<2, 1, 1, "n">>) -> tensor<2x1x?x?xi1, #weft.dims<2, 1, "n", "n">>
  %y = weft.attention %x, %x, %x scale(1.0) empty_rows(zero) captures(%4 : tensor<2x1x?x?xi1, #weft.dims<2, 1, "n", "n">>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %keep: i1):
    weft.yield %s, %keep : f32, i1
  } : (tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>, tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>, tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>) -> tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>
  return %y : tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>
}

// -----

// What is read as it is stays as it is.
// CHECK-LABEL: @given_tensor
// CHECK: weft.attention {{.*}} captures(%arg1 : tensor<2x1x7x7xf32>) score {
// CHECK: ^bb0(%[[S:.*]]: f32, {{.*}}, %[[M:.*]]: f32):
// CHECK: arith.addf %[[S]], %[[M]]
func.func @given_tensor(%x: tensor<2x4x7x8xf32>, %mask: tensor<2x1x7x7xf32>) -> tensor<2x4x7x8xf32> {
  %y = weft.attention %x, %x, %x scale(1.0) empty_rows(nan) captures(%mask : tensor<2x1x7x7xf32>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %m: f32):
    %sum = arith.addf %s, %m : f32
    %true = arith.constant true
    weft.yield %sum, %true : f32, i1
  } : (tensor<2x4x7x8xf32>, tensor<2x4x7x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x7x8xf32>
  return %y : tensor<2x4x7x8xf32>
}

// -----

!q = tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>
!kt = tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m" + 3>>
!s = tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m" + 3>>
!v = tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m" + 3, 5>>
!y = tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
!rows = tensor<?x1x?x1xf32, #weft.dims<"b", 1, "n" + 2, 1>>
!first = tensor<?x1x?x1xf32, #weft.dims<"b", 1, "n", 1>>
!near = tensor<?x1x1x3xf32, #weft.dims<"b", 1, 1, 3>>
!far = tensor<?x1x1x?xf32, #weft.dims<"b", 1, 1, "m">>
!sNear = tensor<?x1x?x3xf32, #weft.dims<"b", 1, "n", 3>>
!sFar = tensor<?x1x?x?xf32, #weft.dims<"b", 1, "n", "m">>
!mask = tensor<?x1x?x?xf32, #weft.dims<"b", 1, "n", "m" + 3>>

// A mask that is joined from parts is computed from what these are made of: vectors with zeros around them, and slices.
// CHECK-LABEL: @joined_mask
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: tensor<?x1x?x1xf32, {{[^%]*}}, %[[NEAR:[a-z0-9]+]]: tensor<?x1x1x3xf32, {{[^%]*}}, %[[FAR:[a-z0-9]+]]: tensor
// CHECK: weft.slice %[[ROWS]] {offsets = #weft.dims<0, 0, 2, 0>
// CHECK: weft.pad constant %{{.*}} {after = #weft.dims<0, "m">, {{.*}}before = #weft.dims<0, 0>
// CHECK: weft.pad constant %{{.*}} {after = #weft.dims<0, 0>, {{.*}}before = #weft.dims<0, 3>
// CHECK: weft.attention {{.*}} captures({{.*}} : tensor<?x1x?x1xf32, #weft.dims<"b", 1, "n", 1>>, tensor<?x1x1x?xf32, #weft.dims<"b", 1, 1, "m" + 3>>, tensor<?x1x1x?xf32, #weft.dims<"b", 1, 1, "m" + 3>>) score {
// CHECK: ^bb0(%[[S:.*]]: f32, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[J:.*]]: index, %[[ROW:.*]]: f32, %[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[LEFT:.*]] = arith.mulf %[[ROW]], %[[A]]
// CHECK-DAG: %[[RIGHT:.*]] = arith.mulf %[[ROW]], %[[B]]
// CHECK-DAG: %[[IS:.*]] = arith.cmpi slt, %[[J]], %[[THREE]]
// CHECK: %[[M:.*]] = arith.select %[[IS]], %[[LEFT]], %[[RIGHT]]
// CHECK: arith.addf %[[S]], %[[M]]
func.func @joined_mask(%q: !q, %kt: !kt, %v: !v, %rows: !rows, %near: !near, %far: !far) -> !y {
  %first = weft.slice %rows {offsets = #weft.dims<0, 0, 2, 0>, strides = array<i64: 1, 1, 1, 1>} : (!rows) -> !first
  %a = weft.mul %first, %near : (!first, !near) -> !sNear
  %b = weft.mul %first, %far : (!first, !far) -> !sFar
  %mask = weft.concat %a, %b {axis = 3 : i64} : (!sNear, !sFar) -> !mask
  %p = weft.matmul %q, %kt : (!q, !kt) -> !s
  %s = weft.add %p, %mask : (!s, !mask) -> !s
  %w = weft.softmax %s {axis = 3 : i64} : (!s) -> !s
  %y = weft.matmul %w, %v : (!s, !v) -> !y
  return %y : !y
}

// -----

!q = tensor<2x?x8xf32, #weft.dims<2, "n", 8>>
!kt = tensor<2x8x?xf32, #weft.dims<2, 8, "n">>
!s = tensor<2x?x?xf32, #weft.dims<2, "n", "n">>
!wide = tensor<2x?x?xf32, #weft.dims<2, "n" + 1, "n" + 4>>
!column = tensor<?x1xf32, #weft.dims<"n" + 1, 1>>
!row = tensor<?xf32, #weft.dims<"n" + 4>>
!sum = tensor<?x?xf32, #weft.dims<"n" + 1, "n" + 4>>
!part = tensor<?x?xf32, #weft.dims<"n", "n">>

// A slice of what is computed from vectors is computed from slices of these.
// CHECK-LABEL: @sliced_mask
// CHECK-DAG: weft.slice {{.*}} {offsets = #weft.dims<1>
// CHECK-DAG: weft.slice {{.*}} {offsets = #weft.dims<4>
// CHECK: weft.attention {{.*}} captures({{.*}} : tensor<1x1x?x1xf32, #weft.dims<1, 1, "n", 1>>, tensor<1x1x1x?xf32, #weft.dims<1, 1, 1, "n">>) score {
func.func @sliced_mask(%q: !q, %kt: !kt, %v: !q, %column: !column, %row: !row) -> !q {
  %sum = weft.add %column, %row : (!column, !row) -> !sum
  %mask = weft.slice %sum {offsets = #weft.dims<1, 4>, strides = array<i64: 1, 1>} : (!sum) -> !part
  %p = weft.matmul %q, %kt : (!q, !kt) -> !s
  %s = weft.add %p, %mask : (!s, !part) -> !s
  %w = weft.softmax %s {axis = 2 : i64} : (!s) -> !s
  %y = weft.matmul %w, %v : (!s, !q) -> !q
  return %y : !q
}

// -----

!q = tensor<12x4x8xf32>
!kt = tensor<12x8x5xf32>
!v = tensor<12x5x8xf32>
!s = tensor<12x4x5xf32>

// Slices of rows that are slices of their own.
// CHECK-LABEL: @slice_of_slice
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<400xf32>)
// CHECK: %[[OUTER:.*]] = weft.slice %[[X]] {offsets = #weft.dims<40>, strides = array<i64: 1>} : (tensor<400xf32>) -> tensor<320xf32>
// CHECK: %[[BLOCKS:.*]] = weft.reshape %[[OUTER]] : (tensor<320xf32>) -> tensor<16x4x5xf32>
// CHECK: %[[INNER:.*]] = weft.slice %[[BLOCKS]] {offsets = #weft.dims<2, 0, 0>, {{.*}} -> tensor<12x4x5xf32>
// CHECK: weft.attention {{.*}} captures(%{{.*}} : tensor<12x1x4x5xf32>)
func.func @slice_of_slice(%q: !q, %kt: !kt, %v: !v, %x: tensor<400xf32>) -> !q {
  %two = weft.constant dense<2.0> : tensor<f32>
  %twice = weft.mul %x, %two : (tensor<400xf32>, tensor<f32>) -> tensor<400xf32>
  %outer = weft.slice %twice {offsets = #weft.dims<40>, strides = array<i64: 1>} : (tensor<400xf32>) -> tensor<320xf32>
  %blocks = weft.reshape %outer : (tensor<320xf32>) -> tensor<16x4x5xf32>
  %mask = weft.slice %blocks {offsets = #weft.dims<2, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<16x4x5xf32>) -> !s
  %p = weft.matmul %q, %kt : (!q, !kt) -> !s
  %s = weft.add %p, %mask : (!s, !s) -> !s
  %w = weft.softmax %s {axis = 2 : i64} : (!s) -> !s
  %y = weft.matmul %w, %v : (!s, !v) -> !q
  return %y : !q
}

// -----

// Each product of the weights is an attention: differential attention's two halves of the values. Weights that
// stay are the first one's.
// CHECK-LABEL: @two_values
// CHECK: %[[Y:.*]], %[[W:.*]] = weft.attention {{.*}} -> tensor<1x1x5x3xf32>, tensor<1x1x5x7xf32>
// CHECK: %[[Z:.*]] = weft.attention {{.*}} -> tensor<1x1x5x2xf32>
// CHECK-NOT: weft.attention
func.func @two_values(%q: tensor<5x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x3xf32>, %w: tensor<7x2xf32>) -> (tensor<5x3xf32>, tensor<5x2xf32>, tensor<5x7xf32>) {
  %0 = weft.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  %1 = weft.softmax %0 {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %2 = weft.matmul %1, %v : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  %3 = weft.matmul %1, %w : (tensor<5x7xf32>, tensor<7x2xf32>) -> tensor<5x2xf32>
  return %2, %3, %1 : tensor<5x3xf32>, tensor<5x2xf32>, tensor<5x7xf32>
}

// -----

// CHECK-LABEL: @values_of_the_first
// CHECK: %[[Y:.*]] = weft.attention
// CHECK: weft.attention {{.*}}%[[Y]] scale
func.func @values_of_the_first(%q: tensor<1x1x5x8xf32>, %kt: tensor<1x1x8x5xf32>, %v: tensor<1x1x5x3xf32>) -> tensor<1x1x5x3xf32> {
  %0 = weft.matmul %q, %kt : (tensor<1x1x5x8xf32>, tensor<1x1x8x5xf32>) -> tensor<1x1x5x5xf32>
  %1 = weft.softmax %0 {axis = 3 : i64} : (tensor<1x1x5x5xf32>) -> tensor<1x1x5x5xf32>
  %2 = weft.matmul %1, %v : (tensor<1x1x5x5xf32>, tensor<1x1x5x3xf32>) -> tensor<1x1x5x3xf32>
  %3 = weft.matmul %1, %2 : (tensor<1x1x5x5xf32>, tensor<1x1x5x3xf32>) -> tensor<1x1x5x3xf32>
  return %3 : tensor<1x1x5x3xf32>
}
