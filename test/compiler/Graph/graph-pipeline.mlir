// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole level: a block as an exporter writes it, with shape arithmetic, x^2, a GELU in pieces and a stored transpose.
// RUN: weft-opt %s -weft-graph | FileCheck %s
// RUN: weft-opt %s -weft-graph="dims=batch=2,seq=3" | FileCheck %s --check-prefix=STATIC

// CHECK-LABEL: @main
// CHECK-DAG: %[[G:.*]] = weft.constant dense<1.500000e+00> : tensor<8xf32>
// CHECK-DAG: %[[W:.*]] = weft.constant {{.*}} : tensor<1x8x48xf32>
// CHECK: %[[N:.*]] = weft.layer_norm %arg0, %[[G]], %{{.*}} {axis = 2 : i64
// CHECK-NEXT: %[[V:.*]] = weft.reshape %[[N]] : {{.*}} -> tensor<?x8xf32, #weft.dims<"batch" * "seq", 8>>
// CHECK-NEXT: %[[R:.*]] = weft.matmul %[[V]], %[[W]] epilogue {
// CHECK: math.erf
// CHECK: {packed_columns = 4 : i64}
// CHECK-NEXT: return %[[R]] : tensor<?x4xf32, #weft.dims<"batch" * "seq", 4>>
// STATIC: {packed_columns = 4 : i64} : (tensor<6x8xf32>, tensor<1x8x48xf32>) -> tensor<6x4xf32>
!x = tensor<?x?x8xf32, #weft.dims<"batch", "seq", 8>>
func.func @main(%x: !x) -> tensor<*xf32> {
  %two = weft.constant dense<2.0> : tensor<f32>
  %eps = weft.constant dense<1.0e-5> : tensor<f32>
  %g = weft.constant dense<1.5> : tensor<8xf32>
  %b = weft.constant dense<0.5> : tensor<8xf32>
  %m = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (!x) -> tensor<*xf32>
  %d = weft.sub %x, %m : (!x, tensor<*xf32>) -> tensor<*xf32>
  %q = weft.pow %d, %two : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
  %v = weft.reduce mean %q {axes = array<i64: 2>, keepdims} : (tensor<*xf32>) -> tensor<*xf32>
  %e = weft.add %v, %eps : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
  %t = weft.sqrt %e : (tensor<*xf32>) -> tensor<*xf32>
  %n = weft.div %d, %t : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %s = weft.mul %n, %g : (tensor<*xf32>, tensor<8xf32>) -> tensor<*xf32>
  %o = weft.add %s, %b : (tensor<*xf32>, tensor<8xf32>) -> tensor<*xf32>
  %to = weft.constant dense<[-1, 8]> : tensor<2xi64>
  %rows = weft.reshape %o, %to : (tensor<*xf32>, tensor<2xi64>) -> tensor<*xf32>
  %w = weft.constant dense<0.25> : tensor<4x8xf32>
  %wt = weft.transpose %w {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<*xf32>
  %y = weft.matmul %rows, %wt : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %root = weft.sqrt %two : (tensor<f32>) -> tensor<f32>
  %i = weft.div %y, %root : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
  %erf = weft.erf %i : (tensor<*xf32>) -> tensor<*xf32>
  %one = weft.constant dense<1.0> : tensor<f32>
  %half = weft.constant dense<0.5> : tensor<f32>
  %p = weft.add %erf, %one : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
  %r = weft.mul %y, %p : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %z = weft.mul %r, %half : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
  return %z : tensor<*xf32>
}
