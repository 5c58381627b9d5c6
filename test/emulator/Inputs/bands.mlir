// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of so many rows that their tiles lie in several bands; of a batch, too, and of a number of rows that is known.
#x = #weft.dims<"m", 24>
#y = #weft.dims<"m", 200>
#a = #weft.dims<2, "m", 24>
#c = #weft.dims<2, "m", 200>
func.func @main(%x: tensor<?x24xf16, #x> {weft.name = "x"}, %w: tensor<24x200xf16> {weft.name = "w"},
                %a: tensor<2x?x24xf32, #a> {weft.name = "a"}, %b: tensor<2x24x200xf32> {weft.name = "b"}, %k: tensor<2100x24xf16> {weft.name = "k"})
    -> (tensor<?x200xf16, #y> {weft.name = "rows"}, tensor<2x?x200xf32, #c> {weft.name = "batch"}, tensor<2100x200xf16> {weft.name = "known"}) {
  %0 = weft.matmul %x, %w : (tensor<?x24xf16, #x>, tensor<24x200xf16>) -> tensor<?x200xf16, #y>
  %1 = weft.matmul %a, %b : (tensor<2x?x24xf32, #a>, tensor<2x24x200xf32>) -> tensor<2x?x200xf32, #c>
  %2 = weft.matmul %k, %w : (tensor<2100x24xf16>, tensor<24x200xf16>) -> tensor<2100x200xf16>
  return %0, %1, %2 : tensor<?x200xf16, #y>, tensor<2x?x200xf32, #c>, tensor<2100x200xf16>
}
