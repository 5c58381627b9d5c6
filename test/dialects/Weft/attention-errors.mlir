// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of weft.attention, weft.linear_attention and weft.rms_norm reject, constraint by constraint.
// RUN: weft-opt --split-input-file --verify-diagnostics %s

func.func @c1_rank(%q: tensor<4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x3xf32>) {
  // expected-error @below {{attention-c1: expects query, key and value of rank 4 and one element type, got 4 x 5 x 8 x f32}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) : (tensor<4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c1_element(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf16>, %v: tensor<2x2x7x3xf32>) {
  // expected-error @below {{attention-c1}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf16>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c2_batch(%q: tensor<2x4x5x8xf32>, %k: tensor<3x2x7x8xf32>, %v: tensor<2x2x7x3xf32>) {
  // expected-error @below {{attention-c2: expects one batch, heads and length of key and value, and width of query and key; got 2 x 4 x 5 x 8 x f32, 3 x 2 x 7 x 8 x f32 and 2 x 2 x 7 x 3 x f32}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) : (tensor<2x4x5x8xf32>, tensor<3x2x7x8xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c2_heads(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x1x7x3xf32>) {
  // expected-error @below {{attention-c2}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x1x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c2_length(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x6x3xf32>) {
  // expected-error @below {{attention-c2}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x6x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c2_width(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x9xf32>, %v: tensor<2x2x7x3xf32>) {
  // expected-error @below {{attention-c2}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) : (tensor<2x4x5x8xf32>, tensor<2x2x7x9xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c3(%q: tensor<2x4x5x8xf32>, %k: tensor<2x3x7x8xf32>, %v: tensor<2x3x7x3xf32>) {
  // expected-error @below {{attention-c3: expects the heads of query to be a multiple of those of key, got 4 and 3}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) : (tensor<2x4x5x8xf32>, tensor<2x3x7x8xf32>, tensor<2x3x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c3_no_heads(%q: tensor<2x4x5x8xf32>, %k: tensor<2x0x7x8xf32>, %v: tensor<2x0x7x3xf32>) {
  // expected-error @below {{attention-c3}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) : (tensor<2x4x5x8xf32>, tensor<2x0x7x8xf32>, tensor<2x0x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c4(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x3xf32>, %c: tensor<5x6xf32>) {
  // expected-error @below {{attention-c4: capture 5 x 6 x f32 does not broadcast to the scores}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) captures(%c : tensor<5x6xf32>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %a: f32):
    %keep = arith.constant true
    weft.yield %a, %keep : f32, i1
  } : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c4_rank(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x3xf32>, %c: tensor<1x2x4x5x7xf32>) {
  // expected-error @below {{attention-c4: capture 1 x 2 x 4 x 5 x 7 x f32 does not broadcast}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) captures(%c : tensor<1x2x4x5x7xf32>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %a: f32):
    %keep = arith.constant true
    weft.yield %a, %keep : f32, i1
  } : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c5_no_region(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x3xf32>, %c: tensor<7xf32>) {
  // expected-error @below {{attention-c5: captures need a score region}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) captures(%c : tensor<7xf32>) : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c5_arguments(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x3xf32>) {
  // expected-error @below {{attention-c5: expects a score region that takes the score, four indices and an element of each capture, and yields a score and an i1}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index):
    %keep = arith.constant true
    weft.yield %s, %keep : f32, i1
  } : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c5_score_type(%q: tensor<2x4x5x8xf16>, %k: tensor<2x2x7x8xf16>, %v: tensor<2x2x7x3xf16>) {
  // expected-error @below {{attention-c5: expects a score region that takes the score, four indices and an element of each capture, and yields a score and an i1}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) score {
  ^bb0(%s: f16, %b: index, %h: index, %i: index, %j: index):
    %keep = arith.constant true
    weft.yield %s, %keep : f16, i1
  } : (tensor<2x4x5x8xf16>, tensor<2x2x7x8xf16>, tensor<2x2x7x3xf16>) -> tensor<2x4x5x3xf16>
  return
}

// -----

func.func @c5_capture_type(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x3xf32>, %c: tensor<7xi64>) {
  // expected-error @below {{attention-c5: expects a score region that takes the score, four indices and an element of each capture, and yields a score and an i1}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) captures(%c : tensor<7xi64>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %a: f32):
    %keep = arith.constant true
    weft.yield %a, %keep : f32, i1
  } : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c5_yield(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x3xf32>) {
  // expected-error @below {{attention-c5: expects a score region that takes the score, four indices and an element of each capture, and yields a score and an i1}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    weft.yield %s : f32
  } : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c5_outside(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x3xf32>) {
  %keep = arith.constant true
  // expected-error @below {{attention-c5: expects a score region that uses nothing from outside}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    weft.yield %s, %keep : f32, i1
  } : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @result(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x3xf32>) {
  // expected-error @below {{declares the result type 2 x 4 x 5 x 8 x f32, but 2 x 4 x 5 x 3 x f32 follows from its operands}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @weights(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x3xf32>) {
  // expected-error @below {{declares the result type 2 x 4 x 7 x 5 x f32, but 2 x 4 x 5 x 7 x f32 follows from its operands}}
  %0, %1 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>, tensor<2x4x7x5xf32>
  return
}

// -----

func.func @weights_element(%q: tensor<2x4x5x8xf16>, %k: tensor<2x2x7x8xf16>, %v: tensor<2x2x7x3xf16>) {
  // expected-error @below {{declares the result type 2 x 4 x 5 x 7 x f32, but 2 x 4 x 5 x 7 x f16 follows from its operands}}
  %0, %1 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) : (tensor<2x4x5x8xf16>, tensor<2x2x7x8xf16>, tensor<2x2x7x3xf16>) -> tensor<2x4x5x3xf16>, tensor<2x4x5x7xf32>
  return
}

// -----

func.func @rms_norm_c1(%x: tensor<2x3xf32>, %g: tensor<3xf32>) {
  // expected-error @below {{rms-norm-c1: expects an axis within rank 2, got 2}}
  %0 = weft.rms_norm %x, %g {axis = 2 : i64, epsilon = 1.0e-5 : f32} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @rms_norm_c2(%x: tensor<2x3xf32>, %g: tensor<2xf32>) {
  // expected-error @below {{rms-norm-c2: expects a scale or bias that broadcasts to 2 x 3 x f32, got 2 x f32}}
  %0 = weft.rms_norm %x, %g {axis = 1 : i64, epsilon = 1.0e-5 : f32} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @rms_norm_c3(%x: tensor<2x3xf32>, %g: tensor<3xf32>) {
  // expected-error @below {{rms-norm-c3: expects an epsilon that is not negative}}
  %0 = weft.rms_norm %x, %g {axis = 1 : i64, epsilon = -1.0 : f32} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @linear_c1_rank(%q: tensor<2x5x4x8xf32>, %k: tensor<5x2x8xf32>, %v: tensor<2x5x2x3xf32>, %s: tensor<2x2x8x3xf32>) {
  // expected-error @below {{linear-attention-c1: expects operands of rank 4 and one element type, got 2 x 5 x 4 x 8 x f32, 5 x 2 x 8 x f32, 2 x 5 x 2 x 3 x f32, 2 x 2 x 8 x 3 x f32}}
  %0:2 = weft.linear_attention %q, %k, %v, %s : (tensor<2x5x4x8xf32>, tensor<5x2x8xf32>, tensor<2x5x2x3xf32>, tensor<2x2x8x3xf32>) -> (tensor<2x5x4x3xf32>, tensor<2x2x8x3xf32>)
  return
}

// -----

func.func @linear_c1_element(%q: tensor<2x5x4x8xf32>, %k: tensor<2x5x2x8xf32>, %v: tensor<2x5x2x3xf32>, %s: tensor<2x2x8x3xf64>) {
  // expected-error @below {{linear-attention-c1}}
  %0:2 = weft.linear_attention %q, %k, %v, %s : (tensor<2x5x4x8xf32>, tensor<2x5x2x8xf32>, tensor<2x5x2x3xf32>, tensor<2x2x8x3xf64>) -> (tensor<2x5x4x3xf32>, tensor<2x2x8x3xf32>)
  return
}

// -----

func.func @linear_c2_batch(%q: tensor<2x5x4x8xf32>, %k: tensor<2x5x2x8xf32>, %v: tensor<2x5x2x3xf32>, %s: tensor<1x2x8x3xf32>) {
  // expected-error @below {{linear-attention-c2: expects one batch, length, number of heads and width of each, got 2 x 5 x 4 x 8 x f32, 2 x 5 x 2 x 8 x f32, 2 x 5 x 2 x 3 x f32, 1 x 2 x 8 x 3 x f32}}
  %0:2 = weft.linear_attention %q, %k, %v, %s : (tensor<2x5x4x8xf32>, tensor<2x5x2x8xf32>, tensor<2x5x2x3xf32>, tensor<1x2x8x3xf32>) -> (tensor<2x5x4x3xf32>, tensor<2x2x8x3xf32>)
  return
}

// -----

func.func @linear_c2_length(%q: tensor<2x5x4x8xf32>, %k: tensor<2x5x2x8xf32>, %v: tensor<2x4x2x3xf32>, %s: tensor<2x2x8x3xf32>) {
  // expected-error @below {{linear-attention-c2}}
  %0:2 = weft.linear_attention %q, %k, %v, %s : (tensor<2x5x4x8xf32>, tensor<2x5x2x8xf32>, tensor<2x4x2x3xf32>, tensor<2x2x8x3xf32>) -> (tensor<2x5x4x3xf32>, tensor<2x2x8x3xf32>)
  return
}

// -----

func.func @linear_c2_width(%q: tensor<2x5x4x8xf32>, %k: tensor<2x5x2x7xf32>, %v: tensor<2x5x2x3xf32>, %s: tensor<2x2x8x3xf32>) {
  // expected-error @below {{linear-attention-c2}}
  %0:2 = weft.linear_attention %q, %k, %v, %s : (tensor<2x5x4x8xf32>, tensor<2x5x2x7xf32>, tensor<2x5x2x3xf32>, tensor<2x2x8x3xf32>) -> (tensor<2x5x4x3xf32>, tensor<2x2x8x3xf32>)
  return
}

// -----

func.func @linear_c2_decay(%q: tensor<2x5x4x8xf32>, %k: tensor<2x5x2x8xf32>, %v: tensor<2x5x2x3xf32>, %s: tensor<2x2x8x3xf32>, %decay: tensor<2x5x2x2xf32>) {
  // expected-error @below {{linear-attention-c2}}
  %0:2 = weft.linear_attention %q, %k, %v, %s decay(%decay : tensor<2x5x2x2xf32>) : (tensor<2x5x4x8xf32>, tensor<2x5x2x8xf32>, tensor<2x5x2x3xf32>, tensor<2x2x8x3xf32>) -> (tensor<2x5x4x3xf32>, tensor<2x2x8x3xf32>)
  return
}

// -----

func.func @linear_c2_rate(%q: tensor<2x5x4x8xf32>, %k: tensor<2x5x2x8xf32>, %v: tensor<2x5x2x3xf32>, %s: tensor<2x2x8x3xf32>, %rate: tensor<2x5x2x8xf32>) {
  // expected-error @below {{linear-attention-c2}}
  %0:2 = weft.linear_attention %q, %k, %v, %s rate(%rate : tensor<2x5x2x8xf32>) : (tensor<2x5x4x8xf32>, tensor<2x5x2x8xf32>, tensor<2x5x2x3xf32>, tensor<2x2x8x3xf32>) -> (tensor<2x5x4x3xf32>, tensor<2x2x8x3xf32>)
  return
}

// -----

func.func @linear_c3_heads(%q: tensor<2x5x3x8xf32>, %k: tensor<2x5x2x8xf32>, %v: tensor<2x5x2x3xf32>, %s: tensor<2x2x8x3xf32>) {
  // expected-error @below {{linear-attention-c3: expects the heads of query to be a multiple of those of key, got 3 and 2}}
  %0:2 = weft.linear_attention %q, %k, %v, %s : (tensor<2x5x3x8xf32>, tensor<2x5x2x8xf32>, tensor<2x5x2x3xf32>, tensor<2x2x8x3xf32>) -> (tensor<2x5x3x3xf32>, tensor<2x2x8x3xf32>)
  return
}

// -----

func.func @c6_no_blocks(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x3xf32>) {
  // expected-error @below {{attention-c6: a size of blocks needs blocks}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) {block_size = 2 : i64} : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c6_heads(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x3xf32>) {
  // expected-error @below {{attention-c6: expects a list of blocks for each of 4 query heads, and a size; got 2 x 1 x i64 of 2}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) {blocks = dense<0> : tensor<2x1xi64>, block_size = 2 : i64} : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c6_size(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x3xf32>) {
  // expected-error @below {{attention-c6: expects a list of blocks}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) {blocks = dense<0> : tensor<4x1xi64>} : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c6_range(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x3xf32>) {
  // expected-error @below {{attention-c6: a block of 2 keys at 6 is not within 7}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) {blocks = dense<[[0], [5], [6], [0]]> : tensor<4x1xi64>, block_size = 2 : i64} : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c6_negative(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x3xf32>) {
  // expected-error @below {{attention-c6: a block of 2 keys at -1 is not within 7}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) {blocks = dense<-1> : tensor<4x1xi64>, block_size = 2 : i64} : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c6_length(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x?x8xf32, #weft.dims<2, 2, "m", 8>>, %v: tensor<2x2x?x3xf32, #weft.dims<2, 2, "m", 3>>) {
  // expected-error @below {{attention-c6: expects a known number of keys, got m}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) {blocks = dense<0> : tensor<4x1xi64>, block_size = 2 : i64} : (tensor<2x4x5x8xf32>, tensor<2x2x?x8xf32, #weft.dims<2, 2, "m", 8>>, tensor<2x2x?x3xf32, #weft.dims<2, 2, "m", 3>>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c7_row(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x3xf32>, %s: tensor<2x4x5x7xf32>) {
  // expected-error @below {{attention-c7: expects a sink of 'f32' for each row or less, got 2 x 4 x 5 x 7 x f32}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) sink(%s : tensor<2x4x5x7xf32>) : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c7_heads(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x3xf32>, %s: tensor<2x1x1xf32>) {
  // expected-error @below {{attention-c7: expects a sink}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) sink(%s : tensor<2x1x1xf32>) : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c7_rank(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x3xf32>, %s: tensor<1x1x1x1x1xf32>) {
  // expected-error @below {{attention-c7: expects a sink}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) sink(%s : tensor<1x1x1x1x1xf32>) : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @c7_element(%q: tensor<2x4x5x8xf16>, %k: tensor<2x2x7x8xf16>, %v: tensor<2x2x7x3xf16>, %s: tensor<4x1x1xf16>) {
  // expected-error @below {{attention-c7: expects a sink of 'f32' for each row or less, got 4 x 1 x 1 x f16}}
  %0 = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) sink(%s : tensor<4x1x1xf16>) : (tensor<2x4x5x8xf16>, tensor<2x2x7x8xf16>, tensor<2x2x7x3xf16>) -> tensor<2x4x5x3xf16>
  return
}
