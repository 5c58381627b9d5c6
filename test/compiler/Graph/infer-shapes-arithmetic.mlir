// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shape arithmetic as exporters write it: its result is known, and nothing of it stays.
// RUN: weft-opt %s -weft-infer-shapes -split-input-file | FileCheck %s --implicit-check-not="weft.{{(shape|cast|gather|where|compare|floor|reduce|mul|div) }}"

// Sizes through f32, as `int(length / 2)` and interpolation by a factor are exported; a guard keeps floats exact.
// CHECK-LABEL: @through_floats
// CHECK-SAME: weft.guards = [#weft.guard<less_equal, "n", 16777216, "node \22/Half\22 needs n to be at most 16777216">, #weft.guard<less_equal, 3 * "n", 16777216, {{.*}}>]
// CHECK: weft.dims <floordiv("n", 2)> : tensor<i64>
// CHECK: weft.dims <"n" + floordiv("n", 2)> : tensor<i64>
// CHECK: weft.dims <"n" - floordiv(6 * "n", 7)> : tensor<i64>
func.func @through_floats(%x: tensor<?xf32, #weft.dims<"n">>) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  %s = weft.shape %x {start = 0 : i64, end = 1 : i64} : (tensor<?xf32, #weft.dims<"n">>) -> tensor<1xi64>
  %n = weft.squeeze %s {axes = array<i64: 0>} : (tensor<1xi64>) -> tensor<i64>
  %f = weft.cast %n to f32 : (tensor<i64>) -> tensor<f32>
  %two = weft.constant dense<2.0> : tensor<f32>
  %h = weft.div %f, %two : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %half = weft.cast %h to i64 : (tensor<f32>) -> tensor<i64> loc("/Half")
  %scale = weft.constant dense<1.5> : tensor<f32>
  %g = weft.mul %f, %scale : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %floor = weft.floor %g : (tensor<f32>) -> tensor<f32>
  %larger = weft.cast %floor to i64 : (tensor<f32>) -> tensor<i64>
  %seven = weft.constant dense<7.0> : tensor<f32>
  %q = weft.div %f, %seven : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %ceil = weft.ceil %q : (tensor<f32>) -> tensor<f32>
  %windows = weft.cast %ceil to i64 : (tensor<f32>) -> tensor<i64>
  return %half, %larger, %windows : tensor<i64>, tensor<i64>, tensor<i64>
}

// -----

// A range of floats has the length of one of integers.
// CHECK-LABEL: @float_range
// CHECK-SAME: weft.guards = [#weft.guard<less_equal, "n", 16777216, {{.*}}>]
// CHECK: %[[R:.*]] = weft.range {first = #weft.dim<0>, step = 1 : i64} : () -> tensor<?xi64, #weft.dims<"n">>
// CHECK: weft.cast{{.*}} %[[R]] to f32 : {{.*}} -> tensor<?xf32, #weft.dims<"n">>
func.func @float_range(%x: tensor<?xf32, #weft.dims<"n">>) -> tensor<*xf32> {
  %s = weft.shape %x {start = 0 : i64, end = 1 : i64} : (tensor<?xf32, #weft.dims<"n">>) -> tensor<1xi64>
  %n = weft.squeeze %s {axes = array<i64: 0>} : (tensor<1xi64>) -> tensor<i64>
  %f = "weft.cast"(%n) {to = f32} : (tensor<i64>) -> tensor<f32>
  %zero = weft.constant dense<0.0> : tensor<f32>
  %one = weft.constant dense<1.0> : tensor<f32>
  %r = weft.range %zero to %f by %one : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// `a // b` on integers: a division that truncates, and its correction for negative numbers.
// CHECK-LABEL: @floor_divide
// CHECK: weft.reshape {{.*}} -> tensor<?x3xf32, #weft.dims<floordiv("n", 3), 3>>
func.func @floor_divide(%x: tensor<?xf32, #weft.dims<"n">>) -> tensor<*xf32> {
  %n = weft.shape %x {start = 0 : i64, end = 1 : i64} : (tensor<?xf32, #weft.dims<"n">>) -> tensor<1xi64>
  %three = weft.constant dense<3> : tensor<i64>
  %zero = weft.constant dense<0> : tensor<i64>
  %d = weft.div %n, %three : (tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  %rest = weft.rem %n, %three : (tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  %whole = weft.compare eq %rest, %zero : (tensor<1xi64>, tensor<i64>) -> tensor<1xi1>
  %broken = weft.not %whole : (tensor<1xi1>) -> tensor<1xi1>
  %a = weft.compare lt %n, %zero : (tensor<1xi64>, tensor<i64>) -> tensor<1xi1>
  %fix = weft.and %a, %broken : (tensor<1xi1>, tensor<1xi1>) -> tensor<1xi1>
  %by = weft.cast %fix to i64 : (tensor<1xi1>) -> tensor<1xi64>
  %q = weft.sub %d, %by : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %threes = weft.constant dense<3> : tensor<1xi64>
  %to = weft.concat %q, %threes {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %r = weft.reshape %x, %to : (tensor<?xf32, #weft.dims<"n">>, tensor<2xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// `expand(-1, n, -1)`: where the wanted size is -1, the input's.
// CHECK-LABEL: @expand_keeping
// CHECK: weft.expand %{{.*}} -> tensor<?x?x8xf32, #weft.dims<"b", "n", 8>>
func.func @expand_keeping(%x: tensor<?x1x8xf32, #weft.dims<"b", 1, 8>>, %y: tensor<?xf32, #weft.dims<"n">>) -> tensor<*xf32> {
  %n = weft.shape %y {start = 0 : i64, end = 1 : i64} : (tensor<?xf32, #weft.dims<"n">>) -> tensor<1xi64>
  %keep = weft.constant dense<-1> : tensor<1xi64>
  %wanted = weft.concat %keep, %n, %keep {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %one = weft.constant dense<1> : tensor<1xi64>
  %three = weft.constant dense<3> : tensor<1xi64>
  %ones = weft.expand %one, %three : (tensor<1xi64>, tensor<1xi64>) -> tensor<*xi64>
  %minus = weft.constant dense<-1> : tensor<i64>
  %minuses = weft.mul %ones, %minus : (tensor<*xi64>, tensor<i64>) -> tensor<*xi64>
  %isKeep = weft.compare eq %wanted, %minuses : (tensor<3xi64>, tensor<*xi64>) -> tensor<*xi1>
  %to = weft.where %isKeep, %ones, %wanted : (tensor<*xi1>, tensor<*xi64>, tensor<3xi64>) -> tensor<*xi64>
  %r = weft.expand %x, %to : (tensor<?x1x8xf32, #weft.dims<"b", 1, 8>>, tensor<*xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Products, extremes and sums of shapes; scattering into one; tables of them.
// CHECK-LABEL: @vectors
// CHECK-DAG: weft.dims <4 * "a" * "b"> : tensor<i64>
// CHECK-DAG: weft.dims <max(4, "a", "b")> : tensor<i64>
// CHECK-DAG: weft.dims <"a", "a" + "b", "a" + "b" + 4> : tensor<3xi64>
// CHECK-DAG: weft.dims <"a", 9, 4> : tensor<3xi64>
// CHECK-DAG: weft.dims <"b", 4, "b", 4> : tensor<4xi64>
func.func @vectors(%x: tensor<?x?x4xf32, #weft.dims<"a", "b", 4>>) -> (tensor<i64>, tensor<i64>, tensor<3xi64>, tensor<3xi64>, tensor<*xi64>) {
  %s = weft.shape %x {start = 0 : i64, end = 3 : i64} : (tensor<?x?x4xf32, #weft.dims<"a", "b", 4>>) -> tensor<3xi64>
  %p = weft.reduce prod %s {axes = array<i64: 0>} : (tensor<3xi64>) -> tensor<i64>
  %m = weft.reduce max %s {axes = array<i64: 0>} : (tensor<3xi64>) -> tensor<i64>
  %c = weft.cumulative sum %s {axis = 0 : i64} : (tensor<3xi64>) -> tensor<3xi64>
  %at = weft.constant dense<[[1]]> : tensor<1x1xi64>
  %nine = weft.constant dense<9> : tensor<1xi64>
  %u = weft.scatter_nd replace %s, %at, %nine : (tensor<3xi64>, tensor<1x1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %row = weft.unsqueeze %s {axes = array<i64: 0>} : (tensor<3xi64>) -> tensor<1x3xi64>
  %rows = weft.concat %row, %row {axis = 0 : i64} : (tensor<1x3xi64>, tensor<1x3xi64>) -> tensor<2x3xi64>
  %one = weft.constant dense<1> : tensor<1xi64>
  %end = weft.constant dense<9223372036854775807> : tensor<1xi64>
  %tail = weft.slice %rows starts %one ends %end {axes = array<i64: 1>} : (tensor<2x3xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xi64>
  %turned = weft.transpose %tail {permutation = array<i64: 1, 0>} : (tensor<*xi64>) -> tensor<*xi64>
  %back = weft.transpose %turned {permutation = array<i64: 1, 0>} : (tensor<*xi64>) -> tensor<*xi64>
  %four = weft.constant dense<-1> : tensor<1xi64>
  %flat = weft.reshape %back, %four : (tensor<*xi64>, tensor<1xi64>) -> tensor<*xi64>
  return %p, %m, %c, %u, %flat : tensor<i64>, tensor<i64>, tensor<3xi64>, tensor<3xi64>, tensor<*xi64>
}

// -----

// What is known of a shape is enough where the rest is not asked for.
// CHECK-LABEL: @partly_known
// CHECK: weft.dims <"n"> : tensor<i64>
func.func @partly_known(%x: tensor<?xf32, #weft.dims<"n">>, %k: tensor<1xi64>) -> tensor<i64> {
  %n = weft.shape %x {start = 0 : i64, end = 1 : i64} : (tensor<?xf32, #weft.dims<"n">>) -> tensor<1xi64>
  %both = weft.concat %n, %k {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %zero = weft.constant dense<0> : tensor<i64>
  %first = weft.gather %both, %zero {axis = 0 : i64} : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  return %first : tensor<i64>
}

// -----

// Views whose -1 is exact by construction.
// CHECK-LABEL: @views
// CHECK-NOT: weft.guards
// CHECK: weft.reshape {{.*}} -> tensor<?x?x4x?xf32, #weft.dims<"b", "l", 4, "d">>
// CHECK: weft.reshape {{.*}} -> tensor<?x?x?xf32, #weft.dims<4 * "b", "l", "d">>
// CHECK: weft.reshape {{.*}} -> tensor<?x?x?xf32, #weft.dims<"b", 4 * "l", "d">>
func.func @views(%x: tensor<?x?x?xf32, #weft.dims<"b", "l", 4 * "d">>, %w: tensor<?xf32, #weft.dims<"d">>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %b = weft.shape %x {start = 0 : i64, end = 1 : i64} : (tensor<?x?x?xf32, #weft.dims<"b", "l", 4 * "d">>) -> tensor<1xi64>
  %l = weft.shape %x {start = 1 : i64, end = 2 : i64} : (tensor<?x?x?xf32, #weft.dims<"b", "l", 4 * "d">>) -> tensor<1xi64>
  %d = weft.shape %w {start = 0 : i64, end = 1 : i64} : (tensor<?xf32, #weft.dims<"d">>) -> tensor<1xi64>
  %four = weft.constant dense<4> : tensor<1xi64>
  %rest = weft.constant dense<-1> : tensor<1xi64>
  %to = weft.concat %b, %l, %four, %rest {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %heads = weft.reshape %x, %to : (tensor<?x?x?xf32, #weft.dims<"b", "l", 4 * "d">>, tensor<4xi64>) -> tensor<*xf32>
  %turned = weft.transpose %heads {permutation = array<i64: 0, 2, 1, 3>} : (tensor<*xf32>) -> tensor<*xf32>
  %merged = weft.concat %rest, %l, %d {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %m = weft.reshape %turned, %merged : (tensor<*xf32>, tensor<3xi64>) -> tensor<*xf32>
  %split = weft.concat %b, %rest, %d {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %r = weft.reshape %m, %split : (tensor<*xf32>, tensor<3xi64>) -> tensor<*xf32>
  return %heads, %m, %r : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// -----

// Bounds whose sign sizes decide: the last n of each row. None are asked for where n is 0: then all, as ONNX counts.
// CHECK-LABEL: @last_of_each
// CHECK: weft.slice %{{.*}} {offsets = #weft.dims<0, max(0, -"n" + 8 * min(1, "n"))>
func.func @last_of_each(%x: tensor<4x8xf32>, %y: tensor<?xf32, #weft.dims<"n">>) -> tensor<*xf32> {
  %n = weft.shape %y {start = 0 : i64, end = 1 : i64} : (tensor<?xf32, #weft.dims<"n">>) -> tensor<1xi64>
  %from = weft.neg %n : (tensor<1xi64>) -> tensor<1xi64>
  %end = weft.constant dense<9223372036854775807> : tensor<1xi64>
  %r = weft.slice %x starts %from ends %end {axes = array<i64: 1>} : (tensor<4x8xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// What is missing up to a multiple of 8, by remainders.
// CHECK-LABEL: @up_to_a_multiple
// CHECK: weft.dims <mod(7 * mod("n", 8), 8)> : tensor<1xi64>
func.func @up_to_a_multiple(%x: tensor<?xf32, #weft.dims<"n">>) -> tensor<1xi64> {
  %n = weft.shape %x {start = 0 : i64, end = 1 : i64} : (tensor<?xf32, #weft.dims<"n">>) -> tensor<1xi64>
  %eight = weft.constant dense<8> : tensor<1xi64>
  %rest = weft.rem %n, %eight : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %missing = weft.sub %eight, %rest : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %r = weft.rem %missing, %eight : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  return %r : tensor<1xi64>
}

// -----

// Comparisons of sizes that only a run knows are 1 or 0, and a choice by them is a formula: heads of queries for each of
// keys, if they fit.
// CHECK-LABEL: @choices
// CHECK: weft.dims <floordiv("q", "k") * min(1, -min("k", "q") + max("k", "q")) - min(1, -min("k", "q") + max("k", "q")) + 1> : tensor<1xi64>
// CHECK: weft.dims <min(1, max(0, "k" - "q"))> : tensor<1xi64>
func.func @choices(%x: tensor<?x?xf32, #weft.dims<"q", "k">>) -> (tensor<1xi64>, tensor<1xi64>) {
  %q = weft.shape %x {start = 0 : i64, end = 1 : i64} : (tensor<?x?xf32, #weft.dims<"q", "k">>) -> tensor<1xi64>
  %k = weft.shape %x {start = 1 : i64, end = 2 : i64} : (tensor<?x?xf32, #weft.dims<"q", "k">>) -> tensor<1xi64>
  %one = weft.constant dense<1> : tensor<1xi64>
  %same = weft.compare eq %q, %k : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %other = weft.not %same : (tensor<1xi1>) -> tensor<1xi1>
  %each = weft.div %q, %k : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %choice = weft.where %other, %each, %one : (tensor<1xi1>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %less = weft.compare lt %q, %k : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %number = weft.cast %less to i64 : (tensor<1xi1>) -> tensor<1xi64>
  return %choice, %number : tensor<1xi64>, tensor<1xi64>
}
