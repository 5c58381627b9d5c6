// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of the Quantize family reject, constraint by constraint.
// RUN: weft-opt --split-input-file --verify-diagnostics %s

func.func @quantize_rows_c1(%x: tensor<f32>) {
  // expected-error @below {{quantize-rows-c1: expects rank 1 or more, got a scalar}}
  %0:3 = weft.quantize_rows %x : (tensor<f32>) -> (tensor<64xui8>, tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

func.func @bytes(%x: tensor<3x70xf32>) {
  // expected-error @below {{declares the result type 3 x 70 x ui8, but 3 x 128 x ui8 follows from its operands}}
  %0:3 = weft.quantize_rows %x : (tensor<3x70xf32>) -> (tensor<3x70xui8>, tensor<3x1xf32>, tensor<3x1xi32>)
  return
}

// -----

func.func @scale(%x: tensor<3x70xf32>) {
  // expected-error @below {{declares the result type 3 x f32, but 3 x 1 x f32 follows from its operands}}
  %0:3 = weft.quantize_rows %x : (tensor<3x70xf32>) -> (tensor<3x128xui8>, tensor<3xf32>, tensor<3x1xi32>)
  return
}

// -----

func.func @zero(%x: tensor<3x70xf32>) {
  // expected-error @below {{declares the result type 1 x 1 x i32, but 3 x 1 x i32 follows from its operands}}
  %0:3 = weft.quantize_rows %x : (tensor<3x70xf32>) -> (tensor<3x128xui8>, tensor<3x1xf32>, tensor<1x1xi32>)
  return
}

// -----

func.func @input(%x: tensor<3x70xf64>) {
  // expected-error @below {{operand #0 must be tensor of 32-bit float values, but got 'tensor<3x70xf64>'}}
  %0:3 = weft.quantize_rows %x : (tensor<3x70xf64>) -> (tensor<3x128xui8>, tensor<3x1xf32>, tensor<3x1xi32>)
  return
}

// -----

func.func @signed_bytes(%x: tensor<3x70xf32>) {
  // expected-error @below {{result #0 must be tensor of 8-bit unsigned integer values, but got 'tensor<3x128xi8>'}}
  %0:3 = weft.quantize_rows %x : (tensor<3x70xf32>) -> (tensor<3x128xi8>, tensor<3x1xf32>, tensor<3x1xi32>)
  return
}
