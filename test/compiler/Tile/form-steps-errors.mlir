// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What has no kernel is reported all at once, by node, and so is what is not in the graph level's form.
// RUN: not weft-opt --weft-form-steps %s 2>&1 | FileCheck %s
#mn = #weft.dims<"m", "n">
func.func @main(%x: tensor<?x?xf64, #weft.dims<"m", "n">> {weft.name = "x"},
                %row: tensor<?xf64, #weft.dims<"n">> {weft.name = "row"},
                %shape: tensor<2xi64> {weft.name = "shape"},
                %q: tensor<2x4x5x8xf32> {weft.name = "q"}, %u: tensor<5x5xui8> {weft.name = "u"})
  -> (tensor<?x?xf64, #mn> {weft.name = "y"}) {
  // CHECK: node "/Softmax_1" (weft.softmax): is not in the form of the graph level; expects the last axis
  %3 = weft.softmax %x {axis = 0 : i64} : (tensor<?x?xf64, #mn>) -> tensor<?x?xf64, #mn> loc("/Softmax_1")
  // CHECK: node "/Reduce" (weft.reduce): is not in the form of the graph level; expects the last axes
  %4 = weft.reduce sum %x {axes = array<i64: 0>} : (tensor<?x?xf64, #mn>) -> tensor<?xf64, #weft.dims<"n">> loc("/Reduce")
  // CHECK: node "/MatMul_1" (weft.matmul): is not in the form of the graph level; expects operands of rank 2 or more
  %7 = weft.matmul %x, %row : (tensor<?x?xf64, #mn>, tensor<?xf64, #weft.dims<"n">>) -> tensor<?xf64, #weft.dims<"m">> loc("/MatMul_1")
  // CHECK: node "/Attention" (attention): a score region cannot read 5 x 5 x ui8
  %8 = weft.attention %q, %q, %q scale(0.5) empty_rows(nan) captures(%u : tensor<5x5xui8>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: ui8):
    %yes = arith.constant true
    weft.yield %s, %yes : f32, i1
  } : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32> loc("/Attention")
  // CHECK: node "/Reshape" (weft.reshape): is not in the form of the graph level; expects no shape as data
  %10 = weft.reshape %x, %shape : (tensor<?x?xf64, #mn>, tensor<2xi64>) -> tensor<?x?xf64, #mn> loc("/Reshape")
  // CHECK: node "/Expand" (weft.expand): is not in the form of the graph level; expects no shape as data
  %11 = weft.expand %x, %shape : (tensor<?x?xf64, #mn>, tensor<2xi64>) -> tensor<?x?xf64, #mn> loc("/Expand")
  // CHECK: node "/Tile" (weft.tile): is not in the form of the graph level; expects no repeats as data
  %12 = weft.tile %x, %shape : (tensor<?x?xf64, #mn>, tensor<2xi64>) -> tensor<?x?xf64, #mn> loc("/Tile")
  // CHECK: node "/Slice" (weft.slice): is not in the form of the graph level; expects offsets and strides
  %13 = weft.slice %x starts %shape ends %shape {axes = array<i64: 0, 1>} : (tensor<?x?xf64, #mn>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64, #mn> loc("/Slice")
  // CHECK: node "/Loop" (weft.loop): is not in the form of the graph level; expects a count
  %trips = weft.constant dense<3> : tensor<i64>
  %loop = weft.loop trips(%trips : tensor<i64>) states(%x : tensor<?x?xf64, #mn>) {
  ^bb0(%i: tensor<i64>, %state: tensor<?x?xf64, #mn>):
    %next = weft.neg %state : (tensor<?x?xf64, #mn>) -> tensor<?x?xf64, #mn>
    weft.yield %next : tensor<?x?xf64, #mn>
  } -> (tensor<?x?xf64, #mn>) loc("/Loop")
  // CHECK: node "/Unsqueeze" (weft.unsqueeze): there is no kernel for this operation yet
  %14 = weft.unsqueeze %x {axes = array<i64: 0>} : (tensor<?x?xf64, #mn>) -> tensor<1x?x?xf64, #weft.dims<1, "m", "n">> loc("/Unsqueeze")
  return %13 : tensor<?x?xf64, #mn>
}
