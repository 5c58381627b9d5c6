// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: weft-opt %s -weft-recognize-norm -canonicalize | FileCheck %s

!x = tensor<?x4x8xf32, #weft.dims<"n", 4, 8>>
!r = tensor<?x4x1xf32, #weft.dims<"n", 4, 1>>
!r2 = tensor<?x1x1xf32, #weft.dims<"n", 1, 1>>
!c = tensor<?x1x8xf32, #weft.dims<"n", 1, 8>>
!h = tensor<?x4x8xf16, #weft.dims<"n", 4, 8>>
!row = tensor<8xf32>
!s = tensor<f32>

// As a quotient.
// CHECK-LABEL: @plain
// CHECK-NEXT: %[[R:.*]] = weft.rms_norm %arg0, %arg1 {axis = 2 : i64, epsilon = 9.99999997E-7 : f32}
// CHECK-NEXT: return %[[R]]
func.func @plain(%x: !x, %g: !row) -> !x {
  %eps = weft.constant dense<1.0e-06> : !s
  %q = weft.mul %x, %x : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %x, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  return %y : !x
}

// As torch.rsqrt is exported: one over the root, times x; the scale on the left.
// CHECK-LABEL: @one_over_root
// CHECK-NEXT: %[[R:.*]] = weft.rms_norm %arg0, %arg1 {axis = 2 : i64, epsilon = 9.99999997E-7 : f32}
// CHECK-NEXT: return %[[R]]
func.func @one_over_root(%x: !x, %g: !row) -> !x {
  %eps = weft.constant dense<1.0e-06> : !s
  %one = weft.constant dense<1.0> : !s
  %two = weft.constant dense<2.0> : !s
  %q = weft.pow %x, %two : (!x, !s) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %eps, %v : (!s, !r) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %i = weft.div %one, %t : (!s, !r) -> !r
  %n = weft.mul %x, %i : (!x, !r) -> !x
  %y = weft.mul %g, %n : (!row, !x) -> !x
  return %y : !x
}

// A reciprocal, on the left.
// CHECK-LABEL: @reciprocal
// CHECK-NEXT: %[[R:.*]] = weft.rms_norm %arg0, %arg1 {axis = 2 : i64, epsilon = 9.99999997E-7 : f32}
// CHECK-NEXT: return %[[R]]
func.func @reciprocal(%x: !x, %g: !row) -> !x {
  %eps = weft.constant dense<1.0e-06> : !s
  %q = weft.mul %x, %x : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %i = weft.reciprocal %t : (!r) -> !r
  %n = weft.mul %i, %x : (!r, !x) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  return %y : !x
}

// The power of -1/2.
// CHECK-LABEL: @power
// CHECK-NEXT: %[[R:.*]] = weft.rms_norm %arg0, %arg1 {axis = 2 : i64, epsilon = 9.99999997E-7 : f32}
// CHECK-NEXT: return %[[R]]
func.func @power(%x: !x, %g: !row) -> !x {
  %eps = weft.constant dense<1.0e-06> : !s
  %p = weft.constant dense<-0.5> : !s
  %q = weft.mul %x, %x : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %i = weft.pow %e, %p : (!r, !s) -> !r
  %n = weft.mul %x, %i : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  return %y : !x
}

// No scale: ones.
// CHECK-LABEL: @without_scale
// CHECK-NEXT: %[[ONE:.*]] = weft.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK-NEXT: weft.rms_norm %arg0, %[[ONE]] {axis = 2
func.func @without_scale(%x: !x, %g: !row) -> !x {
  %eps = weft.constant dense<1.0e-06> : !s
  %q = weft.mul %x, %x : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %x, %t : (!x, !r) -> !x
  return %n : !x
}

// Two normalised dims; a scale within them gets their shape.
// CHECK-LABEL: @two_dims
// CHECK: %[[G:.*]] = weft.expand %arg1 : (tensor<8xf32>) -> tensor<4x8xf32>
// CHECK: weft.rms_norm %arg0, %[[G]] {axis = 1
func.func @two_dims(%x: !x, %g: !row) -> !x {
  %eps = weft.constant dense<1.0e-06> : !s
  %q = weft.mul %x, %x : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 1, 2>, keepdims} : (!x) -> !r2
  %e = weft.add %v, %eps : (!r2, !s) -> !r2
  %t = weft.sqrt %e : (!r2) -> !r2
  %n = weft.div %x, %t : (!x, !r2) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  return %y : !x
}

// Normalised in f32 between casts of a model in f16: just what a norm of f16 does.
// CHECK-LABEL: @widened
// CHECK-NEXT: %[[R:.*]] = weft.rms_norm %arg0, %arg1 {{.*}} : (tensor<?x4x8xf16, {{.*}}>, tensor<8xf16>)
// CHECK-NEXT: return %[[R]]
func.func @widened(%h: !h, %g: tensor<8xf16>) -> !h {
  %x = weft.cast %h to f32 : (!h) -> !x
  %eps = weft.constant dense<1.0e-06> : !s
  %q = weft.mul %x, %x : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %i = weft.reciprocal %t : (!r) -> !r
  %n = weft.mul %x, %i : (!x, !r) -> !x
  %c = weft.cast %n to f16 : (!x) -> !h
  %y = weft.mul %g, %c : (tensor<8xf16>, !h) -> !h
  return %y : !h
}

// Scaled before it is rounded back: a norm of f32 between the casts.
// CHECK-LABEL: @widened_throughout
// CHECK: weft.cast
// CHECK: weft.rms_norm {{.*}} : (tensor<?x4x8xf32
// CHECK: weft.cast
func.func @widened_throughout(%h: !h, %g: !row) -> !h {
  %x = weft.cast %h to f32 : (!h) -> !x
  %eps = weft.constant dense<1.0e-06> : !s
  %q = weft.mul %x, %x : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %x, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  %c = weft.cast %y to f16 : (!x) -> !h
  return %c : !h
}

// The scale differs from row to row: only what comes before it is a norm.
// CHECK-LABEL: @scale_per_row
// CHECK: weft.rms_norm %arg0, %{{.*}} {axis = 2
// CHECK: weft.mul
func.func @scale_per_row(%x: !x, %g: !r) -> !x {
  %eps = weft.constant dense<1.0e-06> : !s
  %q = weft.mul %x, %x : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %x, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !r) -> !x
  return %y : !x
}

// There is no bias: a sum after it stays.
// CHECK-LABEL: @sum_after
// CHECK: weft.rms_norm %arg0, %arg1
// CHECK: weft.add
func.func @sum_after(%x: !x, %g: !row, %b: !row) -> !x {
  %eps = weft.constant dense<1.0e-06> : !s
  %q = weft.mul %x, %x : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %x, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  %z = weft.add %y, %b : (!x, !row) -> !x
  return %z : !x
}

// A layer norm whose difference is an output, too: what is left is the norm of the difference.
// CHECK-LABEL: @difference_kept
// CHECK-NOT: weft.layer_norm
// CHECK: %[[D:.*]] = weft.sub
// CHECK: weft.rms_norm %[[D]], %arg1
func.func @difference_kept(%x: !x, %g: !row) -> (!x, !x) {
  %eps = weft.constant dense<1.0e-06> : !s
  %m = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %q = weft.mul %d, %d : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %d, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  return %y, %d : !x, !x
}

// Declined: the mean loses its dim, so it divides along another one.
// CHECK-LABEL: @without_keepdims
// CHECK-NOT: weft.rms_norm
func.func @without_keepdims(%x: tensor<8x8xf32>, %g: !row) -> tensor<8x8xf32> {
  %eps = weft.constant dense<1.0e-06> : !s
  %q = weft.mul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %v = weft.reduce mean %q {axes = array<i64: 1>} : (tensor<8x8xf32>) -> !row
  %e = weft.add %v, %eps : (!row, !s) -> !row
  %t = weft.sqrt %e : (!row) -> !row
  %n = weft.div %x, %t : (tensor<8x8xf32>, !row) -> tensor<8x8xf32>
  %y = weft.mul %n, %g : (tensor<8x8xf32>, !row) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// Declined: the mean is not over the last dims.
// CHECK-LABEL: @inner_axis
// CHECK-NOT: weft.rms_norm
func.func @inner_axis(%x: !x, %g: !row) -> !x {
  %eps = weft.constant dense<1.0e-06> : !s
  %q = weft.mul %x, %x : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 1>, keepdims} : (!x) -> !c
  %e = weft.add %v, %eps : (!c, !s) -> !c
  %t = weft.sqrt %e : (!c) -> !c
  %n = weft.div %x, %t : (!x, !c) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  return %y : !x
}

// Declined: epsilon is added to the root.
// CHECK-LABEL: @epsilon_outside
// CHECK-NOT: weft.rms_norm
func.func @epsilon_outside(%x: !x, %g: !row) -> !x {
  %eps = weft.constant dense<1.0e-06> : !s
  %q = weft.mul %x, %x : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %t0 = weft.sqrt %v : (!r) -> !r
  %t = weft.add %t0, %eps : (!r, !s) -> !r
  %n = weft.div %x, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  return %y : !x
}

// Declined: epsilon is not one number.
// CHECK-LABEL: @epsilon_per_row
// CHECK-NOT: weft.rms_norm
func.func @epsilon_per_row(%x: !x, %g: !row, %eps: !r) -> !x {
  %q = weft.mul %x, %x : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !r) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %x, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  return %y : !x
}

// Declined: a sum of squares, not their mean.
// CHECK-LABEL: @sum_of_squares
// CHECK-NOT: weft.rms_norm
func.func @sum_of_squares(%x: !x, %g: !row) -> !x {
  %eps = weft.constant dense<1.0e-06> : !s
  %q = weft.mul %x, %x : (!x, !x) -> !x
  %v = weft.reduce sum %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %x, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  return %y : !x
}

// Declined: a mean of products of two values.
// CHECK-LABEL: @product_of_two
// CHECK-NOT: weft.rms_norm
func.func @product_of_two(%x: !x, %o: !x, %g: !row) -> !x {
  %eps = weft.constant dense<1.0e-06> : !s
  %q = weft.mul %x, %o : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %x, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  return %y : !x
}

// Declined: divides another value by the root.
// CHECK-LABEL: @other_value
// CHECK-NOT: weft.rms_norm
func.func @other_value(%x: !x, %o: !x, %g: !row) -> !x {
  %eps = weft.constant dense<1.0e-06> : !s
  %q = weft.mul %x, %x : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %o, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  return %y : !x
}

// Declined: the root is divided.
// CHECK-LABEL: @root_over_value
// CHECK-NOT: weft.rms_norm
func.func @root_over_value(%x: !x, %g: !row) -> !x {
  %eps = weft.constant dense<1.0e-06> : !s
  %q = weft.mul %x, %x : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %t, %x : (!r, !x) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  return %y : !x
}

// Declined: a third power.
// CHECK-LABEL: @cube
// CHECK-NOT: weft.rms_norm
func.func @cube(%x: !x, %g: !row) -> !x {
  %eps = weft.constant dense<1.0e-06> : !s
  %three = weft.constant dense<3.0> : !s
  %q = weft.pow %x, %three : (!x, !s) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %x, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  return %y : !x
}

// Declined: the power of 1/2 multiplies.
// CHECK-LABEL: @other_power
// CHECK-NOT: weft.rms_norm
func.func @other_power(%x: !x, %g: !row) -> !x {
  %eps = weft.constant dense<1.0e-06> : !s
  %p = weft.constant dense<0.5> : !s
  %q = weft.mul %x, %x : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %i = weft.pow %e, %p : (!r, !s) -> !r
  %n = weft.mul %x, %i : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  return %y : !x
}

// Declined: an intermediate value is an output of the model.
// CHECK-LABEL: @returned
// CHECK-NOT: weft.rms_norm
func.func @returned(%x: !x, %g: !row) -> (!x, !r) {
  %eps = weft.constant dense<1.0e-06> : !s
  %q = weft.mul %x, %x : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %x, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  return %y, %t : !x, !r
}

// Declined: the mean of squares has another user.
// CHECK-LABEL: @other_user
// CHECK-NOT: weft.rms_norm
func.func @other_user(%x: !x, %g: !row) -> !x {
  %eps = weft.constant dense<1.0e-06> : !s
  %q = weft.mul %x, %x : (!x, !x) -> !x
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %e = weft.add %v, %eps : (!r, !s) -> !r
  %t = weft.sqrt %e : (!r) -> !r
  %n = weft.div %x, %t : (!x, !r) -> !x
  %y = weft.mul %n, %g : (!x, !row) -> !x
  %w = weft.add %y, %v : (!x, !r) -> !x
  return %w : !x
}
