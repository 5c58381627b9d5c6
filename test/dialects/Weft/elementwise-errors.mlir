// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of the Elementwise family reject, constraint by constraint.
// RUN: weft-opt --split-input-file --verify-diagnostics %s

func.func @c1(%x: tensor<2x3xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{elementwise-c1: dims 3 and 4 do not broadcast; expects equal dims, or 1}}
  %0 = weft.add %x, %y : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c1_compare(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{elementwise-c1: dims 2 and 3 do not broadcast}}
  %0 = weft.compare lt %x, %y : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @c1_where(%c: tensor<2xi1>, %x: tensor<f32>, %y: tensor<3xf32>) {
  // expected-error @below {{elementwise-c1: dims 2 and 3 do not broadcast}}
  %0 = weft.where %c, %x, %y : (tensor<2xi1>, tensor<f32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c2(%x: tensor<2xf32>, %y: tensor<2xi32>) {
  // expected-error @below {{elementwise-c2: expects operands of one element type, got 'f32' and 'i32'}}
  %0 = weft.mul %x, %y : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @c2_where(%c: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error @below {{elementwise-c2: expects operands of one element type, got 'f32' and 'f64'}}
  %0 = weft.where %c, %x, %y : (tensor<2xi1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

// The exponent alone may have another type.
func.func @pow(%x: tensor<2xf32>, %y: tensor<2xi64>) -> tensor<2xf32> {
  %0 = weft.pow %x, %y : (tensor<2xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @float_only(%x: tensor<2xi32>) {
  // expected-error @below {{operand #0 must be tensor of}}
  %0 = weft.exp %x : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @bool_only(%x: tensor<2xf32>) {
  // expected-error @below {{operand #0 must be tensor of}}
  %0 = weft.not %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @cast(%x: tensor<2xf32>) {
  // expected-error @below {{declares the result type 2 x i64, but 2 x i32 follows from its operands}}
  %0 = weft.cast %x to i32 : (tensor<2xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @bitcast_c1(%x: tensor<2xf32>) {
  // expected-error @below {{bitcast-c1: expects an element type of as many bits as 'f32', got 'i16'}}
  %0 = weft.bitcast %x to i16 : (tensor<2xf32>) -> tensor<2xi16>
  return
}

// -----

func.func @compact_is_not_computed_with(%x: tensor<2xi4>) {
  // expected-error @below {{operand #0 must be tensor of float or integer values, but got 'tensor<2xi4>'}}
  %0 = weft.add %x, %x : (tensor<2xi4>, tensor<2xi4>) -> tensor<2xi4>
  return
}
