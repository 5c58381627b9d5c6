// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: weft-opt %s -weft-recognize-gelu -canonicalize | FileCheck %s

!x = tensor<?x8xf32, #weft.dims<"n", 8>>
!s = tensor<f32>

// Div(sqrt 2), Erf, Add(1), Mul(x), Mul(.5), as torch's exporter writes it.
// CHECK-LABEL: @erf_by_division
// CHECK-NEXT: %[[R:.*]] = weft.gelu %arg0 {form = 0 : i32}
// CHECK-NEXT: return %[[R]]
func.func @erf_by_division(%x: !x) -> !x {
  %root = weft.constant dense<1.41421354> : !s
  %one = weft.constant dense<1.0> : !s
  %half = weft.constant dense<0.5> : !s
  %d = weft.div %x, %root : (!x, !s) -> !x
  %e = weft.erf %d : (!x) -> !x
  %a = weft.add %e, %one : (!x, !s) -> !x
  %m = weft.mul %x, %a : (!x, !x) -> !x
  %r = weft.mul %m, %half : (!x, !s) -> !x
  return %r : !x
}

// The half first, the reciprocal root as five digits, operands the other way round, the last step a division.
// CHECK-LABEL: @erf_by_factors
// CHECK-NEXT: %[[R:.*]] = weft.gelu %arg0 {form = 0 : i32}
// CHECK-NEXT: return %[[R]]
func.func @erf_by_factors(%x: !x) -> !x {
  %root = weft.constant dense<0.70711> : !s
  %one = weft.constant dense<1.0> : tensor<1xf32>
  %two = weft.constant dense<2.0> : !s
  %d = weft.mul %root, %x : (!s, !x) -> !x
  %e = weft.erf %d : (!x) -> !x
  %a = weft.add %one, %e : (tensor<1xf32>, !x) -> !x
  %m = weft.mul %a, %x : (!x, !x) -> !x
  %r = weft.div %m, %two : (!x, !s) -> !x
  return %r : !x
}

// x^3 as weft.pow.
// CHECK-LABEL: @tanh_by_power
// CHECK-NEXT: %[[R:.*]] = weft.gelu %arg0 {form = 1 : i32}
// CHECK-NEXT: return %[[R]]
func.func @tanh_by_power(%x: !x) -> !x {
  %three = weft.constant dense<3.0> : !s
  %c = weft.constant dense<0.044715> : !s
  %k = weft.constant dense<0.797884583> : !s
  %one = weft.constant dense<1.0> : !s
  %half = weft.constant dense<0.5> : !s
  %p = weft.pow %x, %three : (!x, !s) -> !x
  %t = weft.mul %p, %c : (!x, !s) -> !x
  %s = weft.add %x, %t : (!x, !x) -> !x
  %i = weft.mul %s, %k : (!x, !s) -> !x
  %h = weft.tanh %i : (!x) -> !x
  %a = weft.add %h, %one : (!x, !s) -> !x
  %b = weft.mul %x, %half : (!x, !s) -> !x
  %r = weft.mul %b, %a : (!x, !x) -> !x
  return %r : !x
}

// sqrt(2/pi) * x * (1 + 0.044715 x * x).
// CHECK-LABEL: @tanh_factored
// CHECK-NEXT: %[[R:.*]] = weft.gelu %arg0 {form = 1 : i32}
// CHECK-NEXT: return %[[R]]
func.func @tanh_factored(%x: !x) -> !x {
  %c = weft.constant dense<0.044715> : !s
  %k = weft.constant dense<0.79788> : !s
  %one = weft.constant dense<1.0> : !s
  %half = weft.constant dense<0.5> : !s
  %t = weft.mul %x, %c : (!x, !s) -> !x
  %q = weft.mul %t, %x : (!x, !x) -> !x
  %s = weft.add %one, %q : (!s, !x) -> !x
  %kx = weft.mul %k, %x : (!s, !x) -> !x
  %i = weft.mul %kx, %s : (!x, !x) -> !x
  %h = weft.tanh %i : (!x) -> !x
  %a = weft.add %h, %one : (!x, !s) -> !x
  %m = weft.mul %x, %a : (!x, !x) -> !x
  %r = weft.mul %half, %m : (!s, !x) -> !x
  return %r : !x
}

// Declined: the error function of another value.
// CHECK-LABEL: @two_values
// CHECK-NOT: weft.gelu
func.func @two_values(%x: !x, %y: !x) -> !x {
  %root = weft.constant dense<1.41421354> : !s
  %one = weft.constant dense<1.0> : !s
  %half = weft.constant dense<0.5> : !s
  %d = weft.div %y, %root : (!x, !s) -> !x
  %e = weft.erf %d : (!x) -> !x
  %a = weft.add %e, %one : (!x, !s) -> !x
  %m = weft.mul %x, %a : (!x, !x) -> !x
  %r = weft.mul %m, %half : (!x, !s) -> !x
  return %r : !x
}

// Declined: another scale inside; that is no GELU.
// CHECK-LABEL: @other_scale
// CHECK-NOT: weft.gelu
func.func @other_scale(%x: !x) -> !x {
  %root = weft.constant dense<1.4> : !s
  %one = weft.constant dense<1.0> : !s
  %half = weft.constant dense<0.5> : !s
  %d = weft.div %x, %root : (!x, !s) -> !x
  %e = weft.erf %d : (!x) -> !x
  %a = weft.add %e, %one : (!x, !s) -> !x
  %m = weft.mul %x, %a : (!x, !x) -> !x
  %r = weft.mul %m, %half : (!x, !s) -> !x
  return %r : !x
}

// Declined: no half.
// CHECK-LABEL: @without_half
// CHECK-NOT: weft.gelu
func.func @without_half(%x: !x) -> !x {
  %root = weft.constant dense<1.41421354> : !s
  %one = weft.constant dense<1.0> : !s
  %d = weft.div %x, %root : (!x, !s) -> !x
  %e = weft.erf %d : (!x) -> !x
  %a = weft.add %e, %one : (!x, !s) -> !x
  %r = weft.mul %x, %a : (!x, !x) -> !x
  return %r : !x
}

// Declined: 0.044715 x^2 where x^3 belongs.
// CHECK-LABEL: @square_for_cube
// CHECK-NOT: weft.gelu
func.func @square_for_cube(%x: !x) -> !x {
  %c = weft.constant dense<0.044715> : !s
  %k = weft.constant dense<0.797884583> : !s
  %one = weft.constant dense<1.0> : !s
  %half = weft.constant dense<0.5> : !s
  %p = weft.mul %x, %x : (!x, !x) -> !x
  %t = weft.mul %p, %c : (!x, !s) -> !x
  %s = weft.add %x, %t : (!x, !x) -> !x
  %i = weft.mul %s, %k : (!x, !s) -> !x
  %h = weft.tanh %i : (!x) -> !x
  %a = weft.add %h, %one : (!x, !s) -> !x
  %b = weft.mul %x, %half : (!x, !s) -> !x
  %r = weft.mul %b, %a : (!x, !x) -> !x
  return %r : !x
}

// Declined: the half's shape gives the result a dim that x does not have.
// CHECK-LABEL: @enlarged
// CHECK-NOT: weft.gelu
func.func @enlarged(%x: !x) -> tensor<1x?x8xf32, #weft.dims<1, "n", 8>> {
  %root = weft.constant dense<1.41421354> : !s
  %one = weft.constant dense<1.0> : !s
  %half = weft.constant dense<0.5> : tensor<1x1x1xf32>
  %d = weft.div %x, %root : (!x, !s) -> !x
  %e = weft.erf %d : (!x) -> !x
  %a = weft.add %e, %one : (!x, !s) -> !x
  %m = weft.mul %x, %a : (!x, !x) -> !x
  %r = weft.mul %m, %half : (!x, tensor<1x1x1xf32>) -> tensor<1x?x8xf32, #weft.dims<1, "n", 8>>
  return %r : tensor<1x?x8xf32, #weft.dims<1, "n", 8>>
}

// Declined: an intermediate value is an output of the model.
// CHECK-LABEL: @returned
// CHECK-NOT: weft.gelu
func.func @returned(%x: !x) -> (!x, !x) {
  %root = weft.constant dense<1.41421354> : !s
  %one = weft.constant dense<1.0> : !s
  %half = weft.constant dense<0.5> : !s
  %d = weft.div %x, %root : (!x, !s) -> !x
  %e = weft.erf %d : (!x) -> !x
  %a = weft.add %e, %one : (!x, !s) -> !x
  %m = weft.mul %x, %a : (!x, !x) -> !x
  %r = weft.mul %m, %half : (!x, !s) -> !x
  return %r, %e : !x, !x
}

// Declined: an intermediate value has another user.
// CHECK-LABEL: @other_user
// CHECK-NOT: weft.gelu
func.func @other_user(%x: !x) -> !x {
  %root = weft.constant dense<1.41421354> : !s
  %one = weft.constant dense<1.0> : !s
  %half = weft.constant dense<0.5> : !s
  %d = weft.div %x, %root : (!x, !s) -> !x
  %e = weft.erf %d : (!x) -> !x
  %a = weft.add %e, %one : (!x, !s) -> !x
  %m = weft.mul %x, %a : (!x, !x) -> !x
  %r = weft.mul %m, %half : (!x, !s) -> !x
  %w = weft.add %r, %d : (!x, !x) -> !x
  return %w : !x
}
