// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constraints of routed_matmul.
// RUN: weft-opt --split-input-file --verify-diagnostics %s

func.func @routed_c1_rank(%x: tensor<5x2x4xf32>, %w: tensor<3x7x4xf32>, %e: tensor<5xi64>) {
  // expected-error @below {{routed-matmul-c1: expects an input of rank 2, weights of rank 3 and of its element type, and experts of rank 1, got 5 x 2 x 4 x f32, 3 x 7 x 4 x f32, 5 x i64}}
  %0 = weft.routed_matmul %x, %w, %e : (tensor<5x2x4xf32>, tensor<3x7x4xf32>, tensor<5xi64>) -> tensor<5x7xf32>
  return
}

// -----

func.func @routed_c1_element(%x: tensor<5x4xf32>, %w: tensor<3x7x4xf16>, %e: tensor<5xi64>) {
  // expected-error @below {{routed-matmul-c1}}
  %0 = weft.routed_matmul %x, %w, %e : (tensor<5x4xf32>, tensor<3x7x4xf16>, tensor<5xi64>) -> tensor<5x7xf32>
  return
}

// -----

func.func @routed_c2_rows(%x: tensor<5x4xf32>, %w: tensor<3x4x7xf32>, %e: tensor<6xi64>) {
  // expected-error @below {{routed-matmul-c2: expects an expert for each row, and weights of its depth, got 5 x 4 x f32, 3 x 4 x 7 x f32, 6 x i64}}
  %0 = weft.routed_matmul %x, %w, %e : (tensor<5x4xf32>, tensor<3x4x7xf32>, tensor<6xi64>) -> tensor<5x7xf32>
  return
}

// -----

func.func @routed_c2_depth(%x: tensor<5x4xf32>, %w: tensor<3x7x4xf32>, %e: tensor<5xi64>) {
  // expected-error @below {{routed-matmul-c2}}
  %0 = weft.routed_matmul %x, %w, %e : (tensor<5x4xf32>, tensor<3x7x4xf32>, tensor<5xi64>) -> tensor<5x4xf32>
  return
}

// -----

func.func @routed_c3_groups(%x: tensor<5x4xf32>, %w: tensor<3x4x7xi32>, %e: tensor<5xi64>) {
  // expected-error @below {{routed-matmul-c3: expects groups of packed weights only}}
  %0 = weft.routed_matmul %x, %w, %e {groups = #weft.weight_groups<bits = 4, rows = 32, hasOffsets = false>} : (tensor<5x4xf32>, tensor<3x4x7xi32>, tensor<5xi64>) -> tensor<5x7xf32>
  return
}

// -----

func.func @routed_c3_panels(%x: tensor<5x4xf32>, %w: tensor<5x4x48xf32>, %e: tensor<5xi64>) {
  // expected-error @below {{routed-matmul-c3: expects packed matrices of 50 columns in panels of 48, got 5 x 4 x 48 x f32}}
  %0 = weft.routed_matmul %x, %w, %e {packed_columns = 50 : i64} : (tensor<5x4xf32>, tensor<5x4x48xf32>, tensor<5xi64>) -> tensor<5x50xf32>
  return
}

// -----

func.func @routed_c3_width(%x: tensor<5x4xf32>, %w: tensor<6x4x24xf32>, %e: tensor<5xi64>) {
  // expected-error @below {{routed-matmul-c3: expects a packed rhs of 288 columns in panels of 48, got 6 x 4 x 24 x f32}}
  %0 = weft.routed_matmul %x, %w, %e {packed_columns = 50 : i64} : (tensor<5x4xf32>, tensor<6x4x24xf32>, tensor<5xi64>) -> tensor<5x50xf32>
  return
}

// -----

func.func @routed_c3_blocks(%x: tensor<5x65xf32>, %w: tensor<6x1x9x48xi32>, %e: tensor<5xi64>) {
  // expected-error @below {{routed-matmul-c3: expects a lhs of known depth, and a block of rhs for each 64 of it, got 5 x 65 x f32 and 6 x 1 x 9 x 48 x i32}}
  %0 = weft.routed_matmul %x, %w, %e {packed_columns = 50 : i64} : (tensor<5x65xf32>, tensor<6x1x9x48xi32>, tensor<5xi64>) -> tensor<5x50xf32>
  return
}
