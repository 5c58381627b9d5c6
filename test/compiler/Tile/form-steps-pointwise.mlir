// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-form-steps on elementwise operations: a tree of them that is read once is one step, where each operand lies; what is read
// twice, or broadcast, is computed once.
// RUN: weft-opt --weft-form-steps --cse %s -o %t
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=KERNEL < %t

!x = tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>
!rows = tensor<?x?x4x8xf32, #weft.dims<"b", "n", 4, 8>>
!angle = tensor<?x8xf32, #weft.dims<"n", 8>>
!half = tensor<?x4x?x4xf32, #weft.dims<"b", 4, "n", 4>>

// A rotation of halves: the minus goes where it is joined, and the sum of two products is one step. Heads are read where they lie.
// CHECK-LABEL: func.func @rotary(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x?x4x8xf32>
// CHECK: %[[NEG:.*]] = weft.step @neg[%{{.*}}] ins(%[[X]],
// CHECK-NEXT: %[[TURNED:.*]] = weft.step @concat[%{{.*}}] ins(%[[X]],
// CHECK-SAME: outs(%[[NEG]]
// CHECK: %[[Y:.*]] = weft.step @add[%{{.*}}] ins(%[[X]], %{{.*}}, %{{.*}}, %{{.*}},
// CHECK-NOT: weft.step
// CHECK: return
// KERNEL-LABEL: weft.kernel @neg(
// KERNEL: arith.negf
// KERNEL-LABEL: weft.kernel @add(
// KERNEL: ^bb0(%[[A:.*]]: f32, %[[COS:.*]]: f32, %[[B:.*]]: f32, %[[SIN:.*]]: f32, %{{.*}}: f32):
// KERNEL-NEXT: %[[L:.*]] = arith.mulf %[[A]], %[[COS]]
// KERNEL-NEXT: %[[R:.*]] = arith.mulf %[[B]], %[[SIN]]
// KERNEL-NEXT: %[[S:.*]] = arith.addf %[[L]], %[[R]]
// KERNEL-NEXT: linalg.yield %[[S]]
func.func @rotary(%x: !rows {weft.name = "x"}, %cos: !angle {weft.name = "cos"}, %sin: !angle {weft.name = "sin"}) -> (!x {weft.name = "y"}) {
  %heads = weft.transpose %x {permutation = array<i64: 0, 2, 1, 3>} : (!rows) -> !x
  %low = weft.slice %heads {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (!x) -> !half
  %high = weft.slice %heads {offsets = #weft.dims<0, 0, 0, 4>, strides = array<i64: 1, 1, 1, 1>} : (!x) -> !half
  %minus = weft.neg %high : (!half) -> !half
  %turned = weft.concat %minus, %low {axis = 3 : i64} : (!half, !half) -> !x
  %a = weft.mul %heads, %cos : (!x, !angle) -> !x
  %b = weft.mul %turned, %sin : (!x, !angle) -> !x
  %y = weft.add %a, %b : (!x, !x) -> !x
  return %y : !x
}

// CHECK-LABEL: func.func @read_twice(
// CHECK: weft.step @exp
// CHECK: weft.step @mul
// CHECK-NOT: weft.step
// CHECK: return
func.func @read_twice(%x: !angle {weft.name = "x"}) -> (!angle {weft.name = "y"}) {
  %e = weft.exp %x : (!angle) -> !angle
  %s = weft.neg %e : (!angle) -> !angle
  %y = weft.mul %e, %s : (!angle, !angle) -> !angle
  return %y : !angle
}

// CHECK-LABEL: func.func @broadcast(
// CHECK: weft.step @exp
// CHECK: weft.step @add
func.func @broadcast(%x: !angle {weft.name = "x"}, %y: !x {weft.name = "y"}) -> (!x {weft.name = "z"}) {
  %e = weft.exp %x : (!angle) -> !angle
  %z = weft.add %y, %e : (!x, !angle) -> !x
  return %z : !x
}

// A result of the model is read by that.
// CHECK-LABEL: func.func @returned(
// CHECK: weft.step @exp
// CHECK: weft.step @neg
func.func @returned(%x: !angle {weft.name = "x"}) -> (!angle {weft.name = "e"}, !angle {weft.name = "y"}) {
  %e = weft.exp %x : (!angle) -> !angle
  %y = weft.neg %e : (!angle) -> !angle
  return %e, %y : !angle, !angle
}

// Numbers of several types: bools are stored as bytes only between steps.
// CHECK-LABEL: func.func @types(
// CHECK: weft.step @where
// CHECK-NOT: weft.step
// CHECK: return
// KERNEL-LABEL: weft.kernel @where(
// KERNEL: %[[FAR:.*]] = arith.cmpi sgt
// KERNEL-NOT: extui
// KERNEL: arith.select %[[FAR]]
func.func @types(%x: tensor<?xi64, #weft.dims<"n">> {weft.name = "x"}) -> (tensor<?xf32, #weft.dims<"n">> {weft.name = "y"}) {
  %zero = weft.constant dense<0> : tensor<i64>
  %half = weft.constant dense<0.5> : tensor<f32>
  %far = weft.compare gt %x, %zero : (tensor<?xi64, #weft.dims<"n">>, tensor<i64>) -> tensor<?xi1, #weft.dims<"n">>
  %f = weft.cast %x to f32 : (tensor<?xi64, #weft.dims<"n">>) -> tensor<?xf32, #weft.dims<"n">>
  %y = weft.where %far, %f, %half : (tensor<?xi1, #weft.dims<"n">>, tensor<?xf32, #weft.dims<"n">>, tensor<f32>) -> tensor<?xf32, #weft.dims<"n">>
  return %y : tensor<?xf32, #weft.dims<"n">>
}

// A part whose rows do not stay rows is computed first.
// CHECK-LABEL: func.func @columns(
// CHECK: %[[E:.*]] = weft.step @exp
// CHECK: weft.step @concat{{.*}} ins(%{{.*}}
// CHECK: weft.step @concat
// CHECK: return
func.func @columns(%x: tensor<?x1xf32, #weft.dims<"n", 1>> {weft.name = "x"}) -> (tensor<?x2xf32, #weft.dims<"n", 2>> {weft.name = "y"}) {
  %e = weft.exp %x : (tensor<?x1xf32, #weft.dims<"n", 1>>) -> tensor<?x1xf32, #weft.dims<"n", 1>>
  %y = weft.concat %e, %x {axis = 1 : i64} : (tensor<?x1xf32, #weft.dims<"n", 1>>, tensor<?x1xf32, #weft.dims<"n", 1>>) -> tensor<?x2xf32, #weft.dims<"n", 2>>
  return %y : tensor<?x2xf32, #weft.dims<"n", 2>>
}
