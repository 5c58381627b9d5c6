// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: weft-opt %s -weft-pack-weights | FileCheck %s
// RUN: weft-opt %s -weft-pack-weights=panel-columns=16 | FileCheck %s --check-prefix=NARROW

// A weight, its transposition, and one that is shared: packed once each.
// CHECK-LABEL: @weights
// CHECK-DAG: %[[B:.*]] = weft.constant weight<"", {{[0-9]+}}, 768, {{[0-9]+}}> : tensor<2x2x48xf32>
// CHECK-DAG: %[[A:.*]] = weft.constant weight<"", {{[0-9]+}}, 384, {{[0-9]+}}> : tensor<1x2x48xf32>
// CHECK-NOT: weft.transpose
// CHECK: weft.matmul %arg0, %[[A]] {packed_columns = 3 : i64} : (tensor<?x2xf32, {{.*}}>, tensor<1x2x48xf32>) -> tensor<?x3xf32, #weft.dims<"n", 3>>
// CHECK: weft.matmul %arg0, %[[A]] {packed_columns = 3 : i64}
// CHECK: weft.matmul %arg0, %[[B]] {packed_columns = 49 : i64}
func.func @weights(%x: tensor<?x2xf32, #weft.dims<"n", 2>>)
    -> (tensor<?x3xf32, #weft.dims<"n", 3>>, tensor<?x3xf32, #weft.dims<"n", 3>>, tensor<?x49xf32, #weft.dims<"n", 49>>) {
  %w = weft.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %same = weft.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %v = weft.constant dense<1.0> : tensor<49x2xf32>
  %t = weft.transpose %v {permutation = array<i64: 1, 0>} : (tensor<49x2xf32>) -> tensor<2x49xf32>
  %a = weft.matmul %x, %w : (tensor<?x2xf32, #weft.dims<"n", 2>>, tensor<2x3xf32>) -> tensor<?x3xf32, #weft.dims<"n", 3>>
  %b = weft.matmul %x, %same : (tensor<?x2xf32, #weft.dims<"n", 2>>, tensor<2x3xf32>) -> tensor<?x3xf32, #weft.dims<"n", 3>>
  %c = weft.matmul %x, %t : (tensor<?x2xf32, #weft.dims<"n", 2>>, tensor<2x49xf32>) -> tensor<?x49xf32, #weft.dims<"n", 49>>
  return %a, %b, %c
    : tensor<?x3xf32, #weft.dims<"n", 3>>, tensor<?x3xf32, #weft.dims<"n", 3>>, tensor<?x49xf32, #weft.dims<"n", 49>>
}

// 48 values are few enough to be inline, so the layout shows: a row of a panel, zeros beyond the last column.
// CHECK-LABEL: @layout
// CHECK: weft.constant dense<{{\[\[\[}}7.000000e+00, 8.000000e+00, 0.000000e+00, {{[0., e+]*}}]]]> : tensor<1x1x48xf32>
func.func @layout(%x: tensor<4x1xf32>) -> tensor<4x2xf32> {
  %w = weft.constant dense<[[7.0, 8.0]]> : tensor<1x2xf32>
  %a = weft.matmul %x, %w : (tensor<4x1xf32>, tensor<1x2xf32>) -> tensor<4x2xf32>
  return %a : tensor<4x2xf32>
}

// Narrow panels are for elements of 32 bits and more.
// NARROW-LABEL: @weights
// NARROW: weft.matmul %arg0, {{.*}} {packed_columns = 3 : i64} : ({{.*}}, tensor<1x2x16xf32>)
// NARROW: weft.matmul %arg0, {{.*}} {packed_columns = 49 : i64} : ({{.*}}, tensor<4x2x16xf32>)
// NARROW-LABEL: @layout
// NARROW: weft.constant dense<{{\[\[\[}}7.000000e+00, 8.000000e+00, 0.000000e+00, {{[0., e+]*}}]]]> : tensor<1x1x16xf32>
// NARROW-LABEL: @types
// NARROW-DAG: tensor<1x1x48xbf16>
// NARROW-DAG: tensor<1x1x48xui8>
// NARROW-DAG: tensor<1x1x16xf64>

// Every element type is packed as it is, zeros too.
// CHECK-LABEL: @types
// CHECK-DAG: weft.constant dense<{{\[\[\[}}7.000000e+00, 8.000000e+00, 0.000000e+00, {{[0., e+]*}}]]]> : tensor<1x1x48xbf16>
// CHECK-DAG: weft.constant dense<{{\[\[\[}}7, 200, 0, {{[0, ]*}}]]]> : tensor<1x1x48xui8>
// CHECK-DAG: weft.constant dense<{{\[\[\[}}7.000000e+00, 8.000000e+00, 0.000000e+00, {{[0., e+]*}}]]]> : tensor<1x1x48xf64>
// CHECK-COUNT-3: packed_columns = 2
func.func @types(%x: tensor<4x1xbf16>, %y: tensor<4x1xui8>, %z: tensor<4x1xf64>) -> (tensor<4x2xbf16>, tensor<4x2xui8>, tensor<4x2xf64>) {
  %u = weft.constant dense<[[7.0, 8.0]]> : tensor<1x2xbf16>
  %v = weft.constant dense<[[7, 200]]> : tensor<1x2xui8>
  %w = weft.constant dense<[[7.0, 8.0]]> : tensor<1x2xf64>
  %a = weft.matmul %x, %u : (tensor<4x1xbf16>, tensor<1x2xbf16>) -> tensor<4x2xbf16>
  %b = weft.matmul %y, %v : (tensor<4x1xui8>, tensor<1x2xui8>) -> tensor<4x2xui8>
  %c = weft.matmul %z, %w : (tensor<4x1xf64>, tensor<1x2xf64>) -> tensor<4x2xf64>
  return %a, %b, %c : tensor<4x2xbf16>, tensor<4x2xui8>, tensor<4x2xf64>
}

// Declined: a batch of matrices, a row for lhs, data that is not constant, no elements.
// CHECK-LABEL: @declined
// CHECK-NOT: packed_columns
func.func @declined(%x: tensor<2x2xf32>, %v: tensor<2xf32>, %y: tensor<2x2xf32>)
    -> (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x0xf32>) {
  %batch = weft.constant dense<1.0> : tensor<2x2x2xf32>
  %w = weft.constant dense<1.0> : tensor<2x2xf32>
  %none = weft.constant dense<> : tensor<2x0xf32>
  %a = weft.matmul %x, %batch : (tensor<2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %c = weft.matmul %v, %w : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  %e = weft.matmul %x, %y : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %f = weft.matmul %x, %none : (tensor<2x2xf32>, tensor<2x0xf32>) -> tensor<2x0xf32>
  return %a, %c, %e, %f : tensor<2x2x2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x0xf32>
}
