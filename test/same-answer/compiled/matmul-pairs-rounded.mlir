// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bf16 whose epilogue makes a bf16 of a sum of f32, on every machine: their sums wait aside, where they are not rounded, for depths of
// one block and of several, for a panel and for several, of which the last one is not full, and for batches. A neighbour of the
// result may be right; where terms cancel it is far from what rounding them first would give.
// RUN: %python %S/../compare.py %s --level=graph --every-machine --rtol=8e-3 --atol=1e-3 m=3,b=1 m=1,b=2 m=17,b=1 m=130,b=2 m=40,b=3 m=0,b=1
#bm64 = #weft.dims<"b", "m", 64>
#bm49 = #weft.dims<"b", "m", 49>
#m4128 = #weft.dims<"m", 4128>
#m48 = #weft.dims<"m", 48>
func.func @main(%x64: tensor<?x?x64xf32, #weft.dims<"b", "m", 64>> {weft.name = "x64"}, %w64: tensor<2x32x48x2xf32> {weft.name = "w64"},
                %x4128: tensor<?x4128xf32, #weft.dims<"m", 4128>> {weft.name = "x4128"}, %w4128: tensor<1x2064x48x2xf32> {weft.name = "w4128"},
                %bias: tensor<49xf32> {weft.name = "bias"})
  -> (tensor<?x?x49xf32, #bm49> {weft.name = "y64"}, tensor<?x48xf32, #m48> {weft.name = "y4128"}) {
  %a64 = weft.cast %x64 to bf16 : (tensor<?x?x64xf32, #bm64>) -> tensor<?x?x64xbf16, #bm64>
  %b64 = weft.cast %w64 to bf16 : (tensor<2x32x48x2xf32>) -> tensor<2x32x48x2xbf16>
  %r64 = weft.matmul %a64, %b64 captures(%bias : tensor<49xf32>) epilogue {
  ^bb0(%sum: f32, %b: f32):
    %0 = arith.addf %sum, %b : f32
    %1 = arith.truncf %0 : f32 to bf16
    weft.yield %1 : bf16
  } {packed_columns = 49 : i64} : (tensor<?x?x64xbf16, #bm64>, tensor<2x32x48x2xbf16>) -> tensor<?x?x49xbf16, #bm49>
  %a4128 = weft.cast %x4128 to bf16 : (tensor<?x4128xf32, #m4128>) -> tensor<?x4128xbf16, #m4128>
  %b4128 = weft.cast %w4128 to bf16 : (tensor<1x2064x48x2xf32>) -> tensor<1x2064x48x2xbf16>
  %r4128 = weft.matmul %a4128, %b4128 epilogue {
  ^bb0(%sum: f32):
    %1 = arith.negf %sum : f32
    %2 = arith.truncf %1 : f32 to bf16
    weft.yield %2 : bf16
  } {packed_columns = 48 : i64} : (tensor<?x4128xbf16, #m4128>, tensor<1x2064x48x2xbf16>) -> tensor<?x48xbf16, #m48>
  %y64 = weft.cast %r64 to f32 : (tensor<?x?x49xbf16, #bm49>) -> tensor<?x?x49xf32, #bm49>
  %y4128 = weft.cast %r4128 to f32 : (tensor<?x48xbf16, #m48>) -> tensor<?x48xf32, #m48>
  return %y64, %y4128 : tensor<?x?x49xf32, #bm49>, tensor<?x48xf32, #m48>
}
