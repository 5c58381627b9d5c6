// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operation that has no kernel for GPUs.
func.func @main(%q: tensor<2x?x8x64xf32, #weft.dims<2, "n", 8, 64>> {weft.name = "q"},
                %k: tensor<2x?x4x64xf32, #weft.dims<2, "n", 4, 64>> {weft.name = "k"},
                %v: tensor<2x?x4x32xf32, #weft.dims<2, "n", 4, 32>> {weft.name = "v"},
                %past: tensor<2x4x64x32xf32> {weft.name = "past"})
    -> (tensor<2x?x8x32xf32, #weft.dims<2, "n", 8, 32>> {weft.name = "y"}, tensor<2x4x64x32xf32> {weft.name = "final"}) {
  %y, %s = weft.linear_attention %q, %k, %v, %past
    : (tensor<2x?x8x64xf32, #weft.dims<2, "n", 8, 64>>, tensor<2x?x4x64xf32, #weft.dims<2, "n", 4, 64>>,
       tensor<2x?x4x32xf32, #weft.dims<2, "n", 4, 32>>, tensor<2x4x64x32xf32>)
    -> (tensor<2x?x8x32xf32, #weft.dims<2, "n", 8, 32>>, tensor<2x4x64x32xf32>)
  return %y, %s : tensor<2x?x8x32xf32, #weft.dims<2, "n", 8, 32>>, tensor<2x4x64x32xf32>
}
