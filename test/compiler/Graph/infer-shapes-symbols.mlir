// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What guards say of symbols: equations are solved, bounds simplify.
// RUN: weft-opt %s -weft-infer-shapes -split-input-file | FileCheck %s

// Two symbols that have to be equal are one: the earlier input's. The input's shape says what is to be checked.
// CHECK-LABEL: @one_symbol
// CHECK-SAME: (%{{.*}}: tensor<?x?xf32, #weft.dims<"a", "k">>, %{{.*}}: tensor<?x?xf32, #weft.dims<"k", "n">>) -> tensor<?x?xf32, #weft.dims<"a", "n">>
// CHECK-NOT: weft.guards
// CHECK: weft.add %{{.*}}, %{{.*}} : (tensor<?x?xf32, #weft.dims<"a", "k">>, tensor<?x?xf32, #weft.dims<"a", "k">>) -> tensor<?x?xf32, #weft.dims<"a", "k">>
func.func @one_symbol(%x: tensor<?x?xf32, #weft.dims<"a", "k">>, %w: tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<*xf32> {
  %t = weft.transpose %w {permutation = array<i64: 1, 0>} : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<*xf32>
  %u = weft.transpose %t {permutation = array<i64: 1, 0>} : (tensor<*xf32>) -> tensor<*xf32>
  %s = weft.add %x, %x : (tensor<?x?xf32, #weft.dims<"a", "k">>, tensor<?x?xf32, #weft.dims<"a", "k">>) -> tensor<*xf32>
  %r = weft.matmul %s, %u : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A symbol that has to be a sum is that sum, whichever input came first; what was inferred before knows it too.
// CHECK-LABEL: @total
// CHECK-SAME: (%{{.*}}: tensor<?x?xf32, #weft.dims<"batch", "past" + "seq">>, %{{.*}}: tensor<?x?xf32, #weft.dims<"batch", "past">>, %{{.*}}: tensor<?x?xf32, #weft.dims<"batch", "seq">>)
// CHECK-NOT: weft.guards
// CHECK: weft.relu %{{.*}} -> tensor<?x?xf32, #weft.dims<"batch", "past" + "seq">>
// CHECK: weft.concat {{.*}} -> tensor<?x?x2xf32, #weft.dims<"batch", "past" + "seq", 2>>
func.func @total(%mask: tensor<?x?xf32, #weft.dims<"batch", "total">>, %past: tensor<?x?xf32, #weft.dims<"batch", "past">>,
                 %new: tensor<?x?xf32, #weft.dims<"batch", "seq">>) -> tensor<*xf32> {
  %m = weft.relu %mask : (tensor<?x?xf32, #weft.dims<"batch", "total">>) -> tensor<*xf32>
  %k = weft.concat %past, %new {axis = 1 : i64} : (tensor<?x?xf32, #weft.dims<"batch", "past">>, tensor<?x?xf32, #weft.dims<"batch", "seq">>) -> tensor<*xf32>
  %m2 = weft.unsqueeze %m {axes = array<i64: 2>} : (tensor<*xf32>) -> tensor<*xf32>
  %k2 = weft.unsqueeze %k {axes = array<i64: 2>} : (tensor<*xf32>) -> tensor<*xf32>
  %r = weft.concat %m2, %k2 {axis = 2 : i64} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A symbol that a weight fixes is a number.
// CHECK-LABEL: @number
// CHECK-SAME: (%{{.*}}: tensor<?x8xf32, #weft.dims<"n", 8>>)
// CHECK-SAME: -> tensor<?x4xf32, #weft.dims<"n", 4>>
// CHECK-NOT: weft.guards
func.func @number(%x: tensor<?x?xf32, #weft.dims<"n", "hidden">>) -> tensor<*xf32> {
  %w = weft.constant dense<1.0> : tensor<8x4xf32>
  %r = weft.matmul %x, %w : (tensor<?x?xf32, #weft.dims<"n", "hidden">>, tensor<8x4xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// What cannot be solved for a size stays a guard: products, differences, dims that may broadcast.
// CHECK-LABEL: @unsolved
// CHECK-SAME: weft.guards = [#weft.guard<equal, "a" * "b", "c" * "d", {{.*}}>, #weft.guard<equal, "e" + "f", "g" + "h", {{.*}}>, #weft.guard<broadcast, "a", "c", {{.*}}>]
func.func @unsolved(%x: tensor<?x?xf32, #weft.dims<"a", "b">>, %y: tensor<?x?xf32, #weft.dims<"c", "d">>,
                    %z: tensor<?x?x?x?xf32, #weft.dims<"e", "f", "g", "h">>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %s = weft.shape %y {start = 0 : i64, end = 2 : i64} : (tensor<?x?xf32, #weft.dims<"c", "d">>) -> tensor<2xi64>
  %p = weft.reshape %x, %s : (tensor<?x?xf32, #weft.dims<"a", "b">>, tensor<2xi64>) -> tensor<*xf32>
  %zero = weft.constant dense<0.0> : tensor<f32>
  %n = weft.shape %z {start = 0 : i64, end = 1 : i64} : (tensor<?x?x?x?xf32, #weft.dims<"e", "f", "g", "h">>) -> tensor<1xi64>
  %m = weft.shape %z {start = 1 : i64, end = 2 : i64} : (tensor<?x?x?x?xf32, #weft.dims<"e", "f", "g", "h">>) -> tensor<1xi64>
  %o = weft.shape %z {start = 2 : i64, end = 3 : i64} : (tensor<?x?x?x?xf32, #weft.dims<"e", "f", "g", "h">>) -> tensor<1xi64>
  %l = weft.shape %z {start = 3 : i64, end = 4 : i64} : (tensor<?x?x?x?xf32, #weft.dims<"e", "f", "g", "h">>) -> tensor<1xi64>
  %nm = weft.add %n, %m : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %ol = weft.add %o, %l : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %e0 = weft.expand %zero, %nm : (tensor<f32>, tensor<1xi64>) -> tensor<*xf32>
  %q = weft.reshape %e0, %ol : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
  %a = weft.transpose %x {permutation = array<i64: 1, 0>} : (tensor<?x?xf32, #weft.dims<"a", "b">>) -> tensor<*xf32>
  %c = weft.reduce sum %y {axes = array<i64: 1>} : (tensor<?x?xf32, #weft.dims<"c", "d">>) -> tensor<*xf32>
  %r = weft.mul %a, %c : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %p, %q, %r : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// -----

// A table of positions bounds the length: the slice is all of it, and the sum does not broadcast.
// CHECK-LABEL: @positions
// CHECK-SAME: weft.guards = [#weft.guard<less_equal, "seq", 512, "node \22/Add\22 needs seq to be at most 512">]
// CHECK: weft.slice {{.*}} -> tensor<1x?x4xf32, #weft.dims<1, "seq", 4>>
// CHECK: weft.add {{.*}} -> tensor<?x?x4xf32, #weft.dims<"batch", "seq", 4>>
func.func @positions(%x: tensor<?x?x4xf32, #weft.dims<"batch", "seq", 4>>) -> tensor<*xf32> {
  %table = weft.constant dense<1.0> : tensor<1x512x4xf32>
  %zero = weft.constant dense<0> : tensor<1xi64>
  %seq = weft.shape %x {start = 1 : i64, end = 2 : i64} : (tensor<?x?x4xf32, #weft.dims<"batch", "seq", 4>>) -> tensor<1xi64>
  %p = weft.slice %table starts %zero ends %seq {axes = array<i64: 1>} : (tensor<1x512x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  %r = weft.add %x, %p : (tensor<?x?x4xf32, #weft.dims<"batch", "seq", 4>>, tensor<*xf32>) -> tensor<*xf32> loc("/Add")
  return %r : tensor<*xf32>
}

// -----

// A table of one row broadcasts to any length.
// CHECK-LABEL: @one_position
// CHECK-SAME: weft.guards = [#weft.guard<broadcast, "seq", min(1, "seq"), {{.*}}>]
func.func @one_position(%x: tensor<?x4xf32, #weft.dims<"seq", 4>>) -> tensor<*xf32> {
  %table = weft.constant dense<1.0> : tensor<1x4xf32>
  %zero = weft.constant dense<0> : tensor<1xi64>
  %seq = weft.shape %x {start = 0 : i64, end = 1 : i64} : (tensor<?x4xf32, #weft.dims<"seq", 4>>) -> tensor<1xi64>
  %p = weft.slice %table starts %zero ends %seq {axes = array<i64: 0>} : (tensor<1x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  %r = weft.add %x, %p : (tensor<?x4xf32, #weft.dims<"seq", 4>>, tensor<*xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// The window of queries [kv - q, kv) of a causal mask, as GPT-2 cuts it.
// CHECK-LABEL: @causal_window
// CHECK-SAME: weft.guards = [#weft.guard<less_equal, "past" + "seq", 1024, {{.*}}>]
// CHECK: weft.slice %{{.*}} {offsets = #weft.dims<"past", 0>, strides = array<i64: 1, 1>} : {{.*}} -> tensor<?x?xi1, #weft.dims<"seq", "past" + "seq">>
func.func @causal_window(%q: tensor<?xf32, #weft.dims<"seq">>, %k: tensor<?xf32, #weft.dims<"past">>, %scores: tensor<?x?xf32, #weft.dims<"seq", "past" + "seq">>,
                         %mask: tensor<1024x1024xi1>) -> tensor<*xf32> {
  %all = weft.concat %k, %q {axis = 0 : i64} : (tensor<?xf32, #weft.dims<"past">>, tensor<?xf32, #weft.dims<"seq">>) -> tensor<*xf32>
  %kv = weft.shape %all {start = 0 : i64, end = 1 : i64} : (tensor<*xf32>) -> tensor<1xi64>
  %n = weft.shape %q {start = 0 : i64, end = 1 : i64} : (tensor<?xf32, #weft.dims<"seq">>) -> tensor<1xi64>
  %from = weft.sub %kv, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %zero = weft.constant dense<0> : tensor<1xi64>
  %starts = weft.concat %from, %zero {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %ends = weft.concat %kv, %kv {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %window = weft.slice %mask starts %starts ends %ends {axes = array<i64: 0, 1>} : (tensor<1024x1024xi1>, tensor<2xi64>, tensor<2xi64>) -> tensor<*xi1>
  %low = weft.constant dense<-1.0> : tensor<f32>
  %r = weft.where %window, %scores, %low : (tensor<*xi1>, tensor<?x?xf32, #weft.dims<"seq", "past" + "seq">>, tensor<f32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A size that is computed is one: so n is at least 1, which simplifies what is cut off.
// CHECK-LABEL: @at_least_one
// CHECK-SAME: weft.guards = [#weft.guard<less_equal, 0, "n" - 1, "node \22/Reshape\22 needs 0 to be at most n - 1">]
// CHECK: weft.slice {{.*}} -> tensor<?x4xf32, #weft.dims<"n" - 1, 4>>
// CHECK: weft.reshape {{.*}} -> tensor<?x2x2xf32, #weft.dims<"n" - 1, 2, 2>>
func.func @at_least_one(%x: tensor<?x4xf32, #weft.dims<"n", 4>>) -> tensor<*xf32> {
  %one = weft.constant dense<1> : tensor<1xi64>
  %twos = weft.constant dense<2> : tensor<2xi64>
  %n = weft.shape %x {start = 0 : i64, end = 1 : i64} : (tensor<?x4xf32, #weft.dims<"n", 4>>) -> tensor<1xi64>
  %tail = weft.slice %x starts %one ends %n {axes = array<i64: 0>} : (tensor<?x4xf32, #weft.dims<"n", 4>>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  %m = weft.sub %n, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %to = weft.concat %m, %twos {axis = 0 : i64} : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
  %r = weft.reshape %tail, %to : (tensor<*xf32>, tensor<3xi64>) -> tensor<*xf32> loc("/Reshape")
  return %r : tensor<*xf32>
}

// -----

// A mask may have one column or n: it stays a broadcast. What it is added to has n, as the product says.
// CHECK-LABEL: @mask
// CHECK-SAME: "m">>
// CHECK-SAME: weft.guards = [#weft.guard<broadcast, "n", "m", {{.*}}>, #weft.guard<equal, broadcast("m", "n"), "n", {{.*}}>]
// CHECK: weft.add {{.*}} -> tensor<4x?xf32, #weft.dims<4, "n">>
// CHECK: weft.softmax {{.*}} -> tensor<4x?xf32, #weft.dims<4, "n">>
func.func @mask(%scores: tensor<4x?xf32, #weft.dims<4, "n">>, %mask: tensor<?xf32, #weft.dims<"m">>, %v: tensor<?x8xf32, #weft.dims<"n", 8>>) -> tensor<*xf32> {
  %s = weft.add %scores, %mask : (tensor<4x?xf32, #weft.dims<4, "n">>, tensor<?xf32, #weft.dims<"m">>) -> tensor<*xf32>
  %p = weft.softmax %s {axis = 1 : i64} : (tensor<*xf32>) -> tensor<*xf32>
  %r = weft.matmul %p, %v : (tensor<*xf32>, tensor<?x8xf32, #weft.dims<"n", 8>>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
