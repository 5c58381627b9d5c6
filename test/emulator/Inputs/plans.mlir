// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products that are deep enough to be divided, by each kind of kernel, in a batch, too; the same in tiles for many rows; and with more parts
// than even shares of pieces.
#x = #weft.dims<"m", 1096>
#y = #weft.dims<"m", 136>
#a = #weft.dims<2, "m", 523>
#c = #weft.dims<2, "m", 70>
func.func @main(%x: tensor<?x1096xbf16, #x> {weft.name = "x"}, %w: tensor<1096x136xbf16> {weft.name = "w"},
                %bias: tensor<136xbf16> {weft.name = "bias"}, %more: tensor<?x136xbf16, #y> {weft.name = "more"},
                %a: tensor<2x?x523xf32, #a> {weft.name = "a"}, %b: tensor<2x523x70xf32> {weft.name = "b"}, %row: tensor<70xf32> {weft.name = "row"})
    -> (tensor<?x136xbf16, #y> {weft.name = "divided"}, tensor<?x136xbf16, #y> {weft.name = "whole"}, tensor<?x136xbf16, #y> {weft.name = "uneven"},
        tensor<2x?x70xf32, #c> {weft.name = "batch"}) {
  %0 = weft.matmul %x, %w : (tensor<?x1096xbf16, #x>, tensor<1096x136xbf16>) -> tensor<?x136xbf16, #y>
  %1 = weft.add %0, %bias : (tensor<?x136xbf16, #y>, tensor<136xbf16>) -> tensor<?x136xbf16, #y>
  %2 = weft.add %1, %more : (tensor<?x136xbf16, #y>, tensor<?x136xbf16, #y>) -> tensor<?x136xbf16, #y>
  %3 = weft.matmul %x, %w {weft.schedule = {rows = 128 : i64, columns = 128 : i64}} : (tensor<?x1096xbf16, #x>, tensor<1096x136xbf16>) -> tensor<?x136xbf16, #y>
  %4 = weft.matmul %x, %w {weft.schedule = {rows = 64 : i64, columns = 64 : i64, parts = 7 : i64}} : (tensor<?x1096xbf16, #x>, tensor<1096x136xbf16>) -> tensor<?x136xbf16, #y>
  %5 = weft.matmul %a, %b : (tensor<2x?x523xf32, #a>, tensor<2x523x70xf32>) -> tensor<2x?x70xf32, #c>
  %6 = weft.add %5, %row : (tensor<2x?x70xf32, #c>, tensor<70xf32>) -> tensor<2x?x70xf32, #c>
  return %2, %3, %4, %6 : tensor<?x136xbf16, #y>, tensor<?x136xbf16, #y>, tensor<?x136xbf16, #y>, tensor<2x?x70xf32, #c>
}
