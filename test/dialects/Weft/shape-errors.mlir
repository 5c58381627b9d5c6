// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of the Shape family reject, constraint by constraint.
// RUN: weft-opt --split-input-file --verify-diagnostics %s

func.func @constant_c1() {
  // expected-error @below {{constant-c1: expects a static type, got ? x f32}}
  %0 = "weft.constant"() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<?xf32>
  return
}

// -----

func.func @constant_c2_type() {
  // expected-error @below {{constant-c2: data of type 'tensor<4xf32>' for 'tensor<2x2xf32>'}}
  %0 = "weft.constant"() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<2x2xf32>
  return
}

// -----

func.func @constant_c2_bytes() {
  // expected-error @below {{constant-c2: a handle of 12 bytes for a type of 16}}
  %0 = weft.constant weight<"model.onnx", 0, 12, 1> : tensor<4xf32>
  return
}

// -----

func.func @constant_c2_kind() {
  // expected-error @below {{constant-c2: expects dense data or #weft.weight}}
  %0 = "weft.constant"() {value = "text"} : () -> tensor<4xf32>
  return
}

// -----

func.func @constant_syntax() {
  // expected-error @below {{expects dense<...> or weight<...>}}
  %0 = weft.constant [1, 2]
  return
}

// -----

func.func @dims_c1_count() {
  // expected-error @below {{dims-c1: expects rank 0 or 1 and an element for each of 2 values}}
  %0 = weft.dims <"n", 3> : tensor<3xi64>
  return
}

// -----

func.func @dims_c1_rank() {
  // expected-error @below {{dims-c1: expects rank 0 or 1}}
  %0 = weft.dims <"n", 3> : tensor<1x2xi64>
  return
}

// -----

func.func @shape(%x: tensor<?x8xf32, #weft.dims<"n", 8>>) {
  // expected-error @below {{expects start and end within rank 2}}
  %0 = weft.shape %x {start = 0 : i64, end = 3 : i64} : (tensor<?x8xf32, #weft.dims<"n", 8>>) -> tensor<3xi64>
  return
}

// -----

func.func @reshape_c1_rank(%x: tensor<8xf32>, %shape: tensor<1x2xi64>) {
  // expected-error @below {{reshape-c1: expects rank 1, got 1 x 2 x i64}}
  %0 = weft.reshape %x, %shape : (tensor<8xf32>, tensor<1x2xi64>) -> tensor<4x2xf32>
  return
}

// -----

func.func @reshape_c1_two(%x: tensor<8xf32>) {
  %shape = weft.constant dense<-1> : tensor<2xi64>
  // expected-error @below {{reshape-c1: more than one -1}}
  %0 = weft.reshape %x, %shape : (tensor<8xf32>, tensor<2xi64>) -> tensor<4x2xf32>
  return
}

// -----

func.func @reshape_c1_negative(%x: tensor<8xf32>) {
  %shape = weft.constant dense<[4, -2]> : tensor<2xi64>
  // expected-error @below {{reshape-c1: entry 1 is -2}}
  %0 = weft.reshape %x, %shape : (tensor<8xf32>, tensor<2xi64>) -> tensor<4x2xf32>
  return
}

// -----

func.func @reshape_c1_copy(%x: tensor<8xf32>) {
  %shape = weft.constant dense<[8, 0]> : tensor<2xi64>
  // expected-error @below {{reshape-c1: entry 1 copies a dim that the input does not have}}
  %0 = weft.reshape %x, %shape : (tensor<8xf32>, tensor<2xi64>) -> tensor<8x1xf32>
  return
}

// -----

func.func @reshape_c1_unsolvable(%x: tensor<0x4xf32>) {
  %shape = weft.constant dense<[0, -1]> : tensor<2xi64>
  // expected-error @below {{reshape-c1: -1 cannot be solved beside a dim of 0}}
  %0 = weft.reshape %x, %shape {allow_zero} : (tensor<0x4xf32>, tensor<2xi64>) -> tensor<0x4xf32>
  return
}

// -----

func.func @reshape_c2(%x: tensor<8xf32>) {
  // expected-error @below {{reshape-c2: 8 elements do not fit a shape of 9}}
  %0 = weft.reshape %x : (tensor<8xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @reshape_c2_inferred(%x: tensor<8xf32>) {
  %shape = weft.constant dense<[3, -1]> : tensor<2xi64>
  // expected-error @below {{reshape-c2: 8 elements do not fit a shape of 6}}
  %0 = weft.reshape %x, %shape : (tensor<8xf32>, tensor<2xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @reshape_c3(%x: tensor<8xf32>) {
  // expected-error @below {{reshape-c3: without a shape expects a ranked result of the input's element type}}
  %0 = weft.reshape %x : (tensor<8xf32>) -> tensor<8xi32>
  return
}

// -----

func.func @squeeze_c1(%x: tensor<1x8xf32>) {
  // expected-error @below {{squeeze-c1: expects sorted, distinct axes within rank 2}}
  %0 = weft.squeeze %x {axes = array<i64: 2>} : (tensor<1x8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @squeeze_c2(%x: tensor<1x8xf32>) {
  // expected-error @below {{squeeze-c2: dim 1 is 8, not 1}}
  %0 = weft.squeeze %x {axes = array<i64: 1>} : (tensor<1x8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @unsqueeze_c1(%x: tensor<8xf32>) {
  // expected-error @below {{unsqueeze-c1: expects sorted, distinct axes within rank 3}}
  %0 = weft.unsqueeze %x {axes = array<i64: 1, 0>} : (tensor<8xf32>) -> tensor<1x1x8xf32>
  return
}

// -----

func.func @transpose_c1_twice(%x: tensor<2x3xf32>) {
  // expected-error @below {{transpose-c1: expects a permutation of 2 dims}}
  %0 = weft.transpose %x {permutation = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @transpose_c1_short(%x: tensor<2x3xf32>) {
  // expected-error @below {{transpose-c1: expects a permutation of 2 dims}}
  %0 = weft.transpose %x {permutation = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @concat_c1_none() {
  // expected-error @below {{concat-c1: expects at least one input}}
  %0 = weft.concat {axis = 0 : i64} : () -> tensor<2xf32>
  return
}

// -----

func.func @concat_c1_rank(%x: tensor<2xf32>, %y: tensor<2x1xf32>) {
  // expected-error @below {{concat-c1: expects inputs of one rank and element type and an axis within it}}
  %0 = weft.concat %x, %y {axis = 0 : i64} : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @concat_c1_axis(%x: tensor<2xf32>) {
  // expected-error @below {{concat-c1: expects inputs of one rank and element type and an axis within it}}
  %0 = weft.concat %x, %x {axis = 1 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @concat_c2(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @below {{concat-c2: dim 1 is 3 and 4}}
  %0 = weft.concat %x, %y {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @slice_c1_count(%x: tensor<8x8xf32>) {
  %two = weft.constant dense<0> : tensor<2xi64>
  // expected-error @below {{slice-c1: expects 1 starts, ends and steps}}
  %0 = weft.slice %x starts %two ends %two {axes = array<i64: 0>} : (tensor<8x8xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x8xf32>
  return
}

// -----

func.func @slice_c1_step(%x: tensor<8xf32>) {
  %zero = weft.constant dense<0> : tensor<1xi64>
  // expected-error @below {{slice-c1: a step is 0}}
  %0 = weft.slice %x starts %zero ends %zero steps %zero {axes = array<i64: 0>}
    : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @slice_c2(%x: tensor<8xf32>) {
  %zero = weft.constant dense<0> : tensor<1xi64>
  // expected-error @below {{slice-c2: expects distinct axes within rank 1}}
  %0 = weft.slice %x starts %zero ends %zero {axes = array<i64: 1>} : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @slice_c3(%x: tensor<8x8xf32>) {
  // expected-error @below {{slice-c3: without starts expects offsets, strides and a result of the input's rank}}
  %0 = weft.slice %x {offsets = #weft.dims<0>, strides = array<i64: 1>} : (tensor<8x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @expand_c1_rank(%x: tensor<1xf32>, %shape: tensor<1x1xi64>) {
  // expected-error @below {{expand-c1: expects rank 1, got 1 x 1 x i64}}
  %0 = weft.expand %x, %shape : (tensor<1xf32>, tensor<1x1xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @expand_c1_negative(%x: tensor<1xf32>) {
  %shape = weft.constant dense<-4> : tensor<1xi64>
  // expected-error @below {{expand-c1: the shape holds a negative dim}}
  %0 = weft.expand %x, %shape : (tensor<1xf32>, tensor<1xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @expand_c2(%x: tensor<3xf32>) {
  %shape = weft.constant dense<4> : tensor<1xi64>
  // expected-error @below {{expand-c2: dims 3 and 4 do not broadcast; expects equal dims, or 1}}
  %0 = weft.expand %x, %shape : (tensor<3xf32>, tensor<1xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @expand_c3(%x: tensor<3xf32>) {
  // expected-error @below {{expand-c3: 3 x f32 does not broadcast to 4 x f32}}
  %0 = weft.expand %x : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @tile_c1_count(%x: tensor<3x4xf32>) {
  %repeats = weft.constant dense<2> : tensor<1xi64>
  // expected-error @below {{tile-c1: expects 2 repeats, none negative}}
  %0 = weft.tile %x, %repeats : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<6x8xf32>
  return
}

// -----

func.func @tile_c1_negative(%x: tensor<3xf32>) {
  %repeats = weft.constant dense<-2> : tensor<1xi64>
  // expected-error @below {{tile-c1: expects 1 repeats, none negative}}
  %0 = weft.tile %x, %repeats : (tensor<3xf32>, tensor<1xi64>) -> tensor<6xf32>
  return
}

// -----

func.func @tile_c1_rank(%x: tensor<3xf32>) {
  // expected-error @below {{tile-c1: without repeats expects a result of the input's rank}}
  %0 = weft.tile %x : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reshape_c1_far(%x: tensor<3xf32>, %shape: tensor<2147483648xi64>) {
  // expected-error @below {{reshape-c1: expects at most 1024 dims, got 2147483648 x i64}}
  %0 = weft.reshape %x, %shape : (tensor<3xf32>, tensor<2147483648xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @toeplitz_c1(%x: tensor<3xf32>) {
  // expected-error @below {{toeplitz-c1: expects a number for each distance of the result's rows and columns}}
  %0 = weft.toeplitz %x : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @trilu_c1(%x: tensor<3xf32>) {
  // expected-error @below {{trilu-c1: expects rank 2 or more, got 1}}
  %0 = weft.trilu %x {diagonal = 0 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @range_c1_element(%x: tensor<i64>, %y: tensor<f32>) {
  // expected-error @below {{range-c1: expects scalars of one element type, got f32}}
  %0 = weft.range %x to %y by %x : (tensor<i64>, tensor<f32>, tensor<i64>) -> tensor<?xi64>
  return
}

// -----

func.func @range_c1_rank(%x: tensor<i64>, %y: tensor<1xi64>) {
  // expected-error @below {{range-c1: expects scalars of one element type, got 1 x i64}}
  %0 = weft.range %x to %y by %x : (tensor<i64>, tensor<1xi64>, tensor<i64>) -> tensor<?xi64>
  return
}

// -----

func.func @range_c1_zero(%x: tensor<i64>) {
  %zero = weft.constant dense<0> : tensor<i64>
  // expected-error @below {{range-c1: delta is 0}}
  %0 = weft.range %x to %x by %zero : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return
}

// -----

func.func @range_c2_both(%x: tensor<i64>) {
  // expected-error @below {{range-c2: expects three operands, or first and step}}
  %0 = weft.range %x to %x by %x {first = #weft.dim<0>, step = 1 : i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return
}

// -----

func.func @range_c2_neither() {
  // expected-error @below {{range-c2: without operands expects first, step and a rank-1 result}}
  %0 = weft.range : () -> tensor<4xi64>
  return
}

// -----

// A result type that does not follow from the operands; symbols are given the benefit of the doubt.
func.func @declared(%x: tensor<2x3xf32>, %n: tensor<?x3xf32, #weft.dims<"n", 3>>) {
  %0 = weft.transpose %n {permutation = array<i64: 1, 0>} : (tensor<?x3xf32, #weft.dims<"n", 3>>) -> tensor<3x?xf32, #weft.dims<3, "m">>
  // expected-error @below {{declares the result type 2 x 3 x f32, but 3 x 2 x f32 follows from its operands}}
  %1 = weft.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @pad_c1_axes(%x: tensor<2x3xf32>, %n: tensor<4xi64>) {
  // expected-error @below {{pad-c1: expects distinct axes within rank 2}}
  %0 = weft.pad constant %x pads %n {axes = array<i64: 1, 1>} : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @pad_c1_pads(%x: tensor<2x3xf32>, %n: tensor<3xi64>) {
  // expected-error @below {{pad-c1: expects 4 pads, got 3 x i64}}
  %0 = weft.pad constant %x pads %n {axes = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @pad_c2_negative(%x: tensor<2x3xf32>) {
  // expected-error @below {{pad-c2: cannot pad a dim of 3 by -2 and -2 in mode constant}}
  %0 = weft.pad constant %x {before = #weft.dims<0, -2>, after = #weft.dims<0, -2>} : (tensor<2x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @pad_c2_reflect(%x: tensor<2x3xf32>) {
  // expected-error @below {{pad-c2: cannot pad a dim of 2 by 2 and 0 in mode reflect}}
  %0 = weft.pad reflect %x {before = #weft.dims<2, 0>, after = #weft.dims<0, 0>} : (tensor<2x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @pad_c2_edge(%x: tensor<0x3xf32>) {
  // expected-error @below {{pad-c2: cannot pad a dim of 0 by 1 and 0 in mode edge}}
  %0 = weft.pad edge %x {before = #weft.dims<1, 0>, after = #weft.dims<0, 0>} : (tensor<0x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @pad_c3(%x: tensor<2x3xf32>, %v: tensor<f64>) {
  // expected-error @below {{pad-c3: expects a scalar fill of 'f32', got f64}}
  %0 = weft.pad constant %x fill %v {before = #weft.dims<1, 0>, after = #weft.dims<0, 0>} : (tensor<2x3xf32>, tensor<f64>) -> tensor<3x3xf32>
  return
}

// -----

func.func @pad_c4(%x: tensor<2x3xf32>) {
  // expected-error @below {{pad-c4: without pads expects before and after with an entry for each dim}}
  %0 = weft.pad constant %x {before = #weft.dims<1>, after = #weft.dims<0, 0>} : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}
