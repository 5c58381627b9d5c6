// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of the Contraction family reject, constraint by constraint.
// RUN: weft-opt --split-input-file --verify-diagnostics %s

func.func @matmul_c1(%x: tensor<f32>, %y: tensor<3x4xf32>) {
  // expected-error @below {{matmul-c1: expects operands of rank 1 or more, got a scalar}}
  %0 = weft.matmul %x, %y : (tensor<f32>, tensor<3x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @matmul_c2(%x: tensor<?x3xf32, #weft.dims<"n", 3>>, %y: tensor<4x5xf32>) {
  // expected-error @below {{matmul-c2: contracts 3 columns of lhs (n x 3 x f32) with 4 rows of rhs (4 x 5 x f32)}}
  %0 = weft.matmul %x, %y : (tensor<?x3xf32, #weft.dims<"n", 3>>, tensor<4x5xf32>) -> tensor<?x5xf32, #weft.dims<"n", 5>>
  return
}

// -----

func.func @matmul_c3(%x: tensor<2x3x4xf32>, %y: tensor<3x4x5xf32>) {
  // expected-error @below {{matmul-c3: dims 2 and 3 do not broadcast}}
  %0 = weft.matmul %x, %y : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @matmul_c4(%x: tensor<3x4xf32>, %y: tensor<4x5xf64>) {
  // expected-error @below {{matmul-c4: expects operands of one element type, got 'f32' and 'f64'}}
  %0 = weft.matmul %x, %y : (tensor<3x4xf32>, tensor<4x5xf64>) -> tensor<3x5xf32>
  return
}

// -----

// Fewer bits are for packed weights only.
func.func @matmul_c4_plain(%x: tensor<3x4xf32>, %y: tensor<4x5xbf16>) {
  // expected-error @below {{matmul-c4: expects operands of one element type, got 'f32' and 'bf16'}}
  %0 = weft.matmul %x, %y : (tensor<3x4xf32>, tensor<4x5xbf16>) -> tensor<3x5xf32>
  return
}

// -----

func.func @matmul_c4_packed(%x: tensor<3x4xf64>, %y: tensor<1x4x48xi8>) {
  // expected-error @below {{matmul-c4: expects operands of one element type, got 'f64' and 'i8'}}
  %0 = weft.matmul %x, %y {packed_columns = 5 : i64} : (tensor<3x4xf64>, tensor<1x4x48xi8>) -> tensor<3x5xf64>
  return
}

// -----

func.func @matmul_c5(%x: tensor<3x4xf32>, %y: tensor<4x5xf32>, %c: tensor<2x3x5xf32>) {
  // expected-error @below {{matmul-c5: capture 2 x 3 x 5 x f32 does not broadcast to the result}}
  %0 = weft.matmul %x, %y captures(%c : tensor<2x3x5xf32>) epilogue {
  ^bb0(%sum: f32, %e: f32):
    weft.yield %sum : f32
  } : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @matmul_c6_missing(%x: tensor<3x4xf32>, %y: tensor<4x5xf32>, %c: tensor<5xf32>) {
  // expected-error @below {{matmul-c6: captures need an epilogue}}
  %0 = weft.matmul %x, %y captures(%c : tensor<5xf32>) : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @matmul_c6_arguments(%x: tensor<3x4xf32>, %y: tensor<4x5xf32>, %c: tensor<5xf32>) {
  // expected-error @below {{matmul-c6: expects an epilogue with an argument for the sum and one for each capture}}
  %0 = weft.matmul %x, %y captures(%c : tensor<5xf32>) epilogue {
  ^bb0(%sum: f32):
    weft.yield %sum : f32
  } : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @matmul_c6_yield(%x: tensor<3x4xf32>, %y: tensor<4x5xf32>) {
  // expected-error @below {{matmul-c6: expects an epilogue}}
  %0 = weft.matmul %x, %y epilogue {
  ^bb0(%sum: f32):
    weft.yield %sum, %sum : f32, f32
  } : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @matmul_c8(%x: tensor<3x64xf32>, %y: tensor<64x48xf32>) {
  // expected-error @below {{matmul-c8: expects groups of a packed rhs only}}
  %0 = weft.matmul %x, %y {groups = #weft.weight_groups<bits = 4, rows = 32, hasOffsets = true>} : (tensor<3x64xf32>, tensor<64x48xf32>) -> tensor<3x48xf32>
  return
}

// -----

func.func @matmul_c4_groups_of_floats(%x: tensor<3x16xf32>, %y: tensor<1x1x3x48xf32>) {
  // expected-error @below {{matmul-c4: expects operands of one element type, got 'f32' and 'f32'}}
  %0 = weft.matmul %x, %y {groups = #weft.weight_groups<bits = 4, rows = 16, hasOffsets = false>, packed_columns = 48 : i64}
    : (tensor<3x16xf32>, tensor<1x1x3x48xf32>) -> tensor<3x48xf32>
  return
}

// -----

func.func @matmul_c4_groups(%x: tensor<3x64xf64>, %y: tensor<1x2x5x48xi32>) {
  // expected-error @below {{matmul-c4: expects operands of one element type, got 'f64' and 'i32'}}
  %0 = weft.matmul %x, %y {groups = #weft.weight_groups<bits = 4, rows = 32, hasOffsets = false>, packed_columns = 48 : i64}
    : (tensor<3x64xf64>, tensor<1x2x5x48xi32>) -> tensor<3x48xf64>
  return
}

// -----

func.func @matmul_c4_int4(%x: tensor<3x64xf64>, %y: tensor<1x1x9x48xi32>) {
  // expected-error @below {{matmul-c4: expects operands of one element type, got 'f64' and 'i32'}}
  %0 = weft.matmul %x, %y {packed_columns = 48 : i64} : (tensor<3x64xf64>, tensor<1x1x9x48xi32>) -> tensor<3x48xf64>
  return
}

// -----

func.func @matmul_c6_quads_missing(%x: tensor<3x64xui8>, %y: tensor<1x16x48x4xi8>) {
  // expected-error @below {{matmul-c6: sums of bytes need an epilogue}}
  %0 = weft.matmul %x, %y {packed_columns = 48 : i64} : (tensor<3x64xui8>, tensor<1x16x48x4xi8>) -> tensor<3x48xf32>
  return
}

// -----

func.func @matmul_c2_quads(%x: tensor<3x60xui8>, %y: tensor<1x16x48x4xi8>) {
  // expected-error @below {{matmul-c2: contracts 60 columns of lhs (3 x 60 x ui8) with 64 rows of rhs (1 x 16 x 48 x 4 x i8)}}
  %0 = weft.matmul %x, %y epilogue {
  ^bb0(%sum: i32):
    %1 = arith.sitofp %sum : i32 to f32
    weft.yield %1 : f32
  } {packed_columns = 48 : i64} : (tensor<3x60xui8>, tensor<1x16x48x4xi8>) -> tensor<3x48xf32>
  return
}

// -----

func.func @matmul_c6_quads_sum(%x: tensor<3x64xui8>, %y: tensor<1x16x48x4xi8>) {
  // expected-error @below {{matmul-c6: expects an epilogue with an argument for the sum and one for each capture, that yields one element}}
  %0 = weft.matmul %x, %y epilogue {
  ^bb0(%sum: f32):
    weft.yield %sum : f32
  } {packed_columns = 48 : i64} : (tensor<3x64xui8>, tensor<1x16x48x4xi8>) -> tensor<3x48xf32>
  return
}

// -----

func.func @matmul_c6_quads_yield(%x: tensor<3x64xui8>, %y: tensor<1x16x48x4xi8>) {
  // expected-error @below {{matmul-c6: expects an epilogue with an argument for the sum and one for each capture, that yields one element}}
  %0 = weft.matmul %x, %y epilogue {
  ^bb0(%sum: i32):
    weft.yield %sum : i32
  } {packed_columns = 48 : i64} : (tensor<3x64xui8>, tensor<1x16x48x4xi8>) -> tensor<3x48xf32>
  return
}

// -----

func.func @matmul_quads_result(%x: tensor<3x64xui8>, %y: tensor<1x16x48x4xi8>, %c: tensor<i64>) {
  // expected-error @below {{declares the result type 3 x 48 x i64, but 3 x 48 x f32 follows from its operands}}
  %0 = weft.matmul %x, %y captures(%c : tensor<i64>) epilogue {
  ^bb0(%sum: i32, %wide: i64):
    weft.yield %wide : i64
  } {packed_columns = 48 : i64} : (tensor<3x64xui8>, tensor<1x16x48x4xi8>) -> tensor<3x48xi64>
  return
}

// -----

func.func @matmul_c4_quads_plain(%x: tensor<3x4xui8>, %y: tensor<4x5xi8>) {
  // expected-error @below {{matmul-c4: expects operands of one element type, got 'ui8' and 'i8'}}
  %0 = weft.matmul %x, %y epilogue {
  ^bb0(%sum: i32):
    %1 = arith.sitofp %sum : i32 to f32
    weft.yield %1 : f32
  } : (tensor<3x4xui8>, tensor<4x5xi8>) -> tensor<3x5xf32>
  return
}

// -----

func.func @matmul_c2_pairs(%x: tensor<3x60xbf16>, %y: tensor<1x32x48x2xbf16>) {
  // expected-error @below {{matmul-c2: contracts 60 columns of lhs (3 x 60 x bf16) with 64 rows of rhs (1 x 32 x 48 x 2 x bf16)}}
  %0 = weft.matmul %x, %y {packed_columns = 48 : i64} : (tensor<3x60xbf16>, tensor<1x32x48x2xbf16>) -> tensor<3x48xf32>
  return
}

// -----

func.func @matmul_pairs_result(%x: tensor<3x64xbf16>, %y: tensor<1x32x48x2xbf16>) {
  // expected-error @below {{declares the result type 3 x 48 x bf16, but 3 x 48 x f32 follows from its operands}}
  %0 = weft.matmul %x, %y {packed_columns = 48 : i64} : (tensor<3x64xbf16>, tensor<1x32x48x2xbf16>) -> tensor<3x48xbf16>
  return
}

// -----

func.func @matmul_c6_pairs_sum(%x: tensor<3x64xbf16>, %y: tensor<1x32x48x2xbf16>) {
  // expected-error @below {{matmul-c6: expects an epilogue with an argument for the sum and one for each capture, that yields one element}}
  %0 = weft.matmul %x, %y epilogue {
  ^bb0(%sum: bf16):
    weft.yield %sum : bf16
  } {packed_columns = 48 : i64} : (tensor<3x64xbf16>, tensor<1x32x48x2xbf16>) -> tensor<3x48xf32>
  return
}

// -----

func.func @conv_c1(%x: tensor<1x8xf32>, %f: tensor<16x8xf32>) {
  // expected-error @below {{conv-c1: expects input and filter of one rank, at least 3, got 2 and 2}}
  %0 = weft.conv %x, %f {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
    : (tensor<1x8xf32>, tensor<16x8xf32>) -> tensor<1x16xf32>
  return
}

// -----

func.func @conv_c2_stride(%x: tensor<1x8x9xf32>, %f: tensor<16x8x1xf32>) {
  // expected-error @below {{conv-c2: expects 1 positive strides and dilations and 2 pads that are not negative}}
  %0 = weft.conv %x, %f {strides = array<i64: 0>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
    : (tensor<1x8x9xf32>, tensor<16x8x1xf32>) -> tensor<1x16x9xf32>
  return
}

// -----

func.func @conv_c2_pads(%x: tensor<1x8x9xf32>, %f: tensor<16x8x1xf32>) {
  // expected-error @below {{conv-c2: expects 1 positive strides and dilations and 2 pads that are not negative}}
  %0 = weft.conv %x, %f {strides = array<i64: 1>, pads = array<i64: 0, -1>, dilations = array<i64: 1>, groups = 1 : i64}
    : (tensor<1x8x9xf32>, tensor<16x8x1xf32>) -> tensor<1x16x9xf32>
  return
}

// -----

func.func @conv_c2_kernel(%x: tensor<1x8x9xf32>, %f: tensor<16x8x0xf32>) {
  // expected-error @below {{conv-c2: expects a kernel that is not empty}}
  %0 = weft.conv %x, %f {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
    : (tensor<1x8x9xf32>, tensor<16x8x0xf32>) -> tensor<1x16x9xf32>
  return
}

// -----

func.func @conv_c3_channels(%x: tensor<1x8x9xf32>, %f: tensor<16x8x1xf32>) {
  // expected-error @below {{conv-c3: expects input channels to be groups (2) times the filter's, got 1 x 8 x 9 x f32 and 16 x 8 x 1 x f32}}
  %0 = weft.conv %x, %f {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 2 : i64}
    : (tensor<1x8x9xf32>, tensor<16x8x1xf32>) -> tensor<1x16x9xf32>
  return
}

// -----

func.func @conv_c3_outputs(%x: tensor<1x8x9xf32>, %f: tensor<15x4x1xf32>) {
  // expected-error @below {{conv-c3: expects input channels to be groups (2) times the filter's}}
  %0 = weft.conv %x, %f {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 2 : i64}
    : (tensor<1x8x9xf32>, tensor<15x4x1xf32>) -> tensor<1x15x9xf32>
  return
}

// -----

func.func @conv_c4_bias(%x: tensor<1x8x9xf32>, %f: tensor<16x8x1xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{conv-c4: expects a bias for each output channel, got 8 x f32}}
  %0 = weft.conv %x, %f, %b {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
    : (tensor<1x8x9xf32>, tensor<16x8x1xf32>, tensor<8xf32>) -> tensor<1x16x9xf32>
  return
}

// -----

func.func @conv_c4_element(%x: tensor<1x8x9xf32>, %f: tensor<16x8x1xf64>) {
  // expected-error @below {{conv-c4: expects operands of one element type}}
  %0 = weft.conv %x, %f {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
    : (tensor<1x8x9xf32>, tensor<16x8x1xf64>) -> tensor<1x16x9xf32>
  return
}

// -----

func.func @conv_c5(%x: tensor<1x8x2xf32>, %f: tensor<16x8x2xf32>) {
  // expected-error @below {{conv-c5: the kernel is larger than the padded input}}
  %0 = weft.conv %x, %f {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 2>, groups = 1 : i64}
    : (tensor<1x8x2xf32>, tensor<16x8x2xf32>) -> tensor<1x16x1xf32>
  return
}

// -----

func.func @windows_c1(%x: tensor<8x9xf32>) {
  // expected-error @below {{windows-c1: expects an input of rank 3 or more, got 8 x 9 x f32}}
  %0 = weft.windows %x {kernel = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<8x9xf32>) -> tensor<8x7x3xf32>
  return
}

// -----

func.func @windows_c2_kernel(%x: tensor<1x9x8xf32>) {
  // expected-error @below {{windows-c2: expects 1 positive kernel sizes, strides and dilations}}
  %0 = weft.windows %x {kernel = array<i64: 0>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<1x9x8xf32>) -> tensor<1x9x0x8xf32>
  return
}

// -----

func.func @windows_c2_strides(%x: tensor<1x9x8xf32>) {
  // expected-error @below {{windows-c2: expects 1 positive kernel sizes}}
  %0 = weft.windows %x {kernel = array<i64: 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1>} : (tensor<1x9x8xf32>) -> tensor<1x7x3x8xf32>
  return
}

// -----

func.func @windows_c3(%x: tensor<1x3x8xf32>) {
  // expected-error @below {{windows-c3: the kernel is larger than the input}}
  %0 = weft.windows %x {kernel = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 3>} : (tensor<1x3x8xf32>) -> tensor<1x0x2x8xf32>
  return
}

// -----

func.func @depthwise_conv_c1_rank(%x: tensor<1x9x8xf32>, %f: tensor<3x1x8xf32>) {
  // expected-error @below {{depthwise-conv-c1: expects an input of rank 3 or more and a filter of one less, of one element type, got 1 x 9 x 8 x f32 and 3 x 1 x 8 x f32}}
  %0 = weft.depthwise_conv %x, %f {strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<1x9x8xf32>, tensor<3x1x8xf32>) -> tensor<1x7x8xf32>
  return
}

// -----

func.func @depthwise_conv_c1_element(%x: tensor<1x9x8xf32>, %f: tensor<3x8xf16>) {
  // expected-error @below {{depthwise-conv-c1: expects an input of rank 3 or more}}
  %0 = weft.depthwise_conv %x, %f {strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<1x9x8xf32>, tensor<3x8xf16>) -> tensor<1x7x8xf32>
  return
}

// -----

func.func @depthwise_conv_c2(%x: tensor<1x9x8xf32>, %f: tensor<?x8xf32, #weft.dims<"k", 8>>) {
  // expected-error @below {{depthwise-conv-c2: expects a known kernel, and 1 positive strides and dilations}}
  %0 = weft.depthwise_conv %x, %f {strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<1x9x8xf32>, tensor<?x8xf32, #weft.dims<"k", 8>>) -> tensor<*xf32>
  return
}

// -----

func.func @depthwise_conv_c3(%x: tensor<1x9x8xf32>, %f: tensor<3x4xf32>) {
  // expected-error @below {{depthwise-conv-c3: expects one number of channels, got 1 x 9 x 8 x f32 and 3 x 4 x f32}}
  %0 = weft.depthwise_conv %x, %f {strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<1x9x8xf32>, tensor<3x4xf32>) -> tensor<1x7x8xf32>
  return
}

// -----

func.func @depthwise_conv_c4(%x: tensor<1x2x8xf32>, %f: tensor<3x8xf32>) {
  // expected-error @below {{depthwise-conv-c4: the kernel is larger than the input}}
  %0 = weft.depthwise_conv %x, %f {strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<1x2x8xf32>, tensor<3x8xf32>) -> tensor<1x0x8xf32>
  return
}

// -----

func.func @einsum_c1_inputs(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error @below {{einsum-c1: expects a term for each of 2 inputs, got 1; the equation is "ij"}}
  %0 = weft.einsum "ij" %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @einsum_c1_rank(%x: tensor<2x3xf32>) {
  // expected-error @below {{einsum-c1: expects a letter for each dim: "ijk" names an input of rank 2}}
  %0 = weft.einsum "ijk->i" %x : (tensor<2x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @einsum_c1_letter(%x: tensor<2x3xf32>) {
  // expected-error @below {{einsum-c1: expects letters and at most one ellipsis in each term, got "i1"}}
  %0 = weft.einsum "i1->i" %x : (tensor<2x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @einsum_c1_output(%x: tensor<2x3xf32>) {
  // expected-error @below {{einsum-c1: expects each letter of the output in an input, and once in the output; got 'k'}}
  %0 = weft.einsum "ij->ik" %x : (tensor<2x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @einsum_c1_twice(%x: tensor<2x3xf32>) {
  // expected-error @below {{einsum-c1: expects each letter of the output in an input, and once in the output; got 'i'}}
  %0 = weft.einsum "ij->ii" %x : (tensor<2x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @einsum_c1_ellipsis(%x: tensor<2x3xf32>) {
  // expected-error @below {{einsum-c1: expects no ellipsis in the output where no input has one}}
  %0 = weft.einsum "ij->...i" %x : (tensor<2x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @einsum_c2(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @below {{einsum-c2: expects equal dims for one letter, got 3 and 4 in "ij,ij->ij"}}
  %0 = weft.einsum "ij,ij->ij" %x, %y : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @einsum_c2_ellipsis(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) {
  // expected-error @below {{einsum-c2: expects equal dims for one letter, got 2 and 4}}
  %0 = weft.einsum "...j,...j->j" %x, %y : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @einsum_c3(%x: tensor<2x3xf32>, %y: tensor<3x4xf64>) {
  // expected-error @below {{einsum-c3: expects operands of one element type, got 'f32' and 'f64'}}
  %0 = weft.einsum "ij,jk->ik" %x, %y : (tensor<2x3xf32>, tensor<3x4xf64>) -> tensor<*xf32>
  return
}

// -----

func.func @sums(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>) -> tensor<3x5xf32> {
  // expected-error @below {{matmul-c9: expects f32_sums of f16 or bf16, and of no packed rhs without groups}}
  %y = weft.matmul %x, %w {f32_sums} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// -----

func.func @tf32(%x: tensor<3x4xf16>, %w: tensor<4x5xf16>) -> tensor<3x5xf16> {
  // expected-error @below {{matmul-c10: expects operands of tf32 to be f32, and rhs not to be packed}}
  %y = weft.matmul %x, %w {tf32} : (tensor<3x4xf16>, tensor<4x5xf16>) -> tensor<3x5xf16>
  return %y : tensor<3x5xf16>
}
