// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of f32 that are stored in fewer bits.
// RUN: weft-opt %s -weft-pack-weights=storage=bf16 | FileCheck %s --check-prefixes=CHECK,BF16
// RUN: weft-opt %s -weft-pack-weights=storage=i8 | FileCheck %s --check-prefixes=CHECK,I8
// RUN: weft-opt %s -weft-pack-weights=storage=i4 | FileCheck %s --check-prefixes=CHECK,I4
// RUN: weft-opt %s '-weft-pack-weights=storage=i8 keeps-matrices' | FileCheck %s --check-prefix=GROUPS
// RUN: weft-opt %s '-weft-pack-weights=keeps-matrices' | FileCheck %s --check-prefix=MATRICES --implicit-check-not=packed
// RUN: not weft-opt %s -weft-pack-weights=storage=i5 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: weft-pack-weights: expects storage f32, bf16, i8, i4 or i2, got i5

// bf16 is rounded to even: 1 + 2^-8 lies in the middle, and so does 1 + 3 * 2^-8. A column of i8 is divided by its greatest / 127; one
// of zeros stays what it is.
// CHECK-LABEL: @rounding
// BF16: weft.constant dense<{{\[\[\[}}1.000000e+00, 1.015630e+00, -3.000000e+00, 0.000000e+00, {{[0., e+]*}}]]]> : tensor<1x1x48xbf16>
// BF16: weft.matmul %arg0, %{{.*}} {packed_columns = 3 : i64} : (tensor<4x1xf32>, tensor<1x1x48xbf16>) -> tensor<4x3xf32>
// I8-DAG: %[[SCALE:.*]] = weft.constant dense<[0.00790477357, 0.00796628929, 0.0236220472]> : tensor<3xf32>
// I8-DAG: %[[W:.*]] = weft.constant dense<{{\[\[\[}}127, 127, -127, 0, {{[0, ]*}}]]]> : tensor<1x1x48xi8>
// I8: weft.matmul %arg0, %[[W]] captures(%[[SCALE]] : tensor<3xf32>) epilogue {
// I8-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[FACTOR:.*]]: f32):
// I8-NEXT: %[[SCALED:.*]] = arith.mulf %[[SUM]], %[[FACTOR]] : f32
// I8-NEXT: weft.yield %[[SCALED]] : f32
// I8-NEXT: } {packed_columns = 3 : i64} : (tensor<4x1xf32>, tensor<1x1x48xi8>) -> tensor<4x3xf32>
// I4: %[[W:.*]] = weft.constant weight<"", {{[0-9]+}}, 1728, {{[0-9]+}}> : tensor<1x1x9x48xi32>
// I4-NEXT: weft.matmul %arg0, %[[W]] {packed_columns = 3 : i64} : (tensor<4x1xf32>, tensor<1x1x9x48xi32>) -> tensor<4x3xf32>
// Where weights that keep their type stay matrices, those of 8 bits are words, with the same scales.
// GROUPS-LABEL: @rounding
// GROUPS: %[[W:.*]] = weft.constant weight<"", {{[0-9]+}}, 960, {{[0-9]+}}> : tensor<1x1x5x48xi32>
// GROUPS: weft.matmul %arg0, %[[W]] {groups = #weft.weight_groups<bits = 8, rows = 16, hasOffsets = false>, packed_columns = 3 : i64} : (tensor<4x1xf32>, tensor<1x1x5x48xi32>) -> tensor<4x3xf32>
// MATRICES-LABEL: @rounding
// MATRICES: weft.matmul %arg0, %{{.*}} : (tensor<4x1xf32>, tensor<1x3xf32>) -> tensor<4x3xf32>
func.func @rounding(%x: tensor<4x1xf32>) -> tensor<4x3xf32> {
  %w = weft.constant dense<[[1.00390625, 1.01171875, -3.0]]> : tensor<1x3xf32>
  %a = weft.matmul %x, %w : (tensor<4x1xf32>, tensor<1x3xf32>) -> tensor<4x3xf32>
  return %a : tensor<4x3xf32>
}

// The scale comes before all else that the epilogue does with the sum, each time that it is used; those of i4 lie beside the numbers.
// CHECK-LABEL: @epilogue
// I8: captures(%{{.*}}, %{{.*}} : tensor<1xf32>, tensor<1xf32>) epilogue {
// I8-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32, %[[FACTOR:.*]]: f32):
// I8-NEXT: %[[SCALED:.*]] = arith.mulf %[[SUM]], %[[FACTOR]] : f32
// I8-NEXT: %[[PLUS:.*]] = arith.addf %[[SCALED]], %[[BIAS]] : f32
// I8-NEXT: arith.mulf %[[PLUS]], %[[SCALED]] : f32
// I4: captures(%arg1 : tensor<1xf32>) epilogue {
// I4-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32):
// I4-NEXT: %[[PLUS:.*]] = arith.addf %[[SUM]], %[[BIAS]] : f32
// I4-NEXT: arith.mulf %[[PLUS]], %[[SUM]] : f32
func.func @epilogue(%x: tensor<4x1xf32>, %bias: tensor<1xf32>) -> tensor<4x1xf32> {
  %w = weft.constant dense<2.0> : tensor<1x1xf32>
  %a = weft.matmul %x, %w captures(%bias : tensor<1xf32>) epilogue {
  ^bb0(%sum: f32, %b: f32):
    %plus = arith.addf %sum, %b : f32
    %product = arith.mulf %plus, %sum : f32
    weft.yield %product : f32
  } : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  return %a : tensor<4x1xf32>
}

// Two products share a weight and its scale. What is not finite, and what is not f32, stays as it is.
// CHECK-LABEL: @kept
// I8: %[[W:.*]] = weft.constant {{.*}} : tensor<1x1x48xi8>
// I8: %[[SCALE:.*]] = weft.constant {{.*}} : tensor<2xf32>
// I8: weft.constant {{.*}} : tensor<1x1x48xf64>
// I8: weft.constant dense<{{.*}}0x7F800000{{.*}}> : tensor<1x1x48xf32>
// I8: weft.matmul %arg0, %[[W]] captures(%[[SCALE]] : tensor<2xf32>)
// I8: weft.matmul %arg0, %[[W]] captures(%[[SCALE]] : tensor<2xf32>)
// I4: %[[W:.*]] = weft.constant {{.*}} : tensor<1x1x9x48xi32>
// I4: weft.constant {{.*}} : tensor<1x1x48xf64>
// I4: weft.constant dense<{{.*}}0x7F800000{{.*}}> : tensor<1x1x48xf32>
// I4: weft.matmul %arg0, %[[W]] {packed_columns = 2 : i64}
// I4: weft.matmul %arg0, %[[W]] {packed_columns = 2 : i64}

// The largest floats are bf16's largest, not infinite; an infinity stays one.
// BF16-LABEL: @largest
// BF16: weft.constant dense<{{\[\[\[}}3.389530e+38, -3.389530e+38, 0x7F80, 0.000000e+00, {{[0., e+]*}}]]]> : tensor<1x1x48xbf16>
func.func @kept(%x: tensor<4x1xf32>, %y: tensor<4x1xf64>) -> (tensor<4x2xf32>, tensor<4x2xf64>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %inf = weft.constant dense<[[0x7F800000, 2.0]]> : tensor<1x2xf32>
  %wide = weft.constant dense<[[1.0, 2.0]]> : tensor<1x2xf64>
  %w = weft.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %a = weft.matmul %x, %inf : (tensor<4x1xf32>, tensor<1x2xf32>) -> tensor<4x2xf32>
  %b = weft.matmul %y, %wide : (tensor<4x1xf64>, tensor<1x2xf64>) -> tensor<4x2xf64>
  %c = weft.matmul %x, %w : (tensor<4x1xf32>, tensor<1x2xf32>) -> tensor<4x2xf32>
  %d = weft.matmul %x, %w : (tensor<4x1xf32>, tensor<1x2xf32>) -> tensor<4x2xf32>
  return %a, %b, %c, %d : tensor<4x2xf32>, tensor<4x2xf64>, tensor<4x2xf32>, tensor<4x2xf32>
}

func.func @largest(%x: tensor<4x1xf32>) -> tensor<4x3xf32> {
  %w = weft.constant dense<[[3.4028235e38, -3.4028235e38, 0x7F800000]]> : tensor<1x3xf32>
  %a = weft.matmul %x, %w : (tensor<4x1xf32>, tensor<1x3xf32>) -> tensor<4x3xf32>
  return %a : tensor<4x3xf32>
}

// CHECK-LABEL: @last_is_nan
// BF16: weft.constant dense<{{\[\[\[}}2.000000e+00, 0x7FC0, {{.*}}> : tensor<1x1x48xbf16>
// I8: weft.constant dense<{{\[\[\[}}2.000000e+00, 0x7FC00000, {{.*}}> : tensor<1x1x48xf32>
// I4: weft.constant dense<{{\[\[\[}}2.000000e+00, 0x7FC00000, {{.*}}> : tensor<1x1x48xf32>
func.func @last_is_nan(%x: tensor<4x1xf32>) -> tensor<4x2xf32> {
  %w = weft.constant dense<[[2.0, 0x7FC00000]]> : tensor<1x2xf32>
  %a = weft.matmul %x, %w : (tensor<4x1xf32>, tensor<1x2xf32>) -> tensor<4x2xf32>
  return %a : tensor<4x2xf32>
}
