// RUN: weft-opt %s --weft-infer-shapes --weft-compute-sizes-first --split-input-file | FileCheck %s

// Integers that sizes depend on, and that nothing says before they are computed, become results of a program.

// CHECK-LABEL: func.func @count
// CHECK-SAME: %[[X:.*]]: tensor<?xi64, #weft.dims<"n">> {weft.name = "x"}
// CHECK-SAME: %[[COUNT:.*]]: tensor<i64> {weft.computed_by = ["count.sizes", 0], weft.element_symbols = ["total[0]", ""], weft.name = "total"}
// CHECK-SAME: -> tensor<?xf32, #weft.dims<"total[0]">>
// CHECK-NOT: weft.reduce
// CHECK: weft.expand %{{.*}} -> tensor<?xf32, #weft.dims<"total[0]">>
// CHECK: func.func @count.sizes
// CHECK-SAME: (%[[X:.*]]: tensor<?xi64, #weft.dims<"n">> {weft.name = "x"}) -> (tensor<i64> {weft.name = "0"})
// CHECK-NEXT: %[[SUM:.*]] = weft.reduce sum %[[X]] {axes = array<i64: 0>} :
// CHECK-NEXT: return %[[SUM]]
func.func @count(%x: tensor<?xi64, #weft.dims<"n">> {weft.name = "x"}) -> tensor<*xf32> {
  %total = weft.reduce sum %x {axes = array<i64: 0>} : (tensor<?xi64, #weft.dims<"n">>) -> tensor<i64> loc("total")
  %one = weft.constant dense<1> : tensor<1xi64>
  %shape = weft.reshape %total, %one : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
  %zero = weft.constant dense<0.0> : tensor<f32>
  %y = weft.expand %zero, %shape : (tensor<f32>, tensor<1xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// Floats that are no counts: the integers that are made of them are computed.
// CHECK-LABEL: func.func @floats
// CHECK-SAME: %{{.*}}: tensor<f32> {weft.name = "x"}, %{{.*}}: tensor<i64> {weft.computed_by = ["floats.sizes", 0]
// CHECK: func.func @floats.sizes
// CHECK: weft.ceil
// CHECK: weft.cast
func.func @floats(%x: tensor<f32> {weft.name = "x"}) -> tensor<*xi64> {
  %up = weft.ceil %x : (tensor<f32>) -> tensor<f32>
  %count = weft.cast %up to i64 : (tensor<f32>) -> tensor<i64>
  %zero = weft.constant dense<0> : tensor<i64>
  %one = weft.constant dense<1> : tensor<i64>
  %y = weft.range %zero to %count by %one : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<*xi64>
  return %y : tensor<*xi64>
}

// -----

// A size that depends on what has another: two programs, of which the second takes the first one's result.
// CHECK-LABEL: func.func @two
// CHECK-SAME: {weft.computed_by = ["two.sizes", 0], weft.element_symbols = ["first[0]", "first[0].below"], weft.name = "first"}
// CHECK-SAME: {weft.computed_by = ["two.sizes_0", 0], weft.element_symbols = ["second[0]", ""], weft.name = "second"}
// CHECK: func.func @two.sizes(
// CHECK-NOT: computed_by
// CHECK: func.func @two.sizes_0(
// CHECK-SAME: {weft.computed_by = ["two.sizes", 0], weft.element_symbols = ["first[0]", "first[0].below"], weft.name = "first"}
// CHECK-SAME: -> (tensor<1xi64> {weft.name = "0"})
func.func @two(%x: tensor<?xi64, #weft.dims<"n">>, %z: tensor<70xi64>) -> tensor<*xi64> {
  %first = weft.reduce sum %x {axes = array<i64: 0>, keepdims} : (tensor<?xi64, #weft.dims<"n">>) -> tensor<1xi64> loc("first")
  %zero = weft.constant dense<[0]> : tensor<1xi64>
  %part = weft.slice %z starts %zero ends %first {axes = array<i64: 0>} : (tensor<70xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xi64>
  %second = weft.reduce max %part {axes = array<i64: 0>, keepdims} : (tensor<*xi64>) -> tensor<1xi64> loc("second")
  %y = weft.expand %zero, %second : (tensor<1xi64>, tensor<1xi64>) -> tensor<*xi64>
  return %y : tensor<*xi64>
}

// -----

// Nor for what is dead.
// CHECK-LABEL: func.func @dead
// CHECK-NEXT: return
// CHECK-NOT: func.func
func.func @dead(%x: tensor<?xi64, #weft.dims<"n">>) -> tensor<?xi64, #weft.dims<"n">> {
  %total = weft.reduce sum %x {axes = array<i64: 0>, keepdims} : (tensor<?xi64, #weft.dims<"n">>) -> tensor<1xi64>
  %zero = weft.constant dense<0.0> : tensor<f32>
  %y = weft.expand %zero, %total : (tensor<f32>, tensor<1xi64>) -> tensor<*xf32>
  return %x : tensor<?xi64, #weft.dims<"n">>
}

// -----

// Inputs that hold sizes are symbols, and constants are known: nothing is to be computed.
// CHECK-LABEL: func.func @known
// CHECK-NOT: func.func
func.func @known(%x: tensor<8xf32>, %k: tensor<1xi64>) -> tensor<*xf32> {
  %eight = weft.constant dense<8> : tensor<1xi64>
  %shape = weft.concat %k, %eight {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %y = weft.expand %x, %shape : (tensor<8xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
