// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes and guards of the Index family; top_k's k goes into its type.
// RUN: weft-opt %s -weft-infer-shapes -split-input-file | FileCheck %s

// CHECK-LABEL: @gather_elements
// CHECK-SAME: weft.guards = [#weft.guard<less_equal, "a", "m", "{{.*}}/Elements{{.*}}">]
// CHECK: weft.gather_elements {{.*}} -> tensor<?x?xf32, #weft.dims<"a", "b">>
func.func @gather_elements(%x: tensor<?x?xf32, #weft.dims<"m", "n">>, %i: tensor<?x?xi64, #weft.dims<"a", "b">>) -> tensor<*xf32> {
  %r = weft.gather_elements %x, %i {axis = 1 : i64} : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<?x?xi64, #weft.dims<"a", "b">>) -> tensor<*xf32> loc("/Elements")
  return %r : tensor<*xf32>
}

// -----

// Batch dims are equal.
// CHECK-LABEL: @gather_nd
// CHECK-SAME: %arg1: tensor<?x?x1xi64, #weft.dims<"m", "i", 1>>
// CHECK: weft.gather_nd {{.*}} -> tensor<?x?x?xf32, #weft.dims<"m", "i", "k">>
func.func @gather_nd(%x: tensor<?x?x?xf32, #weft.dims<"m", "n", "k">>, %i: tensor<?x?x1xi64, #weft.dims<"b", "i", 1>>) -> tensor<*xf32> {
  %r = weft.gather_nd %x, %i {batch_dims = 1 : i64} : (tensor<?x?x?xf32, #weft.dims<"m", "n", "k">>, tensor<?x?x1xi64, #weft.dims<"b", "i", 1>>) -> tensor<*xf32> loc("/ND")
  return %r : tensor<*xf32>
}

// -----

// How long tuples are may show only here.
// CHECK-LABEL: @late_length
// CHECK: weft.gather_nd {{.*}} -> tensor<?x?xf32, #weft.dims<"i", "k">>
// CHECK: weft.scatter_nd add {{.*}} -> tensor<?x?x?xf32, #weft.dims<"m", "n", "k">>
func.func @late_length(%x: tensor<?x?x?xf32, #weft.dims<"m", "n", "k">>, %i: tensor<?xi64, #weft.dims<2 * "i">>,
                       %u: tensor<?x?xf32, #weft.dims<"i", "k">>) -> (tensor<*xf32>, tensor<?x?x?xf32>) {
  %shape = weft.constant dense<[-1, 2]> : tensor<2xi64>
  %t = weft.reshape %i, %shape : (tensor<?xi64, #weft.dims<2 * "i">>, tensor<2xi64>) -> tensor<?x?xi64>
  %r = weft.gather_nd %x, %t {batch_dims = 0 : i64} : (tensor<?x?x?xf32, #weft.dims<"m", "n", "k">>, tensor<?x?xi64>) -> tensor<*xf32>
  %s = weft.scatter_nd add %x, %t, %u : (tensor<?x?x?xf32, #weft.dims<"m", "n", "k">>, tensor<?x?xi64>, tensor<?x?xf32, #weft.dims<"i", "k">>) -> tensor<?x?x?xf32>
  return %r, %s : tensor<*xf32>, tensor<?x?x?xf32>
}

// -----

// CHECK-LABEL: @scatters
// CHECK-SAME: %arg2: tensor<?x?xf32, #weft.dims<"i", "k">>
// CHECK-SAME: %arg4: tensor<?x?xf32, #weft.dims<"a", "b">>
// CHECK-SAME: weft.guards = [#weft.guard<less_equal, "a", "m", "{{.*}}/Elements{{.*}}">]
func.func @scatters(%x: tensor<?x?xf32, #weft.dims<"m", "k">>, %i: tensor<?x1xi64, #weft.dims<"i", 1>>, %u: tensor<?x?xf32, #weft.dims<"i", "l">>,
                    %j: tensor<?x?xi64, #weft.dims<"a", "b">>, %v: tensor<?x?xf32, #weft.dims<"a", "c">>) -> (tensor<*xf32>, tensor<*xf32>) {
  %r = weft.scatter_nd replace %x, %i, %u : (tensor<?x?xf32, #weft.dims<"m", "k">>, tensor<?x1xi64, #weft.dims<"i", 1>>, tensor<?x?xf32, #weft.dims<"i", "l">>) -> tensor<*xf32> loc("/ND")
  %s = weft.scatter_elements add %x, %j, %v {axis = 1 : i64} : (tensor<?x?xf32, #weft.dims<"m", "k">>, tensor<?x?xi64, #weft.dims<"a", "b">>, tensor<?x?xf32, #weft.dims<"a", "c">>) -> tensor<*xf32> loc("/Elements")
  return %r, %s : tensor<*xf32>, tensor<*xf32>
}

// -----

// CHECK-LABEL: @top_k
// CHECK-SAME: weft.guards = [#weft.guard<less_equal, 5, "n", "{{.*}}/TopK{{.*}}">]
// CHECK: weft.top_k %arg0 {axis = 1 : i64, largest} : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x5xi64, #weft.dims<"m", 5>>
// CHECK: weft.top_k %arg0 {axis = 0 : i64} : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xi64, #weft.dims<min(5, "m"), "n">>
func.func @top_k(%x: tensor<?x?xf32, #weft.dims<"m", "n">>) -> (tensor<*xi64>, tensor<*xi64>) {
  %k = weft.constant dense<5> : tensor<1xi64>
  %r = weft.top_k %x, %k {axis = 1 : i64, largest} : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<1xi64>) -> tensor<*xi64> loc("/TopK")
  %n = weft.shape %x {start = 0 : i64, end = 1 : i64} : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<1xi64>
  %most = weft.min %k, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %s = weft.top_k %x, %most {axis = 0 : i64} : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<1xi64>) -> tensor<*xi64>
  return %r, %s : tensor<*xi64>, tensor<*xi64>
}

// -----

// A k that depends on data stays, for weft-verify-graph to report.
// CHECK-LABEL: @top_k_of_data
// CHECK: weft.top_k %arg0, %{{.*}} {axis = 0 : i64}
func.func @top_k_of_data(%x: tensor<8xf32>, %byte: tensor<1xi8>) -> tensor<*xi64> {
  %k = weft.cast %byte to i64 : (tensor<1xi8>) -> tensor<1xi64>
  %r = weft.top_k %x, %k {axis = 0 : i64} : (tensor<8xf32>, tensor<1xi64>) -> tensor<*xi64>
  return %r : tensor<*xi64>
}
