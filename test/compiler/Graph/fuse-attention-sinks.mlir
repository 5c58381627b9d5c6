// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A score that no key has: joined to the scores, and its weight left out again.
// RUN: weft-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(weft-fuse-attention,canonicalize))' | FileCheck %s

// One number for each head, expanded to the rows, behind the scores.
// CHECK-LABEL: @behind
// CHECK: %[[SINK:.*]] = weft.reshape %{{.*}} : (tensor<4xf32>) -> tensor<1x4x1x1xf32>
// CHECK: weft.attention %{{.*}} scale(1.0{{.*}}) empty_rows(nan) sink(%[[SINK]] : tensor<1x4x1x1xf32>) :
// CHECK-NOT: weft.softmax
func.func @behind(%q: tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, %kt: tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>, %v: tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>, %sinks: tensor<4xf32>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>> {
  %s = weft.matmul %q, %kt : (tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %r = weft.reshape %sinks : (tensor<4xf32>) -> tensor<1x4x1x1xf32>
  %e = weft.expand %r : (tensor<1x4x1x1xf32>) -> tensor<?x4x?x1xf32, #weft.dims<"b", 4, "n", 1>>
  %c = weft.concat %s, %e {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x1xf32, #weft.dims<"b", 4, "n", 1>>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>
  %p = weft.softmax %c {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>
  %w = weft.slice %p {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %y = weft.matmul %w, %v : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
  return %y : tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
}

// -----

// In front of them, changed before; a row's own sink of f16; the weights are a result.
// CHECK-LABEL: @in_front
// CHECK: %[[SINK:.*]] = weft.cast %arg3 to f32
// CHECK: %[[Y:.*]], %[[W:.*]] = weft.attention {{.*}} captures(%{{.*}}) sink(%[[SINK]] : tensor<?x4x?x1xf32, {{.*}}) score {
// CHECK: arith.addf
// CHECK: return %[[Y]], %[[W]]
func.func @in_front(%q: tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, %kt: tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>, %v: tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>, %sinks: tensor<?x4x?x1xf16, #weft.dims<"b", 4, "n", 1>>, %mask: tensor<?x?xf32, #weft.dims<"n", "m">>) -> (tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>, tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) {
  %s = weft.matmul %q, %kt : (tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %a = weft.add %s, %mask : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x?xf32, #weft.dims<"n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %e = weft.cast %sinks to f32 : (tensor<?x4x?x1xf16, #weft.dims<"b", 4, "n", 1>>) -> tensor<?x4x?x1xf32, #weft.dims<"b", 4, "n", 1>>
  %c = weft.concat %e, %a {axis = 3 : i64} : (tensor<?x4x?x1xf32, #weft.dims<"b", 4, "n", 1>>, tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>
  %p = weft.softmax %c {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>
  %w = weft.slice %p {offsets = #weft.dims<0, 0, 0, 1>, strides = array<i64: 1, 1, 1, 1>} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %y = weft.matmul %w, %v : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
  return %y, %w : tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>, tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
}

// -----

// The weights that are used are not those of the scores.
// CHECK-LABEL: @another_slice
// CHECK-NOT: weft.attention
// CHECK: weft.softmax
func.func @another_slice(%q: tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, %kt: tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>, %v: tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>, %sinks: tensor<?x4x?x1xf32, #weft.dims<"b", 4, "n", 1>>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>> {
  %s = weft.matmul %q, %kt : (tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %c = weft.concat %s, %sinks {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x1xf32, #weft.dims<"b", 4, "n", 1>>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>
  %p = weft.softmax %c {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>
  %w = weft.slice %p {offsets = #weft.dims<0, 0, 0, 1>, strides = array<i64: 1, 1, 1, 1>} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %y = weft.matmul %w, %v : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
  return %y : tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
}

// -----

// The weight of the sink is used, too.
// CHECK-LABEL: @sink_is_weighed
// CHECK-NOT: weft.attention
// CHECK: weft.softmax
func.func @sink_is_weighed(%q: tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, %kt: tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>, %v: tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>, %sinks: tensor<?x4x?x1xf32, #weft.dims<"b", 4, "n", 1>>) -> (tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>, tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>) {
  %s = weft.matmul %q, %kt : (tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %c = weft.concat %s, %sinks {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x1xf32, #weft.dims<"b", 4, "n", 1>>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>
  %p = weft.softmax %c {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>
  %w = weft.slice %p {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %y = weft.matmul %w, %v : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
  return %y, %p : tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>, tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>
}

// -----

// What is joined is computed from the scores: the attention would not save them.
// CHECK-LABEL: @sink_of_scores
// CHECK-NOT: weft.attention
// CHECK: weft.softmax
func.func @sink_of_scores(%q: tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, %kt: tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>, %v: tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>> {
  %s = weft.matmul %q, %kt : (tensor<?x4x?x8xf32, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x8x?xf32, #weft.dims<"b", 4, 8, "m">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %e = weft.reduce mean %s {axes = array<i64: 3>, keepdims} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>) -> tensor<?x4x?x1xf32, #weft.dims<"b", 4, "n", 1>>
  %c = weft.concat %s, %e {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x1xf32, #weft.dims<"b", 4, "n", 1>>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>
  %p = weft.softmax %c {axis = 3 : i64} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>
  %w = weft.slice %p {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m + 1">>) -> tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>
  %y = weft.matmul %w, %v : (tensor<?x4x?x?xf32, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x5xf32, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
  return %y : tensor<?x4x?x5xf32, #weft.dims<"b", 4, "n", 5>>
}
