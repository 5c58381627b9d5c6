// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product by tensor cores whose operands are copied while others are multiplied.
func.func @main(%x: tensor<?x72xf16, #weft.dims<"m", 72>> {weft.name = "x"}, %w: tensor<72x232xf16> {weft.name = "w"})
    -> (tensor<?x232xf16, #weft.dims<"m", 232>> {weft.name = "y"}) {
  %0 = weft.matmul %x, %w {weft.schedule = {rows = 128 : i64, columns = 128 : i64}} : (tensor<?x72xf16, #weft.dims<"m", 72>>, tensor<72x232xf16>) -> tensor<?x232xf16, #weft.dims<"m", 232>>
  return %0 : tensor<?x232xf16, #weft.dims<"m", 232>>
}
