// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: weft-opt %s -weft-recognize-norm -canonicalize | FileCheck %s

!x = tensor<?x4x8xf32, #weft.dims<"n", 4, 8>>
!r = tensor<?x4x1xf32, #weft.dims<"n", 4, 1>>
!r2 = tensor<?x1x1xf32, #weft.dims<"n", 1, 1>>
!c = tensor<?x1x8xf32, #weft.dims<"n", 1, 8>>
!h = tensor<?x4x8xf16, #weft.dims<"n", 4, 8>>
!row = tensor<8xf32>
!s = tensor<f32>

// As exporters before opset 17 write it.
// CHECK-LABEL: @plain
// CHECK-NEXT: %[[R:.*]] = weft.layer_norm %arg0, %arg1, %arg2 {axis = 2 : i64, epsilon = 9.99999974E-6 : f32}
// CHECK-NEXT: return %[[R]]
func.func @plain(%x: !x, %g: !row, %b: !row) -> !x {
  %eps = weft.constant dense<1.0e-05> : !s
  %m = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %q = weft.mul %d, %d : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %d, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  %z = weft.add %y, %b : (!x, !row) -> !x
  return %z : !x
}

// The difference written twice, a power for the square, epsilon and the parameters on the left, a reciprocal.
// CHECK-LABEL: @variants
// CHECK-NEXT: %[[R:.*]] = weft.layer_norm %arg0, %arg1, %arg2 {axis = 2 : i64, epsilon = 9.99999974E-6 : f32}
// CHECK-NEXT: return %[[R]]
func.func @variants(%x: !x, %g: !row, %b: !row) -> !x {
  %eps = weft.constant dense<1.0e-05> : !s
  %two = weft.constant dense<2.0> : !s
  %m = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %d2 = weft.sub %x, %m : (!x, !r) -> !x
  %q = weft.pow %d2, %two : (!x, !s) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %eps, %v : (!s, !r) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %i = weft.reciprocal %t : (!r) -> !r
  %n = weft.mul %i, %d : (!r, !x) -> !x
  %y = weft.mul %g, %n : (!row, !x) -> !x
  %z = weft.add %b, %y : (!row, !x) -> !x
  return %z : !x
}

// The reciprocal as a division.
// CHECK-LABEL: @one_over_root
// CHECK-NEXT: %[[R:.*]] = weft.layer_norm %arg0, %arg1, %arg2 {axis = 2 : i64, epsilon = 9.99999974E-6 : f32}
// CHECK-NEXT: return %[[R]]
func.func @one_over_root(%x: !x, %g: !row, %b: !row) -> !x {
  %eps = weft.constant dense<1.0e-05> : !s
  %one = weft.constant dense<1.0> : !s
  %m = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %q = weft.mul %d, %d : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %i = weft.div %one, %t : (!s, !r) -> !r
  %n = weft.mul %d, %i : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  %z = weft.add %y, %b : (!x, !row) -> !x
  return %z : !x
}

// No bias.
// CHECK-LABEL: @without_bias
// CHECK-NEXT: weft.layer_norm %arg0, %arg1 {axis = 2
func.func @without_bias(%x: !x, %g: !row, %b: !row) -> !x {
  %eps = weft.constant dense<1.0e-05> : !s
  %m = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %q = weft.mul %d, %d : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %d, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  return %y : !x
}

// No scale: ones.
// CHECK-LABEL: @without_parameters
// CHECK-NEXT: %[[ONE:.*]] = weft.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK-NEXT: weft.layer_norm %arg0, %[[ONE]] {axis = 2
func.func @without_parameters(%x: !x, %g: !row, %b: !row) -> !x {
  %eps = weft.constant dense<1.0e-05> : !s
  %m = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %q = weft.mul %d, %d : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %d, %t : (!x, !r) -> !x
  return %n : !x
}

// Two normalised dims; a scale within them gets their shape.
// CHECK-LABEL: @two_dims
// CHECK: %[[G:.*]] = weft.expand %arg1 : (tensor<8xf32>) -> tensor<4x8xf32>
// CHECK: weft.layer_norm %arg0, %[[G]], %arg2 {axis = 1
func.func @two_dims(%x: !x, %g: !row, %b: tensor<4x8xf32>) -> !x {
  %eps = weft.constant dense<1.0e-05> : !s
  %m = weft.reduce mean %x {axes = array<i64: 1, 2>, keepdims} : (!x) -> !r2
  %d = weft.sub %x, %m : (!x, !r2) -> !x
  %q = weft.mul %d, %d : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 1, 2>, keepdims} : (!x) -> !r2
  %e = weft.add %v, %eps : (!r2, !s) -> !r2
  %t = weft.sqrt %e : (!r2) -> !r2
  %n = weft.div %d, %t : (!x, !r2) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  %z = weft.add %y, %b : (!x, tensor<4x8xf32>) -> !x
  return %z : !x
}

// Normalised in f32 between casts of a model in f16: just what a norm of f16 does.
// CHECK-LABEL: @widened
// CHECK-NEXT: %[[R:.*]] = weft.layer_norm %arg0, %arg1, %arg2 {{.*}} : (tensor<?x4x8xf16, {{.*}}>, tensor<8xf16>, tensor<8xf16>)
// CHECK-NEXT: return %[[R]]
func.func @widened(%h: !h, %g: tensor<8xf16>, %b: tensor<8xf16>) -> !h {
  %x = weft.cast %h to f32 : (!h) -> !x
  %eps = weft.constant dense<1.0e-05> : !s
  %m = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %q = weft.mul %d, %d : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %d, %t : (!x, !r) -> !x
  %c = weft.cast %n to f16 : (!x) -> !h
  %y = weft.mul %c, %g : (!h, tensor<8xf16>) -> !h
  %z = weft.add %y, %b : (!h, tensor<8xf16>) -> !h
  return %z : !h
}

// The scale differs from row to row: only what comes before it is a norm.
// CHECK-LABEL: @scale_per_row
// CHECK: weft.layer_norm %arg0, %{{.*}} {axis = 2
// CHECK: weft.mul
// CHECK: weft.add
func.func @scale_per_row(%x: !x, %g: !r, %b: !row) -> !x {
  %eps = weft.constant dense<1.0e-05> : !s
  %m = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %q = weft.mul %d, %d : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %d, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !r) -> !x
  %z = weft.add %y, %b : (!x, !row) -> !x
  return %z : !x
}

// Declined: the mean loses its dim, so it is subtracted along another one.
// CHECK-LABEL: @without_keepdims
// CHECK-NOT: weft.layer_norm
func.func @without_keepdims(%x: tensor<8x8xf32>, %g: !row, %b: !row) -> tensor<8x8xf32> {
  %eps = weft.constant dense<1.0e-05> : !s
  %m = weft.reduce mean %x {axes = array<i64: 1>} : (tensor<8x8xf32>) -> !row
  %d = weft.sub %x, %m : (tensor<8x8xf32>, !row) -> tensor<8x8xf32>
  %q = weft.mul %d, %d : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %v = weft.reduce mean %q {axes = array<i64: 1>} : (tensor<8x8xf32>) -> !row
  %e = weft.add %v, %eps : (!row, !s) -> !row
  %t = weft.sqrt %e : (!row) -> !row
  %n = weft.div %d, %t : (tensor<8x8xf32>, !row) -> tensor<8x8xf32>
  %y = weft.mul %n, %g : (tensor<8x8xf32>, !row) -> tensor<8x8xf32>
  %z = weft.add %y, %b : (tensor<8x8xf32>, !row) -> tensor<8x8xf32>
  return %z : tensor<8x8xf32>
}

// Declined: the mean is not over the last dims.
// CHECK-LABEL: @inner_axis
// CHECK-NOT: weft.layer_norm
func.func @inner_axis(%x: !x, %g: !row, %b: !row) -> !x {
  %eps = weft.constant dense<1.0e-05> : !s
  %m = weft.reduce mean %x {axes = array<i64: 1>, keepdims} : (!x) -> !c
  %d = weft.sub %x, %m : (!x, !c) -> !x
  %q = weft.mul %d, %d : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 1>, keepdims} : (!x) -> !c
  %e = weft.add %v, %eps : (!c, !s) -> !c
  %t = weft.sqrt %e : (!c) -> !c
  %n = weft.div %d, %t : (!x, !c) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  %z = weft.add %y, %b : (!x, !row) -> !x
  return %z : !x
}

// Declined: epsilon is added to the deviation, not to the variance.
// CHECK-LABEL: @epsilon_outside
// CHECK-NOT: weft.layer_norm
func.func @epsilon_outside(%x: !x, %g: !row, %b: !row) -> !x {
  %eps = weft.constant dense<1.0e-05> : !s
  %m = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %q = weft.mul %d, %d : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %t0 = weft.sqrt %v : (!r) -> !r
  %t = weft.add %t0, %eps : (!r, !s) -> !r
  %n = weft.div %d, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  %z = weft.add %y, %b : (!x, !row) -> !x
  return %z : !x
}

// Declined: a sum of squares, not their mean.
// CHECK-LABEL: @sum_of_squares
// CHECK-NOT: weft.layer_norm
func.func @sum_of_squares(%x: !x, %g: !row, %b: !row) -> !x {
  %eps = weft.constant dense<1.0e-05> : !s
  %m = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %q = weft.mul %d, %d : (!x, !x) -> !x
  %v = weft.reduce sum %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %d, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  %z = weft.add %y, %b : (!x, !row) -> !x
  return %z : !x
}

// Declined: the unbiased variance divides by one less.
// CHECK-LABEL: @unbiased
// CHECK-NOT: weft.layer_norm
func.func @unbiased(%x: !x, %g: !row, %b: !row) -> !x {
  %eps = weft.constant dense<1.0e-05> : !s
  %less = weft.constant dense<7.0> : !s
  %m = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %q = weft.mul %d, %d : (!x, !x) -> !x
  %sum = weft.reduce sum %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %v = weft.div %sum, %less : (!r, !s) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %d, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  %z = weft.add %y, %b : (!x, !row) -> !x
  return %z : !x
}

// Declined: an intermediate value is an output of the model.
// CHECK-LABEL: @returned
// CHECK-NOT: weft.layer_norm
func.func @returned(%x: !x, %g: !row, %b: !row) -> (!x, !r) {
  %eps = weft.constant dense<1.0e-05> : !s
  %m = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %q = weft.mul %d, %d : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %d, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  %z = weft.add %y, %b : (!x, !row) -> !x
  return %z, %t : !x, !r
}

// Declined: the variance has another user.
// CHECK-LABEL: @other_user
// CHECK-NOT: weft.layer_norm
func.func @other_user(%x: !x, %g: !row, %b: !row) -> !x {
  %eps = weft.constant dense<1.0e-05> : !s
  %m = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %q = weft.mul %d, %d : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %d, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  %w = weft.add %y, %v : (!x, !r) -> !x
  %z = weft.add %w, %b : (!x, !row) -> !x
  return %z : !x
}

// Declined: divides another value by the deviation.
// CHECK-LABEL: @other_value
// CHECK-NOT: weft.layer_norm
func.func @other_value(%x: !x, %o: !x, %g: !row, %b: !row) -> !x {
  %eps = weft.constant dense<1.0e-05> : !s
  %m = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %q = weft.mul %d, %d : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %o, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  %z = weft.add %y, %b : (!x, !row) -> !x
  return %z : !x
}

// Declined: epsilon is not one number.
// CHECK-LABEL: @epsilon_per_row
// CHECK-NOT: weft.layer_norm
func.func @epsilon_per_row(%x: !x, %g: !row, %b: !row, %eps: !r) -> !x {
  %m = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %q = weft.mul %d, %d : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !r) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %d, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  %z = weft.add %y, %b : (!x, !row) -> !x
  return %z : !x
}

// Declined: alpha * (x - mean) / (std + eps) + bias with the unbiased std, as PyTorch exports it: eps is outside of
// the root, and the count is one less.
// CHECK-LABEL: @home_made
// CHECK-NOT: weft.{{layer|rms}}_norm
func.func @home_made(%x: !x, %g: !row, %b: !row) -> !x {
  %eps = weft.constant dense<1.0e-05> : !s
  %one = weft.constant dense<1.0> : !s
  %last = weft.constant dense<-1> : tensor<1xi64>
  %shape = weft.shape %x {end = 3 : i64, start = 0 : i64} : (!x) -> tensor<3xi64>
  %length = weft.gather %shape, %last {axis = 0 : i64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  %count = weft.reduce prod %length {axes = array<i64: 0>} : (tensor<1xi64>) -> tensor<i64>
  %m = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %q = weft.mul %d, %d : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %c = weft.cast %count to f32 : (tensor<i64>) -> !s
  %sum = weft.mul %v, %c : (!r, !s) -> !r
  %less = weft.sub %c, %one : (!s, !s) -> !s
  %u = weft.div %sum, %less : (!r, !s) -> !r
  %t0 = weft.sqrt %u : (!r) -> !r
  %t = weft.add %t0, %eps : (!r, !s) -> !r
  %scaled = weft.mul %g, %d : (!row, !x) -> !x
  %n = weft.div %scaled, %t : (!x, !r) -> !x
  %z = weft.add %n, %b : (!x, !row) -> !x
  return %z : !x
}

// The scale has a dim more than x: only what comes before it is a norm.
// CHECK-LABEL: @scale_enlarges
// CHECK: weft.layer_norm %arg0, %{{.*}} {axis = 2
// CHECK: weft.mul
func.func @scale_enlarges(%x: !x, %g: tensor<3x1x1x8xf32>) -> tensor<3x?x4x8xf32, #weft.dims<3, "n", 4, 8>> {
  %eps = weft.constant dense<1.0e-05> : !s
  %m = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %q = weft.mul %d, %d : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %d, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, tensor<3x1x1x8xf32>) -> tensor<3x?x4x8xf32, #weft.dims<3, "n", 4, 8>>
  return %y : tensor<3x?x4x8xf32, #weft.dims<3, "n", 4, 8>>
}

// The power of -1/2 for one over the root.
// CHECK-LABEL: @power
// CHECK-NEXT: %[[R:.*]] = weft.layer_norm %arg0, %arg1, %arg2 {axis = 2 : i64, epsilon = 9.99999974E-6 : f32}
// CHECK-NEXT: return %[[R]]
func.func @power(%x: !x, %g: !row, %b: !row) -> !x {
  %eps = weft.constant dense<1.0e-05> : !s
  %p = weft.constant dense<-0.5> : !s
  %m = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %q = weft.mul %d, %d : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %i = weft.pow %e, %p : (!r, !s) -> !r
  %n = weft.mul %d, %i : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  %z = weft.add %y, %b : (!x, !row) -> !x
  return %z : !x
}
