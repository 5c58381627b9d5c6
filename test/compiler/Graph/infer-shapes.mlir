// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: weft-opt %s -weft-infer-shapes -split-input-file | FileCheck %s

// Unknown dims are named after the input; a name that is taken is varied.
// CHECK-LABEL: @names
// CHECK-SAME: (%{{.*}}: tensor<?x?xf32, #weft.dims<"x.0", "x.1'">> {weft.name = "x"}, %{{.*}}: tensor<?xf32, #weft.dims<"x.1">>)
// CHECK-SAME: -> tensor<?x?xf32, #weft.dims<"x.0", "x.1'">>
func.func @names(%x: tensor<?x?xf32> {weft.name = "x"}, %y: tensor<?xf32, #weft.dims<"x.1">>) -> tensor<*xf32> {
  %r = weft.relu %x : (tensor<?x?xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A view written with shape arithmetic: the arithmetic is gone, -1 is solved.
// CHECK-LABEL: @view
// CHECK-NEXT: %[[R:.*]] = weft.reshape %{{.*}} : ({{.*}}) -> tensor<?x?x4x16xf32, #weft.dims<"batch", "seq", 4, 16>>
// CHECK-NEXT: return %[[R]]
func.func @view(%x: tensor<?x?x64xf32, #weft.dims<"batch", "seq", 64>>) -> tensor<?x?x?x?xf32> {
  %s = weft.shape %x {start = 0 : i64, end = 3 : i64} : (tensor<?x?x64xf32, #weft.dims<"batch", "seq", 64>>) -> tensor<3xi64>
  %zero = weft.constant dense<0> : tensor<i64>
  %batch = weft.gather %s, %zero {axis = 0 : i64} : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %b = weft.unsqueeze %batch {axes = array<i64: 0>} : (tensor<i64>) -> tensor<1xi64>
  %rest = weft.constant dense<[-1, 4, 16]> : tensor<3xi64>
  %to = weft.concat %b, %rest {axis = 0 : i64} : (tensor<1xi64>, tensor<3xi64>) -> tensor<4xi64>
  %r = weft.reshape %x, %to : (tensor<?x?x64xf32, #weft.dims<"batch", "seq", 64>>, tensor<4xi64>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// -----

// Shape arithmetic whose result is true data stays, as expressions; so does a constant.
// CHECK-LABEL: @data
// CHECK-DAG: %[[N:.*]] = weft.dims <2 * "n"> : tensor<i64>
// CHECK-DAG: %[[C:.*]] = weft.constant dense<12> : tensor<i64>
// CHECK: return %[[N]], %[[C]]
func.func @data(%x: tensor<?x6xf32, #weft.dims<"n", 6>>) -> (tensor<i64>, tensor<i64>) {
  %s = weft.shape %x {start = 0 : i64, end = 2 : i64} : (tensor<?x6xf32, #weft.dims<"n", 6>>) -> tensor<2xi64>
  %zero = weft.constant dense<0> : tensor<i64>
  %one = weft.constant dense<1> : tensor<i64>
  %two = weft.constant dense<2> : tensor<i64>
  %n = weft.gather %s, %zero {axis = 0 : i64} : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  %c = weft.gather %s, %one {axis = 0 : i64} : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  %n2 = weft.mul %n, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %c2 = weft.mul %c, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %n2, %c2 : tensor<i64>, tensor<i64>
}

// -----

// Sizes computed in floats are short enough to evaluate.
// CHECK-LABEL: @through_floats
// CHECK: weft.reshape {{.*}} -> tensor<3x2xf32>
func.func @through_floats(%x: tensor<6xf32>) -> tensor<?x?xf32> {
  %half = weft.constant dense<5.0e-01> : tensor<1xf32>
  %s = weft.shape %x {start = 0 : i64, end = 1 : i64} : (tensor<6xf32>) -> tensor<1xi64>
  %f = weft.cast %s to f32 : (tensor<1xi64>) -> tensor<1xf32>
  %h = weft.mul %f, %half : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %i = weft.cast %h to i64 : (tensor<1xf32>) -> tensor<1xi64>
  %two = weft.constant dense<2> : tensor<1xi64>
  %to = weft.concat %i, %two {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %r = weft.reshape %x, %to : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Every import form has its graph form; a move that moves nothing is gone.
// CHECK-LABEL: @forms
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x1x8xf32, #weft.dims<"n", 1, 8>>
// CHECK: weft.reshape %[[X]] : ({{.*}}) -> tensor<?x8xf32, #weft.dims<"n", 8>>
// CHECK: weft.reshape %[[X]] : ({{.*}}) -> tensor<1x?x1x8xf32, #weft.dims<1, "n", 1, 8>>
// CHECK: weft.expand %[[X]] : ({{.*}}) -> tensor<?x3x8xf32, #weft.dims<"n", 3, 8>>
// CHECK: weft.tile %[[X]] : ({{.*}}) -> tensor<?x1x16xf32, #weft.dims<"n", 1, 16>>
// CHECK: weft.slice %[[X]] {offsets = #weft.dims<0, 0, 7>, strides = array<i64: 1, 1, -2>} : ({{.*}}) -> tensor<?x1x4xf32, #weft.dims<"n", 1, 4>>
// CHECK: weft.range {first = #weft.dim<1>, step = 1 : i64} : () -> tensor<?xi64, #weft.dims<"n">>
// CHECK: return {{.*}}, %[[X]] :
func.func @forms(%x: tensor<?x1x8xf32, #weft.dims<"n", 1, 8>>)
    -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xi64>, tensor<*xf32>) {
  %a = weft.squeeze %x {axes = array<i64: 1>} : (tensor<?x1x8xf32, #weft.dims<"n", 1, 8>>) -> tensor<*xf32>
  %b = weft.unsqueeze %x {axes = array<i64: 0>} : (tensor<?x1x8xf32, #weft.dims<"n", 1, 8>>) -> tensor<*xf32>
  %wide = weft.constant dense<[3, 1]> : tensor<2xi64>
  %c = weft.expand %x, %wide : (tensor<?x1x8xf32, #weft.dims<"n", 1, 8>>, tensor<2xi64>) -> tensor<*xf32>
  %repeats = weft.constant dense<[1, 1, 2]> : tensor<3xi64>
  %d = weft.tile %x, %repeats : (tensor<?x1x8xf32, #weft.dims<"n", 1, 8>>, tensor<3xi64>) -> tensor<*xf32>
  %last = weft.constant dense<-1> : tensor<1xi64>
  %first = weft.constant dense<-9223372036854775808> : tensor<1xi64>
  %step = weft.constant dense<-2> : tensor<1xi64>
  %e = weft.slice %x starts %last ends %first steps %step {axes = array<i64: 2>}
    : (tensor<?x1x8xf32, #weft.dims<"n", 1, 8>>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  %s = weft.shape %x {start = 0 : i64, end = 1 : i64} : (tensor<?x1x8xf32, #weft.dims<"n", 1, 8>>) -> tensor<1xi64>
  %none = weft.constant dense<> : tensor<0xi64>
  %n = weft.reshape %s, %none : (tensor<1xi64>, tensor<0xi64>) -> tensor<*xi64>
  %one = weft.constant dense<1> : tensor<i64>
  %limit = weft.add %n, %one : (tensor<*xi64>, tensor<i64>) -> tensor<*xi64>
  %f = weft.range %one to %limit by %one : (tensor<i64>, tensor<*xi64>, tensor<i64>) -> tensor<*xi64>
  %zero = weft.constant dense<0> : tensor<1xi64>
  %all = weft.constant dense<9223372036854775807> : tensor<1xi64>
  %g = weft.slice %x starts %zero ends %all {axes = array<i64: 0>}
    : (tensor<?x1x8xf32, #weft.dims<"n", 1, 8>>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  return %a, %b, %c, %d, %e, %f, %g
    : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xi64>, tensor<*xf32>
}

// -----

// What does not follow becomes a guard, once, with the first node that asks; two symbols that are equal become one.
// CHECK-LABEL: @guards
// CHECK-SAME: tensor<?x1xf32, #weft.dims<"a", 1>>
// CHECK-SAME: weft.guards = [#weft.guard<broadcast, "a", "b", "node \22/Add_3\22 broadcasts a with b">]
func.func @guards(%x: tensor<?xf32, #weft.dims<"a">>, %y: tensor<?xf32, #weft.dims<"b">>,
                  %z: tensor<?x1xf32, #weft.dims<"c", 1>>, %w: tensor<?x2xf32, #weft.dims<"a", 2>>,
                  %v: tensor<?xf32, #weft.dims<"c">>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %s = weft.add %x, %y : (tensor<?xf32, #weft.dims<"a">>, tensor<?xf32, #weft.dims<"b">>) -> tensor<*xf32> loc("/Add_3")
  %t = weft.add %y, %x : (tensor<?xf32, #weft.dims<"b">>, tensor<?xf32, #weft.dims<"a">>) -> tensor<*xf32> loc("/Add_4")
  %u = weft.concat %w, %z {axis = 1 : i64} : (tensor<?x2xf32, #weft.dims<"a", 2>>, tensor<?x1xf32, #weft.dims<"c", 1>>) -> tensor<*xf32> loc("/Concat")
  %r = weft.mul %x, %v : (tensor<?xf32, #weft.dims<"a">>, tensor<?xf32, #weft.dims<"c">>) -> tensor<*xf32>
  %q = weft.mul %s, %t : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %q, %u, %r : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// -----

// What depends on data stays as it is: weft-verify-graph reports it. What was declared of it is kept.
// CHECK-LABEL: @depends_on_data
// CHECK: weft.reshape %{{.*}}, %{{.*}} -> tensor<?x4xf32, #weft.dims<"d0", 4>>
func.func @depends_on_data(%x: tensor<8xf32>, %bytes: tensor<2xi8>) -> tensor<?x4xf32> {
  %to = weft.cast %bytes to i64 : (tensor<2xi8>) -> tensor<2xi64>
  %r = weft.reshape %x, %to : (tensor<8xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// A matrix of sizes is followed although neither a constant nor weft.dims holds it.
// CHECK-LABEL: @matrix_of_sizes
// CHECK: weft.reshape {{.*}} -> tensor<?x2xf32, #weft.dims<"n", 2>>
func.func @matrix_of_sizes(%x: tensor<?xf32, #weft.dims<2 * "n">>, %n: tensor<?xf32, #weft.dims<"n">>) -> tensor<*xf32> {
  %s = weft.shape %n {start = 0 : i64, end = 1 : i64} : (tensor<?xf32, #weft.dims<"n">>) -> tensor<1xi64>
  %two = weft.constant dense<2> : tensor<1xi64>
  %row = weft.concat %s, %two {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %matrix = weft.unsqueeze %row {axes = array<i64: 1>} : (tensor<2xi64>) -> tensor<2x1xi64>
  %flat = weft.squeeze %matrix {axes = array<i64: 1>} : (tensor<2x1xi64>) -> tensor<2xi64>
  %r = weft.reshape %x, %flat : (tensor<?xf32, #weft.dims<2 * "n">>, tensor<2xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
