// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-form-steps on slices, reshapes and transposes: steps that can read strides read through them, others get one copy, and what
// nobody asks for is not made.
// RUN: weft-opt --weft-form-steps --cse %s -o %t
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=KERNEL < %t

#x = #weft.dims<"b", "n", 96>
#part = #weft.dims<"b", "n", 32>
#split = #weft.dims<"b", "n", 4, 8>
#heads = #weft.dims<"b", 4, "n", 8>

// Of three slices, the values are copied once, as rows that lie side by side; the queries, the keys and the result stay where they are.
// CHECK-LABEL: func.func @attention(
// CHECK-SAME: %[[B:.*]]: index, %[[N:.*]]: index, %[[X:[a-z0-9]+]]: tensor<?x?x96xf32>
// CHECK-NOT: weft.step
// CHECK: %[[V:.*]] = weft.step @transpose[%{{.*}}] ins(%[[X]], %[[B]], %[[N]], %[[PITCH:.*]] : tensor<?x?x96xf32>, index, index, index)
// CHECK-NEXT: %{{.*}} = tensor.empty
// CHECK-NEXT: %[[PANELS:.*]] = weft.step @panel_key[%{{.*}}] ins(%[[X]], %[[B]], %[[N]], %[[PITCH]] :
// CHECK: %[[OUT:.*]] = tensor.empty(%[[B]], %[[N]]) {weft.dims = #weft.dims<"b", "n", 4, 8>}
// CHECK: %[[Y:.*]] = weft.step @attention_{{.*}} ins(%[[X]], %[[X]], %[[V]], %[[PANELS]], {{.*}}) outs(%[[OUT]] : tensor<?x?x4x8xf32>)
// CHECK-NEXT: return %[[Y]]
// KERNEL-LABEL: weft.kernel @transpose(
// KERNEL: memref.reinterpret_cast %{{.*}} to offset: [64], sizes: [%{{.*}}, 4, %{{.*}}, 8], strides: [%{{.*}}, 8, 96, 1]
// KERNEL-LABEL: weft.kernel @panel_key(
// KERNEL: memref.reinterpret_cast %{{.*}} to offset: [32], sizes: [%{{.*}}, 4, %{{.*}}, 8], strides: [%{{.*}}, 8, 96, 1]
// KERNEL-LABEL: weft.kernel @attention_
// KERNEL: %[[Q:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%{{.*}}, 4, %{{.*}}, 8], strides: [%{{.*}}, 8, 96, 1]
// KERNEL: %[[K:.*]] = memref.reinterpret_cast %{{.*}} to offset: [32],
// KERNEL: %[[Y:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%{{.*}}, 4, %{{.*}}, 8], strides: [%{{.*}}, 8, 32, 1]
// KERNEL: weft.attention_tile ins(%[[Q]], %[[K]], %{{.*}}) outs(%[[Y]] :
func.func @attention(%x: tensor<?x?x96xf32, #x> {weft.name = "x"}) -> (tensor<?x?x4x8xf32, #split> {weft.name = "y"}) {
  %a = weft.slice %x {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<?x?x96xf32, #x>) -> tensor<?x?x32xf32, #part>
  %b = weft.slice %x {offsets = #weft.dims<0, 0, 32>, strides = array<i64: 1, 1, 1>} : (tensor<?x?x96xf32, #x>) -> tensor<?x?x32xf32, #part>
  %c = weft.slice %x {offsets = #weft.dims<0, 0, 64>, strides = array<i64: 1, 1, 1>} : (tensor<?x?x96xf32, #x>) -> tensor<?x?x32xf32, #part>
  %as = weft.reshape %a : (tensor<?x?x32xf32, #part>) -> tensor<?x?x4x8xf32, #split>
  %bs = weft.reshape %b : (tensor<?x?x32xf32, #part>) -> tensor<?x?x4x8xf32, #split>
  %cs = weft.reshape %c : (tensor<?x?x32xf32, #part>) -> tensor<?x?x4x8xf32, #split>
  %q = weft.transpose %as {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x?x4x8xf32, #split>) -> tensor<?x4x?x8xf32, #heads>
  %k = weft.transpose %bs {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x?x4x8xf32, #split>) -> tensor<?x4x?x8xf32, #heads>
  %v = weft.transpose %cs {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x?x4x8xf32, #split>) -> tensor<?x4x?x8xf32, #heads>
  %y = weft.attention %q, %k, %v scale(0.5) empty_rows(nan) : (tensor<?x4x?x8xf32, #heads>, tensor<?x4x?x8xf32, #heads>, tensor<?x4x?x8xf32, #heads>) -> tensor<?x4x?x8xf32, #heads>
  %z = weft.transpose %y {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x4x?x8xf32, #heads>) -> tensor<?x?x4x8xf32, #split>
  return %z : tensor<?x?x4x8xf32, #split>
}

// Heads that share keys are rows of one matrix for the kernel, which strides cannot say: queries and result are copied.
// CHECK-LABEL: func.func @shared_heads(
// CHECK-SAME: %[[B:.*]]: index, %[[N:.*]]: index, %[[X:[a-z0-9]+]]: tensor<?x?x4x8xf32>
// CHECK: %[[Q:.*]] = weft.step @transpose_{{.*}} ins(%[[X]] : tensor<?x?x4x8xf32>)
// CHECK: %[[Y:.*]] = weft.step @attention_{{.*}} ins(%[[Q]], %{{.*}}) outs(%{{.*}} : tensor<?x4x?x8xf32>)
// CHECK: %[[Z:.*]] = weft.step @transpose_{{.*}} ins(%[[Y]] :
// CHECK: return %[[Z]]
func.func @shared_heads(%x: tensor<?x?x4x8xf32, #split> {weft.name = "x"}, %k: tensor<?x2x?x8xf32, #weft.dims<"b", 2, "n", 8>> {weft.name = "k"})
    -> (tensor<?x?x4x8xf32, #split> {weft.name = "y"}) {
  %q = weft.transpose %x {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x?x4x8xf32, #split>) -> tensor<?x4x?x8xf32, #heads>
  %y = weft.attention %q, %k, %k scale(0.5) empty_rows(nan) : (tensor<?x4x?x8xf32, #heads>, tensor<?x2x?x8xf32, #weft.dims<"b", 2, "n", 8>>, tensor<?x2x?x8xf32, #weft.dims<"b", 2, "n", 8>>) -> tensor<?x4x?x8xf32, #heads>
  %z = weft.transpose %y {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x4x?x8xf32, #heads>) -> tensor<?x?x4x8xf32, #split>
  return %z : tensor<?x?x4x8xf32, #split>
}

// A transpose of a slice is one copy. A transpose that moves the last dim needs whole rows, so that the slice is one more; a reshape
// that merges dims which are apart needs one, too; the unused slice is none.
// CHECK-LABEL: func.func @copies(
// CHECK-SAME: %[[B:.*]]: index, %[[N:.*]]: index, %[[X:[a-z0-9]+]]: tensor<?x?x96xf32>
// CHECK: %[[P:.*]] = weft.step @transpose_{{.*}} ins(%[[X]], %[[N]], %[[B]], %{{.*}} : tensor<?x?x96xf32>, index, index, index)
// CHECK: %[[S:.*]] = weft.step @slice{{.*}} ins(%[[X]],
// CHECK: %[[R:.*]] = weft.step @transpose_{{.*}} ins(%{{.*}} : tensor<?x?x32xf32>)
// CHECK-NOT: weft.step
// CHECK: return
func.func @copies(%x: tensor<?x?x96xf32, #x> {weft.name = "x"})
    -> (tensor<?x?x32xf32, #weft.dims<"n", "b", 32>> {weft.name = "p"}, tensor<?x32x?xf32, #weft.dims<"b", 32, "n">> {weft.name = "r"}, tensor<?x32xf32, #weft.dims<"b" * "n", 32>> {weft.name = "f"}) {
  %unused = weft.slice %x {offsets = #weft.dims<0, 0, 64>, strides = array<i64: 1, 1, 1>} : (tensor<?x?x96xf32, #x>) -> tensor<?x?x32xf32, #part>
  %a = weft.slice %x {offsets = #weft.dims<0, 0, 32>, strides = array<i64: 1, 1, 1>} : (tensor<?x?x96xf32, #x>) -> tensor<?x?x32xf32, #part>
  %p = weft.transpose %a {permutation = array<i64: 1, 0, 2>} : (tensor<?x?x32xf32, #part>) -> tensor<?x?x32xf32, #weft.dims<"n", "b", 32>>
  %r = weft.transpose %a {permutation = array<i64: 0, 2, 1>} : (tensor<?x?x32xf32, #part>) -> tensor<?x32x?xf32, #weft.dims<"b", 32, "n">>
  %f = weft.reshape %a : (tensor<?x?x32xf32, #part>) -> tensor<?x32xf32, #weft.dims<"b" * "n", 32>>
  return %p, %r, %f : tensor<?x?x32xf32, #weft.dims<"n", "b", 32>>, tensor<?x32x?xf32, #weft.dims<"b", 32, "n">>, tensor<?x32xf32, #weft.dims<"b" * "n", 32>>
}

// The relative shift of XLNet: attention reads what a product of queries and places made where it lies, each row of scores one
// element before the row of its query.
// CHECK-LABEL: func.func @relative(
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<?x4x?x?xf32>
// CHECK-NOT: weft.step
// CHECK: weft.step @panel_key
// CHECK-NOT: weft.step
// CHECK: weft.step @attention_{{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}}, %[[P]],
// CHECK-NEXT: return
// KERNEL: memref.reinterpret_cast %{{.*}} to offset: [%[[N:.*]]], sizes: [%{{.*}}, 4, %[[N]], %[[N]]], strides: [%{{.*}}, %{{.*}}, %{{.*}}, 1]
// KERNEL-NEXT: weft.attention_tile {{.*}} captures(
#q = #weft.dims<"b", 4, "n", 8>
func.func @relative(%q: tensor<?x4x?x8xf32, #q> {weft.name = "q"}, %product: tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", 2 * "n">> {weft.name = "product"})
  -> (tensor<?x4x?x8xf32, #q> {weft.name = "y"}) {
  %turned = weft.reshape %product : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", 2 * "n">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, 2 * "n", "n">>
  %cut = weft.slice %turned {offsets = #weft.dims<0, 0, 1, 0>, strides = array<i64: 1, 1, 1, 1>} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, 2 * "n", "n">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, 2 * "n" - 1, "n">>
  %back = weft.reshape %cut : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, 2 * "n" - 1, "n">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", 2 * "n" - 1>>
  %shift = weft.slice %back {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", 2 * "n" - 1>>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "n">>
  %y = weft.attention %q, %q, %q scale(0.5) empty_rows(nan) captures(%shift : tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "n">>) score {
  ^bb0(%score: f32, %b: index, %h: index, %i: index, %j: index, %bias: f32):
    %sum = arith.addf %score, %bias : f32
    %yes = arith.constant true
    weft.yield %sum, %yes : f32, i1
  } : (tensor<?x4x?x8xf32, #q>, tensor<?x4x?x8xf32, #q>, tensor<?x4x?x8xf32, #q>) -> tensor<?x4x?x8xf32, #q>
  return %y : tensor<?x4x?x8xf32, #q>
}
