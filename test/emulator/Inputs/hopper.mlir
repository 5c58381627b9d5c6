// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product for sm_90a: of several tiles, whose blocks go on from one to the next.
func.func @main(%x: tensor<500x328xf16> {weft.name = "x"}, %w: tensor<328x232xf16> {weft.name = "w"}) -> (tensor<500x232xf16> {weft.name = "y"}) {
  %0 = weft.matmul %x, %w {weft.schedule = {rows = 128 : i64, columns = 128 : i64}} : (tensor<500x328xf16>, tensor<328x232xf16>) -> tensor<500x232xf16>
  return %0 : tensor<500x232xf16>
}
