// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inference of attention and root mean square norms, every dim under its own symbol.
// RUN: weft-opt %s -weft-infer-shapes -split-input-file | FileCheck %s

// Dims that must be equal become one symbol; what else has to hold is a guard.
// CHECK-LABEL: @attention
// CHECK-SAME: #weft.dims<"q.0", "q.1", "q.2", "q.3">> {weft.name = "q"}
// CHECK-SAME: #weft.dims<"q.0", "k.1", "k.2", "q.3">> {weft.name = "k"}
// CHECK-SAME: #weft.dims<"q.0", "k.1", "k.2", "v.3">> {weft.name = "v"}
// CHECK-SAME: -> tensor<?x?x?x?xf32, #weft.dims<"q.0", "q.1", "q.2", "v.3">>
// CHECK-SAME: #weft.guard<equal, mod("q.1", "k.1"), 0, "node \22weft.attention\22 needs mod(q.1, k.1) to equal 0">
// CHECK-SAME: #weft.guard<equal, broadcast("m.0", "q.1"), "q.1",
// CHECK-SAME: #weft.guard<equal, broadcast("k.2", "m.2"), "k.2",
func.func @attention(%q: tensor<?x?x?x?xf32> {weft.name = "q"}, %k: tensor<?x?x?x?xf32> {weft.name = "k"},
                     %v: tensor<?x?x?x?xf32> {weft.name = "v"}, %m: tensor<?x1x?xi1> {weft.name = "m"}) -> tensor<*xf32> {
  %r = weft.attention %q, %k, %v scale(1.0) empty_rows(zero) captures(%m : tensor<?x1x?xi1>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %keep: i1):
    weft.yield %s, %keep : f32, i1
  } : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// The weights are of the scores' dims.
// CHECK-LABEL: @weights
// CHECK-SAME: -> (tensor<?x?x?x?xf16, #weft.dims<"q.0", "q.1", "q.2", "v.3">>, tensor<?x?x?x?xf16, #weft.dims<"q.0", "q.1", "q.2", "k.2">>)
func.func @weights(%q: tensor<?x?x?x?xf16> {weft.name = "q"}, %k: tensor<?x?x?x?xf16> {weft.name = "k"},
                   %v: tensor<?x?x?x?xf16> {weft.name = "v"}) -> (tensor<*xf16>, tensor<*xf16>) {
  %r, %w = weft.attention %q, %k, %v scale(1.0) empty_rows(nan)
    : (tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>) -> tensor<*xf16>, tensor<*xf16>
  return %r, %w : tensor<*xf16>, tensor<*xf16>
}

// -----

// CHECK-LABEL: @rms_norm
// CHECK-SAME: -> tensor<?x?xf32, #weft.dims<"x.0", "x.1">>
// CHECK-SAME: #weft.guard<equal, broadcast("g.0", "x.1"), "x.1", "node \22weft.rms_norm\22 needs broadcast(g.0, x.1) to equal x.1">
func.func @rms_norm(%x: tensor<?x?xf32> {weft.name = "x"}, %g: tensor<?xf32> {weft.name = "g"}) -> tensor<*xf32> {
  %r = weft.rms_norm %x, %g {axis = 1 : i64, epsilon = 1.0e-5 : f32} : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
