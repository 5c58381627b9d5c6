// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention over chunks of queries and overlapping chunks of keys is attention of all queries to a window of keys.
// RUN: weft-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(weft-fuse-attention,canonicalize))' | FileCheck %s

// Two blocks of queries see their own keys and those of both neighbours, as far as two places away.
// CHECK-LABEL: @neighbours
// CHECK-SAME: %[[Q:.*]]: tensor<2x8x4xf32>, %[[K:.*]]: tensor<2x8x4xf32>, %[[V:.*]]: tensor<2x8x3xf32>
// CHECK-DAG: %[[QUERY:.*]] = weft.reshape %[[Q]] : (tensor<2x8x4xf32>) -> tensor<1x2x8x4xf32>
// CHECK-DAG: %[[KEY:.*]] = weft.reshape %[[K]] : (tensor<2x8x4xf32>) -> tensor<1x2x8x4xf32>
// CHECK-DAG: %[[VALUE:.*]] = weft.reshape %[[V]] : (tensor<2x8x3xf32>) -> tensor<1x2x8x3xf32>
// CHECK: weft.attention %[[QUERY]], %[[KEY]], %[[VALUE]] scale(5.{{0*}}e-01) empty_rows(nan) score {
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, %{{.*}}: index, %{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index):
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[LAST:.*]] = arith.addi %[[J]], %[[TWO]]
// CHECK-DAG: %[[LEFT:.*]] = arith.cmpi sle, %[[I]], %[[LAST]]
// CHECK-DAG: %[[END:.*]] = arith.addi %[[I]], %[[TWO]]
// CHECK-DAG: %[[RIGHT:.*]] = arith.cmpi sle, %[[J]], %[[END]]
// CHECK: %[[KEEP:.*]] = arith.andi %[[LEFT]], %[[RIGHT]]
// CHECK-NEXT: weft.yield %[[S]], %[[KEEP]]
// CHECK-NOT: weft.softmax
func.func @neighbours(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x3xf32>) -> (tensor<2x8x3xf32>) {
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
  %weights = weft.softmax %masked {axis = 3 : i64} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  %wide = weft.pad constant %weights {before = #weft.dims<0, 0, 0, 0>, after = #weft.dims<0, 0, 0, 1>} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x7xf32>
  %cut = weft.slice %wide {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (tensor<2x4x2x7xf32>) -> tensor<2x4x2x6xf32>
  %result = weft.matmul %cut, %vc : (tensor<2x4x2x6xf32>, tensor<2x4x6x3xf32>) -> tensor<2x4x2x3xf32>
  %y = weft.reshape %result : (tensor<2x4x2x3xf32>) -> tensor<2x8x3xf32>
  return %y : tensor<2x8x3xf32>
}

// -----

// A window that ends at the query; a mask of the keys, in chunks as they are, and rows that are 0 whatever they saw.
// CHECK-LABEL: @causal_window
// CHECK-SAME: %[[ADDED:[a-z0-9]*]]: tensor<2x8xf32>, %[[ROWS:[a-z0-9]*]]: tensor<8xi1>
// CHECK: %[[MASK:.*]] = weft.reshape %[[ADDED]] : (tensor<2x8xf32>) -> tensor<1x2x1x8xf32>
// CHECK: %[[Y:.*]] = weft.attention {{.*}} captures(%[[MASK]] : tensor<1x2x1x8xf32>) score {
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, %{{.*}}: index, %{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index, %[[M:.*]]: f32):
// CHECK-DAG: %[[SUM:.*]] = arith.addf %[[S]], %[[M]] : f32
// CHECK-DAG: %[[END:.*]] = arith.addi %[[J]], %c2
// CHECK-DAG: arith.cmpi sle, %[[I]], %[[END]] : index
// CHECK-DAG: arith.cmpi sle, %[[J]], %[[I]] : index
// CHECK: weft.yield %[[SUM]]
// CHECK: %[[CONDITION:.*]] = weft.reshape %[[ROWS]] : (tensor<8xi1>) -> tensor<1x1x8x1xi1>
// CHECK: weft.where %[[CONDITION]], %{{.*}}, %[[Y]]
func.func @causal_window(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x3xf32>, %added: tensor<2x8xf32>, %rows: tensor<8xi1>) -> (tensor<2x8x3xf32>) {
  %closed = weft.constant dense<[[[true, true, false, true, true, true], [true, true, false, false, true, true]], [[false, false, false, true, true, true], [true, false, false, false, true, true]], [[false, false, false, true, true, true], [true, false, false, false, true, true]], [[false, false, false, true, true, true], [true, false, false, false, true, true]]]> : tensor<4x2x6xi1>
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
  %addedp = weft.pad constant %added {before = #weft.dims<0, 2>, after = #weft.dims<0, 2>} : (tensor<2x8xf32>) -> tensor<2x12xf32>
  %a0 = weft.slice %addedp {offsets = #weft.dims<0, 0>, strides = array<i64: 1, 1>} : (tensor<2x12xf32>) -> tensor<2x6xf32>
  %ab0 = weft.reshape %a0 : (tensor<2x6xf32>) -> tensor<2x1x1x6xf32>
  %a1 = weft.slice %addedp {offsets = #weft.dims<0, 2>, strides = array<i64: 1, 1>} : (tensor<2x12xf32>) -> tensor<2x6xf32>
  %ab1 = weft.reshape %a1 : (tensor<2x6xf32>) -> tensor<2x1x1x6xf32>
  %a2 = weft.slice %addedp {offsets = #weft.dims<0, 4>, strides = array<i64: 1, 1>} : (tensor<2x12xf32>) -> tensor<2x6xf32>
  %ab2 = weft.reshape %a2 : (tensor<2x6xf32>) -> tensor<2x1x1x6xf32>
  %a3 = weft.slice %addedp {offsets = #weft.dims<0, 6>, strides = array<i64: 1, 1>} : (tensor<2x12xf32>) -> tensor<2x6xf32>
  %ab3 = weft.reshape %a3 : (tensor<2x6xf32>) -> tensor<2x1x1x6xf32>
  %ac = weft.concat %ab0, %ab1, %ab2, %ab3 {axis = 1 : i64} : (tensor<2x1x1x6xf32>, tensor<2x1x1x6xf32>, tensor<2x1x1x6xf32>, tensor<2x1x1x6xf32>) -> tensor<2x4x1x6xf32>
  %sum = weft.add %masked, %ac : (tensor<2x4x2x6xf32>, tensor<2x4x1x6xf32>) -> tensor<2x4x2x6xf32>
  %weights = weft.softmax %sum {axis = 3 : i64} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  %zero = weft.constant dense<0.0> : tensor<f32>
  %rb = weft.reshape %rows : (tensor<8xi1>) -> tensor<4x2x1xi1>
  %left = weft.where %rb, %zero, %weights : (tensor<4x2x1xi1>, tensor<f32>, tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  %wide = weft.pad constant %left {before = #weft.dims<0, 0, 0, 0>, after = #weft.dims<0, 0, 0, 1>} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x7xf32>
  %cut = weft.slice %wide {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (tensor<2x4x2x7xf32>) -> tensor<2x4x2x6xf32>
  %result = weft.matmul %cut, %vc : (tensor<2x4x2x6xf32>, tensor<2x4x6x3xf32>) -> tensor<2x4x2x3xf32>
  %y = weft.reshape %result : (tensor<2x4x2x3xf32>) -> tensor<2x8x3xf32>
  return %y : tensor<2x8x3xf32>
}

// -----

// A window that begins at the query; rows that are kept where a condition says so.
// CHECK-LABEL: @kept_rows
// CHECK: %[[Y:.*]] = weft.attention
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: index, %{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index):
// CHECK-DAG: arith.cmpi sle, %[[I]], %[[J]] : index
// CHECK-DAG: %[[END:.*]] = arith.addi %[[I]], %c2
// CHECK-DAG: arith.cmpi sle, %[[J]], %[[END]] : index
// CHECK: weft.where %{{.*}}, %[[Y]], %{{.*}} : (tensor<1x1x8x1xi1>
func.func @kept_rows(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x3xf32>, %rows: tensor<8xi1>) -> (tensor<2x8x3xf32>) {
  %closed = weft.constant dense<[[[true, true, false, false, false, true], [true, true, true, false, false, false]], [[true, true, false, false, false, true], [true, true, true, false, false, false]], [[true, true, false, false, false, true], [true, true, true, false, false, false]], [[true, true, false, false, true, true], [true, true, true, false, true, true]]]> : tensor<4x2x6xi1>
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
  %weights = weft.softmax %masked {axis = 3 : i64} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  %zero = weft.constant dense<0.0> : tensor<f32>
  %rb = weft.reshape %rows : (tensor<8xi1>) -> tensor<4x2x1xi1>
  %left = weft.where %rb, %weights, %zero : (tensor<4x2x1xi1>, tensor<2x4x2x6xf32>, tensor<f32>) -> tensor<2x4x2x6xf32>
  %wide = weft.pad constant %left {before = #weft.dims<0, 0, 0, 0>, after = #weft.dims<0, 0, 0, 1>} : (tensor<2x4x2x6xf32>) -> tensor<2x4x2x7xf32>
  %cut = weft.slice %wide {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (tensor<2x4x2x7xf32>) -> tensor<2x4x2x6xf32>
  %result = weft.matmul %cut, %vc : (tensor<2x4x2x6xf32>, tensor<2x4x6x3xf32>) -> tensor<2x4x2x3xf32>
  %y = weft.reshape %result : (tensor<2x4x2x3xf32>) -> tensor<2x8x3xf32>
  return %y : tensor<2x8x3xf32>
}
