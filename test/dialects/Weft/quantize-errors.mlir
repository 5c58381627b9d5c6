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

// -----

func.func @dequantize_c1_bits(%q: tensor<8x64xui8>, %s: tensor<8x4xf32>) {
  // expected-error @below {{dequantize-c1: expects rows of numbers of 2, 4 or 8 bits, got 8 x 64 x ui8 and 3 bits}}
  %0 = weft.dequantize %q, %s, %s {bits = 3, group = 32, length = 100} : (tensor<8x64xui8>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x100xf32>
  return
}

// -----

func.func @dequantize_c1_rank(%q: tensor<ui8>, %s: tensor<f32>) {
  // expected-error @below {{dequantize-c1: expects rows of numbers of 2, 4 or 8 bits, got ui8 and 4 bits}}
  %0 = weft.dequantize %q, %s, %s {bits = 4, group = 32, length = 1} : (tensor<ui8>, tensor<f32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @dequantize_c2_length(%q: tensor<8x64xui8>, %s: tensor<8x5xf32>) {
  // expected-error @below {{dequantize-c2: expects a positive group, and a length that 8 x 64 x ui8 holds, got 32 and 129}}
  %0 = weft.dequantize %q, %s, %s {bits = 4, group = 32, length = 129} : (tensor<8x64xui8>, tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<8x129xf32>
  return
}

// -----

func.func @dequantize_c2_group(%q: tensor<8x64xui8>, %s: tensor<8x5xf32>) {
  // expected-error @below {{dequantize-c2: expects a positive group, and a length that 8 x 64 x ui8 holds, got 0 and 100}}
  %0 = weft.dequantize %q, %s, %s {bits = 4, group = 0, length = 100} : (tensor<8x64xui8>, tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<8x100xf32>
  return
}

// -----

func.func @dequantize_c3_scales(%q: tensor<8x64xui8>, %s: tensor<8x3xf32>, %z: tensor<f32>) {
  // expected-error @below {{dequantize-c3: expects 4 scales and zeros for each row of 8 x 64 x ui8, got 8 x 3 x f32 and f32}}
  %0 = weft.dequantize %q, %s, %z {bits = 4, group = 32, length = 100} : (tensor<8x64xui8>, tensor<8x3xf32>, tensor<f32>) -> tensor<8x100xf32>
  return
}

// -----

func.func @dequantize_c3_zeros(%q: tensor<8x64xui8>, %s: tensor<8x4xf32>, %z: tensor<4xf32>) {
  // expected-error @below {{dequantize-c3: expects 4 scales and zeros for each row of 8 x 64 x ui8, got 8 x 4 x f32 and 4 x f32}}
  %0 = weft.dequantize %q, %s, %z {bits = 4, group = 32, length = 100} : (tensor<8x64xui8>, tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x100xf32>
  return
}

// -----

func.func @dequantize_c4_size(%q: tensor<8x64xui8>, %s: tensor<8x4xf32>) {
  // expected-error @below {{dequantize-c4: expects a table of 2^bits numbers, of at most 4 bits, got 3 of 2 bits}}
  %0 = weft.dequantize %q, %s, %s {bits = 2, group = 32, length = 100, table = array<f32: 1.0, 2.0, 3.0>} : (tensor<8x64xui8>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x100xf32>
  return
}

// -----

func.func @dequantize_c4_bits(%q: tensor<8x64xui8>, %s: tensor<8x2xf32>) {
  // expected-error @below {{dequantize-c4: expects a table of 2^bits numbers, of at most 4 bits, got 1 of 8 bits}}
  %0 = weft.dequantize %q, %s, %s {bits = 8, group = 32, length = 64, table = array<f32: 1.0>} : (tensor<8x64xui8>, tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x64xf32>
  return
}
