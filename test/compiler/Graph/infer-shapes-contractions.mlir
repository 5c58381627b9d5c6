// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes and guards of einsum, conv, pad, arg_reduce, cumulative and linear_attention, every dim under its own symbol.
// RUN: weft-opt %s -weft-infer-shapes | FileCheck %s

// Dims of one letter are guarded to be equal, and a constant is preferred; a dim of 1 is broadcast; so are the dims under
// an ellipsis.
// CHECK-LABEL: @einsum
// CHECK-SAME: guards = [#weft.guard<broadcast, "a", "d", "node \22weft.einsum\22 broadcasts a with d">]
// CHECK: weft.einsum "...ij,...jk->...ik" {{.*}} -> tensor<?x?x?xf32, #weft.dims<broadcast("a", "d"), "b", "e">>
// CHECK: weft.einsum "kij,mjl->j" {{.*}} -> tensor<5xf32>
// CHECK: weft.einsum "kij,kj" {{.*}} -> tensor<?xf32, #weft.dims<"b">>
func.func @einsum(%x: tensor<?x?x?xf32, #weft.dims<"a", "b", "c">>, %y: tensor<?x5x?xf32, #weft.dims<"d", 5, "e">>, %z: tensor<1x?xf32, #weft.dims<1, "f">>)
    -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %p = weft.einsum "...ij,...jk->...ik" %x, %y : (tensor<?x?x?xf32, #weft.dims<"a", "b", "c">>, tensor<?x5x?xf32, #weft.dims<"d", 5, "e">>) -> tensor<*xf32>
  %q = weft.einsum "kij,mjl->j" %x, %y : (tensor<?x?x?xf32, #weft.dims<"a", "b", "c">>, tensor<?x5x?xf32, #weft.dims<"d", 5, "e">>) -> tensor<*xf32>
  %r = weft.einsum "kij,kj" %x, %z : (tensor<?x?x?xf32, #weft.dims<"a", "b", "c">>, tensor<1x?xf32, #weft.dims<1, "f">>) -> tensor<*xf32>
  return %p, %q, %r : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// The window has to fit.
// CHECK-LABEL: @conv
// CHECK-SAME: less_equal, 0, -3 * "k" + "n" + 3,
// CHECK: weft.conv {{.*}} -> tensor<?x?x?xf32, #weft.dims<"b", "o", -2 * "k" + floordiv("k" + "n" + 1, 2) + 2>>
func.func @conv(%x: tensor<?x4x?xf32, #weft.dims<"b", 4, "n">>, %f: tensor<?x2x?xf32, #weft.dims<"o", 2, "k">>) -> tensor<*xf32> {
  %y = weft.conv %x, %f {strides = array<i64: 2>, pads = array<i64: 1, 0>, dilations = array<i64: 3>, groups = 2 : i64}
    : (tensor<?x4x?xf32, #weft.dims<"b", 4, "n">>, tensor<?x2x?xf32, #weft.dims<"o", 2, "k">>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// Channels last.
// CHECK-LABEL: @windows
// CHECK-SAME: tensor<3x?xf32, #weft.dims<3, "c">>{{.*}}less_equal, 0, "n" - 3, {{.*}}less_equal, 0, "n" - 5,
// CHECK: weft.windows {{.*}} -> tensor<?x?x3x?xf32, #weft.dims<"b", floordiv("n" + 1, 2) - 1, 3, "c">>
// CHECK: weft.depthwise_conv {{.*}} -> tensor<?x?x?xf32, #weft.dims<"b", "n" - 4, "c">>
func.func @windows(%x: tensor<?x?x?xf32, #weft.dims<"b", "n", "c">>, %f: tensor<3x?xf32, #weft.dims<3, "d">>) -> (tensor<*xf32>, tensor<*xf32>) {
  %w = weft.windows %x {kernel = array<i64: 3>, strides = array<i64: 2>, dilations = array<i64: 1>}
    : (tensor<?x?x?xf32, #weft.dims<"b", "n", "c">>) -> tensor<*xf32>
  %y = weft.depthwise_conv %x, %f {strides = array<i64: 1>, dilations = array<i64: 2>}
    : (tensor<?x?x?xf32, #weft.dims<"b", "n", "c">>, tensor<3x?xf32, #weft.dims<3, "d">>) -> tensor<*xf32>
  return %w, %y : tensor<*xf32>, tensor<*xf32>
}

// Numbers that are dims; what reflects has to be there; a pad of nothing is the input; unknown numbers leave a pad as it is.
// CHECK-LABEL: @pad
// CHECK-SAME: less_equal, 2, "m", {{.*}}less_equal, 3, "m", {{.*}}less_equal, 0, "n" - 1,
// CHECK: weft.pad constant {{.*}} {after = #weft.dims<0, "n">, before = #weft.dims<0, "m">} : {{.*}} -> tensor<?x?xf32, #weft.dims<"m", "m" + 2 * "n">>
// CHECK: weft.pad reflect {{.*}} {after = #weft.dims<2, 0>, before = #weft.dims<1, 0>} : {{.*}} -> tensor<?x?xf32, #weft.dims<"m" + 3, "n">>
// CHECK-NOT: weft.pad edge
// CHECK: weft.pad constant {{.*}} {after = #weft.dims<0, 0>, before = #weft.dims<0, -1>} : {{.*}} -> tensor<?x?xf32, #weft.dims<"m", "n" - 1>>
// CHECK: weft.pad constant {{.*}} pads {{.*}} {axes = array<i64: 1>} : {{.*}} -> tensor<?x?xf32, #weft.dims<"m", "d0">>
func.func @pad(%x: tensor<?x?xf32, #weft.dims<"m", "n">>, %bytes: tensor<2xi8>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %unknown = weft.cast %bytes to i64 : (tensor<2xi8>) -> tensor<2xi64>
  %s = weft.shape %x {start = 0 : i64, end = 2 : i64} : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<2xi64>
  %one = weft.constant dense<[1, 2]> : tensor<2xi64>
  %zero = weft.constant dense<0> : tensor<2xi64>
  %crop = weft.constant dense<[-1, 0]> : tensor<2xi64>
  %a = weft.pad constant %x pads %s {axes = array<i64: 1>} : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<2xi64>) -> tensor<*xf32>
  %b = weft.pad reflect %x pads %one {axes = array<i64: 0>} : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<2xi64>) -> tensor<*xf32>
  %c = weft.pad edge %x pads %zero {axes = array<i64: 0>} : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<2xi64>) -> tensor<*xf32>
  %d = weft.pad constant %x pads %crop {axes = array<i64: 1>} : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<2xi64>) -> tensor<*xf32>
  %e = weft.pad constant %x pads %unknown {axes = array<i64: 1>} : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<2xi64>) -> tensor<*xf32>
  return %a, %b, %c, %d, %e : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// Only an axis that has elements has an extreme.
// CHECK-LABEL: @along_axis
// CHECK-SAME: less_equal, 1, "n", {{.*}}less_equal, 1, "m",
// CHECK: weft.arg_reduce max {{.*}} -> tensor<?xi64, #weft.dims<"m">>
// CHECK: weft.arg_reduce min {{.*}} -> tensor<1x?xi64, #weft.dims<1, "n">>
// CHECK: weft.cumulative sum {{.*}} -> tensor<?x?xf32, #weft.dims<"m", "n">>
func.func @along_axis(%x: tensor<?x?xf32, #weft.dims<"m", "n">>) -> (tensor<*xi64>, tensor<*xi64>, tensor<*xf32>) {
  %a = weft.arg_reduce max %x {axis = 1 : i64} : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<*xi64>
  %b = weft.arg_reduce min %x {axis = 0 : i64, keepdims} : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<*xi64>
  %c = weft.cumulative sum %x {axis = 0 : i64} : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<*xf32>
  return %a, %b, %c : tensor<*xi64>, tensor<*xi64>, tensor<*xf32>
}

// A range between floats that are constants.
// CHECK-LABEL: @float_range
// CHECK: weft.range {{.*}} -> tensor<158xf32>
func.func @float_range() -> tensor<*xf32> {
  %start = weft.constant dense<0.5> : tensor<f32>
  %limit = weft.constant dense<40.0> : tensor<f32>
  %delta = weft.constant dense<0.25> : tensor<f32>
  %r = weft.range %start to %limit by %delta : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// CHECK-LABEL: @linear_attention
// CHECK-SAME: #weft.dims<"b", "n", "g", "w">>, %arg2: {{[^"]*}}"b", "n", "g", "v">>, %arg3: {{[^"]*}}"b", "g", "w", "v">>
// CHECK-SAME: %arg4: {{[^"]*}}"b", "n", "g", "w">>, %arg5: {{[^"]*}}"b", "n", 1, 1>>
// CHECK-SAME: #weft.guard<equal, mod("h", "g"), 0,
// CHECK: weft.linear_attention {{.*}} -> (tensor<?x?x?x?xf32, #weft.dims<"b", "n", "h", "v">>, tensor<?x?x?x?xf32, #weft.dims<"b", "g", "w", "v">>)
func.func @linear_attention(%q: tensor<?x?x?x?xf32, #weft.dims<"b", "n", "h", "w">>, %k: tensor<?x?x?x?xf32, #weft.dims<"b1", "n1", "g", "w1">>,
                            %v: tensor<?x?x?x?xf32, #weft.dims<"b2", "n2", "g2", "v">>, %s: tensor<?x?x?x?xf32, #weft.dims<"b3", "g3", "w3", "v3">>,
                            %d: tensor<?x?x?x?xf32, #weft.dims<"b4", "n4", "g4", "w4">>, %r: tensor<?x?x1x?xf32, #weft.dims<"b5", "n5", 1, "o">>)
    -> (tensor<*xf32>, tensor<*xf32>) {
  %y, %final = weft.linear_attention %q, %k, %v, %s decay(%d : tensor<?x?x?x?xf32, #weft.dims<"b4", "n4", "g4", "w4">>)
      rate(%r : tensor<?x?x1x?xf32, #weft.dims<"b5", "n5", 1, "o">>)
    : (tensor<?x?x?x?xf32, #weft.dims<"b", "n", "h", "w">>, tensor<?x?x?x?xf32, #weft.dims<"b1", "n1", "g", "w1">>,
       tensor<?x?x?x?xf32, #weft.dims<"b2", "n2", "g2", "v">>, tensor<?x?x?x?xf32, #weft.dims<"b3", "g3", "w3", "v3">>)
    -> (tensor<*xf32>, tensor<*xf32>)
  return %y, %final : tensor<*xf32>, tensor<*xf32>
}

// CHECK-LABEL: @routed_matmul
// CHECK-SAME: %arg0: {{[^"]*}}"s", "k">>, %arg1: {{[^"]*}}"e", "k", "n">>, %arg2: {{[^"]*}}"s">>
// CHECK: weft.routed_matmul {{.*}} -> tensor<?x?xf32, #weft.dims<"s", "n">>
func.func @routed_matmul(%x: tensor<?x?xf32, #weft.dims<"s", "k">>, %w: tensor<?x?x?xf32, #weft.dims<"e", "k1", "n">>, %e: tensor<?xi64, #weft.dims<"s1">>) -> tensor<*xf32> {
  %y = weft.routed_matmul %x, %w, %e : (tensor<?x?xf32, #weft.dims<"s", "k">>, tensor<?x?x?xf32, #weft.dims<"e", "k1", "n">>, tensor<?xi64, #weft.dims<"s1">>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
