// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-form-steps: signatures, steps over grids, kernels with one operation of work. What has no kernel is in
// form-steps-errors.mlir.
// RUN: weft-opt --weft-form-steps --cse %s -o %t
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=KERNEL < %t

#n64 = #weft.dims<"n", 64>
#nm = #weft.dims<"n", "m">

// Symbols come first, in the order in which the inputs name them; what the types no longer say is kept beside them, and so
// are the guards.
// CHECK-LABEL: func.func @signature(
// CHECK-SAME: %[[B:.*]]: index, %[[A:.*]]: index, %{{.*}}: tensor<?x?xi8> {weft.dims = #weft.dims<"b", "a">, weft.element = i1, weft.name = "x"})
// CHECK-SAME: -> (tensor<?x?xi8> {weft.dims = #weft.dims<"b", "a">, weft.element = i1, weft.name = "y"})
// CHECK-SAME: weft.guards = [#weft.guard<equal, "b", 4, "why">], weft.symbols = ["b", "a"]
func.func @signature(%x: tensor<?x?xi1, #weft.dims<"b", "a">> {weft.name = "x"})
    -> (tensor<?x?xi1, #weft.dims<"b", "a">> {weft.name = "y"})
    attributes {weft.guards = [#weft.guard<equal, "b", 4, "why">]} {
  %y = weft.not %x : (tensor<?x?xi1, #weft.dims<"b", "a">>) -> tensor<?x?xi1, #weft.dims<"b", "a">>
  return %y : tensor<?x?xi1, #weft.dims<"b", "a">>
}

// A broadcast operand is read where it lies; the step carries the node's name.
// CHECK-LABEL: func.func @pointwise
// CHECK-SAME: (%[[N:.*]]: index, %[[X:.*]]: tensor<?x64xf32> {{.*}}, %[[BIAS:.*]]: tensor<64xf32>
// CHECK: %[[GRID:.*]] = arith.floordivsi
// CHECK: %[[OUT:.*]] = tensor.empty(%[[N]]) {weft.dims = #weft.dims<"n", 64>} : tensor<?x64xf32>
// CHECK: %[[Y:.*]] = weft.step @add[%[[GRID]]] ins(%[[X]], %[[BIAS]] : {{.*}}) outs(%[[OUT]] : tensor<?x64xf32>)
// CHECK: return %[[Y]]
// KERNEL-LABEL: weft.kernel @add(
// KERNEL-SAME: %{{.*}}: index, %[[X:.*]]: memref<?x64xf32>, %[[BIAS:.*]]: memref<64xf32>, %[[OUT:.*]]: memref<?x64xf32>) attributes {schedule = {
// KERNEL: linalg.generic {indexing_maps = [#[[ALL:.*]], #[[LAST:.*]], #[[ALL]]], iterator_types = ["parallel", "parallel"]}
// KERNEL-SAME: ins(%[[X]], %[[BIAS]] : {{.*}}) outs(%[[OUT]] :
// KERNEL: arith.addf
// KERNEL: weft.yield
func.func @pointwise(%x: tensor<?x64xf32, #n64> {weft.name = "x"}, %b: tensor<64xf32> {weft.name = "b"})
    -> (tensor<?x64xf32, #n64> {weft.name = "y"}) {
  %y = weft.add %x, %b : (tensor<?x64xf32, #n64>, tensor<64xf32>) -> tensor<?x64xf32, #n64>
  return %y : tensor<?x64xf32, #n64>
}

// Bools are bytes: read as != 0, written as 0 or 1.
// KERNEL-LABEL: weft.kernel @and(
// KERNEL: ^bb0(%[[L:.*]]: i8, %[[R:.*]]: i8, %{{.*}}: i8):
// KERNEL: arith.cmpi ne, %[[L]]
// KERNEL: arith.cmpi ne, %[[R]]
// KERNEL: arith.andi {{.*}} : i1
// KERNEL: arith.extui {{.*}} : i1 to i8
func.func @bools(%x: tensor<4xi1> {weft.name = "x"}, %z: tensor<4xi1> {weft.name = "z"}) -> (tensor<4xi1> {weft.name = "y"}) {
  %y = weft.and %x, %z : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %y : tensor<4xi1>
}

// A schedule that is written by hand is the kernel's, and makes the grid.
// CHECK-LABEL: func.func @matmul
// CHECK: %[[FIVE:.*]] = arith.constant 5 : index
// CHECK: arith.floordivsi %{{.*}}, %{{.*}} : index
// CHECK: weft.step @matmul_0[
// KERNEL-LABEL: weft.kernel @matmul_0(
// KERNEL-SAME: schedule = {columns = 48 : i64, rows = 5 : i64}
// KERNEL-NEXT: weft.gemm_tile ins(%{{.*}}, %{{.*}} : memref<?x64xf32>, memref<64x32xf32>) outs(%{{.*}} : memref<?x32xf32>)
// KERNEL-NEXT: weft.yield
func.func @matmul(%x: tensor<?x64xf32, #n64> {weft.name = "x"}, %w: tensor<64x32xf32> {weft.name = "w"})
    -> (tensor<?x32xf32, #weft.dims<"n", 32>> {weft.name = "y"}) {
  %y = weft.matmul %x, %w {weft.schedule = {rows = 5 : i64}}
    : (tensor<?x64xf32, #n64>, tensor<64x32xf32>) -> tensor<?x32xf32, #weft.dims<"n", 32>>
  return %y : tensor<?x32xf32, #weft.dims<"n", 32>>
}

// Rows of a matrix, whatever the rank: dims that are reduced are one run, the others another.
// CHECK-LABEL: func.func @rows
// CHECK: weft.step @softmax[%{{.*}}] ins(%{{.*}} : tensor<?x?xf32>)
// CHECK: %[[FLAT:.*]] = weft.view %{{.*}} : tensor<?x2x3xf32> to tensor<?x6xf32>
// CHECK: weft.step @reduce_max[%{{.*}}] ins(%[[FLAT]] : tensor<?x6xf32>) outs(%{{.*}} : tensor<?xf32>)
// KERNEL-LABEL: weft.kernel @softmax(
// KERNEL: weft.softmax_tile %{{.*}}, %{{.*}} : (memref<?x?xf32>, memref<?x?xf32>) -> ()
// KERNEL-LABEL: weft.kernel @reduce_max(
// KERNEL: weft.reduce_tile %{{.*}}, %{{.*}} {kind = 2 : i32} : (memref<?x6xf32>, memref<?xf32>) -> ()
func.func @rows(%x: tensor<?x?xf32, #nm> {weft.name = "x"}, %w: tensor<?x2x3xf32, #weft.dims<"n", 2, 3>> {weft.name = "w"})
    -> (tensor<?x?xf32, #nm> {weft.name = "y"}, tensor<?xf32, #weft.dims<"n">> {weft.name = "z"}) {
  %y = weft.softmax %x {axis = 1 : i64} : (tensor<?x?xf32, #nm>) -> tensor<?x?xf32, #nm>
  %z = weft.reduce max %w {axes = array<i64: 1, 2>} : (tensor<?x2x3xf32, #weft.dims<"n", 2, 3>>) -> tensor<?xf32, #weft.dims<"n">>
  return %y, %z : tensor<?x?xf32, #nm>, tensor<?xf32, #weft.dims<"n">>
}

// A concat is a chain of steps on one tensor, each of which is told where its part begins.
// CHECK-LABEL: func.func @concat
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[OUT:.*]] = tensor.empty(%{{.*}}) {weft.dims = #weft.dims<1, 3 * "m" + 3 * "n">} : tensor<1x?xf32>
// CHECK: %[[FIRST:.*]] = weft.step @concat_0[%{{.*}}] ins(%{{.*}}, %[[ZERO]] : tensor<1x?xf32>, index) outs(%[[OUT]] : tensor<1x?xf32>)
// CHECK: %[[BOTH:.*]] = weft.step @concat_1[%{{.*}}] ins(%{{.*}}, %{{.*}} : tensor<1x?xf32>, index) outs(%[[FIRST]] : tensor<1x?xf32>)
// CHECK: weft.view %[[BOTH]]
func.func @concat(%x: tensor<?x3xf32, #weft.dims<"n", 3>> {weft.name = "x"}, %z: tensor<?x3xf32, #weft.dims<"m", 3>> {weft.name = "z"})
    -> (tensor<?x3xf32, #weft.dims<"n" + "m", 3>> {weft.name = "y"}) {
  %y = weft.concat %x, %z {axis = 0 : i64}
    : (tensor<?x3xf32, #weft.dims<"n", 3>>, tensor<?x3xf32, #weft.dims<"m", 3>>) -> tensor<?x3xf32, #weft.dims<"n" + "m", 3>>
  return %y : tensor<?x3xf32, #weft.dims<"n" + "m", 3>>
}

// Views are no steps, and a view of a view is one.
// CHECK-LABEL: func.func @views
// CHECK-SAME: (%[[N:.*]]: index, %[[X:.*]]: tensor<?x64xf32>
// CHECK-NOT: weft.view {{.*}}tensor<?x8x8xf32>
// CHECK: weft.step @exp[
func.func @views(%x: tensor<?x64xf32, #n64> {weft.name = "x"}) -> (tensor<?x64xf32, #n64> {weft.name = "y"}) {
  %a = weft.reshape %x : (tensor<?x64xf32, #n64>) -> tensor<?x8x8xf32, #weft.dims<"n", 8, 8>>
  %b = weft.reshape %a : (tensor<?x8x8xf32, #weft.dims<"n", 8, 8>>) -> tensor<?x64xf32, #n64>
  %y = weft.exp %b : (tensor<?x64xf32, #n64>) -> tensor<?x64xf32, #n64>
  return %y : tensor<?x64xf32, #n64>
}

// Each output is a buffer of its own: what is returned twice, an input or a constant is copied.
// CHECK-LABEL: func.func @outputs
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>
// CHECK: %[[ONE:.*]] = weft.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[Y:.*]] = weft.step @{{[a-z0-9_]+}}[%{{.*}}] ins(%[[X]]
// CHECK: %[[AGAIN:.*]] = weft.step @copy{{.*}} ins(%[[Y]]
// CHECK: %[[INPUT:.*]] = weft.step @copy{{.*}} ins(%[[X]]
// CHECK: %[[CONSTANT:.*]] = weft.step @copy{{.*}} ins(%[[ONE]]
// CHECK: return %[[Y]], %[[AGAIN]], %[[INPUT]], %[[CONSTANT]]
func.func @outputs(%x: tensor<4xf32> {weft.name = "x"})
    -> (tensor<4xf32> {weft.name = "a"}, tensor<4xf32> {weft.name = "b"}, tensor<4xf32> {weft.name = "c"}, tensor<4xf32> {weft.name = "d"}) {
  %one = weft.constant dense<1.0> : tensor<4xf32>
  %y = weft.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y, %y, %x, %one : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// An operation with two results has a step with two outputs.
// CHECK-LABEL: func.func @two_results
// CHECK: %[[Y:.*]] = tensor.empty({{.*}}) {weft.dims = #weft.dims<2, 4, "n", 5>} : tensor<2x4x?x5xf32>
// CHECK: %[[W:.*]] = tensor.empty({{.*}}) {weft.dims = #weft.dims<2, 4, "n", "m">} : tensor<2x4x?x?xf32>
// CHECK: %[[STEP:.*]]:2 = weft.step @attention[%{{.*}}] ins({{.*}}) outs(%[[Y]], %[[W]] : tensor<2x4x?x5xf32>, tensor<2x4x?x?xf32>) -> (tensor<2x4x?x5xf32>, tensor<2x4x?x?xf32>)
// CHECK: weft.view %[[STEP]]#1
// CHECK: weft.step @add
// CHECK: return %[[STEP]]#0, %[[STEP]]#1,
// KERNEL-LABEL: weft.kernel @attention(
// KERNEL-SAME: %[[Y:[a-z0-9]*]]: memref<2x4x?x5xf32>, %[[W:[a-z0-9]*]]: memref<2x4x?x?xf32>) attributes
// KERNEL: weft.attention_tile {{.*}} outs(%[[Y]] : memref<2x4x?x5xf32>) weights(%[[W]] : memref<2x4x?x?xf32>)
func.func @two_results(%q: tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>> {weft.name = "q"},
                       %k: tensor<2x2x?x8xf32, #weft.dims<2, 2, "m", 8>> {weft.name = "k"},
                       %v: tensor<2x2x?x5xf32, #weft.dims<2, 2, "m", 5>> {weft.name = "v"})
    -> (tensor<2x4x?x5xf32, #weft.dims<2, 4, "n", 5>> {weft.name = "y"}, tensor<2x4x?x?xf32, #weft.dims<2, 4, "n", "m">> {weft.name = "w"},
        tensor<2x4x?x?xf32, #weft.dims<2, 4, "n", "m">> {weft.name = "sum"}) {
  %y, %w = weft.attention %q, %k, %v scale(0.5) empty_rows(nan)
    : (tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>, tensor<2x2x?x8xf32, #weft.dims<2, 2, "m", 8>>, tensor<2x2x?x5xf32, #weft.dims<2, 2, "m", 5>>)
    -> tensor<2x4x?x5xf32, #weft.dims<2, 4, "n", 5>>, tensor<2x4x?x?xf32, #weft.dims<2, 4, "n", "m">>
  %sum = weft.add %w, %w : (tensor<2x4x?x?xf32, #weft.dims<2, 4, "n", "m">>, tensor<2x4x?x?xf32, #weft.dims<2, 4, "n", "m">>) -> tensor<2x4x?x?xf32, #weft.dims<2, 4, "n", "m">>
  return %y, %w, %sum : tensor<2x4x?x5xf32, #weft.dims<2, 4, "n", 5>>, tensor<2x4x?x?xf32, #weft.dims<2, 4, "n", "m">>, tensor<2x4x?x?xf32, #weft.dims<2, 4, "n", "m">>
}

// Rows whose length is a multiple of what inputs say are long, as a guess: a tile has one, so that threads share out the heads.
// CHECK-LABEL: func.func @long_rows
// CHECK: weft.step @concat
// KERNEL-LABEL: weft.kernel @concat
// KERNEL-SAME: schedule = {columns = 8192 : i64, rows = 1 : i64}
func.func @long_rows(%past: tensor<12x?x64xf32, #weft.dims<12, "past", 64>> {weft.name = "past"}, %new: tensor<12x?x64xf32, #weft.dims<12, "n", 64>> {weft.name = "new"})
    -> (tensor<12x?x64xf32, #weft.dims<12, "past" + "n", 64>> {weft.name = "all"}) {
  %all = weft.concat %past, %new {axis = 1 : i64} : (tensor<12x?x64xf32, #weft.dims<12, "past", 64>>, tensor<12x?x64xf32, #weft.dims<12, "n", 64>>)
    -> tensor<12x?x64xf32, #weft.dims<12, "past" + "n", 64>>
  return %all : tensor<12x?x64xf32, #weft.dims<12, "past" + "n", 64>>
}
