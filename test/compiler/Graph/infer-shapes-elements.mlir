// RUN: weft-opt %s --weft-infer-shapes --split-input-file | FileCheck %s
// RUN: not weft-opt %s --weft-infer-shapes --weft-verify-graph --split-input-file 2>&1 | FileCheck %s --check-prefix=ERROR

// Elements of inputs that decide sizes are symbols.

// A size is the element itself: a session refuses one below 0.
// CHECK-LABEL: func.func @size
// CHECK-SAME: %[[K:.*]]: tensor<1xi64> {weft.element_symbols = ["k[0]", ""], weft.name = "k"}
func.func @size(%x: tensor<8xf32> {weft.name = "x"}, %k: tensor<1xi64> {weft.name = "k"}) -> tensor<*xf32> {
  // CHECK: weft.expand %{{.*}} -> tensor<?x8xf32, #weft.dims<"k[0]", 8>>
  %eight = weft.constant dense<8> : tensor<1xi64>
  %shape = weft.concat %k, %eight {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %y = weft.expand %x, %shape : (tensor<8xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// A bound may be negative. What gets long is defined.
// CHECK-LABEL: func.func @bound
// CHECK-SAME: weft.element_symbols = ["from[0]", "from[0].below"]
// CHECK-SAME: -> tensor<?xf32, #weft.dims<"v0">>
// CHECK-SAME: weft.definitions = ["v0", #weft.dim<{{.*}}"from[0]" - "from[0].below"{{.*}} + 8>]
func.func @bound(%x: tensor<8xf32>, %from: tensor<1xi32> {weft.name = "from"}) -> tensor<*xf32> {
  // CHECK: weft.slice {{.*}} {offsets = #weft.dims<min(8, max(0, {{.*}}"from[0].below"{{.*}} -> tensor<?xf32, #weft.dims<"v0">>
  %end = weft.constant dense<8> : tensor<1xi32>
  %y = weft.slice %x starts %from ends %end {axes = array<i64: 0>} : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// Inputs that no size depends on stay data.
// CHECK-LABEL: func.func @data
// CHECK-NOT: weft.element_symbols
// CHECK: weft.add
func.func @data(%x: tensor<3xi64>) -> tensor<3xi64> {
  %y = weft.add %x, %x : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
  return %y : tensor<3xi64>
}

// -----

// A dim may already have the name.
// CHECK-LABEL: func.func @names
// CHECK-SAME: weft.element_symbols = ["k[0]'", ""]
func.func @names(%x: tensor<?xf32, #weft.dims<"k[0]">>, %k: tensor<1xi64> {weft.name = "k"}) -> tensor<*xf32> {
  %zero = weft.constant dense<0.0> : tensor<f32>
  %y = weft.expand %zero, %k : (tensor<f32>, tensor<1xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// A float that is cast to a count is one; it has to be whole.
// CHECK-LABEL: func.func @float
// CHECK-SAME: tensor<f32> {weft.element_symbols = ["depth[0]", "depth[0].below"], weft.name = "depth"}
func.func @float(%depth: tensor<f32> {weft.name = "depth"}) -> tensor<*xi64> {
  %zero = weft.constant dense<0> : tensor<i64>
  %one = weft.constant dense<1> : tensor<i64>
  %count = weft.cast %depth to i64 : (tensor<f32>) -> tensor<i64>
  %y = weft.range %zero to %count by %one : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<*xi64>
  return %y : tensor<*xi64>
}

// -----

// Not one that is not.
// ERROR: shape depends on data
func.func @fraction(%end: tensor<f32>) -> tensor<*xf32> {
  %zero = weft.constant dense<0.0> : tensor<f32>
  %one = weft.constant dense<1.0> : tensor<f32>
  %y = weft.range %zero to %end by %one : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// Only where the input says how many.
// ERROR: shape depends on data
func.func @unknown(%k: tensor<?xi64, #weft.dims<"n">>) -> tensor<*xf32> {
  %zero = weft.constant dense<0.0> : tensor<f32>
  %y = weft.expand %zero, %k : (tensor<f32>, tensor<?xi64, #weft.dims<"n">>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
