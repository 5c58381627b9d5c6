// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products that have kernels for sm_90a: of wide tiles, with an epilogue that reads a row and a matrix; of narrow ones; and with
// depths that are no multiples of what is copied at a time.
#x = #weft.dims<"m", 328>
#y = #weft.dims<"m", 1032>
#z = #weft.dims<"m", 200>
func.func @main(%x: tensor<?x328xbf16, #x> {weft.name = "x"}, %w: tensor<328x1032xbf16> {weft.name = "w"},
                %bias: tensor<1032xbf16> {weft.name = "bias"}, %more: tensor<?x1032xbf16, #y> {weft.name = "more"},
                %v: tensor<?x1032xf16, #y> {weft.name = "v"}, %u: tensor<1032x200xf16> {weft.name = "u"})
    -> (tensor<?x1032xbf16, #y> {weft.name = "wide"}, tensor<?x200xf16, #z> {weft.name = "narrow"}) {
  %0 = weft.matmul %x, %w {weft.schedule = {columns = 128 : i64}} : (tensor<?x328xbf16, #x>, tensor<328x1032xbf16>) -> tensor<?x1032xbf16, #y>
  %1 = weft.add %0, %bias : (tensor<?x1032xbf16, #y>, tensor<1032xbf16>) -> tensor<?x1032xbf16, #y>
  %2 = weft.add %1, %more : (tensor<?x1032xbf16, #y>, tensor<?x1032xbf16, #y>) -> tensor<?x1032xbf16, #y>
  %3 = weft.matmul %v, %u : (tensor<?x1032xf16, #y>, tensor<1032x200xf16>) -> tensor<?x200xf16, #z>
  return %2, %3 : tensor<?x1032xbf16, #y>, tensor<?x200xf16, #z>
}
