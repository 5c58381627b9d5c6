// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that the user gives to dims.
// RUN: weft-opt %s -weft-infer-shapes="dims=batch=4,x.2=8" | FileCheck %s
// RUN: not weft-opt %s -weft-infer-shapes="dims=bach=4" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: weft-opt %s -weft-infer-shapes="dims='other=past*(1 + 2 - 2),x.2=8'" | FileCheck %s --check-prefix=FORMULA
// RUN: weft-opt %s -weft-infer-shapes="dims=batch=2*other+1,other=3" | FileCheck %s --check-prefix=FIXED
// RUN: not weft-opt %s -weft-infer-shapes="dims='other=past + 1,past=other,batch=past'" 2>&1 | FileCheck %s --check-prefix=ITSELF
// RUN: not weft-opt %s -weft-infer-shapes="dims=batch=four" 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not weft-opt %s -weft-infer-shapes="dims=batch=4,batch=5" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not weft-opt %s -weft-infer-shapes="dims=batch=4,past=3,other=2" 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: weft-opt %s -weft-infer-shapes="dims=batch=1..64,past=5.." | FileCheck %s --check-prefix=RANGE
// RUN: not weft-opt %s -weft-infer-shapes="dims=batch=9..4" 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not weft-opt %s -weft-infer-shapes="dims=batch=4..,batch=5" 2>&1 | FileCheck %s --check-prefix=RANGES

// CHECK: func.func @main(%{{.*}}: tensor<4x?x8xf32, #weft.dims<4, "past" + 1, 8>> {weft.name = "x"},
// CHECK-SAME: -> (tensor<4x?x8xf32, #weft.dims<4, "past" + 1, 8>>, tensor<4xi64>)
// CHECK: weft.constant dense<[0, 1, 2, 3]> : tensor<4xi64>

// UNKNOWN: error: option --dim: no input has a dim "bach"; dims are "batch", "past", "x.2", "other" [weft-0204]
// FORMULA: func.func @main(%{{.*}}: tensor<?x?x8xf32, #weft.dims<"batch", "past" + 1, 8>> {weft.name = "x"}, %{{.*}}: tensor<?x?xf32, #weft.dims<"batch", "past">>)
// FORMULA-NOT: weft.guard
// FIXED: func.func @main(%{{.*}}: tensor<7x?x?xf32, #weft.dims<7, "past" + 1, "x.2">> {weft.name = "x"}, %{{.*}}: tensor<7x3xf32>
// NUMBER: error: option --dim: "four" is no sum, difference or product of the dims "past", "x.2", "other" [weft-0204]
// ITSELF: error: option --dim: "past + 1" is no sum, difference or product of the dims "x.2" [weft-0204]
// TWICE: error: option --dim: "batch" is given as 4 and as 5 [weft-0204]
// EMPTY: error: option --dim: expects NAME=SIZE, NAME=LOW..HIGH or NAME=FORMULA, got "batch=9..4" [weft-0204]
// RANGES: error: option --dim: "batch" is given as 4.. and as 5 [weft-0204]
// A range is a guard.
// RANGE: #weft.guard<less_equal, 1, "batch", "option --dim says that batch is 1..64">,
// RANGE-SAME: #weft.guard<less_equal, "batch", 64, "option --dim says that batch is 1..64">,
// RANGE-SAME: #weft.guard<less_equal, 5, "past", "option --dim says that past is 5..">
// BROKEN: error: node "add" needs past to equal other, which the given dims do not allow [weft-0200]
func.func @main(%x: tensor<?x?x?xf32, #weft.dims<"batch", "past" + 1, "x.2">> {weft.name = "x"}, %y: tensor<?x?xf32, #weft.dims<"batch", "other">>)
    -> (tensor<?x?x?xf32>, tensor<*xi64>)
    attributes {weft.guards = [#weft.guard<equal, "past", "other", "node \"add\" needs past to equal other">]} {
  %r = weft.relu %x : (tensor<?x?x?xf32, #weft.dims<"batch", "past" + 1, "x.2">>) -> tensor<?x?x?xf32>
  %s = weft.shape %y {start = 0 : i64, end = 1 : i64} : (tensor<?x?xf32, #weft.dims<"batch", "other">>) -> tensor<1xi64>
  %n = weft.squeeze %s {axes = array<i64: 0>} : (tensor<1xi64>) -> tensor<i64>
  %zero = weft.constant dense<0> : tensor<i64>
  %one = weft.constant dense<1> : tensor<i64>
  %i = weft.range %zero to %n by %one : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<*xi64>
  return %r, %i : tensor<?x?x?xf32>, tensor<*xi64>
}
