// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with constant matrices as products of bytes.
// RUN: weft-opt %s -weft-quantize-products 2>%t.err | FileCheck %s
// RUN: FileCheck %s --input-file=%t.err --check-prefix=WARNING
// RUN: not weft-opt %s -weft-quantize-products=weights=i5 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: weft-quantize-products: expects weights i8 or i4, got i5
#nk = #weft.dims<"n", 2>

// Rows are made bytes once, and a weight once, however many products have them; a transposed weight is one of its own.
// CHECK-LABEL: @shared
// CHECK-SAME: (%[[X:.*]]: tensor<?x2xf32, #weft.dims<"n", 2>>, %[[Y:.*]]: tensor<4x2xf32>)
// CHECK-DAG: %[[T:.*]] = weft.constant weight<"", {{[0-9]+}}, 6144, {{[0-9]+}}> : tensor<2x16x48x4xi8>
// CHECK-DAG: %[[T_SCALE:.*]] = weft.constant dense<0.00787401571> : tensor<49xf32>
// CHECK-DAG: %[[T_SUM:.*]] = weft.constant dense<254> : tensor<49xi32>
// CHECK-DAG: %[[W:.*]] = weft.constant weight<"", {{[0-9]+}}, 3072, {{[0-9]+}}> : tensor<1x16x48x4xi8>
// CHECK-DAG: %[[SCALE:.*]] = weft.constant dense<[0.0314960629, 0.0393700786, 0.0472440943]> : tensor<3xf32>
// CHECK-DAG: %[[SUM:.*]] = weft.constant dense<[95, 178, -63]> : tensor<3xi32>
// CHECK-DAG: %[[BYTES:[^, ]*]], %[[STEP:[^, ]*]], %[[ZERO:[^, ]*]] = weft.quantize_rows %[[X]] : (tensor<?x2xf32, {{.*}}>) -> (tensor<?x64xui8, #weft.dims<"n", 64>>, tensor<?x1xf32, #weft.dims<"n", 1>>, tensor<?x1xi32, #weft.dims<"n", 1>>)
// CHECK-DAG: %[[BYTES_Y:[^, ]*]], %[[STEP_Y:[^, ]*]], %[[ZERO_Y:[^, ]*]] = weft.quantize_rows %[[Y]] : (tensor<4x2xf32>) -> (tensor<4x64xui8>, tensor<4x1xf32>, tensor<4x1xi32>)
// CHECK-NOT: {{weft.(quantize_rows|constant|transpose)}}
// CHECK: weft.matmul %[[BYTES]], %[[W]] captures(%[[STEP]], %[[ZERO]], %[[SCALE]], %[[SUM]] : tensor<?x1xf32, {{.*}}>, tensor<?x1xi32, {{.*}}>, tensor<3xf32>, tensor<3xi32>) epilogue {
// CHECK-NEXT: ^bb0(%[[ACC:.*]]: i32, %[[S:.*]]: f32, %[[Z:.*]]: i32, %[[CS:.*]]: f32, %[[CSUM:.*]]: i32):
// CHECK-NEXT: %[[OFFSET:.*]] = arith.muli %[[Z]], %[[CSUM]] : i32
// CHECK-NEXT: %[[REST:.*]] = arith.subi %[[ACC]], %[[OFFSET]] : i32
// CHECK-NEXT: %[[NUMBER:.*]] = arith.sitofp %[[REST]] : i32 to f32
// CHECK-NEXT: %[[OF_ROW:.*]] = arith.mulf %[[NUMBER]], %[[S]] : f32
// CHECK-NEXT: %[[SCALED:.*]] = arith.mulf %[[OF_ROW]], %[[CS]] : f32
// CHECK-NEXT: weft.yield %[[SCALED]] : f32
// CHECK-NEXT: } {packed_columns = 3 : i64} : (tensor<?x64xui8, #weft.dims<"n", 64>>, tensor<1x16x48x4xi8>) -> tensor<?x3xf32, #weft.dims<"n", 3>>
// CHECK: weft.matmul %[[BYTES]], %[[W]] captures(%[[STEP]], %[[ZERO]], %[[SCALE]], %[[SUM]] :
// CHECK: weft.matmul %[[BYTES]], %[[T]] captures(%[[STEP]], %[[ZERO]], %[[T_SCALE]], %[[T_SUM]] :
// CHECK: } {packed_columns = 49 : i64}
// CHECK: weft.matmul %[[BYTES_Y]], %[[W]] captures(%[[STEP_Y]], %[[ZERO_Y]], %[[SCALE]], %[[SUM]] :
func.func @shared(%x: tensor<?x2xf32, #nk>, %y: tensor<4x2xf32>)
    -> (tensor<?x3xf32, #weft.dims<"n", 3>>, tensor<?x3xf32, #weft.dims<"n", 3>>, tensor<?x49xf32, #weft.dims<"n", 49>>, tensor<4x3xf32>) {
  %w = weft.constant dense<[[-1.0, 2.0, -6.0], [4.0, 5.0, 3.0]]> : tensor<2x3xf32>
  %same = weft.constant dense<[[-1.0, 2.0, -6.0], [4.0, 5.0, 3.0]]> : tensor<2x3xf32>
  %v = weft.constant dense<1.0> : tensor<49x2xf32>
  %t = weft.transpose %v {permutation = array<i64: 1, 0>} : (tensor<49x2xf32>) -> tensor<2x49xf32>
  %a = weft.matmul %x, %w : (tensor<?x2xf32, #nk>, tensor<2x3xf32>) -> tensor<?x3xf32, #weft.dims<"n", 3>>
  %b = weft.matmul %x, %same : (tensor<?x2xf32, #nk>, tensor<2x3xf32>) -> tensor<?x3xf32, #weft.dims<"n", 3>>
  %c = weft.matmul %x, %t : (tensor<?x2xf32, #nk>, tensor<2x49xf32>) -> tensor<?x49xf32, #weft.dims<"n", 49>>
  %d = weft.matmul %y, %w : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %a, %b, %c, %d
    : tensor<?x3xf32, #weft.dims<"n", 3>>, tensor<?x3xf32, #weft.dims<"n", 3>>, tensor<?x49xf32, #weft.dims<"n", 49>>, tensor<4x3xf32>
}

// What an epilogue had comes behind the scaling, and its captures before the scales; the sum is scaled once for all uses.
// CHECK-LABEL: @epilogue
// CHECK: captures(%arg1, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<1xf32>, tensor<4x1xf32>, tensor<4x1xi32>, tensor<1xf32>, tensor<1xi32>) epilogue {
// CHECK-NEXT: ^bb0(%{{.*}}: i32, %[[BIAS:.*]]: f32, %[[S:.*]]: f32, %{{.*}}: i32, %[[CS:.*]]: f32, %{{.*}}: i32):
// CHECK: %[[OF_ROW:.*]] = arith.mulf %{{.*}}, %[[S]] : f32
// CHECK-NEXT: %[[SCALED:.*]] = arith.mulf %[[OF_ROW]], %[[CS]] : f32
// CHECK-NEXT: %[[PLUS:.*]] = arith.addf %[[SCALED]], %[[BIAS]] : f32
// CHECK-NEXT: %[[TIMES:.*]] = arith.mulf %[[PLUS]], %[[SCALED]] : f32
// CHECK-NEXT: weft.yield %[[TIMES]] : f32
// CHECK-NEXT: } {note = "kept", packed_columns = 1 : i64}
func.func @epilogue(%x: tensor<4x1xf32>, %bias: tensor<1xf32>) -> tensor<4x1xf32> {
  %w = weft.constant dense<2.0> : tensor<1x1xf32>
  %a = weft.matmul %x, %w captures(%bias : tensor<1xf32>) epilogue {
  ^bb0(%sum: f32, %b: f32):
    %0 = arith.addf %sum, %b : f32
    %1 = arith.mulf %0, %sum : f32
    weft.yield %1 : f32
  } {note = "kept"} : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  return %a : tensor<4x1xf32>
}

// Rows become bytes behind what makes them. A column of zeros, and one of which a 127th is no normal number, have the least normal number for
// a scale; halves are rounded to even.
// CHECK-LABEL: @rounding
// CHECK-DAG: weft.constant dense<[1.000000e+00, 1.17549435E-38, 1.17549435E-38, 2.67938871E+36]> : tensor<4xf32>
// CHECK-DAG: weft.constant dense<[125, 0, 1, -127]> : tensor<4xi32>
// CHECK: %[[SQUARE:.*]] = weft.mul %arg0, %arg0
// CHECK-NEXT: weft.quantize_rows %[[SQUARE]] : (tensor<2x3x3xf32>) -> (tensor<2x3x64xui8>, tensor<2x3x1xf32>, tensor<2x3x1xi32>)
func.func @rounding(%x: tensor<2x3x3xf32>) -> tensor<2x3x4xf32> {
  %w = weft.constant dense<[[127.0, 0.0, 1.0e-38, -3.4028235e38], [2.5, 0.0, 0.0, 0.0], [-3.5, 0.0, 0.0, 0.0]]> : tensor<3x4xf32>
  %square = weft.mul %x, %x : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %a = weft.matmul %square, %w : (tensor<2x3x3xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  return %a : tensor<2x3x4xf32>
}

// The deepest sum that is sure to fit i32.
// CHECK-LABEL: @deepest
// CHECK: weft.quantize_rows %arg0 : (tensor<1x33155xf32>) -> (tensor<1x33216xui8>, tensor<1x1xf32>, tensor<1x1xi32>)
// CHECK: {packed_columns = 1 : i64} : (tensor<1x33216xui8>, tensor<1x8304x48x4xi8>) -> tensor<1x1xf32>
// CHECK: return
func.func @deepest(%x: tensor<1x33155xf32>) -> tensor<1x1xf32> {
  %w = weft.constant dense<1.0> : tensor<33155x1xf32>
  %a = weft.matmul %x, %w : (tensor<1x33155xf32>, tensor<33155x1xf32>) -> tensor<1x1xf32>
  return %a : tensor<1x1xf32>
}

// Beside a product of bytes all others stay as they are: of f64, of infinities and NaN, too deep, of what is no constant, packed already.
// CHECK-LABEL: @some
// CHECK-COUNT-1: weft.quantize_rows
// CHECK-NOT: weft.quantize_rows
// CHECK: weft.matmul %arg1, %{{.*}} : (tensor<2x1xf64>, tensor<1x1xf64>) -> tensor<2x1xf64>
// CHECK: weft.matmul %arg0, %{{.*}} : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
// CHECK: weft.matmul %{{.*}} epilogue {
// CHECK: weft.matmul %arg0, %{{.*}} : (tensor<2x1xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
// CHECK: weft.matmul %arg2, %{{.*}} : (tensor<1x33156xf32>, tensor<33156x1xf32>) -> tensor<1x1xf32>
// CHECK: weft.matmul %arg0, %arg3 : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
// CHECK: weft.matmul %arg0, %{{.*}} {packed_columns = 48 : i64} : (tensor<2x1xf32>, tensor<1x1x48xf32>) -> tensor<2x48xf32>
func.func @some(%x: tensor<2x1xf32>, %y: tensor<2x1xf64>, %z: tensor<1x33156xf32>, %v: tensor<1x1xf32>)
    -> (tensor<2x1xf64>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<1x1xf32>, tensor<2x1xf32>, tensor<2x48xf32>) {
  %wide = weft.constant dense<2.0> : tensor<1x1xf64>
  %infinite = weft.constant dense<0xFF800000> : tensor<1x1xf32>
  %w = weft.constant dense<2.0> : tensor<1x1xf32>
  %nan = weft.constant dense<[[2.0, 0x7FC00000]]> : tensor<1x2xf32>
  %deep = weft.constant dense<2.0> : tensor<33156x1xf32>
  %packed = weft.constant dense<2.0> : tensor<1x1x48xf32>
  %a = weft.matmul %y, %wide : (tensor<2x1xf64>, tensor<1x1xf64>) -> tensor<2x1xf64>
  %b = weft.matmul %x, %infinite : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
  %c = weft.matmul %x, %w : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
  %d = weft.matmul %x, %nan : (tensor<2x1xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  %e = weft.matmul %z, %deep : (tensor<1x33156xf32>, tensor<33156x1xf32>) -> tensor<1x1xf32>
  %f = weft.matmul %x, %v : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
  %g = weft.matmul %x, %packed {packed_columns = 48 : i64} : (tensor<2x1xf32>, tensor<1x1x48xf32>) -> tensor<2x48xf32>
  return %a, %b, %c, %d, %e, %f, %g
    : tensor<2x1xf64>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<1x1xf32>, tensor<2x1xf32>, tensor<2x48xf32>
}

// A function without any says so.
// CHECK-LABEL: @none
// CHECK-NOT: weft.quantize_rows
// WARNING-COUNT-1: warning: no product of f32 is one that can be computed in bytes [weft-0208]
// WARNING: func.func @none
// WARNING-NOT: warning:
func.func @none(%x: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %w = weft.constant dense<0x7F800000> : tensor<1x1xf32>
  %a = weft.matmul %x, %w : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
  return %a : tensor<2x1xf32>
}

// Rows that are as long as the weight only by a guard could not be padded.
// CHECK-LABEL: @guarded
// CHECK-COUNT-1: weft.quantize_rows %arg1
// CHECK-NOT: weft.quantize_rows
func.func @guarded(%k: tensor<4x?xf32, #weft.dims<4, "k">>, %x: tensor<4x2xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %w = weft.constant dense<2.0> : tensor<2x3xf32>
  %a = weft.matmul %k, %w : (tensor<4x?xf32, #weft.dims<4, "k">>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %b = weft.matmul %x, %w : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %a, %b : tensor<4x3xf32>, tensor<4x3xf32>
}
