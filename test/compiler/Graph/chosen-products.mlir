// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product that a top-k or an arg-reduction chooses from keeps its weights, whatever others have: a router's, behind a softmax and a mask, and one
// of classes. One that gives words has too many columns for that, and one that nothing chooses from is as all others.
// RUN: weft-opt %s -weft-round-products -weft-pack-weights | FileCheck %s --check-prefixes=CHECK,ROUND
// RUN: weft-opt %s -weft-quantize-products=weights=i8 -weft-pack-weights | FileCheck %s --check-prefixes=CHECK,QUANTIZE
// RUN: weft-opt %s -weft-pack-weights=storage=i8 | FileCheck %s --check-prefixes=CHECK,PACK
#n64 = #weft.dims<"n", 64>
#n8 = #weft.dims<"n", 8>

// CHECK-LABEL: @router
// CHECK: weft.matmul {{.*}} : (tensor<?x64xf32, {{.*}}>, tensor<1x64x48xf32>) -> tensor<?x8xf32
// CHECK: weft.top_k
func.func @router(%x: tensor<?x64xf32, #n64>, %mask: tensor<8xf32>) -> tensor<?x2xi64, #weft.dims<"n", 2>> {
  %w = weft.constant dense<0.5> : tensor<64x8xf32>
  %scores = weft.matmul %x, %w : (tensor<?x64xf32, #n64>, tensor<64x8xf32>) -> tensor<?x8xf32, #n8>
  %shares = weft.softmax %scores {axis = 1 : i64} : (tensor<?x8xf32, #n8>) -> tensor<?x8xf32, #n8>
  %masked = weft.add %shares, %mask : (tensor<?x8xf32, #n8>, tensor<8xf32>) -> tensor<?x8xf32, #n8>
  %best = weft.top_k %masked {axis = 1 : i64, largest} : (tensor<?x8xf32, #n8>) -> tensor<?x2xi64, #weft.dims<"n", 2>>
  return %best : tensor<?x2xi64, #weft.dims<"n", 2>>
}

// CHECK-LABEL: @classes
// CHECK: weft.matmul {{.*}}tensor<1x64x48xf32>) -> tensor<?x8xf32
func.func @classes(%x: tensor<?x64xf32, #n64>) -> tensor<?xi64, #weft.dims<"n">> {
  %w = weft.constant dense<0.5> : tensor<64x8xf32>
  %scores = weft.matmul %x, %w : (tensor<?x64xf32, #n64>, tensor<64x8xf32>) -> tensor<?x8xf32, #n8>
  %best = weft.arg_reduce max %scores {axis = 1 : i64} : (tensor<?x8xf32, #n8>) -> tensor<?xi64, #weft.dims<"n">>
  return %best : tensor<?xi64, #weft.dims<"n">>
}

// CHECK-LABEL: @words
// ROUND: weft.matmul {{.*}}tensor<22x32x48x2xbf16>)
// QUANTIZE: : (tensor<?x64xui8, {{.*}}tensor<22x16x48x4xi8>)
// PACK: : (tensor<?x64xf32, {{.*}}tensor<22x64x48xi8>)
func.func @words(%x: tensor<?x64xf32, #n64>) -> tensor<?xi64, #weft.dims<"n">> {
  %w = weft.constant dense<0.5> : tensor<64x1025xf32>
  %scores = weft.matmul %x, %w : (tensor<?x64xf32, #n64>, tensor<64x1025xf32>) -> tensor<?x1025xf32, #weft.dims<"n", 1025>>
  %best = weft.arg_reduce max %scores {axis = 1 : i64} : (tensor<?x1025xf32, #weft.dims<"n", 1025>>) -> tensor<?xi64, #weft.dims<"n">>
  return %best : tensor<?xi64, #weft.dims<"n">>
}

// CHECK-LABEL: @others
// ROUND: weft.matmul {{.*}}tensor<1x32x48x2xbf16>)
// QUANTIZE: : (tensor<?x64xui8, {{.*}}tensor<1x16x48x4xi8>)
// PACK: : (tensor<?x64xf32, {{.*}}tensor<1x64x48xi8>)
func.func @others(%x: tensor<?x64xf32, #n64>) -> tensor<?x8xf32, #n8> {
  %w = weft.constant dense<0.5> : tensor<64x8xf32>
  %scores = weft.matmul %x, %w : (tensor<?x64xf32, #n64>, tensor<64x8xf32>) -> tensor<?x8xf32, #n8>
  %shares = weft.softmax %scores {axis = 1 : i64} : (tensor<?x8xf32, #n8>) -> tensor<?x8xf32, #n8>
  return %shares : tensor<?x8xf32, #n8>
}
