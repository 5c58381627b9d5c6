// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: weft-opt %s -split-input-file -weft-find-key-blocks | FileCheck %s

!x = tensor<?x2x96x8xf32, #weft.dims<"b", 2, 96, 8>>
!blocked = tensor<?x2x6x16x8xf32, #weft.dims<"b", 2, 6, 16, 8>>
!two = tensor<?x2x2x16x8xf32, #weft.dims<"b", 2, 2, 16, 8>>
!parts = tensor<?x2x2x48x8xf32, #weft.dims<"b", 2, 2, 48, 8>>
!copies = tensor<?x4x48x8xf32, #weft.dims<"b", 4, 48, 8>>
!q = tensor<?x4x16x8xf32, #weft.dims<"b", 4, 16, 8>>

// Each block of queries, a head of its own, has its own block, the one behind it, and one by a table.
// CHECK-LABEL: @blocks
// CHECK-SAME: %[[Q:[a-z0-9]+]]: {{[^%]*}}, %[[K:[a-z0-9]+]]: {{[^%]*}}, %[[V:[a-z0-9]+]]:
// CHECK-NOT: weft.gather_elements
// CHECK-NOT: weft.concat
// CHECK: weft.attention %[[Q]], %[[K]], %[[V]] scale(1.000000e+00) empty_rows(nan) {block_size = 16 : i64, blocks = dense<{{\[\[16, 32, 80\], \[32, 48, 0\], \[16, 32, 64\], \[32, 48, 64\]\]}}> : tensor<4x3xi64>}
func.func @blocks(%q: !q, %k: !x, %v: !x) -> !q {
  %table = weft.constant dense<[[[[[5]], [[0]]], [[[4]], [[-2]]]]]> : tensor<1x2x2x1x1xi64>
  %chosen = weft.expand %table : (tensor<1x2x2x1x1xi64>) -> tensor<?x2x2x16x8xi64, #weft.dims<"b", 2, 2, 16, 8>>
  %kb = weft.reshape %k : (!x) -> !blocked
  %k0 = weft.slice %kb {offsets = #weft.dims<0, 0, 1, 0, 0>, strides = array<i64: 1, 1, 1, 1, 1>} : (!blocked) -> !two
  %k1 = weft.slice %kb {offsets = #weft.dims<0, 0, 2, 0, 0>, strides = array<i64: 1, 1, 1, 1, 1>} : (!blocked) -> !two
  %k2 = weft.gather_elements %kb, %chosen {axis = 2 : i64} : (!blocked, tensor<?x2x2x16x8xi64, #weft.dims<"b", 2, 2, 16, 8>>) -> !two
  %kp = weft.concat %k0, %k1, %k2 {axis = 3 : i64} : (!two, !two, !two) -> !parts
  %kc = weft.reshape %kp : (!parts) -> !copies
  %vb = weft.reshape %v : (!x) -> !blocked
  %v0 = weft.slice %vb {offsets = #weft.dims<0, 0, 1, 0, 0>, strides = array<i64: 1, 1, 1, 1, 1>} : (!blocked) -> !two
  %v1 = weft.slice %vb {offsets = #weft.dims<0, 0, 2, 0, 0>, strides = array<i64: 1, 1, 1, 1, 1>} : (!blocked) -> !two
  %v2 = weft.gather_elements %vb, %chosen {axis = 2 : i64} : (!blocked, tensor<?x2x2x16x8xi64, #weft.dims<"b", 2, 2, 16, 8>>) -> !two
  %vp = weft.concat %v0, %v1, %v2 {axis = 3 : i64} : (!two, !two, !two) -> !parts
  %vc = weft.reshape %vp : (!parts) -> !copies
  %y = weft.attention %q, %kc, %vc scale(1.0) empty_rows(nan) : (!q, !copies, !copies) -> !q
  return %y : !q
}

// -----

!x = tensor<2x64x4x8xf32>
!q = tensor<2x4x16x8xf32>
!copies = tensor<2x64x4x8xf32>
!heads = tensor<2x4x64x8xf32>

// Positions before heads; a table of rows for all; blocks as large as they can be.
// CHECK-LABEL: @rows
// CHECK-SAME: %[[Q:[a-z0-9]+]]: {{[^%]*}}, %[[K:[a-z0-9]+]]: {{[^%]*}}, %[[V:[a-z0-9]+]]:
// CHECK: %[[KH:.*]] = weft.transpose %[[K]] {permutation = array<i64: 0, 2, 1, 3>}
// CHECK: %[[VH:.*]] = weft.transpose %[[V]] {permutation = array<i64: 0, 2, 1, 3>}
// CHECK: weft.attention %[[Q]], %[[KH]], %[[VH]] {{.*}} {block_size = 32 : i64, blocks = dense<[{{\[8, 30\], \[8, 30\], \[8, 30\], \[8, 30\]}}]> : tensor<4x2xi64>}
func.func @rows(%q: !q, %k: !x, %v: !x) -> !q {
  %index = weft.constant dense<[8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39,
    30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61]> : tensor<64xi64>
  %kc = weft.gather %k, %index {axis = 1 : i64} : (!x, tensor<64xi64>) -> !copies
  %kh = weft.transpose %kc {permutation = array<i64: 0, 2, 1, 3>} : (!copies) -> !heads
  %vc = weft.gather %v, %index {axis = 1 : i64} : (!x, tensor<64xi64>) -> !copies
  %vh = weft.transpose %vc {permutation = array<i64: 0, 2, 1, 3>} : (!copies) -> !heads
  %y = weft.attention %q, %kh, %vh scale(1.0) empty_rows(nan) : (!q, !heads, !heads) -> !q
  return %y : !q
}

// -----

!x = tensor<2x4x64x8xf32>
!q = tensor<2x4x16x8xf32>
!half = tensor<2x4x32x8xf32>

// Values in another order than keys.
// CHECK-LABEL: @other_values
// CHECK: weft.concat
// CHECK-NOT: blocks
func.func @other_values(%q: !q, %k: !x, %v: !x) -> !q {
  %k0 = weft.slice %k {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (!x) -> !half
  %k1 = weft.slice %k {offsets = #weft.dims<0, 0, 32, 0>, strides = array<i64: 1, 1, 1, 1>} : (!x) -> !half
  %kc = weft.concat %k1, %k0 {axis = 2 : i64} : (!half, !half) -> !x
  %v0 = weft.slice %v {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (!x) -> !half
  %v1 = weft.slice %v {offsets = #weft.dims<0, 0, 31, 0>, strides = array<i64: 1, 1, 1, 1>} : (!x) -> !half
  %vc = weft.concat %v1, %v0 {axis = 2 : i64} : (!half, !half) -> !x
  %y = weft.attention %q, %kc, %vc scale(1.0) empty_rows(nan) : (!q, !x, !x) -> !q
  return %y : !q
}

// -----

!x = tensor<2x4x64x8xf32>
!q = tensor<2x4x16x8xf32>
!half = tensor<2x4x32x8xf32>

// Heads that change places.
// CHECK-LABEL: @other_heads
// CHECK: weft.concat
// CHECK-NOT: blocks
func.func @other_heads(%q: !q, %k: !x, %v: !x) -> !q {
  %order = weft.constant dense<[1, 0, 2, 3]> : tensor<4xi64>
  %k0 = weft.slice %k {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (!x) -> !half
  %k1 = weft.slice %k {offsets = #weft.dims<0, 0, 32, 0>, strides = array<i64: 1, 1, 1, 1>} : (!x) -> !half
  %kc = weft.concat %k1, %k0 {axis = 2 : i64} : (!half, !half) -> !x
  %v0 = weft.slice %v {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (!x) -> !half
  %v1 = weft.slice %v {offsets = #weft.dims<0, 0, 32, 0>, strides = array<i64: 1, 1, 1, 1>} : (!x) -> !half
  %vc = weft.concat %v1, %v0 {axis = 2 : i64} : (!half, !half) -> !x
  %kt = weft.gather %kc, %order {axis = 1 : i64} : (!x, tensor<4xi64>) -> !x
  %vt = weft.gather %vc, %order {axis = 1 : i64} : (!x, tensor<4xi64>) -> !x
  %y = weft.attention %q, %kt, %vt scale(1.0) empty_rows(nan) : (!q, !x, !x) -> !q
  return %y : !q
}

// -----

!x = tensor<2x4x64x8xf32>
!q = tensor<2x4x16x8xf32>
!part = tensor<2x4x8x8xf32>
!copies = tensor<2x4x16x8xf32>

// Blocks of 8 rows are copied.
// CHECK-LABEL: @small
// CHECK: weft.concat
// CHECK-NOT: blocks
func.func @small(%q: !q, %x: !x) -> !q {
  %0 = weft.slice %x {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (!x) -> !part
  %1 = weft.slice %x {offsets = #weft.dims<0, 0, 40, 0>, strides = array<i64: 1, 1, 1, 1>} : (!x) -> !part
  %c = weft.concat %1, %0 {axis = 2 : i64} : (!part, !part) -> !copies
  %y = weft.attention %q, %c, %c scale(1.0) empty_rows(nan) : (!q, !copies, !copies) -> !q
  return %y : !q
}

// -----

!x = tensor<?x64x8xf32, #weft.dims<"b", 64, 8>>
!q = tensor<?x1x16x8xf32, #weft.dims<"b", 1, 16, 8>>
!half = tensor<?x1x32x8xf32, #weft.dims<"b", 1, 32, 8>>
!whole = tensor<?x1x64x8xf32, #weft.dims<"b", 1, 64, 8>>

// A table of batches, here the first one for all, moves along what only a run knows.
// CHECK-LABEL: @batches
// CHECK: weft.concat
// CHECK-NOT: blocks
func.func @batches(%q: !q, %x: !x) -> !q {
  %zero = weft.constant dense<0> : tensor<1xi64>
  %turn = weft.expand %zero : (tensor<1xi64>) -> tensor<?xi64, #weft.dims<"b">>
  %t = weft.gather %x, %turn {axis = 0 : i64} : (!x, tensor<?xi64, #weft.dims<"b">>) -> !x
  %xh = weft.reshape %x : (!x) -> !whole
  %th = weft.reshape %t : (!x) -> !whole
  %0 = weft.slice %xh {offsets = #weft.dims<0, 0, 32, 0>, strides = array<i64: 1, 1, 1, 1>} : (!whole) -> !half
  %1 = weft.slice %th {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (!whole) -> !half
  %c = weft.concat %0, %1 {axis = 2 : i64} : (!half, !half) -> !whole
  %y = weft.attention %q, %c, %c scale(1.0) empty_rows(nan) : (!q, !whole, !whole) -> !q
  return %y : !q
}

// -----

!x = tensor<1x2x64x8xf32>
!blocked = tensor<1x2x4x16x8xf32>
!copies = tensor<1x2x3x2x16x8xf32>
!heads = tensor<2x3x32x8xf32>
!q = tensor<2x3x16x8xf32>

// Heads of a batch of one may be the first dim, and blocks of queries heads.
// CHECK-LABEL: @heads_first
// CHECK-SAME: %[[Q:[a-z0-9]+]]: {{[^%]*}}, %[[X:[a-z0-9]+]]:
// CHECK-DAG: %[[K:.*]] = weft.reshape %[[X]] : {{.*}} -> tensor<2x1x64x8xf32>
// CHECK-DAG: %[[V:.*]] = weft.reshape %[[X]] : {{.*}} -> tensor<2x1x64x8xf32>
// CHECK: weft.attention %[[Q]], %[[K]], %[[V]] {{.*}} {block_size = 16 : i64, blocks = dense<{{\[\[0, 32\], \[16, 16\], \[48, 0\]\]}}> : tensor<3x2xi64>}
func.func @heads_first(%q: !q, %x: !x) -> !q {
  %table = weft.constant dense<[[0, 2], [1, 1], [3, 0]]> : tensor<3x2xi64>
  %b = weft.reshape %x : (!x) -> !blocked
  %c = weft.gather %b, %table {axis = 2 : i64} : (!blocked, tensor<3x2xi64>) -> !copies
  %h = weft.reshape %c : (!copies) -> !heads
  %y = weft.attention %q, %h, %h scale(1.0) empty_rows(nan) : (!q, !heads, !heads) -> !q
  return %y : !q
}
