// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of f32 that an epilogue rounds.
func.func @main(%x: tensor<?x72xbf16, #weft.dims<"m", 72>> {weft.name = "x"}, %w: tensor<72x232xbf16> {weft.name = "w"}, %b: tensor<232xf32> {weft.name = "b"})
  -> (tensor<?x232xbf16, #weft.dims<"m", 232>> {weft.name = "y"}) {
  %y = weft.matmul %x, %w captures(%b : tensor<232xf32>) epilogue {
  ^bb0(%sum: f32, %bias: f32):
    %0 = arith.addf %sum, %bias : f32
    %1 = arith.truncf %0 : f32 to bf16
    weft.yield %1 : bf16
  } {f32_sums} : (tensor<?x72xbf16, #weft.dims<"m", 72>>, tensor<72x232xbf16>) -> tensor<?x232xbf16, #weft.dims<"m", 232>>
  return %y : tensor<?x232xbf16, #weft.dims<"m", 232>>
}
