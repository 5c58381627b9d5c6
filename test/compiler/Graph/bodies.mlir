// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes do in the bodies of loops what they do around them. Bodies share no values with what is around them, so each has the weights that its
// products have, once.
// RUN: weft-opt %s -weft-fold-constants | FileCheck %s --check-prefix=FOLD
// RUN: weft-opt %s -weft-pack-weights | FileCheck %s --check-prefix=PACK
// RUN: weft-opt %s -weft-round-products 2>%t.err | FileCheck %s --check-prefix=ROUND
// RUN: FileCheck %s --input-file=%t.err --check-prefix=WARNING
// RUN: weft-opt %s -weft-quantize-products 2>%t.err | FileCheck %s --check-prefix=QUANTIZE
// RUN: FileCheck %s --input-file=%t.err --check-prefix=WARNING
// RUN: weft-opt %s -weft-fuse-epilogue | FileCheck %s --check-prefix=EPILOGUE
// RUN: weft-opt %s -weft-tf32-products | FileCheck %s --check-prefix=TF32
#n = #weft.dims<"n", 4>

// A loop is not evaluated, though it has nothing but constants; what is constant in its body is.
// FOLD-LABEL: @constants
// FOLD: weft.loop count(<4>) states(%{{.*}} : tensor<2xf32>) {
// FOLD-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[S:.*]]: tensor<2xf32>):
// FOLD-NEXT: %[[C:.*]] = weft.constant dense<[9.000000e+00, 2.500000e+01]> : tensor<2xf32>
// FOLD-NEXT: weft.add %[[S]], %[[C]]
// FOLD-NEXT: weft.yield
// There is no product here to be one of fewer bits.
// WARNING: warning: no product of f32 {{(or bf16 )?}}is one that can be computed in {{bf16|bytes}} [
func.func @constants() -> (tensor<2xf32>, tensor<4x2xf32>) {
  %a = weft.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %r:2 = weft.loop count(#weft.dim<4>) states(%a : tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %s: tensor<2xf32>):
    %b = weft.constant dense<[3.0, 5.0]> : tensor<2xf32>
    %c = weft.mul %b, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %t = weft.add %s, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    weft.yield %t, %s : tensor<2xf32>, tensor<2xf32>
  } -> (tensor<2xf32>, tensor<4x2xf32>)
  return %r#0, %r#1 : tensor<2xf32>, tensor<4x2xf32>
}

// One weight, which a loop has, too, and the loop in that.
// PACK-LABEL: @weights
// PACK-SAME: (%[[X:.*]]: tensor<?x4xf32, {{.*}}>)
// PACK-NEXT: %[[W:.*]] = weft.constant {{.*}} : tensor<1x4x48xf32>
// PACK-NEXT: weft.matmul %[[X]], %[[W]] {packed_columns = 4 : i64}
// PACK: ^bb0(%{{.*}}: tensor<i64>, %[[S:.*]]: tensor<?x4xf32, {{.*}}>):
// PACK-NEXT: %[[V:.*]] = weft.constant {{.*}} : tensor<1x4x48xf32>
// PACK-NEXT: weft.matmul %[[S]], %[[V]] {packed_columns = 4 : i64}
// PACK: ^bb0(%{{.*}}: tensor<i64>, %[[Q:.*]]: tensor<?x4xf32, {{.*}}>):
// PACK-NEXT: %[[C:.*]] = weft.constant {{.*}} : tensor<1x4x48xf32>
// PACK: weft.matmul %[[Q]], %[[C]] {packed_columns = 4 : i64}
// PACK: weft.matmul %{{.*}}, %[[V]] {packed_columns = 4 : i64}

// ROUND-LABEL: @weights
// ROUND: %[[W:.*]] = weft.constant {{.*}} : tensor<1x16x48x2xbf16>
// ROUND: weft.matmul %{{.*}}, %[[W]] {packed_columns = 4 : i64}
// ROUND: ^bb0(%{{.*}}: tensor<i64>, %[[S:.*]]: tensor<?x4xf32, {{.*}}>):
// ROUND-DAG: weft.cast %[[S]] to bf16
// ROUND-DAG: %[[V:.*]] = weft.constant {{.*}} : tensor<1x16x48x2xbf16>
// ROUND: weft.matmul %{{.*}}, %[[V]] {packed_columns = 4 : i64}
// ROUND: ^bb0(%{{.*}}: tensor<i64>, %[[Q:.*]]: tensor<?x4xf32, {{.*}}>):
// ROUND-DAG: weft.cast %[[Q]] to bf16
// ROUND-DAG: %[[C:.*]] = weft.constant {{.*}} : tensor<1x16x48x2xbf16>
// ROUND: weft.matmul %{{.*}}, %[[C]] {packed_columns = 4 : i64}
// ROUND: weft.matmul %{{.*}}, %[[V]] {packed_columns = 4 : i64}

// QUANTIZE-LABEL: @weights
// QUANTIZE: %[[W:.*]] = weft.constant {{.*}} : tensor<1x16x48x4xi8>
// QUANTIZE: weft.matmul %{{.*}}, %[[W]] captures(
// QUANTIZE: ^bb0(%{{.*}}: tensor<i64>, %[[S:.*]]: tensor<?x4xf32, {{.*}}>):
// QUANTIZE-DAG: weft.quantize_rows %[[S]]
// QUANTIZE-DAG: %[[V:.*]] = weft.constant {{.*}} : tensor<1x16x48x4xi8>
// QUANTIZE: weft.matmul %{{.*}}, %[[V]] captures(
// QUANTIZE: ^bb0(%{{.*}}: tensor<i64>, %[[Q:.*]]: tensor<?x4xf32, {{.*}}>):
// QUANTIZE-DAG: weft.quantize_rows %[[Q]]
// QUANTIZE-DAG: %[[C:.*]] = weft.constant {{.*}} : tensor<1x16x48x4xi8>
// QUANTIZE: weft.matmul %{{.*}}, %[[C]] captures(
// QUANTIZE: weft.matmul %{{.*}}, %[[V]] captures(

// EPILOGUE-LABEL: @weights
// EPILOGUE: weft.loop count(<3>)
// EPILOGUE-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[Q:.*]]: tensor<?x4xf32, {{.*}}>, %[[BIAS:.*]]: tensor<4xf32>):
// EPILOGUE-NEXT: %[[C:.*]] = weft.constant
// EPILOGUE-NEXT: %[[P:.*]] = weft.matmul %[[Q]], %[[C]] captures(%[[BIAS]] : tensor<4xf32>) epilogue {
// EPILOGUE: arith.addf
// EPILOGUE-NOT: weft.add
// EPILOGUE: weft.yield %[[P]] :

// TF32-LABEL: @weights
// TF32-COUNT-4: weft.matmul %{{.*}}, %{{.*}} {tf32}
func.func @weights(%x: tensor<?x4xf32, #n>, %b: tensor<4xf32>) -> tensor<?x4xf32, #n> {
  %w = weft.constant dense<2.0> : tensor<4x4xf32>
  %y = weft.matmul %x, %w : (tensor<?x4xf32, #n>, tensor<4x4xf32>) -> tensor<?x4xf32, #n>
  %r = weft.loop count(#weft.dim<"n">) states(%y : tensor<?x4xf32, #n>) captures(%b : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %s: tensor<?x4xf32, #n>, %d: tensor<4xf32>):
    %v = weft.constant dense<2.0> : tensor<4x4xf32>
    %t = weft.matmul %s, %v : (tensor<?x4xf32, #n>, tensor<4x4xf32>) -> tensor<?x4xf32, #n>
    %u = weft.loop count(#weft.dim<3>) states(%t : tensor<?x4xf32, #n>) captures(%d : tensor<4xf32>) {
    ^bb0(%j: tensor<i64>, %q: tensor<?x4xf32, #n>, %bias: tensor<4xf32>):
      %c = weft.constant dense<2.0> : tensor<4x4xf32>
      %p = weft.matmul %q, %c : (tensor<?x4xf32, #n>, tensor<4x4xf32>) -> tensor<?x4xf32, #n>
      %a = weft.add %p, %bias : (tensor<?x4xf32, #n>, tensor<4xf32>) -> tensor<?x4xf32, #n>
      weft.yield %a : tensor<?x4xf32, #n>
    } -> (tensor<?x4xf32, #n>)
    %o = weft.matmul %u, %v : (tensor<?x4xf32, #n>, tensor<4x4xf32>) -> tensor<?x4xf32, #n>
    weft.yield %o : tensor<?x4xf32, #n>
  } -> (tensor<?x4xf32, #n>)
  return %r : tensor<?x4xf32, #n>
}
