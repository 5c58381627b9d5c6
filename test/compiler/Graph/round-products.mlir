// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with constant matrices as products of bf16.
// RUN: weft-opt %s -weft-round-products 2>%t.err | FileCheck %s
// RUN: FileCheck %s --input-file=%t.err --check-prefix=WARNING
// RUN: weft-opt %s -weft-round-products=packs=false 2>%t.err | FileCheck %s --check-prefix=PLAIN
#nk = #weft.dims<"n", 2>
#n32 = #weft.dims<"n", 32>

// Rows are rounded and padded once, and a weight once, however many products have them; a transposed weight is one of its own.
// For GPUs a weight stays a matrix, in the order of a product, and rows are not padded.
// PLAIN-LABEL: @shared
// PLAIN-DAG: %[[T:.*]] = weft.constant {{.*}} : tensor<2x49xbf16>
// PLAIN-DAG: %[[W:.*]] = weft.constant dense<{{\[\[}}-1.000000e+00, 2.000000e+00, -6.000000e+00], [4.000000e+00, 5.000000e+00, 3.000000e+00]]> : tensor<2x3xbf16>
// PLAIN-NOT: weft.pad
// PLAIN: weft.matmul %{{.*}}, %[[W]] {f32_sums} : (tensor<?x2xbf16, #weft.dims<"n", 2>>, tensor<2x3xbf16>) -> tensor<?x3xf32, #weft.dims<"n", 3>>
// PLAIN: weft.matmul %{{.*}}, %[[T]] {f32_sums}

// CHECK-LABEL: @shared
// CHECK-SAME: (%[[X:.*]]: tensor<?x2xf32, #weft.dims<"n", 2>>, %[[Y:.*]]: tensor<4x2xf32>)
// CHECK-DAG: %[[T:.*]] = weft.constant weight<"", {{[0-9]+}}, 6144, {{[0-9]+}}> : tensor<2x16x48x2xbf16>
// CHECK-DAG: %[[W:.*]] = weft.constant weight<"", {{[0-9]+}}, 3072, {{[0-9]+}}> : tensor<1x16x48x2xbf16>
// CHECK-DAG: %[[ROUNDED:.*]] = weft.cast %[[X]] to bf16
// CHECK-DAG: %[[ROWS:.*]] = weft.pad constant %[[ROUNDED]] {{{.*}}after = #weft.dims<0, 30>, before = #weft.dims<0, 0>} : (tensor<?x2xbf16, {{.*}}>) -> tensor<?x32xbf16, #weft.dims<"n", 32>>
// CHECK-DAG: %[[ROUNDED_Y:.*]] = weft.cast %[[Y]] to bf16
// CHECK-DAG: %[[ROWS_Y:.*]] = weft.pad constant %[[ROUNDED_Y]]
// CHECK-NOT: {{weft.(cast|pad|constant|transpose)}}
// CHECK: weft.matmul %[[ROWS]], %[[W]] {packed_columns = 3 : i64} : (tensor<?x32xbf16, #weft.dims<"n", 32>>, tensor<1x16x48x2xbf16>) -> tensor<?x3xf32, #weft.dims<"n", 3>>
// CHECK: weft.matmul %[[ROWS]], %[[W]] {packed_columns = 3 : i64}
// CHECK: weft.matmul %[[ROWS]], %[[T]] {packed_columns = 49 : i64}
// CHECK: weft.matmul %[[ROWS_Y]], %[[W]] {packed_columns = 3 : i64}
func.func @shared(%x: tensor<?x2xf32, #nk>, %y: tensor<4x2xf32>)
    -> (tensor<?x3xf32, #weft.dims<"n", 3>>, tensor<?x3xf32, #weft.dims<"n", 3>>, tensor<?x49xf32, #weft.dims<"n", 49>>, tensor<4x3xf32>) {
  %w = weft.constant dense<[[-1.0, 2.0, -6.0], [4.0, 5.0, 3.0]]> : tensor<2x3xf32>
  %same = weft.constant dense<[[-1.0, 2.0, -6.0], [4.0, 5.0, 3.0]]> : tensor<2x3xf32>
  %v = weft.constant dense<1.0> : tensor<49x2xf32>
  %t = weft.transpose %v {permutation = array<i64: 1, 0>} : (tensor<49x2xf32>) -> tensor<2x49xf32>
  %a = weft.matmul %x, %w : (tensor<?x2xf32, #nk>, tensor<2x3xf32>) -> tensor<?x3xf32, #weft.dims<"n", 3>>
  %b = weft.matmul %x, %same : (tensor<?x2xf32, #nk>, tensor<2x3xf32>) -> tensor<?x3xf32, #weft.dims<"n", 3>>
  %c = weft.matmul %x, %t : (tensor<?x2xf32, #nk>, tensor<2x49xf32>) -> tensor<?x49xf32, #weft.dims<"n", 49>>
  %d = weft.matmul %y, %w : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %a, %b, %c, %d
    : tensor<?x3xf32, #weft.dims<"n", 3>>, tensor<?x3xf32, #weft.dims<"n", 3>>, tensor<?x49xf32, #weft.dims<"n", 49>>, tensor<4x3xf32>
}

// An epilogue sees the same sum as before; nothing is padded where the depth fits.
// CHECK-LABEL: @epilogue
// CHECK-NOT: weft.pad
// CHECK: captures(%arg1 : tensor<1xf32>) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32):
// CHECK-NEXT: arith.addf %[[SUM]], %[[BIAS]] : f32
// CHECK: } {note = "kept", packed_columns = 1 : i64} : (tensor<?x32xbf16, {{.*}}>, tensor<1x16x48x2xbf16>) -> tensor<?x1xf32
func.func @epilogue(%x: tensor<?x32xf32, #n32>, %bias: tensor<1xf32>) -> tensor<?x1xf32, #weft.dims<"n", 1>> {
  %w = weft.constant dense<2.0> : tensor<32x1xf32>
  %a = weft.matmul %x, %w captures(%bias : tensor<1xf32>) epilogue {
  ^bb0(%sum: f32, %b: f32):
    %0 = arith.addf %sum, %b : f32
    weft.yield %0 : f32
  } {note = "kept"} : (tensor<?x32xf32, #n32>, tensor<32x1xf32>) -> tensor<?x1xf32, #weft.dims<"n", 1>>
  return %a : tensor<?x1xf32, #weft.dims<"n", 1>>
}

// Left as they are: products of two inputs and of f64, one whose epilogue has integers of 16 bits, and one whose rows are as long as the weight
// only by a guard.
// CHECK-LABEL: @left
// CHECK-NOT: bf16
// CHECK: return
// WARNING: warning: no product of f32 or bf16 is one that can be computed in bf16 [
func.func @left(%x: tensor<4x2xf32>, %y: tensor<2x3xf32>, %z: tensor<4x2xf64>, %short: tensor<3xi16>,
                %guarded: tensor<4x?xf32, #weft.dims<4, "k">>) -> (tensor<4x3xf32>, tensor<4x3xf64>, tensor<4x3xf32>, tensor<4x3xf32>) {
  %w = weft.constant dense<2.0> : tensor<2x3xf64>
  %v = weft.constant dense<2.0> : tensor<2x3xf32>
  %a = weft.matmul %x, %y : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %b = weft.matmul %z, %w : (tensor<4x2xf64>, tensor<2x3xf64>) -> tensor<4x3xf64>
  %c = weft.matmul %x, %v captures(%short : tensor<3xi16>) epilogue {
  ^bb0(%sum: f32, %s: i16):
    %0 = arith.sitofp %s : i16 to f32
    %1 = arith.addf %sum, %0 : f32
    weft.yield %1 : f32
  } : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %d = weft.matmul %guarded, %v : (tensor<4x?xf32, #weft.dims<4, "k">>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %a, %b, %c, %d : tensor<4x3xf32>, tensor<4x3xf64>, tensor<4x3xf32>, tensor<4x3xf32>
}

// CHECK-LABEL: func.func private @declared
func.func private @declared(tensor<4x2xf32>) -> tensor<4x3xf32>

// What is read only to be rounded is rounded by the product, from a sum of f32, behind the epilogue that it has; what others read, too, is not.
// CHECK-LABEL: @rounded
// CHECK: %[[FIRST:.*]] = weft.matmul {{.*}} epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32):
// CHECK-NEXT: %[[LESS:.*]] = arith.negf %[[SUM]] : f32
// CHECK-NEXT: %[[ROUNDED:.*]] = arith.truncf %[[LESS]] : f32 to bf16
// CHECK-NEXT: weft.yield %[[ROUNDED]] : bf16
// CHECK: -> tensor<?x32xbf16
// CHECK-NOT: weft.cast
// CHECK: %[[SECOND:.*]] = weft.matmul %[[FIRST]], {{.*}} -> tensor<?x32xf32
// CHECK: weft.cast %[[SECOND]] to bf16
func.func @rounded(%x: tensor<?x32xf32, #n32>) -> (tensor<?x32xf32, #n32>, tensor<?x32xf32, #n32>) {
  %w = weft.constant dense<2.0> : tensor<32x32xf32>
  %a = weft.matmul %x, %w epilogue {
  ^bb0(%sum: f32):
    %0 = arith.negf %sum : f32
    weft.yield %0 : f32
  } : (tensor<?x32xf32, #n32>, tensor<32x32xf32>) -> tensor<?x32xf32, #n32>
  %b = weft.matmul %a, %w : (tensor<?x32xf32, #n32>, tensor<32x32xf32>) -> tensor<?x32xf32, #n32>
  %c = weft.matmul %b, %w : (tensor<?x32xf32, #n32>, tensor<32x32xf32>) -> tensor<?x32xf32, #n32>
  return %b, %c : tensor<?x32xf32, #n32>, tensor<?x32xf32, #n32>
}

// A product of bf16 has pairs, too: rows and weights are what they were, and sums are rounded before the epilogue that it has. For GPUs it stays
// as it is.
// CHECK-LABEL: @bf16
// CHECK-DAG: %[[W:.*]] = weft.constant weight<"", {{[0-9]+}}, 3072, {{[0-9]+}}> : tensor<1x16x48x2xbf16>
// CHECK-DAG: %[[ROWS:.*]] = weft.pad constant %arg0
// CHECK-NOT: weft.cast
// CHECK: %[[FIRST:.*]] = weft.matmul %[[ROWS]], %[[W]] captures(%arg1 : tensor<2xbf16>) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: bf16):
// CHECK-NEXT: %[[ROUNDED:.*]] = arith.truncf %[[SUM]] : f32 to bf16
// CHECK-NEXT: %[[BOTH:.*]] = arith.addf %[[ROUNDED]], %[[BIAS]] : bf16
// CHECK-NEXT: weft.yield %[[BOTH]] : bf16
// CHECK: {packed_columns = 2 : i64} : {{.*}} -> tensor<?x2xbf16
// CHECK: weft.matmul {{.*}} epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32):
// CHECK-NEXT: %[[ROUNDED:.*]] = arith.truncf %[[SUM]] : f32 to bf16
// CHECK-NEXT: weft.yield %[[ROUNDED]] : bf16
// PLAIN-LABEL: @bf16
// PLAIN: weft.matmul {{.*}} captures(%arg1 : tensor<2xbf16>) epilogue {
// PLAIN: : (tensor<?x2xbf16, {{.*}}>, tensor<2x2xbf16>) -> tensor<?x2xbf16
// PLAIN: weft.matmul {{.*}} : (tensor<?x2xbf16, {{.*}}>, tensor<2x2xbf16>) -> tensor<?x2xbf16
func.func @bf16(%x: tensor<?x2xbf16, #nk>, %bias: tensor<2xbf16>) -> tensor<?x2xbf16, #nk> {
  %w = weft.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xbf16>
  %a = weft.matmul %x, %w captures(%bias : tensor<2xbf16>) epilogue {
  ^bb0(%sum: bf16, %b: bf16):
    %0 = arith.addf %sum, %b : bf16
    weft.yield %0 : bf16
  } : (tensor<?x2xbf16, #nk>, tensor<2x2xbf16>) -> tensor<?x2xbf16, #nk>
  %c = weft.matmul %a, %w : (tensor<?x2xbf16, #nk>, tensor<2x2xbf16>) -> tensor<?x2xbf16, #nk>
  return %c : tensor<?x2xbf16, #nk>
}
