// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: weft-opt %s -weft-verify-graph -split-input-file -verify-diagnostics

// A function of the level.
func.func @fine(%x: tensor<?x8xf32, #weft.dims<"n", 8>>) -> tensor<?x8xf32, #weft.dims<"n", 8>> {
  %r = weft.relu %x : (tensor<?x8xf32, #weft.dims<"n", 8>>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
  return %r : tensor<?x8xf32, #weft.dims<"n", 8>>
}

// -----

// Every violation is reported, and none twice.
// expected-error@below {{input "x": expects a known rank, got unknown rank x f32 [weft-0201]}}
func.func @all_at_once(%x: tensor<*xf32> {weft.name = "x"}, %y: tensor<8xf32>, %to: tensor<1xi64>, %h: tensor<2x2xf16>,
                       %c: tensor<1x2x8xf32>, %f: tensor<2x2x?xf32, #weft.dims<2, 2, "n">>)
    -> (tensor<*xf32>, tensor<?xf32, #weft.dims<"d0">>, tensor<2x2xf16>, tensor<1x2x?xf32, #weft.dims<1, 2, 9 - "n">>) {
  %a = weft.relu %x : (tensor<*xf32>) -> tensor<*xf32>
  // expected-error@below {{node "weft.reshape" (weft.reshape): shape depends on data: reshape takes a size that is not known before the model runs; fix the size in the model, or give its dims with --dim [weft-0202]}}
  %b = weft.reshape %y, %to : (tensor<8xf32>, tensor<1xi64>) -> tensor<?xf32, #weft.dims<"d0">>
  %c1 = weft.relu %b : (tensor<?xf32, #weft.dims<"d0">>) -> tensor<?xf32, #weft.dims<"d0">>
  %d = weft.matmul %h, %h : (tensor<2x2xf16>, tensor<2x2xf16>) -> tensor<2x2xf16>
  // expected-error@unknown {{node "/patch" (Conv-11): expects operands whose sizes are formulas of at most 64 bits, got 1 x 2 x 8 x f32 and 2 x 2 x n x f32 [weft-0203]}}
  %e = weft.conv %c, %f {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
    : (tensor<1x2x8xf32>, tensor<2x2x?xf32, #weft.dims<2, 2, "n">>) -> tensor<1x2x?xf32, #weft.dims<1, 2, 9 - "n">> loc("/patch"("Conv-11"))
  return %a, %c1, %d, %e : tensor<*xf32>, tensor<?xf32, #weft.dims<"d0">>, tensor<2x2xf16>, tensor<1x2x?xf32, #weft.dims<1, 2, 9 - "n">>
}

// -----

// A symbol that stands alone in no input cannot be sized.
func.func @unbound(%x: tensor<?xf32, #weft.dims<"a" + "b">>) -> tensor<?xf32, #weft.dims<"b">> {
  // expected-error@below {{node "weft.slice" (weft.slice): has a dim "a" that no input gives a size to; give a size with --dim [weft-0201]}}
  // expected-error@below {{node "weft.slice" (weft.slice): has a dim "b" that no input gives a size to; give a size with --dim [weft-0201]}}
  %r = weft.slice %x {offsets = #weft.dims<"a">, strides = array<i64: 1>} : (tensor<?xf32, #weft.dims<"a" + "b">>) -> tensor<?xf32, #weft.dims<"b">>
  return %r : tensor<?xf32, #weft.dims<"b">>
}

// -----

func.func @foreign(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{node "math.exp" (math.exp): is no operation of the graph level [weft-0203]}}
  %r = math.exp %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @parameter_per_row(%x: tensor<4x8xf32>, %g: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@below {{expects a scale and bias that are the same for every row, got 4 x 8 x f32 [weft-0203]}}
  %r = weft.layer_norm %x, %g {axis = 1 : i64, epsilon = 1.0e-5 : f32} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

func.func @scale_per_row(%x: tensor<4x8xf32>, %g: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@below {{expects a scale and bias that are the same for every row, got 4 x 8 x f32 [weft-0203]}}
  %r = weft.rms_norm %x, %g {axis = 1 : i64, epsilon = 1.0e-5 : f32} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

func.func @unsigned_capture(%q: tensor<1x1x4x8xf32>, %c: tensor<4xui8>) -> tensor<1x1x4x8xf32> {
  // expected-error@below {{expects a score region that reads no unsigned integers, got 4 x ui8 [weft-0203]}}
  %r = weft.attention %q, %q, %q scale(1.0) empty_rows(zero) captures(%c : tensor<4xui8>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %e: ui8):
    %keep = arith.constant true
    weft.yield %s, %keep : f32, i1
  } : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32>
  return %r : tensor<1x1x4x8xf32>
}

// -----

// How often a loop runs, its count says. What follows from what only a run knows is not reported again; what is in a body is checked, too.
func.func @trips_of_data(%x: tensor<4xf32>, %trips: tensor<i64>) -> (tensor<4xf32>, tensor<?x4xf32, #weft.dims<"d0", 4>>) {
  // expected-error@below {{node "weft.loop" (weft.loop): shape depends on data: loop takes a size that is not known before the model runs; fix the size in the model, or give its dims with --dim [weft-0202]}}
  %r:2 = weft.loop trips(%trips : tensor<i64>) states(%x : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %s: tensor<4xf32>):
    %t = weft.loop count(#weft.dim<"d0">) states(%s : tensor<4xf32>) {
    ^bb0(%j: tensor<i64>, %u: tensor<4xf32>):
      // expected-error@below {{node "math.exp" (math.exp): is no operation of the graph level [weft-0203]}}
      %v = math.exp %u : tensor<4xf32>
      weft.yield %v : tensor<4xf32>
    } -> (tensor<4xf32>)
    weft.yield %t, %s : tensor<4xf32>, tensor<4xf32>
  } -> (tensor<4xf32>, tensor<?x4xf32, #weft.dims<"d0", 4>>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<?x4xf32, #weft.dims<"d0", 4>>
}

// -----

// A count is a size.
func.func @unsized_count(%x: tensor<?xf32, #weft.dims<"a" + "b">>) -> tensor<?xf32, #weft.dims<"a" + "b">> {
  // expected-error@below {{node "weft.loop" (weft.loop): has a dim "c" that no input gives a size to; give a size with --dim [weft-0201]}}
  %r = weft.loop count(#weft.dim<"c">) states(%x : tensor<?xf32, #weft.dims<"a" + "b">>) {
  ^bb0(%i: tensor<i64>, %s: tensor<?xf32, #weft.dims<"a" + "b">>):
    // expected-error@below {{node "weft.exp" (weft.exp): has a dim "a" that no input gives a size to; give a size with --dim [weft-0201]}}
    // expected-error@below {{node "weft.exp" (weft.exp): has a dim "b" that no input gives a size to; give a size with --dim [weft-0201]}}
    %t = weft.exp %s : (tensor<?xf32, #weft.dims<"a" + "b">>) -> tensor<?xf32, #weft.dims<"a" + "b">>
    weft.yield %t : tensor<?xf32, #weft.dims<"a" + "b">>
  } -> (tensor<?xf32, #weft.dims<"a" + "b">>)
  return %r : tensor<?xf32, #weft.dims<"a" + "b">>
}
