// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of the Index family reject, constraint by constraint (gather's are with the reductions).
// RUN: weft-opt --split-input-file --verify-diagnostics %s

func.func @gather_elements_c1_rank(%x: tensor<2x3xf32>, %i: tensor<4xi64>) {
  // expected-error @below {{gather-elements-c1: expects data and indices of one rank, and an axis within it; got 2 x 3 x f32, 4 x i64 and axis 0}}
  %0 = weft.gather_elements %x, %i {axis = 0 : i64} : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @gather_elements_c1_axis(%x: tensor<2x3xf32>, %i: tensor<2x3xi64>) {
  // expected-error @below {{gather-elements-c1: expects data and indices of one rank, and an axis within it; got 2 x 3 x f32, 2 x 3 x i64 and axis 2}}
  %0 = weft.gather_elements %x, %i {axis = 2 : i64} : (tensor<2x3xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_elements_c1_scalar(%x: tensor<f32>, %i: tensor<i64>) {
  // expected-error @below {{gather-elements-c1}}
  %0 = weft.gather_elements %x, %i {axis = 0 : i64} : (tensor<f32>, tensor<i64>) -> tensor<f32>
  return
}

// -----

func.func @gather_elements_c2(%x: tensor<2x3xf32>, %i: tensor<3x4xi64>) {
  // expected-error @below {{gather-elements-c2: dim 0 of the indices (3 x 4 x i64) is larger than data's (2 x 3 x f32)}}
  %0 = weft.gather_elements %x, %i {axis = 1 : i64} : (tensor<2x3xf32>, tensor<3x4xi64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_nd_c1_length(%x: tensor<2x3xf32>, %i: tensor<4x?xi64, #weft.dims<4, "n">>) {
  // expected-error @below {{gather-nd-c1: expects indices whose last dim is constant, and fewer batch dims (0) than their rank; got 4 x n x i64}}
  %0 = weft.gather_nd %x, %i {batch_dims = 0 : i64} : (tensor<2x3xf32>, tensor<4x?xi64, #weft.dims<4, "n">>) -> tensor<4xf32>
  return
}

// -----

func.func @gather_nd_c1_batch(%x: tensor<2x3xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{gather-nd-c1: expects indices whose last dim is constant, and fewer batch dims (1) than their rank; got 2 x i64}}
  %0 = weft.gather_nd %x, %i {batch_dims = 1 : i64} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<f32>
  return
}

// -----

func.func @gather_nd_c2(%x: tensor<2x3xf32>, %i: tensor<2x2xi64>) {
  // expected-error @below {{gather-nd-c2: expects at most as many indices as data has dims after the batch; got 2 into 2 x 3 x f32}}
  %0 = weft.gather_nd %x, %i {batch_dims = 1 : i64} : (tensor<2x3xf32>, tensor<2x2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_nd_c3(%x: tensor<2x3xf32>, %i: tensor<4x1xi64>) {
  // expected-error @below {{gather-nd-c3: expects equal batch dims, got 2 x 3 x f32 and 4 x 1 x i64}}
  %0 = weft.gather_nd %x, %i {batch_dims = 1 : i64} : (tensor<2x3xf32>, tensor<4x1xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_nd_c1(%x: tensor<2xf32>, %i: tensor<4x2xi64>, %u: tensor<4xf32>) {
  // expected-error @below {{scatter-nd-c1: expects indices whose last dim is constant and at most data's rank; got 4 x 2 x i64 into 2 x f32}}
  %0 = weft.scatter_nd replace %x, %i, %u : (tensor<2xf32>, tensor<4x2xi64>, tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @scatter_nd_c2(%x: tensor<2x3xf32>, %i: tensor<4x1xi64>, %u: tensor<4xf32>) {
  // expected-error @below {{scatter-nd-c2: expects updates of shape 4 x 3 x f32, got 4 x f32}}
  %0 = weft.scatter_nd replace %x, %i, %u : (tensor<2x3xf32>, tensor<4x1xi64>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_nd_c3(%x: tensor<2xi1>, %i: tensor<4x1xi64>, %u: tensor<4xi1>) {
  // expected-error @below {{scatter-nd-c3: expects data and updates of one element type, numbers unless they are replaced; got 'i1' and 'i1'}}
  %0 = weft.scatter_nd max %x, %i, %u : (tensor<2xi1>, tensor<4x1xi64>, tensor<4xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @scatter_elements_c1(%x: tensor<2xf32>, %i: tensor<4xi64>, %u: tensor<4xf32>) {
  // expected-error @below {{scatter-elements-c1}}
  %0 = weft.scatter_elements replace %x, %i, %u {axis = -1 : i64} : (tensor<2xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @scatter_elements_c2(%x: tensor<2xf32>, %i: tensor<4xi64>, %u: tensor<3xf32>) {
  // expected-error @below {{scatter-elements-c2: expects indices and updates of one shape, got 4 x i64 and 3 x f32}}
  %0 = weft.scatter_elements replace %x, %i, %u {axis = 0 : i64} : (tensor<2xf32>, tensor<4xi64>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @scatter_elements_c3(%x: tensor<2xf32>, %i: tensor<4xi64>, %u: tensor<4xf64>) {
  // expected-error @below {{scatter-elements-c3: expects data and updates of one element type, numbers unless they are replaced; got 'f32' and 'f64'}}
  %0 = weft.scatter_elements replace %x, %i, %u {axis = 0 : i64} : (tensor<2xf32>, tensor<4xi64>, tensor<4xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @top_k_c1(%x: tensor<2xf32>) {
  // expected-error @below {{top-k-c1: expects an axis within rank 1, got 1}}
  %0 = weft.top_k %x {axis = 1 : i64} : (tensor<2xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @top_k_c2_large(%x: tensor<2xf32>) {
  // expected-error @below {{top-k-c2: expects one k, from 0 to the axis's size; got 3 of 2 x f32}}
  %0 = weft.top_k %x {axis = 0 : i64} : (tensor<2xf32>) -> tensor<3xi64>
  return
}

// -----

func.func @top_k_c2_negative(%x: tensor<2xf32>) {
  %k = weft.constant dense<-1> : tensor<1xi64>
  // expected-error @below {{top-k-c2: expects one k, from 0 to the axis's size; got -1 of 2 x f32}}
  %0 = weft.top_k %x, %k {axis = 0 : i64} : (tensor<2xf32>, tensor<1xi64>) -> tensor<?xi64>
  return
}

// -----

func.func @top_k_c2_several(%x: tensor<2xf32>) {
  %k = weft.constant dense<1> : tensor<2xi64>
  // expected-error @below {{top-k-c2: expects one k, from 0 to the axis's size; got several of 2 x f32}}
  %0 = weft.top_k %x, %k {axis = 0 : i64} : (tensor<2xf32>, tensor<2xi64>) -> tensor<?xi64>
  return
}

// -----

func.func @rem_of_bools(%x: tensor<2xi1>) {
  // expected-error @below {{operand #0 must be tensor of}}
  %0 = weft.rem %x, %x : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}
