// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of few rows: of f16, of bf16 with an epilogue, and of f32, whose depth is no multiple of what warps read;
// and of the widest blocks.
func.func @main(%x: tensor<1x300xf16> {weft.name = "x"}, %w: tensor<300x200xf16> {weft.name = "w"},
                %y: tensor<2x3x64xbf16> {weft.name = "y"}, %v: tensor<64x130xbf16> {weft.name = "v"}, %u: tensor<3x513xf32> {weft.name = "u"}, %t: tensor<513x70xf32> {weft.name = "t"})
    -> (tensor<1x200xf16> {weft.name = "p"}, tensor<2x3x130xbf16> {weft.name = "q"}, tensor<3x70xf32> {weft.name = "r"}, tensor<1x200xf16> {weft.name = "s"}) {
  %0 = weft.matmul %x, %w : (tensor<1x300xf16>, tensor<300x200xf16>) -> tensor<1x200xf16>
  %1 = weft.matmul %y, %v : (tensor<2x3x64xbf16>, tensor<64x130xbf16>) -> tensor<2x3x130xbf16>
  %2 = weft.relu %1 : (tensor<2x3x130xbf16>) -> tensor<2x3x130xbf16>
  %3 = weft.matmul %u, %t : (tensor<3x513xf32>, tensor<513x70xf32>) -> tensor<3x70xf32>
  %4 = weft.matmul %x, %w {weft.schedule = {columns = 32 : i64}} : (tensor<1x300xf16>, tensor<300x200xf16>) -> tensor<1x200xf16>
  return %0, %2, %3, %4 : tensor<1x200xf16>, tensor<2x3x130xbf16>, tensor<3x70xf32>, tensor<1x200xf16>
}
