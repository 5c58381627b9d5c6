// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of the Reduction, Norm and Index families reject, constraint by constraint.
// RUN: weft-opt --split-input-file --verify-diagnostics %s

func.func @reduce_c1_range(%x: tensor<2x3xf32>) {
  // expected-error @below {{reduce-c1: expects sorted, distinct axes within rank 2}}
  %0 = weft.reduce sum %x {axes = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c1_order(%x: tensor<2x3xf32>) {
  // expected-error @below {{reduce-c1: expects sorted, distinct axes within rank 2}}
  %0 = weft.reduce sum %x {axes = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @reduce_c1_twice(%x: tensor<2x3xf32>) {
  // expected-error @below {{reduce-c1: expects sorted, distinct axes within rank 2}}
  %0 = weft.reduce sum %x {axes = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @softmax_c1(%x: tensor<2x3xf32>) {
  // expected-error @below {{softmax-c1: expects an axis within rank 2, got 2}}
  %0 = weft.softmax %x {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @log_softmax_c1(%x: tensor<2x3xf32>) {
  // expected-error @below {{softmax-c1: expects an axis within rank 2, got -1}}
  %0 = weft.log_softmax %x {axis = -1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm_c1(%x: tensor<2x3xf32>, %g: tensor<3xf32>) {
  // expected-error @below {{layer-norm-c1: expects an axis within rank 2, got 2}}
  %0 = weft.layer_norm %x, %g {axis = 2 : i64, epsilon = 1.0e-5 : f32} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm_c2_shape(%x: tensor<2x3xf32>, %g: tensor<3xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{layer-norm-c2: expects a scale or bias that broadcasts to 2 x 3 x f32, got 2 x f32}}
  %0 = weft.layer_norm %x, %g, %b {axis = 1 : i64, epsilon = 1.0e-5 : f32}
    : (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm_c2_element(%x: tensor<2x3xf32>, %g: tensor<3xf64>) {
  // expected-error @below {{layer-norm-c2: expects a scale or bias that broadcasts to 2 x 3 x f32, got 3 x f64}}
  %0 = weft.layer_norm %x, %g {axis = 1 : i64, epsilon = 1.0e-5 : f32} : (tensor<2x3xf32>, tensor<3xf64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm_c3(%x: tensor<2x3xf32>, %g: tensor<3xf32>) {
  // expected-error @below {{layer-norm-c3: expects an epsilon that is not negative}}
  %0 = weft.layer_norm %x, %g {axis = 1 : i64, epsilon = -1.0e-5 : f32} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_c1(%x: tensor<2x3xf32>, %i: tensor<4xi64>) {
  // expected-error @below {{gather-c1: expects an axis within rank 2, got 2}}
  %0 = weft.gather %x, %i {axis = 2 : i64} : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @gather_indices(%x: tensor<2x3xf32>, %i: tensor<4xf32>) {
  // expected-error @below {{operand #1 must be tensor of}}
  %0 = weft.gather %x, %i {axis = 0 : i64} : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @arg_reduce_c1(%x: tensor<2x3xf32>) {
  // expected-error @below {{arg-reduce-c1: expects an axis within rank 2, got 2}}
  %0 = weft.arg_reduce max %x {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @arg_reduce_c1_empty(%x: tensor<2x0xf32>) {
  // expected-error @below {{arg-reduce-c1: expects an axis that is not empty, got 2 x 0 x f32}}
  %0 = weft.arg_reduce max %x {axis = 1 : i64} : (tensor<2x0xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @arg_reduce_c2(%x: tensor<2x3xf32>) {
  // expected-error @below {{arg-reduce-c2: expects max or min, got sum}}
  %0 = weft.arg_reduce sum %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @cumulative_c2(%x: tensor<2x3xf32>) {
  // expected-error @below {{cumulative-c2: expects sum or prod, got max}}
  %0 = weft.cumulative max %x {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cumulative_c1(%x: tensor<2x3xf32>) {
  // expected-error @below {{cumulative-c1: expects an axis within rank 2, got -1}}
  %0 = weft.cumulative sum %x {axis = -1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
