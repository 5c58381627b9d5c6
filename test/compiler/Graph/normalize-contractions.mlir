// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: weft-opt %s -weft-normalize-contractions | FileCheck %s

!x = tensor<?x?x8xf32, #weft.dims<"b", "l", 8>>
!c = tensor<?x8x?xf32, #weft.dims<"b", 8, "l">>

// A feed-forward block written with convolutions of width 1 is matmuls on [b, l, d]: no activation moves.
// CHECK-LABEL: @feed_forward
// CHECK-SAME: %[[X:.*]]: tensor<?x?x8xf32, {{.*}}>, %[[F:.*]]: tensor<16x8x1xf32>, %[[B:.*]]: tensor<16xf32>, %[[G:.*]]: tensor<8x16x1xf32>
// CHECK-NEXT: %[[F2:.*]] = weft.reshape %[[F]] : (tensor<16x8x1xf32>) -> tensor<16x8xf32>
// CHECK-NEXT: %[[FT:.*]] = weft.transpose %[[F2]] {permutation = array<i64: 1, 0>}
// CHECK-NEXT: %[[Y:.*]] = weft.matmul %[[X]], %[[FT]]
// CHECK-NEXT: %[[A:.*]] = weft.add %[[Y]], %[[B]]
// CHECK-NEXT: %[[R:.*]] = weft.relu %[[A]]
// CHECK-NEXT: %[[G2:.*]] = weft.reshape %[[G]]
// CHECK-NEXT: %[[GT:.*]] = weft.transpose %[[G2]] {permutation = array<i64: 1, 0>}
// CHECK-NEXT: %[[Z:.*]] = weft.matmul %[[R]], %[[GT]]
// CHECK-NEXT: return %[[Z]] : tensor<?x?x8xf32, #weft.dims<"b", "l", 8>>
func.func @feed_forward(%x: !x, %f: tensor<16x8x1xf32>, %b: tensor<16xf32>, %g: tensor<8x16x1xf32>) -> !x {
  %t = weft.transpose %x {permutation = array<i64: 0, 2, 1>} : (!x) -> !c
  %y = weft.conv %t, %f, %b {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
    : (!c, tensor<16x8x1xf32>, tensor<16xf32>) -> tensor<?x16x?xf32, #weft.dims<"b", 16, "l">>
  %r = weft.relu %y : (tensor<?x16x?xf32, #weft.dims<"b", 16, "l">>) -> tensor<?x16x?xf32, #weft.dims<"b", 16, "l">>
  %z = weft.conv %r, %g {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
    : (tensor<?x16x?xf32, #weft.dims<"b", 16, "l">>, tensor<8x16x1xf32>) -> !c
  %u = weft.transpose %z {permutation = array<i64: 0, 2, 1>} : (!c) -> !x
  return %u : !x
}

// Two spatial dims.
// CHECK-LABEL: @conv_2d
// CHECK: weft.transpose %arg0 {permutation = array<i64: 0, 2, 3, 1>}
// CHECK: weft.matmul {{.*}} -> tensor<1x5x6x4xf32>
// CHECK: weft.transpose {{.*}} {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x5x6x4xf32>) -> tensor<1x4x5x6xf32>
func.func @conv_2d(%x: tensor<1x3x5x6xf32>, %f: tensor<4x3x1x1xf32>) -> tensor<1x4x5x6xf32> {
  %y = weft.conv %x, %f {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : (tensor<1x3x5x6xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x5x6xf32>
  return %y : tensor<1x4x5x6xf32>
}

// A kernel looks at windows side by side, of padded rows of channels; the bias stays next to the product.
// CHECK-LABEL: @conv_windows
// CHECK-SAME: %[[X:.*]]: tensor<?x8x?xf32, {{.*}}>, %[[F:.*]]: tensor<16x8x3xf32>, %[[B:.*]]: tensor<16xf32>
// CHECK-NEXT: %[[L:.*]] = weft.transpose %[[X]] {permutation = array<i64: 0, 2, 1>}
// CHECK-NEXT: %[[Z:.*]] = weft.pad constant %[[L]] {after = #weft.dims<0, 1, 0>, before = #weft.dims<0, 1, 0>}
// CHECK-NEXT: %[[W:.*]] = weft.windows %[[Z]] {dilations = array<i64: 1>, kernel = array<i64: 3>, strides = array<i64: 2>} : {{.*}} -> tensor<?x?x3x8xf32, #weft.dims<"b", floordiv("l" + 1, 2), 3, 8>>
// CHECK-NEXT: %[[M:.*]] = weft.reshape %[[W]] : {{.*}} -> tensor<?x?x24xf32, #weft.dims<"b", floordiv("l" + 1, 2), 24>>
// CHECK-NEXT: %[[FL:.*]] = weft.transpose %[[F]] {permutation = array<i64: 0, 2, 1>}
// CHECK-NEXT: %[[F2:.*]] = weft.reshape %[[FL]] : (tensor<16x3x8xf32>) -> tensor<16x24xf32>
// CHECK-NEXT: %[[FT:.*]] = weft.transpose %[[F2]] {permutation = array<i64: 1, 0>}
// CHECK-NEXT: %[[P:.*]] = weft.matmul %[[M]], %[[FT]]
// CHECK-NEXT: %[[A:.*]] = weft.add %[[P]], %[[B]]
// CHECK-NEXT: %[[T:.*]] = weft.transpose %[[A]] {permutation = array<i64: 0, 2, 1>}
// CHECK-NEXT: return %[[T]]
func.func @conv_windows(%x: !c, %f: tensor<16x8x3xf32>, %b: tensor<16xf32>) -> tensor<?x16x?xf32, #weft.dims<"b", 16, floordiv("l" + 1, 2)>> {
  %y = weft.conv %x, %f, %b {strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64}
    : (!c, tensor<16x8x3xf32>, tensor<16xf32>) -> tensor<?x16x?xf32, #weft.dims<"b", 16, floordiv("l" + 1, 2)>>
  return %y : tensor<?x16x?xf32, #weft.dims<"b", 16, floordiv("l" + 1, 2)>>
}

// Windows that cover the input without meeting are no copies.
// CHECK-LABEL: @conv_tiles
// CHECK-NOT: weft.windows
// CHECK: %[[S:.*]] = weft.reshape %arg0 : {{.*}} -> tensor<?x3x2x4x?x4xf32, #weft.dims<"b", 3, 2, 4, "w", 4>>
// CHECK: %[[T:.*]] = weft.transpose %[[S]] {permutation = array<i64: 0, 2, 4, 1, 3, 5>}
// CHECK: %[[M:.*]] = weft.reshape %[[T]] : {{.*}} -> tensor<?x2x?x48xf32, #weft.dims<"b", 2, "w", 48>>
// CHECK: weft.matmul %[[M]]
func.func @conv_tiles(%x: tensor<?x3x8x?xf32, #weft.dims<"b", 3, 8, 4 * "w">>, %f: tensor<5x3x4x4xf32>) -> tensor<?x5x2x?xf32, #weft.dims<"b", 5, 2, "w">> {
  %y = weft.conv %x, %f {strides = array<i64: 4, 4>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : (tensor<?x3x8x?xf32, #weft.dims<"b", 3, 8, 4 * "w">>, tensor<5x3x4x4xf32>) -> tensor<?x5x2x?xf32, #weft.dims<"b", 5, 2, "w">>
  return %y : tensor<?x5x2x?xf32, #weft.dims<"b", 5, 2, "w">>
}

// The same of many channels, which stay side by side.
// CHECK-LABEL: @conv_tiles_of_channels
// CHECK: %[[S:.*]] = weft.reshape %arg0 : {{.*}} -> tensor<1x16x2x2x3x2xf32>
// CHECK: %[[T:.*]] = weft.transpose %[[S]] {permutation = array<i64: 0, 2, 4, 3, 5, 1>}
// CHECK: weft.transpose %arg1 {permutation = array<i64: 0, 2, 3, 1>}
// CHECK: weft.matmul
func.func @conv_tiles_of_channels(%x: tensor<1x16x4x6xf32>, %f: tensor<5x16x2x2xf32>) -> tensor<1x5x2x3xf32> {
  %y = weft.conv %x, %f {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : (tensor<1x16x4x6xf32>, tensor<5x16x2x2xf32>) -> tensor<1x5x2x3xf32>
  return %y : tensor<1x5x2x3xf32>
}

// Channels that do not meet.
// CHECK-LABEL: @conv_depthwise
// CHECK: %[[L:.*]] = weft.transpose %arg0 {permutation = array<i64: 0, 2, 1>}
// CHECK: %[[Z:.*]] = weft.pad constant %[[L]] {after = #weft.dims<0, 0, 0>, before = #weft.dims<0, 4, 0>}
// CHECK: %[[F:.*]] = weft.reshape {{.*}} -> tensor<3x8xf32>
// CHECK: %[[Y:.*]] = weft.depthwise_conv %[[Z]], %[[F]] {dilations = array<i64: 2>, strides = array<i64: 1>}
// CHECK: weft.add %[[Y]], %arg2
func.func @conv_depthwise(%x: !c, %f: tensor<8x1x3xf32>, %b: tensor<8xf32>) -> !c {
  %y = weft.conv %x, %f, %b {strides = array<i64: 1>, pads = array<i64: 4, 0>, dilations = array<i64: 2>, groups = 8 : i64}
    : (!c, tensor<8x1x3xf32>, tensor<8xf32>) -> !c
  return %y : !c
}

// Groups are batches of the product; their channels come first before windows are made of them.
// CHECK-LABEL: @conv_groups
// CHECK: %[[G:.*]] = weft.transpose {{.*}} {permutation = array<i64: 1, 0, 3, 2>} : {{.*}} -> tensor<2x?x?x4xf32, #weft.dims<2, "b", "l", 4>>
// CHECK: %[[I:.*]] = weft.reshape %[[G]] : {{.*}} -> tensor<?x?x4xf32, #weft.dims<2 * "b", "l", 4>>
// CHECK: weft.windows %[[I]]
// CHECK: weft.matmul {{.*}} -> tensor<2x?x3xf32, #weft.dims<2, "b" * "l" - 2 * "b", 3>>
// CHECK: weft.reshape %arg2 : (tensor<6xf32>) -> tensor<2x1x3xf32>
// CHECK-NEXT: weft.add
func.func @conv_groups(%x: !c, %f: tensor<6x4x3xf32>, %b: tensor<6xf32>) -> tensor<?x6x?xf32, #weft.dims<"b", 6, "l" - 2>> {
  %y = weft.conv %x, %f, %b {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 2 : i64}
    : (!c, tensor<6x4x3xf32>, tensor<6xf32>) -> tensor<?x6x?xf32, #weft.dims<"b", 6, "l" - 2>>
  return %y : tensor<?x6x?xf32, #weft.dims<"b", 6, "l" - 2>>
}

// Windows of a kernel whose size only a run knows are gathered.
// CHECK-LABEL: @conv_of_unknown_kernel
// CHECK: weft.transpose %arg0 {permutation = array<i64: 0, 2, 1>}
// CHECK: weft.range {first = #weft.dim<0>, step = 1 : i64} : () -> tensor<?xi64, #weft.dims<-"k" + "l" + 1>>
// CHECK: weft.range {first = #weft.dim<0>, step = 1 : i64} : () -> tensor<?xi64, #weft.dims<"k">>
// CHECK: weft.gather {{.*}} -> tensor<?x?x?x8xf32, #weft.dims<"b", -"k" + "l" + 1, "k", 8>>
// CHECK: weft.matmul
func.func @conv_of_unknown_kernel(%x: !c, %f: tensor<6x8x?xf32, #weft.dims<6, 8, "k">>) -> tensor<?x6x?xf32, #weft.dims<"b", 6, "l" - "k" + 1>>
    attributes {weft.guards = [#weft.guard<less_equal, 0, "l" - "k", "the kernel fits">]} {
  %y = weft.conv %x, %f {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
    : (!c, tensor<6x8x?xf32, #weft.dims<6, 8, "k">>) -> tensor<?x6x?xf32, #weft.dims<"b", 6, "l" - "k" + 1>>
  return %y : tensor<?x6x?xf32, #weft.dims<"b", 6, "l" - "k" + 1>>
}

!q = tensor<?x?x4x8xf32, #weft.dims<"b", "i", 4, 8>>
!k = tensor<?x?x4x8xf32, #weft.dims<"b", "j", 4, 8>>

// Attention's products are one matmul each, with what is first in the result as rows.
// CHECK-LABEL: @einsum_attention
// CHECK: %[[Q:.*]] = weft.transpose %arg0 {permutation = array<i64: 0, 2, 1, 3>}
// CHECK: %[[K:.*]] = weft.transpose %arg1 {permutation = array<i64: 0, 2, 3, 1>}
// CHECK: %[[S:.*]] = weft.matmul %[[Q]], %[[K]] : {{.*}} -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "i", "j">>
// CHECK: %[[V:.*]] = weft.transpose %arg1 {permutation = array<i64: 0, 2, 1, 3>}
// CHECK: %[[Y:.*]] = weft.matmul %[[S]], %[[V]]
// CHECK: weft.transpose %[[Y]] {permutation = array<i64: 0, 2, 1, 3>}
func.func @einsum_attention(%q: !q, %k: !k) -> !q {
  %s = weft.einsum "bihd,bjhd->bhij" %q, %k : (!q, !k) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "i", "j">>
  %y = weft.einsum "bhij,bjhd->bihd" %s, %k : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "i", "j">>, !k) -> !q
  return %y : !q
}

// A projection by a weight of three dims, and one whose weight comes first: the weight is the right-hand side.
// CHECK-LABEL: @einsum_projections
// CHECK: %[[X:.*]] = weft.reshape %arg0 : {{.*}} -> tensor<?x32xf32, {{.*}}>
// CHECK: %[[W:.*]] = weft.reshape %arg1 : (tensor<4x8x6xf32>) -> tensor<32x6xf32>
// CHECK: weft.matmul %[[X]], %[[W]]
// CHECK: weft.matmul %{{.*}}, %{{.*}} : {{.*}}, tensor<32x6xf32>)
func.func @einsum_projections(%q: !q, %w: tensor<4x8x6xf32>, %v: tensor<6x32xf32>, %c: tensor<?x32x?xf32, #weft.dims<"b", 32, "l">>)
    -> (tensor<?x?x6xf32, #weft.dims<"b", "i", 6>>, tensor<?x6x?xf32, #weft.dims<"b", 6, "l">>) {
  %a = weft.einsum "bihd,hdo->bio" %q, %w : (!q, tensor<4x8x6xf32>) -> tensor<?x?x6xf32, #weft.dims<"b", "i", 6>>
  %b = weft.einsum "oc,bcl->bol" %v, %c : (tensor<6x32xf32>, tensor<?x32x?xf32, #weft.dims<"b", 32, "l">>) -> tensor<?x6x?xf32, #weft.dims<"b", 6, "l">>
  return %a, %b : tensor<?x?x6xf32, #weft.dims<"b", "i", 6>>, tensor<?x6x?xf32, #weft.dims<"b", 6, "l">>
}

// Nothing summed is a product of elements; integers have no matmul kernel; a diagonal is a column of what is padded.
// CHECK-LABEL: @einsum_without_matmul
// CHECK-NOT: weft.matmul
// CHECK: weft.mul {{.*}} -> tensor<?x?xf32, #weft.dims<"i", "j">>
// CHECK: %[[M:.*]] = weft.mul {{.*}} -> tensor<?x?x?xi32, #weft.dims<"i", "k", "j">>
// CHECK: weft.reduce sum %[[M]] {axes = array<i64: 2>}
// CHECK: %[[P:.*]] = weft.pad constant {{.*}} -> tensor<?xf32, #weft.dims<"i" * "i" + "i">>
// CHECK: %[[R:.*]] = weft.reshape %[[P]] : {{.*}} -> tensor<?x?xf32, #weft.dims<"i", "i" + 1>>
// CHECK: weft.slice %[[R]]
func.func @einsum_without_matmul(%x: tensor<?xf32, #weft.dims<"i">>, %y: tensor<?xf32, #weft.dims<"j">>, %s: tensor<?x?xf32, #weft.dims<"i", "i">>,
                                 %a: tensor<?x?xi32, #weft.dims<"i", "j">>, %b: tensor<?x?xi32, #weft.dims<"j", "k">>)
    -> (tensor<?x?xf32, #weft.dims<"i", "j">>, tensor<?x?xi32, #weft.dims<"i", "k">>, tensor<?xf32, #weft.dims<"i">>) {
  %o = weft.einsum "i,j->ij" %x, %y : (tensor<?xf32, #weft.dims<"i">>, tensor<?xf32, #weft.dims<"j">>) -> tensor<?x?xf32, #weft.dims<"i", "j">>
  %p = weft.einsum "ij,jk->ik" %a, %b : (tensor<?x?xi32, #weft.dims<"i", "j">>, tensor<?x?xi32, #weft.dims<"j", "k">>) -> tensor<?x?xi32, #weft.dims<"i", "k">>
  %d = weft.einsum "ii->i" %s : (tensor<?x?xf32, #weft.dims<"i", "i">>) -> tensor<?xf32, #weft.dims<"i">>
  return %o, %p, %d : tensor<?x?xf32, #weft.dims<"i", "j">>, tensor<?x?xi32, #weft.dims<"i", "k">>, tensor<?xf32, #weft.dims<"i">>
}

// CHECK-LABEL: @vectors
// CHECK: %[[ROW:.*]] = weft.reshape %arg0 : (tensor<8xf32>) -> tensor<1x8xf32>
// CHECK: %[[P:.*]] = weft.matmul %[[ROW]], %arg1 : {{.*}} -> tensor<?x1x4xf32, #weft.dims<"n", 1, 4>>
// CHECK: weft.reshape %[[P]] : {{.*}} -> tensor<?x4xf32, #weft.dims<"n", 4>>
// CHECK: %[[COLUMN:.*]] = weft.reshape %arg2 : (tensor<4xf32>) -> tensor<4x1xf32>
// CHECK: %[[Q:.*]] = weft.matmul %arg1, %[[COLUMN]] : {{.*}} -> tensor<?x8x1xf32, #weft.dims<"n", 8, 1>>
// CHECK: weft.reshape %[[Q]] : {{.*}} -> tensor<?x8xf32, #weft.dims<"n", 8>>
// CHECK: %[[D:.*]] = weft.matmul {{.*}} -> tensor<1x1xf32>
// CHECK: weft.reshape %[[D]] : (tensor<1x1xf32>) -> tensor<f32>
func.func @vectors(%v: tensor<8xf32>, %m: tensor<?x8x4xf32, #weft.dims<"n", 8, 4>>, %w: tensor<4xf32>)
    -> (tensor<?x4xf32, #weft.dims<"n", 4>>, tensor<?x8xf32, #weft.dims<"n", 8>>, tensor<f32>) {
  %a = weft.matmul %v, %m : (tensor<8xf32>, tensor<?x8x4xf32, #weft.dims<"n", 8, 4>>) -> tensor<?x4xf32, #weft.dims<"n", 4>>
  %b = weft.matmul %m, %w : (tensor<?x8x4xf32, #weft.dims<"n", 8, 4>>, tensor<4xf32>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
  %c = weft.matmul %v, %v : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  return %a, %b, %c : tensor<?x4xf32, #weft.dims<"n", 4>>, tensor<?x8xf32, #weft.dims<"n", 8>>, tensor<f32>
}

// CHECK-LABEL: @reductions
// CHECK: %[[T:.*]] = weft.transpose %arg0 {permutation = array<i64: 1, 0, 2>}
// CHECK: %[[S:.*]] = weft.reduce sum %[[T]] {axes = array<i64: 1, 2>} : ({{.*}}) -> tensor<?xf32, #weft.dims<"l">>
// CHECK: weft.reshape %[[S]] : ({{.*}}) -> tensor<1x?x1xf32, #weft.dims<1, "l", 1>>
// CHECK: weft.reduce max %arg0 {axes = array<i64: 1, 2>}
// CHECK: return {{.*}}, %arg0 :
func.func @reductions(%x: !x) -> (tensor<1x?x1xf32, #weft.dims<1, "l", 1>>, tensor<?xf32, #weft.dims<"b">>, !x) {
  %a = weft.reduce sum %x {axes = array<i64: 0, 2>, keepdims} : (!x) -> tensor<1x?x1xf32, #weft.dims<1, "l", 1>>
  %b = weft.reduce max %x {axes = array<i64: 1, 2>} : (!x) -> tensor<?xf32, #weft.dims<"b">>
  %c = weft.reduce mean %x {axes = array<i64>} : (!x) -> !x
  return %a, %b, %c : tensor<1x?x1xf32, #weft.dims<1, "l", 1>>, tensor<?xf32, #weft.dims<"b">>, !x
}

// CHECK-LABEL: @softmaxes
// CHECK: %[[T:.*]] = weft.transpose %arg0 {permutation = array<i64: 2, 1, 0>}
// CHECK: %[[S:.*]] = weft.softmax %[[T]] {axis = 2 : i64}
// CHECK: weft.transpose %[[S]] {permutation = array<i64: 2, 1, 0>}
// CHECK: weft.log_softmax {{.*}} {axis = 2 : i64}
// CHECK: weft.softmax %arg0 {axis = 2 : i64}
func.func @softmaxes(%x: !x) -> (!x, !x, !x) {
  %a = weft.softmax %x {axis = 0 : i64} : (!x) -> !x
  %b = weft.log_softmax %x {axis = 1 : i64} : (!x) -> !x
  %c = weft.softmax %x {axis = 2 : i64} : (!x) -> !x
  return %a, %b, %c : !x, !x, !x
}

// Element-wise operations move in front of transposes, alone, with numbers, and with the same transposition.
// CHECK-LABEL: @sink
// CHECK-SAME: %[[X:.*]]: {{.*}}, %[[Y:.*]]: tensor<?x?x8xf32, #weft.dims<"b", "l", 8>>)
// CHECK: %[[S:.*]] = weft.add %[[X]], %[[Y]]
// CHECK: %[[M:.*]] = weft.mul %[[S]], %{{.*}} : ({{.*}}, tensor<f32>)
// CHECK: %[[G:.*]] = weft.compare gt %[[M]], %{{.*}} -> tensor<?x?x8xi1, #weft.dims<"b", "l", 8>>
// CHECK: %[[T:.*]] = weft.transpose %[[G]] {permutation = array<i64: 0, 2, 1>} : ({{.*}}) -> tensor<?x8x?xi1, #weft.dims<"b", 8, "l">>
// CHECK: return %[[T]]
func.func @sink(%x: !x, %y: !x) -> tensor<?x8x?xi1, #weft.dims<"b", 8, "l">> {
  %two = weft.constant dense<2.0> : tensor<8x1xf32>
  %a = weft.transpose %x {permutation = array<i64: 0, 2, 1>} : (!x) -> !c
  %b = weft.transpose %y {permutation = array<i64: 0, 2, 1>} : (!x) -> !c
  %s = weft.add %a, %b : (!c, !c) -> !c
  %m = weft.mul %s, %two : (!c, tensor<8x1xf32>) -> !c
  %g = weft.compare gt %m, %two : (!c, tensor<8x1xf32>) -> tensor<?x8x?xi1, #weft.dims<"b", 8, "l">>
  return %g : tensor<?x8x?xi1, #weft.dims<"b", 8, "l">>
}

// A permutation that is not its own inverse.
// CHECK-LABEL: @sink_rotation
// CHECK: %[[R:.*]] = weft.relu %arg0 : ({{.*}}) -> tensor<2x3x4xf32>
// CHECK: weft.transpose %[[R]] {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
func.func @sink_rotation(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  %t = weft.transpose %x {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %r = weft.relu %t : (tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  return %r : tensor<3x4x2xf32>
}

// Declined: another operand in its own layout; a number that enlarges the result; a transpose that others read too.
// CHECK-LABEL: @do_not_sink
// CHECK: %[[A:.*]] = weft.transpose %arg0
// CHECK: weft.add %[[A]], %arg1
// CHECK: %[[B:.*]] = weft.transpose %arg2
// CHECK: weft.add %[[B]]
// CHECK: %[[C:.*]] = weft.transpose %arg3
// CHECK: %[[R:.*]] = weft.relu %[[C]]
// CHECK: return {{.*}} %[[C]], %[[R]]
func.func @do_not_sink(%x: !x, %y: !c, %z: tensor<1x4xf32>, %w: tensor<2x4xf32>)
    -> (!c, tensor<4x3xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %a = weft.transpose %x {permutation = array<i64: 0, 2, 1>} : (!x) -> !c
  %s = weft.add %a, %y : (!c, !c) -> !c
  %two = weft.constant dense<2.0> : tensor<3xf32>
  %b = weft.transpose %z {permutation = array<i64: 1, 0>} : (tensor<1x4xf32>) -> tensor<4x1xf32>
  %m = weft.add %b, %two : (tensor<4x1xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %c = weft.transpose %w {permutation = array<i64: 1, 0>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %r = weft.relu %c : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %s, %m, %c, %r : !c, tensor<4x3xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}
