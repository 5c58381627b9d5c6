// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with matrices that are gathered for each row.
// RUN: weft-opt %s -split-input-file -weft-route-products | FileCheck %s

// A column for each matrix; what is gathered is not read any more.
// CHECK-LABEL: @columns
// CHECK: %[[ROWS:.*]] = weft.reshape %arg0 : {{.*}} -> tensor<?x3xf32, #weft.dims<"n", 3>>
// CHECK-NOT: weft.gather
// CHECK: %[[Y:.*]] = weft.routed_matmul %[[ROWS]], %arg1, %arg2 : {{.*}} -> tensor<?x5xf32, #weft.dims<"n", 5>>
// CHECK: weft.reshape %[[Y]] : {{.*}} -> tensor<?x5x1xf32, #weft.dims<"n", 5, 1>>
func.func @columns(%x: tensor<?x3x1xf32, #weft.dims<"n", 3, 1>>, %w: tensor<4x5x3xf32>, %i: tensor<?xi64, #weft.dims<"n">>) -> tensor<?x5x1xf32, #weft.dims<"n", 5, 1>> {
  %g = weft.gather %w, %i {axis = 0 : i64} : (tensor<4x5x3xf32>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x5x3xf32, #weft.dims<"n", 5, 3>>
  %y = weft.matmul %g, %x : (tensor<?x5x3xf32, #weft.dims<"n", 5, 3>>, tensor<?x3x1xf32, #weft.dims<"n", 3, 1>>) -> tensor<?x5x1xf32, #weft.dims<"n", 5, 1>>
  return %y : tensor<?x5x1xf32, #weft.dims<"n", 5, 1>>
}

// -----

// A row on the other side: constant matrices are transposed.
// CHECK-LABEL: @rows
// CHECK: %[[W:.*]] = weft.constant dense<{{\[\[\[}}1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]], {{\[\[}}7.000000e+00, 1.000000e+01], [8.000000e+00, 1.100000e+01], [9.000000e+00, 1.200000e+01]]]> : tensor<2x3x2xf32>
// CHECK: %[[E:.*]] = weft.reshape %arg1 : {{.*}} -> tensor<?xi64, #weft.dims<"n">>
// CHECK: weft.routed_matmul %{{.*}}, %[[W]], %[[E]]
func.func @rows(%x: tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>, %i: tensor<?x1xi64, #weft.dims<"n", 1>>) -> tensor<?x1x3xf32, #weft.dims<"n", 1, 3>> {
  %w = weft.constant dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]]> : tensor<2x2x3xf32>
  %g = weft.gather_nd %w, %i {batch_dims = 0 : i64} : (tensor<2x2x3xf32>, tensor<?x1xi64, #weft.dims<"n", 1>>) -> tensor<?x2x3xf32, #weft.dims<"n", 2, 3>>
  %y = weft.matmul %x, %g : (tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>, tensor<?x2x3xf32, #weft.dims<"n", 2, 3>>) -> tensor<?x1x3xf32, #weft.dims<"n", 1, 3>>
  return %y : tensor<?x1x3xf32, #weft.dims<"n", 1, 3>>
}

// -----

// Others would have to be transposed in each run.
// CHECK-LABEL: @rows_of_others
// CHECK-NOT: weft.routed_matmul
// CHECK: weft.matmul
func.func @rows_of_others(%x: tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>, %w: tensor<2x2x3xf32>, %i: tensor<?xi64, #weft.dims<"n">>) -> tensor<?x1x3xf32, #weft.dims<"n", 1, 3>> {
  %g = weft.gather %w, %i {axis = 0 : i64} : (tensor<2x2x3xf32>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x2x3xf32, #weft.dims<"n", 2, 3>>
  %y = weft.matmul %x, %g : (tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>, tensor<?x2x3xf32, #weft.dims<"n", 2, 3>>) -> tensor<?x1x3xf32, #weft.dims<"n", 1, 3>>
  return %y : tensor<?x1x3xf32, #weft.dims<"n", 1, 3>>
}

// -----

// A table of more matrices than rows are routed to, and one of nobody knows how many.
// CHECK-LABEL: @tables
// CHECK-NOT: weft.routed_matmul
// CHECK: return
func.func @tables(%x: tensor<?x3x1xf32, #weft.dims<"n", 3, 1>>, %w: tensor<1025x5x3xf32>, %u: tensor<?x5x3xf32, #weft.dims<"e", 5, 3>>, %i: tensor<?xi64, #weft.dims<"n">>)
    -> (tensor<?x5x1xf32, #weft.dims<"n", 5, 1>>, tensor<?x5x1xf32, #weft.dims<"n", 5, 1>>) {
  %g = weft.gather %w, %i {axis = 0 : i64} : (tensor<1025x5x3xf32>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x5x3xf32, #weft.dims<"n", 5, 3>>
  %y = weft.matmul %g, %x : (tensor<?x5x3xf32, #weft.dims<"n", 5, 3>>, tensor<?x3x1xf32, #weft.dims<"n", 3, 1>>) -> tensor<?x5x1xf32, #weft.dims<"n", 5, 1>>
  %h = weft.gather %u, %i {axis = 0 : i64} : (tensor<?x5x3xf32, #weft.dims<"e", 5, 3>>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x5x3xf32, #weft.dims<"n", 5, 3>>
  %z = weft.matmul %h, %x : (tensor<?x5x3xf32, #weft.dims<"n", 5, 3>>, tensor<?x3x1xf32, #weft.dims<"n", 3, 1>>) -> tensor<?x5x1xf32, #weft.dims<"n", 5, 1>>
  return %y, %z : tensor<?x5x1xf32, #weft.dims<"n", 5, 1>>, tensor<?x5x1xf32, #weft.dims<"n", 5, 1>>
}

// -----

// Several columns for each matrix; one column for all; rows along another axis; one that may serve all.
// CHECK-LABEL: @others
// CHECK-NOT: weft.routed_matmul
// CHECK: return
func.func @others(%x: tensor<?x3x2xf32, #weft.dims<"n", 3, 2>>, %one: tensor<1x3x1xf32>, %w: tensor<4x5x3xf32>, %i: tensor<?xi64, #weft.dims<"n">>, %u: tensor<?x3x1xf32, #weft.dims<"u", 3, 1>>)
    -> (tensor<?x5x2xf32, #weft.dims<"n", 5, 2>>, tensor<?x5x1xf32, #weft.dims<"n", 5, 1>>, tensor<4x?x1xf32, #weft.dims<4, "n", 1>>, tensor<?x5x1xf32, #weft.dims<broadcast("n", "u"), 5, 1>>) {
  %g = weft.gather %w, %i {axis = 0 : i64} : (tensor<4x5x3xf32>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x5x3xf32, #weft.dims<"n", 5, 3>>
  %a = weft.matmul %g, %x : (tensor<?x5x3xf32, #weft.dims<"n", 5, 3>>, tensor<?x3x2xf32, #weft.dims<"n", 3, 2>>) -> tensor<?x5x2xf32, #weft.dims<"n", 5, 2>>
  %b = weft.matmul %g, %one : (tensor<?x5x3xf32, #weft.dims<"n", 5, 3>>, tensor<1x3x1xf32>) -> tensor<?x5x1xf32, #weft.dims<"n", 5, 1>>
  %h = weft.gather %w, %i {axis = 1 : i64} : (tensor<4x5x3xf32>, tensor<?xi64, #weft.dims<"n">>) -> tensor<4x?x3xf32, #weft.dims<4, "n", 3>>
  %c = weft.matmul %h, %one : (tensor<4x?x3xf32, #weft.dims<4, "n", 3>>, tensor<1x3x1xf32>) -> tensor<4x?x1xf32, #weft.dims<4, "n", 1>>
  %d = weft.matmul %g, %u : (tensor<?x5x3xf32, #weft.dims<"n", 5, 3>>, tensor<?x3x1xf32, #weft.dims<"u", 3, 1>>) -> tensor<?x5x1xf32, #weft.dims<broadcast("n", "u"), 5, 1>>
  return %a, %b, %c, %d : tensor<?x5x2xf32, #weft.dims<"n", 5, 2>>, tensor<?x5x1xf32, #weft.dims<"n", 5, 1>>, tensor<4x?x1xf32, #weft.dims<4, "n", 1>>, tensor<?x5x1xf32, #weft.dims<broadcast("n", "u"), 5, 1>>
}

// -----

// Matrices that two products share are transposed once.
// CHECK-LABEL: @shared
// CHECK: %[[W:.*]] = weft.constant
// CHECK-NOT: weft.constant
// CHECK: weft.routed_matmul %{{.*}}, %[[W]], %arg1
// CHECK: weft.routed_matmul %{{.*}}, %[[W]], %arg2
func.func @shared(%x: tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>, %i: tensor<?xi64, #weft.dims<"n">>, %j: tensor<?xi64, #weft.dims<"n">>) -> (tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>, tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>) {
  %w = weft.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]> : tensor<2x2x2xf32>
  %g = weft.gather %w, %i {axis = 0 : i64} : (tensor<2x2x2xf32>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x2x2xf32, #weft.dims<"n", 2, 2>>
  %y = weft.matmul %x, %g : (tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>, tensor<?x2x2xf32, #weft.dims<"n", 2, 2>>) -> tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>
  %h = weft.gather %w, %j {axis = 0 : i64} : (tensor<2x2x2xf32>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x2x2xf32, #weft.dims<"n", 2, 2>>
  %z = weft.matmul %y, %h : (tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>, tensor<?x2x2xf32, #weft.dims<"n", 2, 2>>) -> tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>
  return %y, %z : tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>, tensor<?x1x2xf32, #weft.dims<"n", 1, 2>>
}
