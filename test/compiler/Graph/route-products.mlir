// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with matrices that are gathered for each row.
// RUN: weft-opt %s -split-input-file -weft-route-products | FileCheck %s
// RUN: weft-opt %s -split-input-file -weft-route-products -weft-pack-weights | FileCheck %s --check-prefix=PACKED
// RUN: weft-opt %s -split-input-file -weft-route-products -weft-pack-weights=routed-storage=i8 | FileCheck %s --check-prefix=INT8
// RUN: weft-opt %s -split-input-file -weft-route-products -weft-pack-weights=routed-storage=i4 | FileCheck %s --check-prefix=INT4
// RUN: weft-opt %s -split-input-file -weft-route-products -weft-pack-weights=routed-storage=bf16 | FileCheck %s --check-prefix=BF16

// A row for each matrix; what is gathered is not read any more.
// CHECK-LABEL: @rows
// CHECK: %[[E:.*]] = weft.reshape %arg2 : {{.*}} -> tensor<?xi64, #weft.dims<"n">>
// CHECK: %[[ROWS:.*]] = weft.reshape %arg0 : {{.*}} -> tensor<?x3xf32, #weft.dims<"n", 3>>
// CHECK-NOT: weft.gather
// CHECK: %[[Y:.*]] = weft.routed_matmul %[[ROWS]], %arg1, %[[E]] : {{.*}} -> tensor<?x5xf32, #weft.dims<"n", 5>>
// CHECK: weft.reshape %[[Y]] : {{.*}} -> tensor<?x1x5xf32, #weft.dims<"n", 1, 5>>
func.func @rows(%x: tensor<?x1x3xf32, #weft.dims<"n", 1, 3>>, %w: tensor<4x3x5xf32>, %i: tensor<?x1xi64, #weft.dims<"n", 1>>) -> tensor<?x1x5xf32, #weft.dims<"n", 1, 5>> {
  %g = weft.gather_nd %w, %i {batch_dims = 0 : i64} : (tensor<4x3x5xf32>, tensor<?x1xi64, #weft.dims<"n", 1>>) -> tensor<?x3x5xf32, #weft.dims<"n", 3, 5>>
  %y = weft.matmul %x, %g : (tensor<?x1x3xf32, #weft.dims<"n", 1, 3>>, tensor<?x3x5xf32, #weft.dims<"n", 3, 5>>) -> tensor<?x1x5xf32, #weft.dims<"n", 1, 5>>
  return %y : tensor<?x1x5xf32, #weft.dims<"n", 1, 5>>
}

// -----

// A column on the other side: constant matrices are transposed while they are packed.
// CHECK-LABEL: @columns
// CHECK: %[[W:.*]] = weft.constant
// CHECK: %[[T:.*]] = weft.transpose %[[W]] {permutation = array<i64: 0, 2, 1>}
// CHECK: weft.routed_matmul %{{.*}}, %[[T]], %arg1
// PACKED-LABEL: @columns
// PACKED: %[[P:.*]] = weft.constant {{.*}} : tensor<4x3x48xf32>
// PACKED: weft.routed_matmul %{{.*}}, %[[P]], %arg1 {packed_columns = 50 : i64}
// INT8: weft.routed_matmul {{.*}} {groups = #weft.weight_groups<bits = 8, rows = 16, hasOffsets = false>, packed_columns = 50 : i64} : {{.*}}, tensor<4x1x5x48xi32>
// INT4: weft.routed_matmul {{.*}} {packed_columns = 50 : i64} : {{.*}}, tensor<4x1x9x48xi32>
// BF16: weft.routed_matmul {{.*}} {packed_columns = 50 : i64} : {{.*}}, tensor<4x3x48xbf16>
func.func @columns(%x: tensor<?x3x1xf32, #weft.dims<"n", 3, 1>>, %i: tensor<?xi64, #weft.dims<"n">>) -> tensor<?x50x1xf32, #weft.dims<"n", 50, 1>> {
  %w = weft.constant dense<2.0> : tensor<2x50x3xf32>
  %g = weft.gather %w, %i {axis = 0 : i64} : (tensor<2x50x3xf32>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x50x3xf32, #weft.dims<"n", 50, 3>>
  %y = weft.matmul %g, %x : (tensor<?x50x3xf32, #weft.dims<"n", 50, 3>>, tensor<?x3x1xf32, #weft.dims<"n", 3, 1>>) -> tensor<?x50x1xf32, #weft.dims<"n", 50, 1>>
  return %y : tensor<?x50x1xf32, #weft.dims<"n", 50, 1>>
}

// -----

// Others would have to be transposed in each run.
// CHECK-LABEL: @columns_of_others
// CHECK-NOT: weft.routed_matmul
// CHECK: weft.matmul
func.func @columns_of_others(%x: tensor<?x3x1xf32, #weft.dims<"n", 3, 1>>, %w: tensor<4x5x3xf32>, %i: tensor<?xi64, #weft.dims<"n">>) -> tensor<?x5x1xf32, #weft.dims<"n", 5, 1>> {
  %g = weft.gather %w, %i {axis = 0 : i64} : (tensor<4x5x3xf32>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x5x3xf32, #weft.dims<"n", 5, 3>>
  %y = weft.matmul %g, %x : (tensor<?x5x3xf32, #weft.dims<"n", 5, 3>>, tensor<?x3x1xf32, #weft.dims<"n", 3, 1>>) -> tensor<?x5x1xf32, #weft.dims<"n", 5, 1>>
  return %y : tensor<?x5x1xf32, #weft.dims<"n", 5, 1>>
}

// -----

// A table of more matrices than rows are routed to, and one of nobody knows how many.
// CHECK-LABEL: @tables
// CHECK-NOT: weft.routed_matmul
// CHECK: return
func.func @tables(%x: tensor<?x1x3xf32, #weft.dims<"n", 1, 3>>, %w: tensor<1025x3x5xf32>, %u: tensor<?x3x5xf32, #weft.dims<"e", 3, 5>>, %i: tensor<?xi64, #weft.dims<"n">>)
    -> (tensor<?x1x5xf32, #weft.dims<"n", 1, 5>>, tensor<?x1x5xf32, #weft.dims<"n", 1, 5>>) {
  %g = weft.gather %w, %i {axis = 0 : i64} : (tensor<1025x3x5xf32>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x3x5xf32, #weft.dims<"n", 3, 5>>
  %y = weft.matmul %x, %g : (tensor<?x1x3xf32, #weft.dims<"n", 1, 3>>, tensor<?x3x5xf32, #weft.dims<"n", 3, 5>>) -> tensor<?x1x5xf32, #weft.dims<"n", 1, 5>>
  %h = weft.gather %u, %i {axis = 0 : i64} : (tensor<?x3x5xf32, #weft.dims<"e", 3, 5>>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x3x5xf32, #weft.dims<"n", 3, 5>>
  %z = weft.matmul %x, %h : (tensor<?x1x3xf32, #weft.dims<"n", 1, 3>>, tensor<?x3x5xf32, #weft.dims<"n", 3, 5>>) -> tensor<?x1x5xf32, #weft.dims<"n", 1, 5>>
  return %y, %z : tensor<?x1x5xf32, #weft.dims<"n", 1, 5>>, tensor<?x1x5xf32, #weft.dims<"n", 1, 5>>
}

// -----

// Several rows for each matrix; one row for all; matrices along another axis; one that may serve all.
// CHECK-LABEL: @others
// CHECK-NOT: weft.routed_matmul
// CHECK: return
func.func @others(%x: tensor<?x2x3xf32, #weft.dims<"n", 2, 3>>, %one: tensor<1x1x3xf32>, %w: tensor<4x3x5xf32>, %i: tensor<?xi64, #weft.dims<"n">>, %u: tensor<?x1x3xf32, #weft.dims<"u", 1, 3>>)
    -> (tensor<?x2x5xf32, #weft.dims<"n", 2, 5>>, tensor<?x1x5xf32, #weft.dims<"n", 1, 5>>, tensor<4x1x?xf32, #weft.dims<4, 1, "n">>, tensor<?x1x5xf32, #weft.dims<broadcast("n", "u"), 1, 5>>) {
  %g = weft.gather %w, %i {axis = 0 : i64} : (tensor<4x3x5xf32>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x3x5xf32, #weft.dims<"n", 3, 5>>
  %a = weft.matmul %x, %g : (tensor<?x2x3xf32, #weft.dims<"n", 2, 3>>, tensor<?x3x5xf32, #weft.dims<"n", 3, 5>>) -> tensor<?x2x5xf32, #weft.dims<"n", 2, 5>>
  %b = weft.matmul %one, %g : (tensor<1x1x3xf32>, tensor<?x3x5xf32, #weft.dims<"n", 3, 5>>) -> tensor<?x1x5xf32, #weft.dims<"n", 1, 5>>
  %h = weft.gather %w, %i {axis = 2 : i64} : (tensor<4x3x5xf32>, tensor<?xi64, #weft.dims<"n">>) -> tensor<4x3x?xf32, #weft.dims<4, 3, "n">>
  %c = weft.matmul %one, %h : (tensor<1x1x3xf32>, tensor<4x3x?xf32, #weft.dims<4, 3, "n">>) -> tensor<4x1x?xf32, #weft.dims<4, 1, "n">>
  %d = weft.matmul %u, %g : (tensor<?x1x3xf32, #weft.dims<"u", 1, 3>>, tensor<?x3x5xf32, #weft.dims<"n", 3, 5>>) -> tensor<?x1x5xf32, #weft.dims<broadcast("n", "u"), 1, 5>>
  return %a, %b, %c, %d : tensor<?x2x5xf32, #weft.dims<"n", 2, 5>>, tensor<?x1x5xf32, #weft.dims<"n", 1, 5>>, tensor<4x1x?xf32, #weft.dims<4, 1, "n">>, tensor<?x1x5xf32, #weft.dims<broadcast("n", "u"), 1, 5>>
}

// -----

// Matrices that two products share are packed once.
// PACKED-LABEL: @shared
// PACKED: %[[W:.*]] = weft.constant
// PACKED-NOT: weft.constant
// PACKED: weft.routed_matmul %{{.*}}, %[[W]], %arg1
// PACKED: weft.routed_matmul %{{.*}}, %[[W]], %arg2
func.func @shared(%x: tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>, %i: tensor<?xi64, #weft.dims<"n">>, %j: tensor<?xi64, #weft.dims<"n">>) -> (tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>, tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>) {
  %w = weft.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]> : tensor<2x2x2xf32>
  %g = weft.gather %w, %i {axis = 0 : i64} : (tensor<2x2x2xf32>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x2x2xf32, #weft.dims<"n", 2, 2>>
  %y = weft.matmul %x, %g : (tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>, tensor<?x2x2xf32, #weft.dims<"n", 2, 2>>) -> tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>
  %h = weft.gather %w, %j {axis = 0 : i64} : (tensor<2x2x2xf32>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x2x2xf32, #weft.dims<"n", 2, 2>>
  %z = weft.matmul %y, %h : (tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>, tensor<?x2x2xf32, #weft.dims<"n", 2, 2>>) -> tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>
  return %y, %z : tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>, tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>
}
