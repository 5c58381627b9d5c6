// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products by tensor cores: of f16, and of bf16 with an epilogue. Rows are whole pieces of 16 bytes, which are copied while others are
// multiplied.
func.func @main(%x: tensor<?x304xf16, #weft.dims<"m", 304>> {weft.name = "x"}, %w: tensor<304x200xf16> {weft.name = "w"},
                %y: tensor<2x?x64xbf16, #weft.dims<2, "m", 64>> {weft.name = "y"}, %v: tensor<64x136xbf16> {weft.name = "v"})
    -> (tensor<?x200xf16, #weft.dims<"m", 200>> {weft.name = "p"}, tensor<2x?x136xbf16, #weft.dims<2, "m", 136>> {weft.name = "q"}) {
  %0 = weft.matmul %x, %w : (tensor<?x304xf16, #weft.dims<"m", 304>>, tensor<304x200xf16>) -> tensor<?x200xf16, #weft.dims<"m", 200>>
  %1 = weft.matmul %y, %v : (tensor<2x?x64xbf16, #weft.dims<2, "m", 64>>, tensor<64x136xbf16>) -> tensor<2x?x136xbf16, #weft.dims<2, "m", 136>>
  %2 = weft.relu %1 : (tensor<2x?x136xbf16, #weft.dims<2, "m", 136>>) -> tensor<2x?x136xbf16, #weft.dims<2, "m", 136>>
  return %0, %2 : tensor<?x200xf16, #weft.dims<"m", 200>>, tensor<2x?x136xbf16, #weft.dims<2, "m", 136>>
}
