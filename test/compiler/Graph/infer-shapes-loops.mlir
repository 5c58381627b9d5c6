// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops: how many iterations there are, what is known in a body, and what follows from it.
// RUN: weft-opt %s -weft-infer-shapes -split-input-file -verify-diagnostics | FileCheck %s

// Trips that shapes say are a count. The body's arguments have the types that the operands turn out to have, its operations get dims and
// graph forms, and what an iteration leaves behind is stacked: which says the dims of what comes next.
// CHECK-LABEL: @trips_of_a_shape
// CHECK: %[[X:.*]] = weft.exp %{{.*}} -> tensor<?x4xf32, #weft.dims<"n", 4>>
// CHECK-NEXT: %[[R:.*]]:2 = weft.loop count(<"n">) states(%{{.*}} : tensor<4xf32>) captures(%[[X]] : tensor<?x4xf32, #weft.dims<"n", 4>>) {
// CHECK-NEXT: ^bb0(%[[I:.*]]: tensor<i64>, %[[T:.*]]: tensor<4xf32>, %[[ALL:.*]]: tensor<?x4xf32, #weft.dims<"n", 4>>):
// CHECK-NEXT: %[[ROW:.*]] = weft.gather %[[ALL]], %[[I]] {axis = 0 : i64} : {{.*}} -> tensor<4xf32>
// CHECK-NEXT: %[[U:.*]] = weft.add %[[T]], %[[ROW]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V:.*]] = weft.reshape %[[U]] : (tensor<4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: weft.yield %[[U]], %[[V]] : tensor<4xf32>, tensor<1x4xf32>
// CHECK-NEXT: } -> (tensor<4xf32>, tensor<?x1x4xf32, #weft.dims<"n", 1, 4>>)
// CHECK-NEXT: weft.abs %[[R]]#1 : {{.*}} -> tensor<?x1x4xf32, #weft.dims<"n", 1, 4>>
func.func @trips_of_a_shape(%x: tensor<?x4xf32, #weft.dims<"n", 4>>, %s: tensor<4xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %n = weft.shape %x {start = 0 : i64, end = 1 : i64} : (tensor<?x4xf32, #weft.dims<"n", 4>>) -> tensor<1xi64>
  %e = weft.exp %x : (tensor<?x4xf32, #weft.dims<"n", 4>>) -> tensor<*xf32>
  %r:2 = weft.loop trips(%n : tensor<1xi64>) states(%s : tensor<4xf32>) captures(%e : tensor<*xf32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<4xf32>, %all: tensor<*xf32>):
    %row = weft.gather %all, %i {axis = 0 : i64} : (tensor<*xf32>, tensor<i64>) -> tensor<*xf32>
    %u = weft.add %t, %row : (tensor<4xf32>, tensor<*xf32>) -> tensor<*xf32>
    %v = weft.unsqueeze %u {axes = array<i64: 0>} : (tensor<*xf32>) -> tensor<*xf32>
    weft.yield %u, %v : tensor<*xf32>, tensor<*xf32>
  } -> (tensor<*xf32>, tensor<*xf32>)
  %a = weft.abs %r#1 : (tensor<*xf32>) -> tensor<*xf32>
  return %r#0, %a : tensor<*xf32>, tensor<*xf32>
}

// -----

// Fewer than none are none.
// CHECK-LABEL: @fewer
// CHECK: weft.loop count(<max(0, "n" - 2)>) {
// CHECK: -> (tensor<?xi64, #weft.dims<max(0, "n" - 2)>>)
func.func @fewer(%x: tensor<?x4xf32, #weft.dims<"n", 4>>) -> tensor<*xi64> {
  %n = weft.shape %x {start = 0 : i64, end = 1 : i64} : (tensor<?x4xf32, #weft.dims<"n", 4>>) -> tensor<1xi64>
  %two = weft.constant dense<2> : tensor<1xi64>
  %m = weft.sub %n, %two : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %r = weft.loop trips(%m : tensor<1xi64>) {
  ^bb0(%i: tensor<i64>):
    weft.yield %i : tensor<i64>
  } -> (tensor<*xi64>)
  return %r : tensor<*xi64>
}

// -----

// CHECK-LABEL: @none
// CHECK: weft.loop count(<0>) states(%{{.*}} : tensor<4xf32>) {
// CHECK: -> (tensor<4xf32>, tensor<0x4xf32>)
func.func @none(%s: tensor<4xf32>) -> (tensor<4xf32>, tensor<*xf32>) {
  %trips = weft.constant dense<-3> : tensor<i32>
  %r:2 = weft.loop trips(%trips : tensor<i32>) states(%s : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<4xf32>):
    %u = weft.exp %t : (tensor<4xf32>) -> tensor<4xf32>
    weft.yield %u, %t : tensor<4xf32>, tensor<4xf32>
  } -> (tensor<4xf32>, tensor<*xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<*xf32>
}

// -----

// Trips that an input says are one too, and may be negative; those of a loop in a body come from as far.
// CHECK-LABEL: @trips_of_an_input
// CHECK-SAME: %[[K:.*]]: tensor<i64> {weft.element_symbols = ["k[0]", "k[0].below"], weft.name = "k"}
// CHECK-SAME: %[[L:.*]]: tensor<1xi32> {weft.element_symbols = ["l[0]", "l[0].below"], weft.name = "l"}
// CHECK: weft.loop count(<max(0, "k[0]" - "k[0].below")>) states(%{{.*}} : tensor<4xf32>) captures(%[[L]] : tensor<1xi32>) {
// CHECK: weft.loop count(<max(0, "l[0]" - "l[0].below")>) captures(
// CHECK: -> (tensor<?x4xf32, #weft.dims<max(0, "l[0]" - "l[0].below"), 4>>)
// CHECK: -> (tensor<4xf32>, tensor<?x?x4xf32, #weft.dims<max(0, "k[0]" - "k[0].below"), max(0, "l[0]" - "l[0].below"), 4>>)
func.func @trips_of_an_input(%k: tensor<i64> {weft.name = "k"}, %l: tensor<1xi32> {weft.name = "l"}, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<*xf32>) {
  %r:2 = weft.loop trips(%k : tensor<i64>) states(%s : tensor<4xf32>) captures(%l : tensor<1xi32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<4xf32>, %m: tensor<1xi32>):
    %q = weft.loop trips(%m : tensor<1xi32>) captures(%t : tensor<4xf32>) {
    ^bb0(%j: tensor<i64>, %v: tensor<4xf32>):
      weft.yield %v : tensor<4xf32>
    } -> (tensor<*xf32>)
    %u = weft.add %t, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    weft.yield %u, %q : tensor<4xf32>, tensor<*xf32>
  } -> (tensor<4xf32>, tensor<*xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<*xf32>
}

// -----

// So are they where no dim asks for them.
// CHECK-LABEL: @trips_alone
// CHECK-SAME: %{{.*}}: tensor<i64> {weft.element_symbols = ["k[0]", "k[0].below"], weft.name = "k"}
// CHECK: weft.loop count(<max(0, "k[0]" - "k[0].below")>) states(
func.func @trips_alone(%k: tensor<i64> {weft.name = "k"}, %s: tensor<4xf32>) -> tensor<4xf32> {
  %r = weft.loop trips(%k : tensor<i64>) states(%s : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<4xf32>):
    %u = weft.exp %t : (tensor<4xf32>) -> tensor<4xf32>
    weft.yield %u : tensor<4xf32>
  } -> (tensor<4xf32>)
  return %r : tensor<4xf32>
}

// -----

// A shape that is captured is known in the body, and an element of an input is a size there. Of a state nothing is known, though it begins
// as a constant: dims that it decides are made up, and the reshape stays as it is.
// CHECK-LABEL: @contents
// CHECK-SAME: tensor<1xi64> {weft.element_symbols = ["k[0]", ""], weft.name = "k"}
// CHECK: ^bb0(%{{.*}}: tensor<i64>, %[[STATE:.*]]: tensor<2xi64>, %[[Z:.*]]: tensor<?x6xf32, #weft.dims<"n", 6>>,
// CHECK: weft.reshape %[[Z]] : (tensor<?x6xf32, #weft.dims<"n", 6>>) -> tensor<?x3xf32, #weft.dims<2 * "n", 3>>
// CHECK: weft.expand %{{.*}} : (tensor<f32>) -> tensor<?xf32, #weft.dims<"k[0]">>
// CHECK: weft.reshape %[[Z]], %[[STATE]] : {{.*}} -> tensor<?x?xf32, #weft.dims<"[[A:d[0-9]+]]", "[[B:d[0-9]+]]">>
// CHECK: -> (tensor<2xi64>, tensor<5x?x3xf32, #weft.dims<5, 2 * "n", 3>>, tensor<5x?xf32, #weft.dims<5, "k[0]">>, tensor<5x?x?xf32, #weft.dims<5, "[[A]]", "[[B]]">>)
func.func @contents(%x: tensor<?x6xf32, #weft.dims<"n", 6>>, %y: tensor<?x3xf32, #weft.dims<2 * "n", 3>>, %k: tensor<1xi64> {weft.name = "k"})
    -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %shape = weft.shape %y {start = 0 : i64, end = 2 : i64} : (tensor<?x3xf32, #weft.dims<2 * "n", 3>>) -> tensor<2xi64>
  %first = weft.constant dense<[3, -1]> : tensor<2xi64>
  %r:4 = weft.loop count(#weft.dim<5>) states(%first : tensor<2xi64>)
      captures(%x, %shape, %k : tensor<?x6xf32, #weft.dims<"n", 6>>, tensor<2xi64>, tensor<1xi64>) {
  ^bb0(%i: tensor<i64>, %state: tensor<2xi64>, %z: tensor<?x6xf32, #weft.dims<"n", 6>>, %to: tensor<2xi64>, %l: tensor<1xi64>):
    %u = weft.reshape %z, %to : (tensor<?x6xf32, #weft.dims<"n", 6>>, tensor<2xi64>) -> tensor<*xf32>
    %zero = weft.constant dense<0.0> : tensor<f32>
    %v = weft.expand %zero, %l : (tensor<f32>, tensor<1xi64>) -> tensor<*xf32>
    %w = weft.reshape %z, %state : (tensor<?x6xf32, #weft.dims<"n", 6>>, tensor<2xi64>) -> tensor<*xf32>
    %next = weft.add %state, %state : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
    weft.yield %next, %u, %v, %w : tensor<2xi64>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
  } -> (tensor<2xi64>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return %r#1, %r#2, %r#3 : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// -----

// What a state becomes has its dims: symbols that have to be equal are one, in what comes before the loop, too.
// CHECK-LABEL: @one_symbol
// CHECK-SAME: (%{{.*}}: tensor<?xf32, #weft.dims<"n">>, %{{.*}}: tensor<?xf32, #weft.dims<"n">>) -> tensor<?xf32, #weft.dims<"n">>
// CHECK-NOT: weft.guards
// CHECK: weft.abs %{{.*}} -> tensor<?xf32, #weft.dims<"n">>
// CHECK: ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<?xf32, #weft.dims<"n">>, %{{.*}}: tensor<?xf32, #weft.dims<"n">>):
func.func @one_symbol(%x: tensor<?xf32, #weft.dims<"n">>, %y: tensor<?xf32, #weft.dims<"m">>) -> tensor<*xf32> {
  %a = weft.abs %y : (tensor<?xf32, #weft.dims<"m">>) -> tensor<*xf32>
  %r = weft.loop count(#weft.dim<7>) states(%x : tensor<?xf32, #weft.dims<"n">>) captures(%a : tensor<*xf32>) {
  ^bb0(%i: tensor<i64>, %s: tensor<?xf32, #weft.dims<"n">>, %z: tensor<*xf32>):
    %next = weft.exp %z : (tensor<*xf32>) -> tensor<*xf32>
    weft.yield %next : tensor<*xf32>
  } -> (tensor<*xf32>)
  return %r : tensor<*xf32>
}

// -----

// What cannot be solved is a guard.
// CHECK-LABEL: @guard
// CHECK-SAME: weft.guards = [#weft.guard<equal, "n", "k" * "m", "node \22/Loop\22 needs n to equal k * m">]
func.func @guard(%x: tensor<?xf32, #weft.dims<"n">>, %y: tensor<?xf32, #weft.dims<"m" * "k">>) -> tensor<*xf32> {
  %r = weft.loop count(#weft.dim<7>) states(%x : tensor<?xf32, #weft.dims<"n">>) captures(%y : tensor<?xf32, #weft.dims<"m" * "k">>) {
  ^bb0(%i: tensor<i64>, %s: tensor<?xf32, #weft.dims<"n">>, %z: tensor<?xf32, #weft.dims<"m" * "k">>):
    %next = weft.exp %z : (tensor<?xf32, #weft.dims<"m" * "k">>) -> tensor<*xf32>
    weft.yield %next : tensor<*xf32>
  } -> (tensor<*xf32>) loc("/Loop")
  return %r : tensor<*xf32>
}

// -----

// No size lets keys grow in a loop.
func.func @grows(%x: tensor<?xf32, #weft.dims<"n">>, %y: tensor<1xf32>) -> tensor<*xf32> {
  // expected-error@below {{node "weft.loop" (weft.loop): needs n to equal n + 1, which no size allows; check the dims of its inputs [weft-0200]}}
  %r = weft.loop count(#weft.dim<7>) states(%x : tensor<?xf32, #weft.dims<"n">>) captures(%y : tensor<1xf32>) {
  ^bb0(%i: tensor<i64>, %s: tensor<?xf32, #weft.dims<"n">>, %z: tensor<1xf32>):
    %next = weft.concat %s, %z {axis = 0 : i64} : (tensor<?xf32, #weft.dims<"n">>, tensor<1xf32>) -> tensor<*xf32>
    weft.yield %next : tensor<*xf32>
  } -> (tensor<*xf32>)
  return %r : tensor<*xf32>
}

// -----

// A constraint that only shows once shapes are known.
func.func @late(%x: tensor<4xf32>) -> tensor<*xf32> {
  // expected-error@below {{loop-c3: expects a body that keeps the type of state 0, which is 4 x f32, got 2 x 2 x f32}}
  %r = weft.loop count(#weft.dim<7>) states(%x : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %s: tensor<4xf32>):
    %to = weft.constant dense<2> : tensor<2xi64>
    %next = weft.reshape %s, %to : (tensor<4xf32>, tensor<2xi64>) -> tensor<*xf32>
    weft.yield %next : tensor<*xf32>
  } -> (tensor<*xf32>)
  return %r : tensor<*xf32>
}

// -----

// In a loop's loop as in a loop: what the outer body computes of a shape is known in the inner one. What is no size is a guard, wherever it is.
// CHECK-LABEL: @nested
// CHECK-SAME: weft.guards = [#weft.guard<less_equal, 0, "n" - 1, "node \22/Expand\22 needs 0 to be at most n - 1">]
// CHECK: weft.loop count(<"m">) captures(
// CHECK: %[[ROW:.*]] = weft.gather {{.*}} -> tensor<?xf32, #weft.dims<"n">>
// CHECK: weft.loop count(<"n" - 1>) captures(%[[ROW]], %{{.*}} : tensor<?xf32, #weft.dims<"n">>, tensor<1xi64>) {
// CHECK: weft.gather {{.*}} -> tensor<f32>
// CHECK: weft.expand {{.*}} : (tensor<f32>) -> tensor<?xf32, #weft.dims<"n" - 1>>
// CHECK: -> (tensor<?x?xf32, #weft.dims<"n" - 1, "n" - 1>>)
// CHECK: -> (tensor<?x?x?xf32, #weft.dims<"m", "n" - 1, "n" - 1>>)
func.func @nested(%x: tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<*xf32> {
  %m = weft.shape %x {start = 0 : i64, end = 1 : i64} : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<1xi64>
  %n = weft.shape %x {start = 1 : i64, end = 2 : i64} : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<1xi64>
  %r = weft.loop trips(%m : tensor<1xi64>) captures(%x, %n : tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<1xi64>) {
  ^bb0(%i: tensor<i64>, %y: tensor<?x?xf32, #weft.dims<"m", "n">>, %k: tensor<1xi64>):
    %row = weft.gather %y, %i {axis = 0 : i64} : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<i64>) -> tensor<*xf32>
    %one = weft.constant dense<1> : tensor<1xi64>
    %l = weft.sub %k, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %t = weft.loop trips(%l : tensor<1xi64>) captures(%row, %l : tensor<*xf32>, tensor<1xi64>) {
    ^bb0(%j: tensor<i64>, %z: tensor<*xf32>, %to: tensor<1xi64>):
      %e = weft.gather %z, %j {axis = 0 : i64} : (tensor<*xf32>, tensor<i64>) -> tensor<*xf32>
      %u = weft.expand %e, %to : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32> loc("/Expand")
      weft.yield %u : tensor<*xf32>
    } -> (tensor<*xf32>)
    weft.yield %t : tensor<*xf32>
  } -> (tensor<*xf32>)
  return %r : tensor<*xf32>
}

// -----

// Only a run knows a state, so trips that it says stay what they are (weft-verify-graph reports them).
// CHECK-LABEL: @trips_of_a_state
// CHECK: ^bb0(%{{.*}}: tensor<i64>, %[[T:.*]]: tensor<i64>):
// CHECK: weft.loop trips(%[[T]] : tensor<i64>) {
// CHECK: -> (tensor<?xi64, #weft.dims<"[[D:d[0-9]+]]">>)
// CHECK: -> (tensor<i64>, tensor<3x?xi64, #weft.dims<3, "[[D]]">>)
func.func @trips_of_a_state(%s: tensor<i64>) -> (tensor<i64>, tensor<*xi64>) {
  %r:2 = weft.loop count(#weft.dim<3>) states(%s : tensor<i64>) {
  ^bb0(%i: tensor<i64>, %t: tensor<i64>):
    %q = weft.loop trips(%t : tensor<i64>) {
    ^bb0(%j: tensor<i64>):
      weft.yield %j : tensor<i64>
    } -> (tensor<*xi64>)
    %u = weft.add %t, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    weft.yield %u, %q : tensor<i64>, tensor<*xi64>
  } -> (tensor<i64>, tensor<*xi64>)
  return %r#0, %r#1 : tensor<i64>, tensor<*xi64>
}

// -----

// A loop is not run to know what it computes, however short that is.
// CHECK-LABEL: @not_run
// CHECK: weft.loop count(<200000000000>)
func.func @not_run() -> tensor<f32> {
  %trips = weft.constant dense<200000000000> : tensor<i64>
  %s = weft.constant dense<1.0> : tensor<f32>
  %r = weft.loop trips(%trips : tensor<i64>) states(%s : tensor<f32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<f32>):
    %u = weft.mul %t, %t : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weft.yield %u : tensor<f32>
  } -> (tensor<f32>)
  return %r : tensor<f32>
}
