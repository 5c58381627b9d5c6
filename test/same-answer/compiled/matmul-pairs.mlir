// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bf16 whose sums are f32, on every machine: one panel and several, columns that do not fill the last, depths of one block, of many
// and of several that wait in memory, epilogues and batches. Sums of 4128 products cancel.
// RUN: %python %S/../compare.py %s --level=graph --every-machine --atol=1e-3 m=3,b=1 m=1,b=2 m=17,b=1 m=130,b=1 m=40,b=3 m=0,b=1 m=3,b=0
#m32 = #weft.dims<"m", 32>
#m64 = #weft.dims<"m", 64>
#m49 = #weft.dims<"m", 49>
#bm96 = #weft.dims<"b", "m", 96>
#bm5 = #weft.dims<"b", "m", 5>
#m4128 = #weft.dims<"m", 4128>
#m70 = #weft.dims<"m", 70>
#m130 = #weft.dims<"m", 130>
func.func @main(%x64: tensor<?x64xf32, #weft.dims<"m", 64>> {weft.name = "x64"}, %w64: tensor<2x32x48x2xf32> {weft.name = "w64"},
                %x96: tensor<?x?x96xf32, #weft.dims<"b", "m", 96>> {weft.name = "x96"}, %w96: tensor<1x48x48x2xf32> {weft.name = "w96"},
                %x4128: tensor<?x4128xf32, #weft.dims<"m", 4128>> {weft.name = "x4128"}, %w4128: tensor<2x2064x48x2xf32> {weft.name = "w4128"},
                %x2048: tensor<50x2048xf32> {weft.name = "x2048"}, %w2048: tensor<1x1024x48x2xf32> {weft.name = "w2048"},
                %x32: tensor<?x32xf32, #weft.dims<"m", 32>> {weft.name = "x32"}, %w32: tensor<3x16x48x2xf32> {weft.name = "w32"},
                %bias: tensor<5xf32> {weft.name = "bias"})
  -> (tensor<?x49xf32, #m49> {weft.name = "y64"}, tensor<?x?x5xf32, #bm5> {weft.name = "y96"}, tensor<?x70xf32, #m70> {weft.name = "y4128"},
      tensor<50x48xf32> {weft.name = "y2048"}, tensor<?x130xf32, #m130> {weft.name = "y32"}) {
  %a64 = weft.cast %x64 to bf16 : (tensor<?x64xf32, #m64>) -> tensor<?x64xbf16, #m64>
  %b64 = weft.cast %w64 to bf16 : (tensor<2x32x48x2xf32>) -> tensor<2x32x48x2xbf16>
  %y64 = weft.matmul %a64, %b64 {packed_columns = 49 : i64} : (tensor<?x64xbf16, #m64>, tensor<2x32x48x2xbf16>) -> tensor<?x49xf32, #m49>
  %a96 = weft.cast %x96 to bf16 : (tensor<?x?x96xf32, #bm96>) -> tensor<?x?x96xbf16, #bm96>
  %b96 = weft.cast %w96 to bf16 : (tensor<1x48x48x2xf32>) -> tensor<1x48x48x2xbf16>
  %y96 = weft.matmul %a96, %b96 captures(%bias : tensor<5xf32>) epilogue {
  ^bb0(%sum: f32, %b: f32):
    %0 = arith.addf %sum, %b : f32
    %1 = arith.mulf %0, %sum : f32
    weft.yield %1 : f32
  } {packed_columns = 5 : i64} : (tensor<?x?x96xbf16, #bm96>, tensor<1x48x48x2xbf16>) -> tensor<?x?x5xf32, #bm5>
  %a4128 = weft.cast %x4128 to bf16 : (tensor<?x4128xf32, #m4128>) -> tensor<?x4128xbf16, #m4128>
  %b4128 = weft.cast %w4128 to bf16 : (tensor<2x2064x48x2xf32>) -> tensor<2x2064x48x2xbf16>
  %y4128 = weft.matmul %a4128, %b4128 epilogue {
  ^bb0(%sum: f32):
    %0 = arith.negf %sum : f32
    weft.yield %0 : f32
  } {packed_columns = 70 : i64} : (tensor<?x4128xbf16, #m4128>, tensor<2x2064x48x2xbf16>) -> tensor<?x70xf32, #m70>
  %a2048 = weft.cast %x2048 to bf16 : (tensor<50x2048xf32>) -> tensor<50x2048xbf16>
  %b2048 = weft.cast %w2048 to bf16 : (tensor<1x1024x48x2xf32>) -> tensor<1x1024x48x2xbf16>
  %y2048 = weft.matmul %a2048, %b2048 {packed_columns = 48 : i64} : (tensor<50x2048xbf16>, tensor<1x1024x48x2xbf16>) -> tensor<50x48xf32>
  %a32 = weft.cast %x32 to bf16 : (tensor<?x32xf32, #m32>) -> tensor<?x32xbf16, #m32>
  %b32 = weft.cast %w32 to bf16 : (tensor<3x16x48x2xf32>) -> tensor<3x16x48x2xbf16>
  %y32 = weft.matmul %a32, %b32 {packed_columns = 130 : i64} : (tensor<?x32xbf16, #m32>, tensor<3x16x48x2xbf16>) -> tensor<?x130xf32, #m130>
  return %y64, %y96, %y4128, %y2048, %y32
    : tensor<?x49xf32, #m49>, tensor<?x?x5xf32, #bm5>, tensor<?x70xf32, #m70>, tensor<50x48xf32>, tensor<?x130xf32, #m130>
}
