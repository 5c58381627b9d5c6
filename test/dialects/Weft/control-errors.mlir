// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of the Control family reject, constraint by constraint.
// RUN: weft-opt --split-input-file --verify-diagnostics %s

// A capture that the body has no argument for.
func.func @loop_c1_few(%s: tensor<f32>, %x: tensor<4xf32>) {
  // expected-error @below {{loop-c1: expects a body with 3 arguments: the iteration, states and captures; got 2}}
  %0 = weft.loop count(#weft.dim<4>) states(%s : tensor<f32>) captures(%x : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<f32>):
    weft.yield %t : tensor<f32>
  } -> (tensor<f32>)
  return
}

// -----

func.func @loop_c1_many(%s: tensor<f32>) {
  // expected-error @below {{loop-c1: expects a body with 2 arguments: the iteration, states and captures; got 3}}
  %0 = weft.loop count(#weft.dim<4>) states(%s : tensor<f32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<f32>, %all: tensor<4xf32>):
    weft.yield %t : tensor<f32>
  } -> (tensor<f32>)
  return
}

// -----

// The iteration is an argument whether or not the body needs it.
func.func @loop_c1_none(%s: tensor<f32>) {
  // expected-error @below {{loop-c1: expects a body with 1 arguments: the iteration, states and captures; got 0}}
  %0 = weft.loop count(#weft.dim<4>) {
    %c = weft.constant dense<1.0> : tensor<f32>
    weft.yield %c : tensor<f32>
  } -> (tensor<4xf32>)
  return
}

// -----

func.func @loop_c1_iteration_element(%s: tensor<f32>) {
  // expected-error @below {{loop-c1: expects argument 0 of the body to be i64, got i32}}
  %0 = weft.loop count(#weft.dim<4>) states(%s : tensor<f32>) {
  ^bb0(%i: tensor<i32>, %t: tensor<f32>):
    weft.yield %t : tensor<f32>
  } -> (tensor<f32>)
  return
}

// -----

func.func @loop_c1_iteration_rank(%s: tensor<f32>) {
  // expected-error @below {{loop-c1: expects argument 0 of the body to be i64, got 1 x i64}}
  %0 = weft.loop count(#weft.dim<4>) states(%s : tensor<f32>) {
  ^bb0(%i: tensor<1xi64>, %t: tensor<f32>):
    weft.yield %t : tensor<f32>
  } -> (tensor<f32>)
  return
}

// -----

func.func @loop_c1_state(%s: tensor<?xf32, #weft.dims<"n">>) {
  // expected-error @below {{loop-c1: expects argument 1 of the body to be n x f32, got m x f32}}
  %0 = weft.loop count(#weft.dim<4>) states(%s : tensor<?xf32, #weft.dims<"n">>) {
  ^bb0(%i: tensor<i64>, %t: tensor<?xf32, #weft.dims<"m">>):
    weft.yield %t : tensor<?xf32, #weft.dims<"m">>
  } -> (tensor<?xf32, #weft.dims<"n">>)
  return
}

// -----

// States come before captures.
func.func @loop_c1_order(%s: tensor<f32>, %x: tensor<4xf32>) {
  // expected-error @below {{loop-c1: expects argument 1 of the body to be f32, got 4 x f32}}
  %0 = weft.loop count(#weft.dim<4>) states(%s : tensor<f32>) captures(%x : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %all: tensor<4xf32>, %t: tensor<f32>):
    weft.yield %t : tensor<f32>
  } -> (tensor<f32>)
  return
}

// -----

func.func @loop_c1_capture(%s: tensor<f32>, %x: tensor<4xf32>) {
  // expected-error @below {{loop-c1: expects argument 2 of the body to be 4 x f32, got 4 x f64}}
  %0 = weft.loop count(#weft.dim<4>) states(%s : tensor<f32>) captures(%x : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<f32>, %all: tensor<4xf64>):
    weft.yield %t : tensor<f32>
  } -> (tensor<f32>)
  return
}

// -----

// A body that ends with something else.
func.func @loop_c1_no_yield(%s: tensor<f32>) {
  // expected-error @below {{loop-c1: expects a body that yields a tensor for each result, the states first}}
  %0 = weft.loop count(#weft.dim<4>) states(%s : tensor<f32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<f32>):
    %u = weft.relu %t : (tensor<f32>) -> tensor<f32>
  } -> (tensor<f32>)
  return
}

// -----

func.func @loop_c1_few_yielded(%s: tensor<f32>, %x: tensor<4xf32>) {
  // expected-error @below {{loop-c1: expects a body that yields a tensor for each result, the states first}}
  %0:2 = weft.loop count(#weft.dim<4>) states(%s, %x : tensor<f32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<f32>, %y: tensor<4xf32>):
    weft.yield %t : tensor<f32>
  } -> (tensor<f32>, tensor<4xf32>)
  return
}

// -----

func.func @loop_c2_several(%s: tensor<f32>, %trips: tensor<2xi64>) {
  // expected-error @below {{loop-c2: expects a count, or trips of one element}}
  %0 = weft.loop trips(%trips : tensor<2xi64>) states(%s : tensor<f32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<f32>):
    weft.yield %t : tensor<f32>
  } -> (tensor<f32>)
  return
}

// -----

func.func @loop_c2_neither(%s: tensor<f32>) {
  // expected-error @below {{loop-c2: expects a count, or trips of one element}}
  %0 = weft.loop states(%s : tensor<f32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<f32>):
    weft.yield %t : tensor<f32>
  } -> (tensor<f32>)
  return
}

// -----

func.func @loop_c2_floats(%s: tensor<f32>, %trips: tensor<f32>) {
  // expected-error @below {{operand #0 must be tensor of i32 or i64 values, but got 'tensor<f32>'}}
  %0 = weft.loop trips(%trips : tensor<f32>) states(%s : tensor<f32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<f32>):
    weft.yield %t : tensor<f32>
  } -> (tensor<f32>)
  return
}

// -----

func.func @loop_c3_element(%s: tensor<f32>) {
  // expected-error @below {{loop-c3: expects a body that keeps the type of state 0, which is f32, got f64}}
  %0 = weft.loop count(#weft.dim<4>) states(%s : tensor<f32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<f32>):
    %u = weft.cast %t to f64 : (tensor<f32>) -> tensor<f64>
    weft.yield %u : tensor<f64>
  } -> (tensor<f32>)
  return
}

// -----

func.func @loop_c3_rank(%s: tensor<f32>, %y: tensor<4xf32>) {
  // expected-error @below {{loop-c3: expects a body that keeps the type of state 1, which is 4 x f32, got 1 x 4 x f32}}
  %0:2 = weft.loop count(#weft.dim<4>) states(%s, %y : tensor<f32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<f32>, %z: tensor<4xf32>):
    %u = weft.reshape %z : (tensor<4xf32>) -> tensor<1x4xf32>
    weft.yield %t, %u : tensor<f32>, tensor<1x4xf32>
  } -> (tensor<f32>, tensor<4xf32>)
  return
}

// -----

// A dim that grows, as that of keys which a body appends to.
func.func @loop_c3_dims(%s: tensor<?x4xf32, #weft.dims<"n", 4>>, %x: tensor<?x1xf32, #weft.dims<"n", 1>>) {
  // expected-error @below {{loop-c3: expects a body that keeps the type of state 0, which is n x 4 x f32, got n x 5 x f32}}
  %0 = weft.loop count(#weft.dim<4>) states(%s : tensor<?x4xf32, #weft.dims<"n", 4>>) captures(%x : tensor<?x1xf32, #weft.dims<"n", 1>>) {
  ^bb0(%i: tensor<i64>, %t: tensor<?x4xf32, #weft.dims<"n", 4>>, %one: tensor<?x1xf32, #weft.dims<"n", 1>>):
    %u = weft.concat %t, %one {axis = 1 : i64} : (tensor<?x4xf32, #weft.dims<"n", 4>>, tensor<?x1xf32, #weft.dims<"n", 1>>) -> tensor<?x5xf32, #weft.dims<"n", 5>>
    weft.yield %u : tensor<?x5xf32, #weft.dims<"n", 5>>
  } -> (tensor<?x4xf32, #weft.dims<"n", 4>>)
  return
}

// -----

// What is left behind is stacked along a new first dim.
func.func @loop_result(%s: tensor<4xf32>) {
  // expected-error @below {{declares the result type 4 x f32, but 3 x 4 x f32 follows from its operands}}
  %0 = weft.loop count(#weft.dim<3>) captures(%s : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<4xf32>):
    weft.yield %t : tensor<4xf32>
  } -> (tensor<4xf32>)
  return
}

// -----

// Nothing comes from around a body but through captures.
func.func @loop_isolated(%s: tensor<f32>, %x: tensor<f32>) {
  // expected-note @below {{required by region isolation constraints}}
  %0 = weft.loop count(#weft.dim<3>) states(%s : tensor<f32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<f32>):
    // expected-error @below {{using value defined outside the region}}
    %u = weft.add %t, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weft.yield %u : tensor<f32>
  } -> (tensor<f32>)
  return
}

// -----

func.func @more_than_results(%x: tensor<4xf32>) {
  // expected-error @below {{loop-c1: expects a body that yields a tensor for each result, the states first}}
  %r = weft.loop count(#weft.dim<2>) states(%x : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<4xf32>):
    weft.yield %t, %t : tensor<4xf32>, tensor<4xf32>
  } -> (tensor<4xf32>)
  return
}

// -----

func.func @fewer_than_results(%x: tensor<4xf32>) {
  // expected-error @below {{loop-c1: expects a body that yields a tensor for each result, the states first}}
  %r:2 = weft.loop count(#weft.dim<2>) states(%x : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<4xf32>):
    weft.yield %t : tensor<4xf32>
  } -> (tensor<4xf32>, tensor<2x4xf32>)
  return
}

// -----

func.func @no_tensor(%x: tensor<4xf32>) {
  // expected-error @below {{loop-c1: expects a body that yields a tensor for each result, the states first}}
  %r = weft.loop count(#weft.dim<2>) states(%x : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<4xf32>):
    %c = arith.constant 1.0 : f32
    weft.yield %c : f32
  } -> (tensor<4xf32>)
  return
}

// -----

func.func @below_zero(%x: tensor<4xf32>) {
  // expected-error @below {{loop-c2: expects a count of 0 or more, got -3}}
  %r = weft.loop count(#weft.dim<-3>) states(%x : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<4xf32>):
    weft.yield %t : tensor<4xf32>
  } -> (tensor<4xf32>)
  return
}
