// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of tf32: rows that can be copied 16 bytes at a time, and others, of a batch.
func.func @main(%x: tensor<?x72xf32, #weft.dims<"m", 72>> {weft.name = "x"}, %w: tensor<72x232xf32> {weft.name = "w"},
                %a: tensor<2x?x37xf32, #weft.dims<2, "m", 37>> {weft.name = "a"}, %b: tensor<2x37x50xf32> {weft.name = "b"})
  -> (tensor<?x232xf32, #weft.dims<"m", 232>> {weft.name = "y"}, tensor<2x?x50xf32, #weft.dims<2, "m", 50>> {weft.name = "z"}) {
  %y = weft.matmul %x, %w {tf32} : (tensor<?x72xf32, #weft.dims<"m", 72>>, tensor<72x232xf32>) -> tensor<?x232xf32, #weft.dims<"m", 232>>
  %z = weft.matmul %a, %b {tf32} : (tensor<2x?x37xf32, #weft.dims<2, "m", 37>>, tensor<2x37x50xf32>) -> tensor<2x?x50xf32, #weft.dims<2, "m", 50>>
  return %y, %z : tensor<?x232xf32, #weft.dims<"m", 232>>, tensor<2x?x50xf32, #weft.dims<2, "m", 50>>
}
