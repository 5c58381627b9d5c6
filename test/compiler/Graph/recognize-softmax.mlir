// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: weft-opt %s -weft-recognize-softmax -canonicalize | FileCheck %s

!x = tensor<?x4x?xf32, #weft.dims<"n", 4, "m">>
!r = tensor<?x4x1xf32, #weft.dims<"n", 4, 1>>
!r2 = tensor<?x4xf32, #weft.dims<"n", 4>>
!c = tensor<?x1x?xf32, #weft.dims<"n", 1, "m">>
!c2 = tensor<?x?xf32, #weft.dims<"n", "m">>
!f = tensor<1x4x?xf32, #weft.dims<1, 4, "m">>
!f2 = tensor<4x?xf32, #weft.dims<4, "m">>
!q = tensor<?x?xf32, #weft.dims<"n", "n">>
!p = tensor<?xf32, #weft.dims<"n">>
!h = tensor<?x4x?xf16, #weft.dims<"n", 4, "m">>
!hr = tensor<?x4x1xf16, #weft.dims<"n", 4, 1>>
!s = tensor<f32>

// CHECK-LABEL: @plain
// CHECK-NEXT: %[[R:.*]] = weft.softmax %arg0 {axis = 2 : i64}
// CHECK-NEXT: return %[[R]]
func.func @plain(%x: !x) -> !x {
  %m = weft.reduce max %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %e = weft.exp %d : (!x) -> !x
  %t = weft.reduce sum %e {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %y = weft.div %e, %t : (!x, !r) -> !x
  return %y : !x
}

// The axis dropped and brought back; a product with the reciprocal.
// CHECK-LABEL: @reshaped
// CHECK-NEXT: %[[R:.*]] = weft.softmax %arg0 {axis = 1 : i64}
// CHECK-NEXT: return %[[R]]
func.func @reshaped(%x: !x) -> !x {
  %m = weft.reduce max %x {axes = array<i64: 1>} : (!x) -> !c2
  %k = weft.reshape %m : (!c2) -> !c
  %d = weft.sub %x, %k : (!x, !c) -> !x
  %e = weft.exp %d : (!x) -> !x
  %t = weft.reduce sum %e {axes = array<i64: 1>} : (!x) -> !c2
  %u = weft.reshape %t : (!c2) -> !c
  %i = weft.reciprocal %u : (!c) -> !c
  %y = weft.mul %e, %i : (!x, !c) -> !x
  return %y : !x
}

// The first axis comes back by itself; the reciprocal is a quotient, and on the left.
// CHECK-LABEL: @first_axis
// CHECK-NEXT: %[[R:.*]] = weft.softmax %arg0 {axis = 0 : i64}
// CHECK-NEXT: return %[[R]]
func.func @first_axis(%x: !x) -> !x {
  %one = weft.constant dense<1.0> : !s
  %m = weft.reduce max %x {axes = array<i64: 0>} : (!x) -> !f2
  %d = weft.sub %x, %m : (!x, !f2) -> !x
  %e = weft.exp %d : (!x) -> !x
  %t = weft.reduce sum %e {axes = array<i64: 0>, keepdims} : (!x) -> !f
  %i = weft.div %one, %t : (!s, !f) -> !f
  %y = weft.mul %i, %e : (!f, !x) -> !x
  return %y : !x
}

// Both broadcast in as many words.
// CHECK-LABEL: @expanded
// CHECK-NEXT: %[[R:.*]] = weft.softmax %arg0 {axis = 2 : i64}
// CHECK-NEXT: return %[[R]]
func.func @expanded(%x: !x) -> !x {
  %m = weft.reduce max %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %k = weft.expand %m : (!r) -> !x
  %d = weft.sub %x, %k : (!x, !x) -> !x
  %e = weft.exp %d : (!x) -> !x
  %t = weft.reduce sum %e {axes = array<i64: 2>} : (!x) -> !r2
  %u = weft.reshape %t : (!r2) -> !r
  %v = weft.expand %u : (!r) -> !x
  %y = weft.div %e, %v : (!x, !x) -> !x
  return %y : !x
}

// CHECK-LABEL: @half
// CHECK-NEXT: weft.softmax %arg0 {axis = 2 : i64} : (tensor<?x4x?xf16
func.func @half(%x: !h) -> !h {
  %m = weft.reduce max %x {axes = array<i64: 2>, keepdims} : (!h) -> !hr
  %d = weft.sub %x, %m : (!h, !hr) -> !h
  %e = weft.exp %d : (!h) -> !h
  %t = weft.reduce sum %e {axes = array<i64: 2>, keepdims} : (!h) -> !hr
  %y = weft.div %e, %t : (!h, !hr) -> !h
  return %y : !h
}

// The exponentials are an output too: it keeps its own.
// CHECK-LABEL: @exponentials_used
// CHECK: %[[E:.*]] = weft.exp
// CHECK: %[[R:.*]] = weft.softmax %arg0
// CHECK: return %[[E]], %[[R]]
func.func @exponentials_used(%x: !x) -> (!x, !x) {
  %m = weft.reduce max %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %e = weft.exp %d : (!x) -> !x
  %t = weft.reduce sum %e {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %y = weft.div %e, %t : (!x, !r) -> !x
  return %e, %y : !x, !x
}

// The product is divided instead of the weights.
// CHECK-LABEL: @divided_later
// CHECK-NEXT: %[[R:.*]] = weft.softmax %arg0 {axis = 2 : i64}
// CHECK-NEXT: %[[Y:.*]] = weft.matmul %[[R]], %arg1
// CHECK-NEXT: return %[[Y]]
func.func @divided_later(%x: !x, %v: tensor<?x5xf32, #weft.dims<"m", 5>>) -> tensor<?x4x5xf32, #weft.dims<"n", 4, 5>> {
  %m = weft.reduce max %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %e = weft.exp %d : (!x) -> !x
  %t = weft.reduce sum %e {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %p = weft.matmul %e, %v : (!x, tensor<?x5xf32, #weft.dims<"m", 5>>) -> tensor<?x4x5xf32, #weft.dims<"n", 4, 5>>
  %y = weft.div %p, %t : (tensor<?x4x5xf32, #weft.dims<"n", 4, 5>>, !r) -> tensor<?x4x5xf32, #weft.dims<"n", 4, 5>>
  return %y : tensor<?x4x5xf32, #weft.dims<"n", 4, 5>>
}

// The product sums over columns, the softmax is of columns.
// CHECK-LABEL: @divided_later_by_another_axis
// CHECK-NOT: weft.softmax
// CHECK: return
func.func @divided_later_by_another_axis(%x: !q, %v: !q) -> !q {
  %m = weft.reduce max %x {axes = array<i64: 0>, keepdims} : (!q) -> tensor<1x?xf32, #weft.dims<1, "n">>
  %d = weft.sub %x, %m : (!q, tensor<1x?xf32, #weft.dims<1, "n">>) -> !q
  %e = weft.exp %d : (!q) -> !q
  %t = weft.reduce sum %e {axes = array<i64: 0>, keepdims} : (!q) -> tensor<1x?xf32, #weft.dims<1, "n">>
  %p = weft.matmul %e, %v : (!q, !q) -> !q
  %y = weft.div %p, %t : (!q, tensor<1x?xf32, #weft.dims<1, "n">>) -> !q
  return %y : !q
}

// What is not divided is an output, too.
// CHECK-LABEL: @divided_later_and_used
// CHECK-NOT: weft.softmax
// CHECK: return
func.func @divided_later_and_used(%x: !q, %v: !q) -> (!q, !q) {
  %m = weft.reduce max %x {axes = array<i64: 1>, keepdims} : (!q) -> tensor<?x1xf32, #weft.dims<"n", 1>>
  %d = weft.sub %x, %m : (!q, tensor<?x1xf32, #weft.dims<"n", 1>>) -> !q
  %e = weft.exp %d : (!q) -> !q
  %t = weft.reduce sum %e {axes = array<i64: 1>, keepdims} : (!q) -> tensor<?x1xf32, #weft.dims<"n", 1>>
  %p = weft.matmul %e, %v : (!q, !q) -> !q
  %y = weft.div %p, %t : (!q, tensor<?x1xf32, #weft.dims<"n", 1>>) -> !q
  return %p, %y : !q, !q
}

// CHECK-LABEL: @of_log_softmax
// CHECK-NEXT: %[[R:.*]] = weft.softmax %arg0 {axis = 1 : i64}
// CHECK-NEXT: return %[[R]]
func.func @of_log_softmax(%x: !x) -> !x {
  %l = weft.log_softmax %x {axis = 1 : i64} : (!x) -> !x
  %y = weft.exp %l : (!x) -> !x
  return %y : !x
}

// CHECK-LABEL: @log_softmax_used
// CHECK-NOT: weft.softmax
// CHECK: return
func.func @log_softmax_used(%x: !x) -> (!x, !x) {
  %l = weft.log_softmax %x {axis = 1 : i64} : (!x) -> !x
  %y = weft.exp %l : (!x) -> !x
  return %l, %y : !x, !x
}

// exp(x) may overflow where softmax does not.
// CHECK-LABEL: @no_maximum
// CHECK-NOT: weft.softmax
// CHECK: return
func.func @no_maximum(%x: !x) -> !x {
  %e = weft.exp %x : (!x) -> !x
  %t = weft.reduce sum %e {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %y = weft.div %e, %t : (!x, !r) -> !x
  return %y : !x
}

// CHECK-LABEL: @maximum_of_another_axis
// CHECK-NOT: weft.softmax
// CHECK: return
func.func @maximum_of_another_axis(%x: !x) -> !x {
  %m = weft.reduce max %x {axes = array<i64: 1>, keepdims} : (!x) -> !c
  %d = weft.sub %x, %m : (!x, !c) -> !x
  %e = weft.exp %d : (!x) -> !x
  %t = weft.reduce sum %e {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %y = weft.div %e, %t : (!x, !r) -> !x
  return %y : !x
}

// CHECK-LABEL: @sum_of_another_axis
// CHECK-NOT: weft.softmax
// CHECK: return
func.func @sum_of_another_axis(%x: !x) -> !x {
  %m = weft.reduce max %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %e = weft.exp %d : (!x) -> !x
  %t = weft.reduce sum %e {axes = array<i64: 1>, keepdims} : (!x) -> !c
  %y = weft.div %e, %t : (!x, !c) -> !x
  return %y : !x
}

// CHECK-LABEL: @two_axes
// CHECK-NOT: weft.softmax
// CHECK: return
func.func @two_axes(%x: !x) -> !x {
  %m = weft.reduce max %x {axes = array<i64: 1, 2>, keepdims} : (!x) -> tensor<?x1x1xf32, #weft.dims<"n", 1, 1>>
  %d = weft.sub %x, %m : (!x, tensor<?x1x1xf32, #weft.dims<"n", 1, 1>>) -> !x
  %e = weft.exp %d : (!x) -> !x
  %t = weft.reduce sum %e {axes = array<i64: 1, 2>, keepdims} : (!x) -> tensor<?x1x1xf32, #weft.dims<"n", 1, 1>>
  %y = weft.div %e, %t : (!x, tensor<?x1x1xf32, #weft.dims<"n", 1, 1>>) -> !x
  return %y : !x
}

// Sums of rows divide columns.
// CHECK-LABEL: @sum_broadcast_along_another_axis
// CHECK-NOT: weft.softmax
// CHECK: return
func.func @sum_broadcast_along_another_axis(%x: !q) -> !q {
  %m = weft.reduce max %x {axes = array<i64: 1>, keepdims} : (!q) -> tensor<?x1xf32, #weft.dims<"n", 1>>
  %d = weft.sub %x, %m : (!q, tensor<?x1xf32, #weft.dims<"n", 1>>) -> !q
  %e = weft.exp %d : (!q) -> !q
  %t = weft.reduce sum %e {axes = array<i64: 1>} : (!q) -> !p
  %y = weft.div %e, %t : (!q, !p) -> !q
  return %y : !q
}

// CHECK-LABEL: @maximum_broadcast_along_another_axis
// CHECK-NOT: weft.softmax
// CHECK: return
func.func @maximum_broadcast_along_another_axis(%x: !q) -> !q {
  %m = weft.reduce max %x {axes = array<i64: 1>} : (!q) -> !p
  %d = weft.sub %x, %m : (!q, !p) -> !q
  %e = weft.exp %d : (!q) -> !q
  %t = weft.reduce sum %e {axes = array<i64: 1>, keepdims} : (!q) -> tensor<?x1xf32, #weft.dims<"n", 1>>
  %y = weft.div %e, %t : (!q, tensor<?x1xf32, #weft.dims<"n", 1>>) -> !q
  return %y : !q
}

// CHECK-LABEL: @maximum_of_another_tensor
// CHECK-NOT: weft.softmax
// CHECK: return
func.func @maximum_of_another_tensor(%x: !x, %z: !x) -> !x {
  %m = weft.reduce max %z {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %e = weft.exp %d : (!x) -> !x
  %t = weft.reduce sum %e {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %y = weft.div %e, %t : (!x, !r) -> !x
  return %y : !x
}

// CHECK-LABEL: @minimum
// CHECK-NOT: weft.softmax
// CHECK: return
func.func @minimum(%x: !x) -> !x {
  %m = weft.reduce min %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %e = weft.exp %d : (!x) -> !x
  %t = weft.reduce sum %e {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %y = weft.div %e, %t : (!x, !r) -> !x
  return %y : !x
}

// CHECK-LABEL: @maximum_minus_x
// CHECK-NOT: weft.softmax
// CHECK: return
func.func @maximum_minus_x(%x: !x) -> !x {
  %m = weft.reduce max %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %m, %x : (!r, !x) -> !x
  %e = weft.exp %d : (!x) -> !x
  %t = weft.reduce sum %e {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %y = weft.div %e, %t : (!x, !r) -> !x
  return %y : !x
}

// CHECK-LABEL: @sum_of_other_exponentials
// CHECK-NOT: weft.softmax
// CHECK: return
func.func @sum_of_other_exponentials(%x: !x, %z: !x) -> !x {
  %m = weft.reduce max %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %e = weft.exp %d : (!x) -> !x
  %o = weft.exp %z : (!x) -> !x
  %t = weft.reduce sum %o {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %y = weft.div %e, %t : (!x, !r) -> !x
  return %y : !x
}

// The sum divided by the exponentials.
// CHECK-LABEL: @upside_down
// CHECK-NOT: weft.softmax
// CHECK: return
func.func @upside_down(%x: !x) -> !x {
  %m = weft.reduce max %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %e = weft.exp %d : (!x) -> !x
  %t = weft.reduce sum %e {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %y = weft.div %t, %e : (!r, !x) -> !x
  return %y : !x
}

// The maximum is subtracted once.
// CHECK-LABEL: @less_the_maximum
// CHECK-NEXT: %[[R:.*]] = weft.softmax %arg0 {axis = 2 : i64}
// CHECK-NEXT: return %[[R]]
func.func @less_the_maximum(%x: !x) -> !x {
  %m = weft.reduce max %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %y = weft.softmax %d {axis = 2 : i64} : (!x) -> !x
  return %y : !x
}

// CHECK-LABEL: @less_the_maximum_of_another_axis
// CHECK: weft.sub
// CHECK: weft.softmax
func.func @less_the_maximum_of_another_axis(%x: !x) -> !x {
  %m = weft.reduce max %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %x, %m : (!x, !r) -> !x
  %y = weft.softmax %d {axis = 1 : i64} : (!x) -> !x
  return %y : !x
}

// CHECK-LABEL: @the_maximum_less_x
// CHECK: weft.sub
// CHECK: weft.softmax
func.func @the_maximum_less_x(%x: !x) -> !x {
  %m = weft.reduce max %x {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %m, %x : (!r, !x) -> !x
  %y = weft.softmax %d {axis = 2 : i64} : (!x) -> !x
  return %y : !x
}

// Scores that are divided before their maximum is subtracted, and multiplied again.
// CHECK-LABEL: @less_the_maximum_of_quotients
// CHECK-NEXT: %[[R:.*]] = weft.softmax %arg0 {axis = 2 : i64}
// CHECK-NEXT: return %[[R]]
func.func @less_the_maximum_of_quotients(%x: !x) -> !x {
  %c = weft.constant dense<32.0> : tensor<f32>
  %q = weft.div %x, %c : (!x, tensor<f32>) -> !x
  %m = weft.reduce max %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %q, %m : (!x, !r) -> !x
  %s = weft.mul %d, %c : (!x, tensor<f32>) -> !x
  %y = weft.softmax %s {axis = 2 : i64} : (!x) -> !x
  return %y : !x
}

// By another number, or a negative one.
// CHECK-LABEL: @scaled_otherwise
// CHECK: weft.reduce max
// CHECK: weft.softmax
// CHECK: weft.reduce max
// CHECK: weft.softmax
func.func @scaled_otherwise(%x: !x) -> (!x, !x) {
  %c = weft.constant dense<32.0> : tensor<f32>
  %e = weft.constant dense<31.0> : tensor<f32>
  %n = weft.constant dense<-32.0> : tensor<f32>
  %q = weft.div %x, %c : (!x, tensor<f32>) -> !x
  %m = weft.reduce max %q {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d = weft.sub %q, %m : (!x, !r) -> !x
  %s = weft.mul %d, %e : (!x, tensor<f32>) -> !x
  %y = weft.softmax %s {axis = 2 : i64} : (!x) -> !x
  %q2 = weft.div %x, %n : (!x, tensor<f32>) -> !x
  %m2 = weft.reduce max %q2 {axes = array<i64: 2>, keepdims} : (!x) -> !r
  %d2 = weft.sub %q2, %m2 : (!x, !r) -> !x
  %s2 = weft.mul %d2, %n : (!x, tensor<f32>) -> !x
  %y2 = weft.softmax %s2 {axis = 2 : i64} : (!x) -> !x
  return %y, %y2 : !x, !x
}
