// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product of f32 with a weight that the model has in 4 bits: -5 and 1 in turn, times 0.125.
func.func @main(%x: tensor<?x96xf32, #weft.dims<"m", 96>> {weft.name = "x"}) -> (tensor<?x100xf32, #weft.dims<"m", 100>> {weft.name = "y"}) {
  %numbers = weft.constant dense<0xA4> : tensor<100x48xui8>
  %scales = weft.constant dense<0.125> : tensor<100x3xf32>
  %zero = weft.constant dense<9.0> : tensor<100x3xf32>
  %w = weft.dequantize %numbers, %scales, %zero {bits = 4, group = 32, length = 96} : (tensor<100x48xui8>, tensor<100x3xf32>, tensor<100x3xf32>) -> tensor<100x96xf32>
  %t = weft.transpose %w {permutation = array<i64: 1, 0>} : (tensor<100x96xf32>) -> tensor<96x100xf32>
  %y = weft.matmul %x, %t : (tensor<?x96xf32, #weft.dims<"m", 96>>, tensor<96x100xf32>) -> tensor<?x100xf32, #weft.dims<"m", 100>>
  return %y : tensor<?x100xf32, #weft.dims<"m", 100>>
}
