// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: weft-opt %s -weft-infer-shapes -split-input-file -verify-diagnostics

// No size makes n + 2 and n + 3 equal, and neither is ever 1.
func.func @impossible(%x: tensor<?xf32, #weft.dims<"n" + 2>>, %y: tensor<?xf32, #weft.dims<"n" + 3>>) -> tensor<*xf32> {
  // expected-error@below {{node "weft.add" (weft.add): broadcasts n + 2 with n + 3, which no size allows; check the dims of its inputs [weft-0200]}}
  %r = weft.add %x, %y : (tensor<?xf32, #weft.dims<"n" + 2>>, tensor<?xf32, #weft.dims<"n" + 3>>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A constraint that only shows once shapes are known.
func.func @late(%x: tensor<?x4xf32, #weft.dims<"n", 4>>, %w: tensor<5x2xf32>) -> tensor<*xf32> {
  %shape = weft.constant dense<[-1, 4]> : tensor<2xi64>
  %v = weft.reshape %x, %shape : (tensor<?x4xf32, #weft.dims<"n", 4>>, tensor<2xi64>) -> tensor<?x?xf32>
  // expected-error@below {{matmul-c2: contracts 4 columns of lhs (n x 4 x f32) with 5 rows of rhs (5 x 2 x f32)}}
  %r = weft.matmul %v, %w : (tensor<?x?xf32>, tensor<5x2xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
