// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first condition that failed, for each softmax that is left; the rest is in fuse-attention.mlir.
// RUN: weft-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(weft-fuse-attention{explain=true}))'

// The softmax is over the queries.
// expected-remark @below {{fused attention: 0 of 1}}
func.func @softmax_of_columns(%q: tensor<5x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x3xf32>) -> (tensor<5x3xf32>) {
  %0 = weft.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  // expected-remark @below {{not fused: the second product does not sum over the axis of the softmax}}
  %1 = weft.softmax %0 {axis = 0 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %2 = weft.matmul %1, %v : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  return %2 : tensor<5x3xf32>
}

// -----

// The second product sums over the queries.
// expected-remark @below {{fused attention: 0 of 1}}
func.func @sums_over_queries(%q: tensor<5x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<3x5xf32>) -> (tensor<3x7xf32>) {
  %0 = weft.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  // expected-remark @below {{not fused: the second product does not sum over the axis of the softmax}}
  %1 = weft.softmax %0 {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %2 = weft.matmul %v, %1 : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  return %2 : tensor<3x7xf32>
}

// -----

// What is done to the weights is no scale.
// expected-remark @below {{fused attention: 0 of 1}}
func.func @weights_are_changed(%q: tensor<5x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x3xf32>) -> (tensor<5x3xf32>) {
  %0 = weft.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  // expected-remark @below {{not fused: no product uses its result}}
  %1 = weft.softmax %0 {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %2 = weft.tanh %1 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %3 = weft.matmul %2, %v : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  return %3 : tensor<5x3xf32>
}

// -----

// Scores that are an input.
// expected-remark @below {{fused attention: 0 of 1}}
func.func @no_product(%s: tensor<5x7xf32>, %v: tensor<7x3xf32>) -> (tensor<5x3xf32>) {
  // expected-remark @below {{not fused: its input is not made of a product by pointwise operations, transposes and reshapes}}
  %0 = weft.softmax %s {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = weft.matmul %0, %v : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  return %1 : tensor<5x3xf32>
}

// -----

// A softmax at the end of a model is not counted.
// expected-remark @below {{fused attention: 0 of 0}}
func.func @classes(%q: tensor<5x8xf32>, %kt: tensor<8x7xf32>) -> (tensor<5x7xf32>) {
  %0 = weft.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  // expected-remark @below {{not fused: no product uses its result}}
  %1 = weft.softmax %0 {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  return %1 : tensor<5x7xf32>
}

// -----

// A mask makes the scores larger.
// expected-remark @below {{fused attention: 0 of 1}}
func.func @scores_are_broadcast(%q: tensor<5x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x3xf32>, %m: tensor<2x1x7xf32>) -> (tensor<2x5x3xf32>) {
  %0 = weft.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  %1 = weft.add %0, %m : (tensor<5x7xf32>, tensor<2x1x7xf32>) -> tensor<2x5x7xf32>
  // expected-remark @below {{not fused: the scores are broadcast}}
  %2 = weft.softmax %1 {axis = 2 : i64} : (tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
  %3 = weft.matmul %2, %v : (tensor<2x5x7xf32>, tensor<7x3xf32>) -> tensor<2x5x3xf32>
  return %3 : tensor<2x5x3xf32>
}

// -----

// A gate: its keys are weights.
// expected-remark @below {{fused attention: 0 of 1}}
func.func @experts(%q: tensor<5x2xf32>, %v: tensor<3x3xf32>) -> (tensor<5x3xf32>) {
  %0 = weft.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]]> : tensor<2x3xf32>
  %1 = weft.matmul %q, %0 : (tensor<5x2xf32>, tensor<2x3xf32>) -> tensor<5x3xf32>
  // expected-remark @below {{not fused: the keys are constant: the product is one with weights}}
  %2 = weft.softmax %1 {axis = 1 : i64} : (tensor<5x3xf32>) -> tensor<5x3xf32>
  %3 = weft.matmul %2, %v : (tensor<5x3xf32>, tensor<3x3xf32>) -> tensor<5x3xf32>
  return %3 : tensor<5x3xf32>
}

// -----

// Two products use the weights, of which one does not sum over the keys: neither becomes an attention.
// expected-remark @below {{fused attention: 0 of 1}}
func.func @two_products(%q: tensor<5x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x3xf32>, %w: tensor<2x5xf32>) -> (tensor<5x3xf32>, tensor<2x7xf32>) {
  %0 = weft.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  // expected-remark @below {{not fused: the second product does not sum over the axis of the softmax}}
  %1 = weft.softmax %0 {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %2 = weft.matmul %1, %v : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  %3 = weft.matmul %w, %1 : (tensor<2x5xf32>, tensor<5x7xf32>) -> tensor<2x7xf32>
  return %2, %3 : tensor<5x3xf32>, tensor<2x7xf32>
}

// -----

// The values are made of the weights.
// expected-remark @below {{fused attention: 0 of 1}}
func.func @values_of_weights(%q: tensor<5x8xf32>, %kt: tensor<8x7xf32>) -> (tensor<5x5xf32>) {
  %0 = weft.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  // expected-remark @below {{not fused: the values are computed from the weights}}
  %1 = weft.softmax %0 {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %2 = weft.tanh %1 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %3 = weft.transpose %2 {permutation = array<i64: 1, 0>} : (tensor<5x7xf32>) -> tensor<7x5xf32>
  %4 = weft.matmul %1, %3 : (tensor<5x7xf32>, tensor<7x5xf32>) -> tensor<5x5xf32>
  return %4 : tensor<5x5xf32>
}

// -----

// Scores that are changed by what is computed from them.
// expected-remark @below {{fused attention: 0 of 1}}
func.func @own_mean(%q: tensor<5x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x3xf32>) -> (tensor<5x3xf32>) {
  %0 = weft.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  %1 = weft.reduce mean %0 {axes = array<i64: 1>, keepdims} : (tensor<5x7xf32>) -> tensor<5x1xf32>
  %2 = weft.sub %0, %1 : (tensor<5x7xf32>, tensor<5x1xf32>) -> tensor<5x7xf32>
  // expected-remark @below {{not fused: what changes the scores is computed from them}}
  %3 = weft.softmax %2 {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %4 = weft.matmul %3, %v : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  return %4 : tensor<5x3xf32>
}

// -----

// Scores that meet others of them.
// expected-remark @below {{fused attention: 0 of 1}}
func.func @own_slice(%q: tensor<5x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x3xf32>) -> (tensor<5x3xf32>) {
  %0 = weft.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  %1 = weft.slice %0 {offsets = #weft.dims<0, 0>, strides = array<i64: 1, 1>} : (tensor<5x7xf32>) -> tensor<5x1xf32>
  %2 = weft.mul %0, %1 : (tensor<5x7xf32>, tensor<5x1xf32>) -> tensor<5x7xf32>
  // expected-remark @below {{not fused: what changes the scores is computed from them}}
  %3 = weft.softmax %2 {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %4 = weft.matmul %3, %v : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  return %4 : tensor<5x3xf32>
}

// -----

// The mask of the weights lies across that of the scores.
// expected-remark @below {{fused attention: 0 of 1}}
func.func @masked_elsewhere(%q: tensor<4x8xf32>, %kt: tensor<8x4xf32>, %v: tensor<4x3xf32>, %m: tensor<4x4xi1>) -> (tensor<4x3xf32>) {
  %0 = weft.matmul %q, %kt : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = weft.constant dense<0xFF800000> : tensor<f32>
  %2 = weft.where %m, %1, %0 : (tensor<4x4xi1>, tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @below {{not fused: no product uses its result}}
  %3 = weft.softmax %2 {axis = 1 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = weft.transpose %3 {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = weft.constant dense<0.0> : tensor<f32>
  %6 = weft.where %m, %5, %4 : (tensor<4x4xi1>, tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %7 = weft.transpose %6 {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %8 = weft.matmul %7, %v : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %8 : tensor<4x3xf32>
}

// -----

// Each attention would need the weights of the other: the second one stays.
// expected-remark @below {{fused attention: 1 of 2}}
func.func @circle(%q: tensor<4x8xf32>, %k: tensor<8x4xf32>, %p: tensor<4x8xf32>, %l: tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = weft.matmul %q, %k : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = weft.softmax %0 {axis = 1 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = weft.exp %1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = weft.matmul %p, %l : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  // expected-remark @below {{not fused: the values are computed from the weights}}
  %4 = weft.softmax %3 {axis = 1 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = weft.exp %4 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = weft.matmul %1, %5 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %7 = weft.matmul %4, %2 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %6, %7 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Weights of few bits are packed as they are, which attention cannot read.
// expected-remark @below {{fused attention: 0 of 1}}
func.func @few_bits(%q: tensor<5x8xf32>, %kt: tensor<8x7xf32>) -> (tensor<5x3xf32>) {
  %numbers = weft.constant dense<0x21> : tensor<3x32xui8>
  %scales = weft.constant dense<0.5> : tensor<3x1xf32>
  %zero = weft.constant dense<8.0> : tensor<f32>
  %w = weft.dequantize %numbers, %scales, %zero {bits = 4, group = 16, length = 7} : (tensor<3x32xui8>, tensor<3x1xf32>, tensor<f32>) -> tensor<3x7xf32>
  %v = weft.transpose %w {permutation = array<i64: 1, 0>} : (tensor<3x7xf32>) -> tensor<7x3xf32>
  %0 = weft.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  // expected-remark @below {{not fused: the product is one with weights of few bits}}
  %1 = weft.softmax %0 {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %2 = weft.matmul %1, %v : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  return %2 : tensor<5x3xf32>
}

// -----

// Nothing is left to be explained.
// expected-remark @below {{fused attention: 1 of 1}}
func.func @fused(%q: tensor<5x8xf32>, %kt: tensor<8x7xf32>, %v: tensor<7x3xf32>) -> (tensor<5x3xf32>) {
  %0 = weft.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  %1 = weft.softmax %0 {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %2 = weft.matmul %1, %v : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  return %2 : tensor<5x3xf32>
}
