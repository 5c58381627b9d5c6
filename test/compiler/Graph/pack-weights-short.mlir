// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of f32 that f16 or bf16 holds as they are.
// RUN: weft-opt %s -split-input-file -weft-pack-weights=short-from=0 | FileCheck %s
// RUN: weft-opt %s -split-input-file -weft-pack-weights=short-from=1000000 | FileCheck %s --check-prefix=SMALL
// RUN: weft-opt %s -split-input-file '-weft-pack-weights=short-from=0 keeps-matrices' | FileCheck %s --check-prefix=SMALL
// RUN: weft-opt %s -split-input-file -weft-pack-weights | FileCheck %s --check-prefix=SMALL
// RUN: weft-opt %s -split-input-file '-weft-pack-weights=short-from=0 storage=i2' 2>&1 | FileCheck %s --check-prefix=TERNARY
// SMALL-NOT: {{b?f16>}}

// Of the f16 numbers the largest, an odd one, the least normal one, the least and another below that, and an infinity; and zeros. One bit more,
// a greater and a smaller number are none; nor is a NaN.
// CHECK-LABEL: @halves
// CHECK-DAG: %[[F16:.*]] = weft.constant dense<{{\[\[\[}}6.550400e+04, -2.001950e+00, 6.103520e-05, 5.960460e-08, -4.172330e-07, 0x7C00, 0.000000e+00, -0.000000e+00, 0.000000e+00, {{[0., e+]*}}]]]> : tensor<1x1x48xf16>
// CHECK-DAG: %[[LONG:.*]] = weft.constant dense<{{.*}}> : tensor<1x1x48xf32>
// CHECK-DAG: %[[LARGE:.*]] = weft.constant dense<{{.*}}> : tensor<1x1x48xf32>
// CHECK-DAG: %[[TINY:.*]] = weft.constant dense<{{.*}}> : tensor<1x1x48xf32>
// CHECK-DAG: %[[LOW:.*]] = weft.constant dense<{{.*}}> : tensor<1x1x48xf32>
// CHECK-DAG: %[[NAN:.*]] = weft.constant dense<{{.*}}> : tensor<1x1x48xf32>
// CHECK: weft.matmul %arg0, %[[F16]] {packed_columns = 8 : i64} : (tensor<4x1xf32>, tensor<1x1x48xf16>) -> tensor<4x8xf32>
// TERNARY: warning: no weight is one that can be stored as ternary
func.func @halves(%x: tensor<4x1xf32>) -> (tensor<4x8xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %w = weft.constant dense<[[65504.0, 0xC0002000, 0x38800000, 0x33800000, 0xB4E00000, 0x7F800000, 0.0, -0.0]]> : tensor<1x8xf32>
  %long = weft.constant dense<[[1.0, 0x3F801000]]> : tensor<1x2xf32>
  %large = weft.constant dense<[[1.0009765625, 0x47800000]]> : tensor<1x2xf32>
  %small = weft.constant dense<[[1.0009765625, 0x33000000]]> : tensor<1x2xf32>
  %low = weft.constant dense<[[1.0009765625, 0x34600000]]> : tensor<1x2xf32>
  %nan = weft.constant dense<[[1.0009765625, 0x7FC00000]]> : tensor<1x2xf32>
  %0 = weft.matmul %x, %w : (tensor<4x1xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  %1 = weft.matmul %x, %long : (tensor<4x1xf32>, tensor<1x2xf32>) -> tensor<4x2xf32>
  %2 = weft.matmul %x, %large : (tensor<4x1xf32>, tensor<1x2xf32>) -> tensor<4x2xf32>
  %3 = weft.matmul %x, %small : (tensor<4x1xf32>, tensor<1x2xf32>) -> tensor<4x2xf32>
  %4 = weft.matmul %x, %low : (tensor<4x1xf32>, tensor<1x2xf32>) -> tensor<4x2xf32>
  %5 = weft.matmul %x, %nan : (tensor<4x1xf32>, tensor<1x2xf32>) -> tensor<4x2xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4x8xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// bf16 comes first where both hold a weight. A product whose epilogue reads integers of 16 bits has f16 or f32.
// CHECK-LABEL: @bf16
// CHECK-DAG: %[[BOTH:.*]] = weft.constant dense<{{\[\[\[}}1.000000e+00, -2.500000e+00, {{[0., e+]*}}]]]> : tensor<1x1x48xbf16>
// CHECK-DAG: %[[BF16:.*]] = weft.constant dense<{{\[\[\[}}9.{{[0-9]*}}e-41, 3.389530e+38, {{[0., e+]*}}]]]> : tensor<1x1x48xbf16>
// CHECK-DAG: %[[F32:.*]] = weft.constant dense<{{.*}}> : tensor<1x1x48xf32>
// CHECK: weft.matmul %arg0, %[[BOTH]] {packed_columns = 2 : i64}
// CHECK: weft.matmul %arg0, %[[BF16]] {packed_columns = 2 : i64}
// CHECK: weft.matmul %arg0, %[[F32]] captures(%arg1 : tensor<1xi16>)
// Where none does, both products of a weight share it.
// SMALL-LABEL: @bf16
// SMALL-COUNT-2: weft.constant
// SMALL-NOT: weft.constant
// SMALL: weft.matmul
// SMALL-NOT: {{b?f16>}}
func.func @bf16(%x: tensor<4x1xf32>, %i: tensor<1xi16>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %both = weft.constant dense<[[1.0, -2.5]]> : tensor<1x2xf32>
  %wide = weft.constant dense<[[0x00010000, 0x7F7F0000]]> : tensor<1x2xf32>
  %0 = weft.matmul %x, %both : (tensor<4x1xf32>, tensor<1x2xf32>) -> tensor<4x2xf32>
  %1 = weft.matmul %x, %wide : (tensor<4x1xf32>, tensor<1x2xf32>) -> tensor<4x2xf32>
  %2 = weft.matmul %x, %wide captures(%i : tensor<1xi16>) epilogue {
  ^bb0(%sum: f32, %number: i16):
    %float = arith.sitofp %number : i16 to f32
    %add = arith.addf %sum, %float : f32
    weft.yield %add : f32
  } : (tensor<4x1xf32>, tensor<1x2xf32>) -> tensor<4x2xf32>
  return %0, %1, %2 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// Matrices that rows are routed to, too.
// CHECK-LABEL: @routed
// CHECK: weft.routed_matmul %arg0, %{{.*}}, %arg1 {packed_columns = 2 : i64} : (tensor<4x1xf32>, tensor<2x1x48xf16>, tensor<4xi64>) -> tensor<4x2xf32>
func.func @routed(%x: tensor<4x1xf32>, %i: tensor<4xi64>) -> tensor<4x2xf32> {
  %w = weft.constant dense<[[[1.0, 2.0]], [[3.0, 1.0009765625]]]> : tensor<2x1x2xf32>
  %0 = weft.routed_matmul %x, %w, %i : (tensor<4x1xf32>, tensor<2x1x2xf32>, tensor<4xi64>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
