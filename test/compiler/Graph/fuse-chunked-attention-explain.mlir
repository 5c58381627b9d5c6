// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first condition that failed, for softmaxes of scores that are computed over overlapping chunks of keys; those that are fused
// are in fuse-chunked-attention.mlir.
// RUN: weft-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(weft-fuse-attention{explain=true}))'

// One query sees less than the others.
// expected-remark @below {{fused attention: 0 of 1}}
func.func @other_window(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x3xf32>) -> (tensor<2x8x3xf32>) {
  %closed = weft.constant dense<[[[true, true, false, false, false, true], [true, true, false, false, false, false]], [[false, false, false, false, true, true], [true, false, false, false, false, false]], [[false, false, false, false, false, true], [true, false, false, false, false, false]], [[false, false, false, false, true, true], [true, false, false, false, true, true]]]> : tensor<4x2x6xi1>
  %infinity = weft.constant dense<0xFF800000> : tensor<f32>
  %blocks = weft.reshape %q : (tensor<2x8x4xf32>) -> tensor<2x4x2x4xf32>
  %kp = weft.pad constant %k {before = #weft.dims<0, 2, 0>, after = #weft.dims<0, 2, 0>} : (tensor<2x8x4xf32>) -> tensor<2x12x4xf32>
  %ks0 = weft.slice %kp {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb0 = weft.reshape %ks0 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks1 = weft.slice %kp {offsets = #weft.dims<0, 2, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb1 = weft.reshape %ks1 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks2 = weft.slice %kp {offsets = #weft.dims<0, 4, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb2 = weft.reshape %ks2 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks3 = weft.slice %kp {offsets = #weft.dims<0, 6, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb3 = weft.reshape %ks3 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %kc = weft.concat %kb0, %kb1, %kb2, %kb3 {axis = 1 : i64} : (tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>) -> tensor<2x4x6x4xf32>
  %vp = weft.pad constant %v {before = #weft.dims<0, 2, 0>, after = #weft.dims<0, 2, 0>} : (tensor<2x8x3xf32>) -> tensor<2x12x3xf32>
  %vs0 = weft.slice %vp {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb0 = weft.reshape %vs0 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs1 = weft.slice %vp {offsets = #weft.dims<0, 2, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb1 = weft.reshape %vs1 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs2 = weft.slice %vp {offsets = #weft.dims<0, 4, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb2 = weft.reshape %vs2 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs3 = weft.slice %vp {offsets = #weft.dims<0, 6, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb3 = weft.reshape %vs3 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vc = weft.concat %vb0, %vb1, %vb2, %vb3 {axis = 1 : i64} : (tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>) -> tensor<2x4x6x3xf32>
  %kt = weft.transpose %kc {permutation = array<i64: 0, 1, 3, 2>} : (tensor<2x4x6x4xf32>) -> tensor<2x4x4x6xf32>
  %scores = weft.matmul %blocks, %kt : (tensor<2x4x2x4xf32>, tensor<2x4x4x6xf32>) -> tensor<2x4x2x6xf32>
  %half = weft.constant dense<0.5> : tensor<f32>
  %scaled = weft.mul %scores, %half : (tensor<2x4x2x6xf32>, tensor<f32>) -> tensor<2x4x2x6xf32>
  %masked = weft.where %closed, %infinity, %scaled : (tensor<4x2x6xi1>, tensor<f32>, tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  // expected-remark @below {{not fused: the windows of keys differ by query}}
  %weights = weft.softmax %masked {axis = 3 : i64} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  %wide = weft.pad constant %weights {before = #weft.dims<0, 0, 0, 0>, after = #weft.dims<0, 0, 0, 1>} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x7xf32>
  %cut = weft.slice %wide {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (tensor<2x4x2x7xf32>) -> tensor<2x4x2x6xf32>
  %result = weft.matmul %cut, %vc : (tensor<2x4x2x6xf32>, tensor<2x4x6x3xf32>) -> tensor<2x4x2x3xf32>
  %y = weft.reshape %result : (tensor<2x4x2x3xf32>) -> tensor<2x8x3xf32>
  return %y : tensor<2x8x3xf32>
}

// -----

// A query does not see itself.
// expected-remark @below {{fused attention: 0 of 1}}
func.func @hole(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x3xf32>) -> (tensor<2x8x3xf32>) {
  %closed = weft.constant dense<[[[true, true, false, false, false, true], [true, true, false, false, false, false]], [[false, false, true, false, false, true], [true, false, false, false, false, false]], [[false, false, false, false, false, true], [true, false, false, false, false, false]], [[false, false, false, false, true, true], [true, false, false, false, true, true]]]> : tensor<4x2x6xi1>
  %infinity = weft.constant dense<0xFF800000> : tensor<f32>
  %blocks = weft.reshape %q : (tensor<2x8x4xf32>) -> tensor<2x4x2x4xf32>
  %kp = weft.pad constant %k {before = #weft.dims<0, 2, 0>, after = #weft.dims<0, 2, 0>} : (tensor<2x8x4xf32>) -> tensor<2x12x4xf32>
  %ks0 = weft.slice %kp {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb0 = weft.reshape %ks0 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks1 = weft.slice %kp {offsets = #weft.dims<0, 2, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb1 = weft.reshape %ks1 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks2 = weft.slice %kp {offsets = #weft.dims<0, 4, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb2 = weft.reshape %ks2 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks3 = weft.slice %kp {offsets = #weft.dims<0, 6, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb3 = weft.reshape %ks3 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %kc = weft.concat %kb0, %kb1, %kb2, %kb3 {axis = 1 : i64} : (tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>) -> tensor<2x4x6x4xf32>
  %vp = weft.pad constant %v {before = #weft.dims<0, 2, 0>, after = #weft.dims<0, 2, 0>} : (tensor<2x8x3xf32>) -> tensor<2x12x3xf32>
  %vs0 = weft.slice %vp {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb0 = weft.reshape %vs0 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs1 = weft.slice %vp {offsets = #weft.dims<0, 2, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb1 = weft.reshape %vs1 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs2 = weft.slice %vp {offsets = #weft.dims<0, 4, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb2 = weft.reshape %vs2 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs3 = weft.slice %vp {offsets = #weft.dims<0, 6, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb3 = weft.reshape %vs3 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vc = weft.concat %vb0, %vb1, %vb2, %vb3 {axis = 1 : i64} : (tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>) -> tensor<2x4x6x3xf32>
  %kt = weft.transpose %kc {permutation = array<i64: 0, 1, 3, 2>} : (tensor<2x4x6x4xf32>) -> tensor<2x4x4x6xf32>
  %scores = weft.matmul %blocks, %kt : (tensor<2x4x2x4xf32>, tensor<2x4x4x6xf32>) -> tensor<2x4x2x6xf32>
  %half = weft.constant dense<0.5> : tensor<f32>
  %scaled = weft.mul %scores, %half : (tensor<2x4x2x6xf32>, tensor<f32>) -> tensor<2x4x2x6xf32>
  %masked = weft.where %closed, %infinity, %scaled : (tensor<4x2x6xi1>, tensor<f32>, tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  // expected-remark @below {{not fused: the keys of a query are no window}}
  %weights = weft.softmax %masked {axis = 3 : i64} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  %wide = weft.pad constant %weights {before = #weft.dims<0, 0, 0, 0>, after = #weft.dims<0, 0, 0, 1>} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x7xf32>
  %cut = weft.slice %wide {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (tensor<2x4x2x7xf32>) -> tensor<2x4x2x6xf32>
  %result = weft.matmul %cut, %vc : (tensor<2x4x2x6xf32>, tensor<2x4x6x3xf32>) -> tensor<2x4x2x3xf32>
  %y = weft.reshape %result : (tensor<2x4x2x3xf32>) -> tensor<2x8x3xf32>
  return %y : tensor<2x8x3xf32>
}

// -----

// What a pad stands for counts.
// expected-remark @below {{fused attention: 0 of 1}}
func.func @pads_count(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x3xf32>) -> (tensor<2x8x3xf32>) {
  %closed = weft.constant dense<[[[true, false, false, false, false, true], [true, true, false, false, false, false]], [[false, false, false, false, false, true], [true, false, false, false, false, false]], [[false, false, false, false, false, true], [true, false, false, false, false, false]], [[false, false, false, false, true, true], [true, false, false, false, true, true]]]> : tensor<4x2x6xi1>
  %infinity = weft.constant dense<0xFF800000> : tensor<f32>
  %blocks = weft.reshape %q : (tensor<2x8x4xf32>) -> tensor<2x4x2x4xf32>
  %kp = weft.pad constant %k {before = #weft.dims<0, 2, 0>, after = #weft.dims<0, 2, 0>} : (tensor<2x8x4xf32>) -> tensor<2x12x4xf32>
  %ks0 = weft.slice %kp {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb0 = weft.reshape %ks0 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks1 = weft.slice %kp {offsets = #weft.dims<0, 2, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb1 = weft.reshape %ks1 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks2 = weft.slice %kp {offsets = #weft.dims<0, 4, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb2 = weft.reshape %ks2 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks3 = weft.slice %kp {offsets = #weft.dims<0, 6, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb3 = weft.reshape %ks3 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %kc = weft.concat %kb0, %kb1, %kb2, %kb3 {axis = 1 : i64} : (tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>) -> tensor<2x4x6x4xf32>
  %vp = weft.pad constant %v {before = #weft.dims<0, 2, 0>, after = #weft.dims<0, 2, 0>} : (tensor<2x8x3xf32>) -> tensor<2x12x3xf32>
  %vs0 = weft.slice %vp {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb0 = weft.reshape %vs0 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs1 = weft.slice %vp {offsets = #weft.dims<0, 2, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb1 = weft.reshape %vs1 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs2 = weft.slice %vp {offsets = #weft.dims<0, 4, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb2 = weft.reshape %vs2 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs3 = weft.slice %vp {offsets = #weft.dims<0, 6, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb3 = weft.reshape %vs3 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vc = weft.concat %vb0, %vb1, %vb2, %vb3 {axis = 1 : i64} : (tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>) -> tensor<2x4x6x3xf32>
  %kt = weft.transpose %kc {permutation = array<i64: 0, 1, 3, 2>} : (tensor<2x4x6x4xf32>) -> tensor<2x4x4x6xf32>
  %scores = weft.matmul %blocks, %kt : (tensor<2x4x2x4xf32>, tensor<2x4x4x6xf32>) -> tensor<2x4x2x6xf32>
  %half = weft.constant dense<0.5> : tensor<f32>
  %scaled = weft.mul %scores, %half : (tensor<2x4x2x6xf32>, tensor<f32>) -> tensor<2x4x2x6xf32>
  %masked = weft.where %closed, %infinity, %scaled : (tensor<4x2x6xi1>, tensor<f32>, tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  // expected-remark @below {{not fused: a score of what is no query or no key counts}}
  %weights = weft.softmax %masked {axis = 3 : i64} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  %wide = weft.pad constant %weights {before = #weft.dims<0, 0, 0, 0>, after = #weft.dims<0, 0, 0, 1>} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x7xf32>
  %cut = weft.slice %wide {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (tensor<2x4x2x7xf32>) -> tensor<2x4x2x6xf32>
  %result = weft.matmul %cut, %vc : (tensor<2x4x2x6xf32>, tensor<2x4x6x3xf32>) -> tensor<2x4x2x3xf32>
  %y = weft.reshape %result : (tensor<2x4x2x3xf32>) -> tensor<2x8x3xf32>
  return %y : tensor<2x8x3xf32>
}

// -----

// Values are one place behind their keys.
// expected-remark @below {{fused attention: 0 of 1}}
func.func @other_values(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x3xf32>) -> (tensor<2x8x3xf32>) {
  %closed = weft.constant dense<[[[true, true, false, false, false, true], [true, true, false, false, false, false]], [[false, false, false, false, false, true], [true, false, false, false, false, false]], [[false, false, false, false, false, true], [true, false, false, false, false, false]], [[false, false, false, false, true, true], [true, false, false, false, true, true]]]> : tensor<4x2x6xi1>
  %infinity = weft.constant dense<0xFF800000> : tensor<f32>
  %blocks = weft.reshape %q : (tensor<2x8x4xf32>) -> tensor<2x4x2x4xf32>
  %kp = weft.pad constant %k {before = #weft.dims<0, 2, 0>, after = #weft.dims<0, 2, 0>} : (tensor<2x8x4xf32>) -> tensor<2x12x4xf32>
  %ks0 = weft.slice %kp {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb0 = weft.reshape %ks0 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks1 = weft.slice %kp {offsets = #weft.dims<0, 2, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb1 = weft.reshape %ks1 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks2 = weft.slice %kp {offsets = #weft.dims<0, 4, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb2 = weft.reshape %ks2 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks3 = weft.slice %kp {offsets = #weft.dims<0, 6, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb3 = weft.reshape %ks3 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %kc = weft.concat %kb0, %kb1, %kb2, %kb3 {axis = 1 : i64} : (tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>) -> tensor<2x4x6x4xf32>
  %vp = weft.pad constant %v {before = #weft.dims<0, 3, 0>, after = #weft.dims<0, 1, 0>} : (tensor<2x8x3xf32>) -> tensor<2x12x3xf32>
  %vs0 = weft.slice %vp {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb0 = weft.reshape %vs0 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs1 = weft.slice %vp {offsets = #weft.dims<0, 2, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb1 = weft.reshape %vs1 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs2 = weft.slice %vp {offsets = #weft.dims<0, 4, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb2 = weft.reshape %vs2 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs3 = weft.slice %vp {offsets = #weft.dims<0, 6, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb3 = weft.reshape %vs3 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vc = weft.concat %vb0, %vb1, %vb2, %vb3 {axis = 1 : i64} : (tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>) -> tensor<2x4x6x3xf32>
  %kt = weft.transpose %kc {permutation = array<i64: 0, 1, 3, 2>} : (tensor<2x4x6x4xf32>) -> tensor<2x4x4x6xf32>
  %scores = weft.matmul %blocks, %kt : (tensor<2x4x2x4xf32>, tensor<2x4x4x6xf32>) -> tensor<2x4x2x6xf32>
  %half = weft.constant dense<0.5> : tensor<f32>
  %scaled = weft.mul %scores, %half : (tensor<2x4x2x6xf32>, tensor<f32>) -> tensor<2x4x2x6xf32>
  %masked = weft.where %closed, %infinity, %scaled : (tensor<4x2x6xi1>, tensor<f32>, tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  // expected-remark @below {{not fused: a weight is used for another value than that of its key}}
  %weights = weft.softmax %masked {axis = 3 : i64} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  %wide = weft.pad constant %weights {before = #weft.dims<0, 0, 0, 0>, after = #weft.dims<0, 0, 0, 1>} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x7xf32>
  %cut = weft.slice %wide {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (tensor<2x4x2x7xf32>) -> tensor<2x4x2x6xf32>
  %result = weft.matmul %cut, %vc : (tensor<2x4x2x6xf32>, tensor<2x4x6x3xf32>) -> tensor<2x4x2x3xf32>
  %y = weft.reshape %result : (tensor<2x4x2x3xf32>) -> tensor<2x8x3xf32>
  return %y : tensor<2x8x3xf32>
}

// -----

// The weights of the chunks are a result.
// expected-remark @below {{fused attention: 0 of 1}}
func.func @weights_are_needed(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x3xf32>) -> (tensor<2x8x3xf32>, tensor<2x4x2x6xf32>) {
  %closed = weft.constant dense<[[[true, true, false, false, false, true], [true, true, false, false, false, false]], [[false, false, false, false, false, true], [true, false, false, false, false, false]], [[false, false, false, false, false, true], [true, false, false, false, false, false]], [[false, false, false, false, true, true], [true, false, false, false, true, true]]]> : tensor<4x2x6xi1>
  %infinity = weft.constant dense<0xFF800000> : tensor<f32>
  %blocks = weft.reshape %q : (tensor<2x8x4xf32>) -> tensor<2x4x2x4xf32>
  %kp = weft.pad constant %k {before = #weft.dims<0, 2, 0>, after = #weft.dims<0, 2, 0>} : (tensor<2x8x4xf32>) -> tensor<2x12x4xf32>
  %ks0 = weft.slice %kp {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb0 = weft.reshape %ks0 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks1 = weft.slice %kp {offsets = #weft.dims<0, 2, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb1 = weft.reshape %ks1 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks2 = weft.slice %kp {offsets = #weft.dims<0, 4, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb2 = weft.reshape %ks2 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks3 = weft.slice %kp {offsets = #weft.dims<0, 6, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb3 = weft.reshape %ks3 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %kc = weft.concat %kb0, %kb1, %kb2, %kb3 {axis = 1 : i64} : (tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>) -> tensor<2x4x6x4xf32>
  %vp = weft.pad constant %v {before = #weft.dims<0, 2, 0>, after = #weft.dims<0, 2, 0>} : (tensor<2x8x3xf32>) -> tensor<2x12x3xf32>
  %vs0 = weft.slice %vp {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb0 = weft.reshape %vs0 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs1 = weft.slice %vp {offsets = #weft.dims<0, 2, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb1 = weft.reshape %vs1 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs2 = weft.slice %vp {offsets = #weft.dims<0, 4, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb2 = weft.reshape %vs2 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs3 = weft.slice %vp {offsets = #weft.dims<0, 6, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb3 = weft.reshape %vs3 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vc = weft.concat %vb0, %vb1, %vb2, %vb3 {axis = 1 : i64} : (tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>) -> tensor<2x4x6x3xf32>
  %kt = weft.transpose %kc {permutation = array<i64: 0, 1, 3, 2>} : (tensor<2x4x6x4xf32>) -> tensor<2x4x4x6xf32>
  %scores = weft.matmul %blocks, %kt : (tensor<2x4x2x4xf32>, tensor<2x4x4x6xf32>) -> tensor<2x4x2x6xf32>
  %half = weft.constant dense<0.5> : tensor<f32>
  %scaled = weft.mul %scores, %half : (tensor<2x4x2x6xf32>, tensor<f32>) -> tensor<2x4x2x6xf32>
  %masked = weft.where %closed, %infinity, %scaled : (tensor<4x2x6xi1>, tensor<f32>, tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  // expected-remark @below {{not fused: its result is used otherwise, too}}
  %weights = weft.softmax %masked {axis = 3 : i64} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  %wide = weft.pad constant %weights {before = #weft.dims<0, 0, 0, 0>, after = #weft.dims<0, 0, 0, 1>} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x7xf32>
  %cut = weft.slice %wide {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (tensor<2x4x2x7xf32>) -> tensor<2x4x2x6xf32>
  %result = weft.matmul %cut, %vc : (tensor<2x4x2x6xf32>, tensor<2x4x6x3xf32>) -> tensor<2x4x2x3xf32>
  %y = weft.reshape %result : (tensor<2x4x2x3xf32>) -> tensor<2x8x3xf32>
  return %y, %weights : tensor<2x8x3xf32>, tensor<2x4x2x6xf32>
}

// -----

// Something is added that lies in chunks, as learned biases of distances do.
// expected-remark @below {{fused attention: 0 of 1}}
func.func @bias(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x3xf32>, %added: tensor<2x4x2x6xf32>) -> (tensor<2x8x3xf32>) {
  %closed = weft.constant dense<[[[true, true, false, false, false, true], [true, true, false, false, false, false]], [[false, false, false, false, false, true], [true, false, false, false, false, false]], [[false, false, false, false, false, true], [true, false, false, false, false, false]], [[false, false, false, false, true, true], [true, false, false, false, true, true]]]> : tensor<4x2x6xi1>
  %infinity = weft.constant dense<0xFF800000> : tensor<f32>
  %blocks = weft.reshape %q : (tensor<2x8x4xf32>) -> tensor<2x4x2x4xf32>
  %kp = weft.pad constant %k {before = #weft.dims<0, 2, 0>, after = #weft.dims<0, 2, 0>} : (tensor<2x8x4xf32>) -> tensor<2x12x4xf32>
  %ks0 = weft.slice %kp {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb0 = weft.reshape %ks0 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks1 = weft.slice %kp {offsets = #weft.dims<0, 2, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb1 = weft.reshape %ks1 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks2 = weft.slice %kp {offsets = #weft.dims<0, 4, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb2 = weft.reshape %ks2 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks3 = weft.slice %kp {offsets = #weft.dims<0, 6, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb3 = weft.reshape %ks3 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %kc = weft.concat %kb0, %kb1, %kb2, %kb3 {axis = 1 : i64} : (tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>) -> tensor<2x4x6x4xf32>
  %vp = weft.pad constant %v {before = #weft.dims<0, 2, 0>, after = #weft.dims<0, 2, 0>} : (tensor<2x8x3xf32>) -> tensor<2x12x3xf32>
  %vs0 = weft.slice %vp {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb0 = weft.reshape %vs0 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs1 = weft.slice %vp {offsets = #weft.dims<0, 2, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb1 = weft.reshape %vs1 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs2 = weft.slice %vp {offsets = #weft.dims<0, 4, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb2 = weft.reshape %vs2 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs3 = weft.slice %vp {offsets = #weft.dims<0, 6, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb3 = weft.reshape %vs3 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vc = weft.concat %vb0, %vb1, %vb2, %vb3 {axis = 1 : i64} : (tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>) -> tensor<2x4x6x3xf32>
  %kt = weft.transpose %kc {permutation = array<i64: 0, 1, 3, 2>} : (tensor<2x4x6x4xf32>) -> tensor<2x4x4x6xf32>
  %scores = weft.matmul %blocks, %kt : (tensor<2x4x2x4xf32>, tensor<2x4x4x6xf32>) -> tensor<2x4x2x6xf32>
  %half = weft.constant dense<0.5> : tensor<f32>
  %scaled = weft.mul %scores, %half : (tensor<2x4x2x6xf32>, tensor<f32>) -> tensor<2x4x2x6xf32>
  %masked = weft.where %closed, %infinity, %scaled : (tensor<4x2x6xi1>, tensor<f32>, tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  %sum = weft.add %masked, %added : (tensor<2x4x2x6xf32>, tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  // expected-remark @below {{not fused: what is added to scores is not in an order that dims make}}
  %weights = weft.softmax %sum {axis = 3 : i64} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  %wide = weft.pad constant %weights {before = #weft.dims<0, 0, 0, 0>, after = #weft.dims<0, 0, 0, 1>} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x7xf32>
  %cut = weft.slice %wide {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (tensor<2x4x2x7xf32>) -> tensor<2x4x2x6xf32>
  %result = weft.matmul %cut, %vc : (tensor<2x4x2x6xf32>, tensor<2x4x6x3xf32>) -> tensor<2x4x2x3xf32>
  %y = weft.reshape %result : (tensor<2x4x2x3xf32>) -> tensor<2x8x3xf32>
  return %y : tensor<2x8x3xf32>
}

// -----

// A query sees nothing.
// expected-remark @below {{fused attention: 0 of 1}}
func.func @sees_nothing(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x3xf32>) -> (tensor<2x8x3xf32>) {
  %closed = weft.constant dense<[[[true, true, false, false, false, true], [true, true, false, false, false, false]], [[false, false, false, false, false, true], [true, false, false, false, false, false]], [[true, true, true, true, true, true], [true, false, false, false, false, false]], [[false, false, false, false, true, true], [true, false, false, false, true, true]]]> : tensor<4x2x6xi1>
  %infinity = weft.constant dense<0xFF800000> : tensor<f32>
  %blocks = weft.reshape %q : (tensor<2x8x4xf32>) -> tensor<2x4x2x4xf32>
  %kp = weft.pad constant %k {before = #weft.dims<0, 2, 0>, after = #weft.dims<0, 2, 0>} : (tensor<2x8x4xf32>) -> tensor<2x12x4xf32>
  %ks0 = weft.slice %kp {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb0 = weft.reshape %ks0 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks1 = weft.slice %kp {offsets = #weft.dims<0, 2, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb1 = weft.reshape %ks1 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks2 = weft.slice %kp {offsets = #weft.dims<0, 4, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb2 = weft.reshape %ks2 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %ks3 = weft.slice %kp {offsets = #weft.dims<0, 6, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x4xf32>) -> tensor<2x6x4xf32>
  %kb3 = weft.reshape %ks3 : (tensor<2x6x4xf32>) -> tensor<2x1x6x4xf32>
  %kc = weft.concat %kb0, %kb1, %kb2, %kb3 {axis = 1 : i64} : (tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>) -> tensor<2x4x6x4xf32>
  %vp = weft.pad constant %v {before = #weft.dims<0, 2, 0>, after = #weft.dims<0, 2, 0>} : (tensor<2x8x3xf32>) -> tensor<2x12x3xf32>
  %vs0 = weft.slice %vp {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb0 = weft.reshape %vs0 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs1 = weft.slice %vp {offsets = #weft.dims<0, 2, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb1 = weft.reshape %vs1 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs2 = weft.slice %vp {offsets = #weft.dims<0, 4, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb2 = weft.reshape %vs2 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vs3 = weft.slice %vp {offsets = #weft.dims<0, 6, 0>, strides = array<i64: 1, 1, 1>} : (tensor<2x12x3xf32>) -> tensor<2x6x3xf32>
  %vb3 = weft.reshape %vs3 : (tensor<2x6x3xf32>) -> tensor<2x1x6x3xf32>
  %vc = weft.concat %vb0, %vb1, %vb2, %vb3 {axis = 1 : i64} : (tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>, tensor<2x1x6x3xf32>) -> tensor<2x4x6x3xf32>
  %kt = weft.transpose %kc {permutation = array<i64: 0, 1, 3, 2>} : (tensor<2x4x6x4xf32>) -> tensor<2x4x4x6xf32>
  %scores = weft.matmul %blocks, %kt : (tensor<2x4x2x4xf32>, tensor<2x4x4x6xf32>) -> tensor<2x4x2x6xf32>
  %half = weft.constant dense<0.5> : tensor<f32>
  %scaled = weft.mul %scores, %half : (tensor<2x4x2x6xf32>, tensor<f32>) -> tensor<2x4x2x6xf32>
  %masked = weft.where %closed, %infinity, %scaled : (tensor<4x2x6xi1>, tensor<f32>, tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  // expected-remark @below {{not fused: no key counts for some query}}
  %weights = weft.softmax %masked {axis = 3 : i64} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  %wide = weft.pad constant %weights {before = #weft.dims<0, 0, 0, 0>, after = #weft.dims<0, 0, 0, 1>} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x7xf32>
  %cut = weft.slice %wide {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (tensor<2x4x2x7xf32>) -> tensor<2x4x2x6xf32>
  %result = weft.matmul %cut, %vc : (tensor<2x4x2x6xf32>, tensor<2x4x6x3xf32>) -> tensor<2x4x2x3xf32>
  %y = weft.reshape %result : (tensor<2x4x2x3xf32>) -> tensor<2x8x3xf32>
  return %y : tensor<2x8x3xf32>
}
