// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products by tensor cores: of f16, and of bf16 with an epilogue.
func.func @main(%x: tensor<?x300xf16, #weft.dims<"m", 300>> {weft.name = "x"}, %w: tensor<300x200xf16> {weft.name = "w"},
                %y: tensor<2x?x64xbf16, #weft.dims<2, "m", 64>> {weft.name = "y"}, %v: tensor<64x130xbf16> {weft.name = "v"})
    -> (tensor<?x200xf16, #weft.dims<"m", 200>> {weft.name = "p"}, tensor<2x?x130xbf16, #weft.dims<2, "m", 130>> {weft.name = "q"}) {
  %0 = weft.matmul %x, %w : (tensor<?x300xf16, #weft.dims<"m", 300>>, tensor<300x200xf16>) -> tensor<?x200xf16, #weft.dims<"m", 200>>
  %1 = weft.matmul %y, %v : (tensor<2x?x64xbf16, #weft.dims<2, "m", 64>>, tensor<64x130xbf16>) -> tensor<2x?x130xbf16, #weft.dims<2, "m", 130>>
  %2 = weft.relu %1 : (tensor<2x?x130xbf16, #weft.dims<2, "m", 130>>) -> tensor<2x?x130xbf16, #weft.dims<2, "m", 130>>
  return %0, %2 : tensor<?x200xf16, #weft.dims<"m", 200>>, tensor<2x?x130xbf16, #weft.dims<2, "m", 130>>
}
