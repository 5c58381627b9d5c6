// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of the Contraction family reject, constraint by constraint.
// RUN: weft-opt --split-input-file --verify-diagnostics %s

func.func @matmul_c7(%x: tensor<3x4xf32>, %y: tensor<1x4x48xf32>) {
  // expected-error @below {{matmul-c7: expects a packed rhs of 49 columns in panels of 48, got 1 x 4 x 48 x f32}}
  %0 = weft.matmul %x, %y {packed_columns = 49 : i64} : (tensor<3x4xf32>, tensor<1x4x48xf32>) -> tensor<3x49xf32>
  return
}

// -----

func.func @matmul_c7_narrow(%x: tensor<3x4xf32>, %y: tensor<4x4x16xf32>) {
  // expected-error @below {{matmul-c7: expects a packed rhs of 65 columns in panels of 16, got 4 x 4 x 16 x f32}}
  weft.matmul %x, %y {packed_columns = 65 : i64} : (tensor<3x4xf32>, tensor<4x4x16xf32>) -> tensor<3x65xf32>
  return
}

// -----

func.func @matmul_c7_narrow_of_16_bits(%x: tensor<3x4xf16>, %y: tensor<4x4x16xf16>) {
  // expected-error @below {{matmul-c7: expects a packed rhs of 64 columns in panels of 48, got 4 x 4 x 16 x f16}}
  weft.matmul %x, %y {packed_columns = 64 : i64} : (tensor<3x4xf16>, tensor<4x4x16xf16>) -> tensor<3x64xf16>
  return
}

// -----

func.func @matmul_c7_int4_rank(%x: tensor<3x64xf32>, %y: tensor<1x9x48xi32>) {
  // expected-error @below {{matmul-c7: expects a packed rhs of 48 columns in panels of 48, got 1 x 9 x 48 x i32}}
  %0 = weft.matmul %x, %y {packed_columns = 48 : i64} : (tensor<3x64xf32>, tensor<1x9x48xi32>) -> tensor<3x48xf32>
  return
}

// -----

func.func @matmul_c7_int4_rows(%x: tensor<3x64xf32>, %y: tensor<1x1x8x48xi32>) {
  // expected-error @below {{matmul-c7: expects a packed rhs of 48 columns in panels of 48, got 1 x 1 x 8 x 48 x i32}}
  %0 = weft.matmul %x, %y {packed_columns = 48 : i64} : (tensor<3x64xf32>, tensor<1x1x8x48xi32>) -> tensor<3x48xf32>
  return
}

// -----

func.func @matmul_c7_int4_blocks(%x: tensor<3x65xf32>, %y: tensor<1x1x9x48xi32>) {
  // expected-error @below {{matmul-c7: expects a lhs of known depth, and a block of rhs for each 64 of it, got 3 x 65 x f32 and 1 x 1 x 9 x 48 x i32}}
  %0 = weft.matmul %x, %y {packed_columns = 48 : i64} : (tensor<3x65xf32>, tensor<1x1x9x48xi32>) -> tensor<3x48xf32>
  return
}

// -----

func.func @matmul_c7_int4_depth(%x: tensor<3x?xf32, #weft.dims<3, "k">>, %y: tensor<1x1x9x48xi32>) {
  // expected-error @below {{matmul-c7: expects a lhs of known depth, and a block of rhs for each 64 of it, got 3 x k x f32 and 1 x 1 x 9 x 48 x i32}}
  %0 = weft.matmul %x, %y {packed_columns = 48 : i64} : (tensor<3x?xf32, #weft.dims<3, "k">>, tensor<1x1x9x48xi32>) -> tensor<3x48xf32>
  return
}

// -----

func.func @matmul_c7_groups(%x: tensor<3x65xf32>, %y: tensor<1x2x5x48xi32>) {
  // expected-error @below {{matmul-c7: expects a lhs of known depth, and a block of rhs for each 32 of it, got 3 x 65 x f32 and 1 x 2 x 5 x 48 x i32}}
  %0 = weft.matmul %x, %y {groups = #weft.weight_groups<bits = 4, rows = 32, hasOffsets = false>, packed_columns = 48 : i64}
    : (tensor<3x65xf32>, tensor<1x2x5x48xi32>) -> tensor<3x48xf32>
  return
}

// -----

func.func @matmul_c7_words(%x: tensor<3x64xf32>, %y: tensor<1x2x5x48xi32>) {
  // expected-error @below {{matmul-c7: expects a packed rhs of 48 columns in panels of 48, got 1 x 2 x 5 x 48 x i32}}
  %0 = weft.matmul %x, %y {groups = #weft.weight_groups<bits = 4, rows = 32, hasOffsets = true>, packed_columns = 48 : i64}
    : (tensor<3x64xf32>, tensor<1x2x5x48xi32>) -> tensor<3x48xf32>
  return
}

// -----

func.func @matmul_c7_int4_dim(%x: tensor<3x?xf32>, %y: tensor<1x1x9x48xi32>) {
  // expected-error @below {{matmul-c7: expects a lhs of known depth, and a block of rhs for each 64 of it, got 3 x ? x f32 and 1 x 1 x 9 x 48 x i32}}
  %0 = weft.matmul %x, %y {packed_columns = 48 : i64} : (tensor<3x?xf32>, tensor<1x1x9x48xi32>) -> tensor<3x48xf32>
  return
}

// -----

func.func @matmul_c7_quads_rank(%x: tensor<3x64xui8>, %y: tensor<1x16x192xi8>) {
  // expected-error @below {{matmul-c7: expects a packed rhs of 48 columns in panels of 48, got 1 x 16 x 192 x i8}}
  %0 = weft.matmul %x, %y epilogue {
  ^bb0(%sum: i32):
    %1 = arith.sitofp %sum : i32 to f32
    weft.yield %1 : f32
  } {packed_columns = 48 : i64} : (tensor<3x64xui8>, tensor<1x16x192xi8>) -> tensor<3x48xf32>
  return
}

// -----

func.func @matmul_c7_quads_panels(%x: tensor<3x64xui8>, %y: tensor<1x16x48x4xi8>) {
  // expected-error @below {{matmul-c7: expects a packed rhs of 49 columns in panels of 48, got 1 x 16 x 48 x 4 x i8}}
  %0 = weft.matmul %x, %y epilogue {
  ^bb0(%sum: i32):
    %1 = arith.sitofp %sum : i32 to f32
    weft.yield %1 : f32
  } {packed_columns = 49 : i64} : (tensor<3x64xui8>, tensor<1x16x48x4xi8>) -> tensor<3x49xf32>
  return
}

// -----

func.func @matmul_c7_quads_inner(%x: tensor<3x64xui8>, %y: tensor<1x32x48x2xi8>) {
  // expected-error @below {{matmul-c7: expects a packed rhs of 48 columns in panels of 48, got 1 x 32 x 48 x 2 x i8}}
  %0 = weft.matmul %x, %y epilogue {
  ^bb0(%sum: i32):
    %1 = arith.sitofp %sum : i32 to f32
    weft.yield %1 : f32
  } {packed_columns = 48 : i64} : (tensor<3x64xui8>, tensor<1x32x48x2xi8>) -> tensor<3x48xf32>
  return
}

// -----

func.func @matmul_c7_quads_width(%x: tensor<3x64xui8>, %y: tensor<1x16x32x4xi8>) {
  // expected-error @below {{matmul-c7: expects a packed rhs of 32 columns in panels of 48, got 1 x 16 x 32 x 4 x i8}}
  %0 = weft.matmul %x, %y epilogue {
  ^bb0(%sum: i32):
    %1 = arith.sitofp %sum : i32 to f32
    weft.yield %1 : f32
  } {packed_columns = 32 : i64} : (tensor<3x64xui8>, tensor<1x16x32x4xi8>) -> tensor<3x32xf32>
  return
}

// -----

func.func @matmul_c7_pairs_inner(%x: tensor<3x64xbf16>, %y: tensor<1x32x48x4xbf16>) {
  // expected-error @below {{matmul-c7: expects a packed rhs of 48 columns in panels of 48, got 1 x 32 x 48 x 4 x bf16}}
  %0 = weft.matmul %x, %y {packed_columns = 48 : i64} : (tensor<3x64xbf16>, tensor<1x32x48x4xbf16>) -> tensor<3x48xf32>
  return
}

// -----

func.func @matmul_c7_pairs_f16(%x: tensor<3x64xf16>, %y: tensor<1x32x48x2xf16>) {
  // expected-error @below {{matmul-c7: expects a packed rhs of 48 columns in panels of 48, got 1 x 32 x 48 x 2 x f16}}
  %0 = weft.matmul %x, %y {packed_columns = 48 : i64} : (tensor<3x64xf16>, tensor<1x32x48x2xf16>) -> tensor<3x48xf16>
  return
}

// -----

func.func @matmul_c7_quads_signed(%x: tensor<3x64xi8>, %y: tensor<1x16x48x4xi8>) {
  // expected-error @below {{matmul-c7: expects a packed rhs of 48 columns in panels of 48, got 1 x 16 x 48 x 4 x i8}}
  %0 = weft.matmul %x, %y epilogue {
  ^bb0(%sum: i32):
    %1 = arith.sitofp %sum : i32 to f32
    weft.yield %1 : f32
  } {packed_columns = 48 : i64} : (tensor<3x64xi8>, tensor<1x16x48x4xi8>) -> tensor<3x48xf32>
  return
}
