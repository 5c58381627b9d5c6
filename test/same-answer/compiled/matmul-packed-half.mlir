// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of f16 and of bf16 with packed weights, whose sums of f32 are rounded once: few rows, for which numbers are converted one by one, and
// more, for which they are unpacked; one panel and several, columns that do not fill the last, depths of one block and of several, epilogues
// and batches. A neighbour of the result may be right.
// RUN: sed 's/HALF/f16/g' %s > %t.f16.mlir && %python %S/../compare.py %t.f16.mlir --level=graph --rtol=2e-3 --atol=2e-3 m=3,b=1 m=17,b=2 m=40,b=1 m=130,b=2 m=0,b=1
// RUN: sed 's/HALF/bf16/g' %s > %t.bf16.mlir && %python %S/../compare.py %t.bf16.mlir --level=graph --rtol=8e-3 --atol=1e-3 m=3,b=1 m=17,b=2 m=40,b=1 m=130,b=2 m=0,b=1
#bm64 = #weft.dims<"b", "m", 64>
#bm49 = #weft.dims<"b", "m", 49>
#m1100 = #weft.dims<"m", 1100>
#m48 = #weft.dims<"m", 48>
func.func @main(%x64: tensor<?x?x64xf32, #weft.dims<"b", "m", 64>> {weft.name = "x64"}, %w64: tensor<2x64x48xf32> {weft.name = "w64"},
                %x1100: tensor<?x1100xf32, #weft.dims<"m", 1100>> {weft.name = "x1100"}, %w1100: tensor<1x1100x48xf32> {weft.name = "w1100"},
                %bias: tensor<49xf32> {weft.name = "bias"})
  -> (tensor<?x?x49xf32, #bm49> {weft.name = "y64"}, tensor<?x48xf32, #m48> {weft.name = "y1100"}) {
  %a64 = weft.cast %x64 to HALF : (tensor<?x?x64xf32, #bm64>) -> tensor<?x?x64xHALF, #bm64>
  %b64 = weft.cast %w64 to HALF : (tensor<2x64x48xf32>) -> tensor<2x64x48xHALF>
  %c = weft.cast %bias to HALF : (tensor<49xf32>) -> tensor<49xHALF>
  %r64 = weft.matmul %a64, %b64 captures(%c : tensor<49xHALF>) epilogue {
  ^bb0(%sum: HALF, %b: HALF):
    %0 = arith.extf %sum : HALF to f32
    %1 = arith.extf %b : HALF to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.truncf %2 : f32 to HALF
    weft.yield %3 : HALF
  } {packed_columns = 49 : i64} : (tensor<?x?x64xHALF, #bm64>, tensor<2x64x48xHALF>) -> tensor<?x?x49xHALF, #bm49>
  %a1100 = weft.cast %x1100 to HALF : (tensor<?x1100xf32, #m1100>) -> tensor<?x1100xHALF, #m1100>
  %b1100 = weft.cast %w1100 to HALF : (tensor<1x1100x48xf32>) -> tensor<1x1100x48xHALF>
  %r1100 = weft.matmul %a1100, %b1100 {packed_columns = 48 : i64} : (tensor<?x1100xHALF, #m1100>, tensor<1x1100x48xHALF>) -> tensor<?x48xHALF, #m48>
  %y64 = weft.cast %r64 to f32 : (tensor<?x?x49xHALF, #bm49>) -> tensor<?x?x49xf32, #bm49>
  %y1100 = weft.cast %r1100 to f32 : (tensor<?x48xHALF, #m48>) -> tensor<?x48xf32, #m48>
  return %y64, %y1100 : tensor<?x?x49xf32, #bm49>, tensor<?x48xf32, #m48>
}
