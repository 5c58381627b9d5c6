// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of bf16, which has no NumPy type: its values come from f32 and go there. In memory it is the i16 of its bits, beside
// true i16 (counts). A depth over 1024 is summed at once.
// RUN: %python %S/../compare.py %s --rtol=1.6e-2 --atol=2e-2 m=3,k=5,n=7,b=2 m=1,k=1,n=1,b=1 m=8,k=33,n=48,b=3 m=13,k=64,n=97,b=1 m=129,k=31,n=17,b=2 m=2,k=2053,n=49,b=1 m=0,k=3,n=5,b=2 m=3,k=0,n=5,b=2 m=3,k=5,n=0,b=2
func.func @main(%x: tensor<?x?xf32, #weft.dims<"m", "k">> {weft.name = "x"},
                %w: tensor<?x?xf32, #weft.dims<"k", "n">> {weft.name = "w"},
                %a: tensor<?x?x?xf32, #weft.dims<"b", "m", "k">> {weft.name = "a"},
                %c: tensor<?x?x?xf32, #weft.dims<"b", "k", "n">> {weft.name = "c"},
                %bias: tensor<?xf32, #weft.dims<"n">> {weft.name = "bias"},
                %row: tensor<?xf32, #weft.dims<"k">> {weft.name = "row"},
                %counts: tensor<?xi16, #weft.dims<"n">> {weft.name = "counts"},
                %fixed: tensor<?x7xf32, #weft.dims<"m", 7>> {weft.name = "fixed"})
  -> (tensor<?x?xf32> {weft.name = "product"},
      tensor<?x?x?xf32> {weft.name = "batch"},
      tensor<?x?x?xf32> {weft.name = "merged"},
      tensor<?x?xf32> {weft.name = "epilogue"},
      tensor<?x?xf32> {weft.name = "packed"},
      tensor<?x?xf32> {weft.name = "softmax"},
      tensor<?x?xf32> {weft.name = "log_softmax"},
      tensor<?x?xf32> {weft.name = "layer_norm"},
      tensor<?x?xf32> {weft.name = "layer_norm_without_bias"},
      tensor<?xf32> {weft.name = "sum"},
      tensor<?xf32> {weft.name = "mean"},
      tensor<?xf32> {weft.name = "max"},
      tensor<?xf32> {weft.name = "min"},
      tensor<?xf32> {weft.name = "prod"},
      tensor<?xf32> {weft.name = "sum_of_planes"}) {
  %t0 = weft.cast %x to bf16 : (tensor<?x?xf32, #weft.dims<"m", "k">>) -> tensor<?x?xbf16, #weft.dims<"m", "k">>
  %t1 = weft.cast %w to bf16 : (tensor<?x?xf32, #weft.dims<"k", "n">>) -> tensor<?x?xbf16, #weft.dims<"k", "n">>
  %t2 = weft.cast %a to bf16 : (tensor<?x?x?xf32, #weft.dims<"b", "m", "k">>) -> tensor<?x?x?xbf16, #weft.dims<"b", "m", "k">>
  %t3 = weft.cast %c to bf16 : (tensor<?x?x?xf32, #weft.dims<"b", "k", "n">>) -> tensor<?x?x?xbf16, #weft.dims<"b", "k", "n">>
  %t4 = weft.cast %bias to bf16 : (tensor<?xf32, #weft.dims<"n">>) -> tensor<?xbf16, #weft.dims<"n">>
  %t5 = weft.cast %row to bf16 : (tensor<?xf32, #weft.dims<"k">>) -> tensor<?xbf16, #weft.dims<"k">>
  %t6 = weft.cast %fixed to bf16 : (tensor<?x7xf32, #weft.dims<"m", 7>>) -> tensor<?x7xbf16, #weft.dims<"m", 7>>
  %t7 = weft.matmul %t0, %t1 : (tensor<?x?xbf16, #weft.dims<"m", "k">>, tensor<?x?xbf16, #weft.dims<"k", "n">>) -> tensor<?x?xbf16>
  %product = weft.cast %t7 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %t8 = weft.matmul %t2, %t3 : (tensor<?x?x?xbf16, #weft.dims<"b", "m", "k">>, tensor<?x?x?xbf16, #weft.dims<"b", "k", "n">>) -> tensor<?x?x?xbf16>
  %batch = weft.cast %t8 to f32 : (tensor<?x?x?xbf16>) -> tensor<?x?x?xf32>
  %t9 = weft.matmul %t2, %t1 : (tensor<?x?x?xbf16, #weft.dims<"b", "m", "k">>, tensor<?x?xbf16, #weft.dims<"k", "n">>) -> tensor<?x?x?xbf16>
  %merged = weft.cast %t9 to f32 : (tensor<?x?x?xbf16>) -> tensor<?x?x?xf32>
  %t10 = weft.neg %t0 : (tensor<?x?xbf16, #weft.dims<"m", "k">>) -> tensor<?x?xbf16>
  %t11 = weft.matmul %t10, %t1 : (tensor<?x?xbf16>, tensor<?x?xbf16, #weft.dims<"k", "n">>) -> tensor<?x?xbf16>
  %t12 = weft.add %t11, %t4 : (tensor<?x?xbf16>, tensor<?xbf16, #weft.dims<"n">>) -> tensor<?x?xbf16>
  %t13 = weft.cast %counts to bf16 : (tensor<?xi16, #weft.dims<"n">>) -> tensor<?xbf16>
  %t14 = weft.mul %t12, %t13 : (tensor<?x?xbf16>, tensor<?xbf16>) -> tensor<?x?xbf16>
  %t15 = weft.relu %t14 : (tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %epilogue = weft.cast %t15 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %c16 = weft.constant dense<-1.75> : tensor<f32>
  %c17 = weft.constant dense<15.75> : tensor<f32>
  %c18 = weft.constant dense<0.05> : tensor<f32>
  %t19 = weft.range %c16 to %c17 by %c18 : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<350xf32>
  %t20 = weft.cast %t19 to bf16 : (tensor<350xf32>) -> tensor<350xbf16>
  %c21 = weft.constant dense<[7, 50]> : tensor<2xi64>
  %t22 = weft.reshape %t20, %c21 : (tensor<350xbf16>, tensor<2xi64>) -> tensor<7x50xbf16>
  %t23 = weft.matmul %t6, %t22 : (tensor<?x7xbf16, #weft.dims<"m", 7>>, tensor<7x50xbf16>) -> tensor<?x?xbf16>
  %packed = weft.cast %t23 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %t24 = weft.softmax %t0 {axis = 1 : i64} : (tensor<?x?xbf16, #weft.dims<"m", "k">>) -> tensor<?x?xbf16>
  %softmax = weft.cast %t24 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %t25 = weft.log_softmax %t0 {axis = 0 : i64} : (tensor<?x?xbf16, #weft.dims<"m", "k">>) -> tensor<?x?xbf16>
  %log_softmax = weft.cast %t25 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %t26 = weft.layer_norm %t0, %t5, %t5 {axis = 1 : i64, epsilon = 1.0e-5 : f32} : (tensor<?x?xbf16, #weft.dims<"m", "k">>, tensor<?xbf16, #weft.dims<"k">>, tensor<?xbf16, #weft.dims<"k">>) -> tensor<?x?xbf16>
  %layer_norm = weft.cast %t26 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %t27 = weft.layer_norm %t0, %t5 {axis = 1 : i64, epsilon = 1.0e-5 : f32} : (tensor<?x?xbf16, #weft.dims<"m", "k">>, tensor<?xbf16, #weft.dims<"k">>) -> tensor<?x?xbf16>
  %layer_norm_without_bias = weft.cast %t27 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %t28 = weft.reduce sum %t0 {axes = array<i64: 1>} : (tensor<?x?xbf16, #weft.dims<"m", "k">>) -> tensor<?xbf16>
  %sum = weft.cast %t28 to f32 : (tensor<?xbf16>) -> tensor<?xf32>
  %t29 = weft.reduce mean %t0 {axes = array<i64: 1>} : (tensor<?x?xbf16, #weft.dims<"m", "k">>) -> tensor<?xbf16>
  %mean = weft.cast %t29 to f32 : (tensor<?xbf16>) -> tensor<?xf32>
  %t30 = weft.reduce max %t0 {axes = array<i64: 1>} : (tensor<?x?xbf16, #weft.dims<"m", "k">>) -> tensor<?xbf16>
  %max = weft.cast %t30 to f32 : (tensor<?xbf16>) -> tensor<?xf32>
  %t31 = weft.reduce min %t0 {axes = array<i64: 1>} : (tensor<?x?xbf16, #weft.dims<"m", "k">>) -> tensor<?xbf16>
  %min = weft.cast %t31 to f32 : (tensor<?xbf16>) -> tensor<?xf32>
  %t32 = weft.reduce prod %t0 {axes = array<i64: 1>} : (tensor<?x?xbf16, #weft.dims<"m", "k">>) -> tensor<?xbf16>
  %prod = weft.cast %t32 to f32 : (tensor<?xbf16>) -> tensor<?xf32>
  %t33 = weft.reduce sum %t2 {axes = array<i64: 0, 2>} : (tensor<?x?x?xbf16, #weft.dims<"b", "m", "k">>) -> tensor<?xbf16>
  %sum_of_planes = weft.cast %t33 to f32 : (tensor<?xbf16>) -> tensor<?xf32>
  return %product, %batch, %merged, %epilogue, %packed, %softmax, %log_softmax, %layer_norm, %layer_norm_without_bias, %sum, %mean, %max, %min, %prod, %sum_of_planes
    : tensor<?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
