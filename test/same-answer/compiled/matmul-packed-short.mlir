// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of f32 whose packed weights are f16 or bf16: few rows, for which numbers are converted one by one, and more, for which they are
// unpacked; one panel and several, columns that do not fill the last, depths of one block and of several, an epilogue, and rows that are routed.
// RUN: sed 's/HALF/f16/g' %s > %t.f16.mlir && %python %S/../compare.py %t.f16.mlir --level=graph --indices=-2:1 --atol=1e-3 m=3,b=1 m=17,b=2 m=40,b=1 m=130,b=2 m=0,b=1
// RUN: sed 's/HALF/bf16/g' %s > %t.bf16.mlir && %python %S/../compare.py %t.bf16.mlir --level=graph --indices=-2:1 --atol=1e-3 m=3,b=1 m=17,b=2 m=40,b=1 m=130,b=2 m=0,b=1
#bm64 = #weft.dims<"b", "m", 64>
#bm49 = #weft.dims<"b", "m", 49>
#m1100 = #weft.dims<"m", 1100>
#m48 = #weft.dims<"m", 48>
func.func @main(%x64: tensor<?x?x64xf32, #weft.dims<"b", "m", 64>> {weft.name = "x64"}, %w64: tensor<2x64x48xf32> {weft.name = "w64"},
                %x1100: tensor<?x1100xf32, #weft.dims<"m", 1100>> {weft.name = "x1100"}, %w1100: tensor<1x1100x48xf32> {weft.name = "w1100"},
                %bias: tensor<49xf32> {weft.name = "bias"}, %i: tensor<?xi64, #weft.dims<"m">> {weft.name = "i"},
                %matrices: tensor<2x1100x48xf32> {weft.name = "matrices"})
  -> (tensor<?x?x49xf32, #bm49> {weft.name = "y64"}, tensor<?x48xf32, #m48> {weft.name = "y1100"}, tensor<?x48xf32, #m48> {weft.name = "routed"}) {
  %b64 = weft.cast %w64 to HALF : (tensor<2x64x48xf32>) -> tensor<2x64x48xHALF>
  %y64 = weft.matmul %x64, %b64 captures(%bias : tensor<49xf32>) epilogue {
  ^bb0(%sum: f32, %b: f32):
    %0 = arith.mulf %sum, %b : f32
    weft.yield %0 : f32
  } {packed_columns = 49 : i64} : (tensor<?x?x64xf32, #bm64>, tensor<2x64x48xHALF>) -> tensor<?x?x49xf32, #bm49>
  %b1100 = weft.cast %w1100 to HALF : (tensor<1x1100x48xf32>) -> tensor<1x1100x48xHALF>
  %y1100 = weft.matmul %x1100, %b1100 {packed_columns = 48 : i64} : (tensor<?x1100xf32, #m1100>, tensor<1x1100x48xHALF>) -> tensor<?x48xf32, #m48>
  %halves = weft.cast %matrices to HALF : (tensor<2x1100x48xf32>) -> tensor<2x1100x48xHALF>
  %routed = weft.routed_matmul %x1100, %halves, %i {packed_columns = 48 : i64}
    : (tensor<?x1100xf32, #m1100>, tensor<2x1100x48xHALF>, tensor<?xi64, #weft.dims<"m">>) -> tensor<?x48xf32, #m48>
  return %y64, %y1100, %routed : tensor<?x?x49xf32, #bm49>, tensor<?x48xf32, #m48>, tensor<?x48xf32, #m48>
}
