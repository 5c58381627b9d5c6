// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product by tensor cores.
func.func @main(%x: tensor<?x70xf16, #weft.dims<"m", 70>> {weft.name = "x"}, %w: tensor<70x200xf16> {weft.name = "w"})
    -> (tensor<?x200xf16, #weft.dims<"m", 200>> {weft.name = "y"}) {
  %0 = weft.matmul %x, %w {weft.schedule = {rows = 128 : i64, columns = 128 : i64}} : (tensor<?x70xf16, #weft.dims<"m", 70>>, tensor<70x200xf16>) -> tensor<?x200xf16, #weft.dims<"m", 200>>
  return %0 : tensor<?x200xf16, #weft.dims<"m", 200>>
}
