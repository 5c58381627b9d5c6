// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bytes with numbers of 4 bits, to the bit those of the evaluator on every machine, since sums are integers: one panel and several,
// columns that do not fill the last, depths of one block, of many and of several that wait in memory; few rows, that are multiplied with what they
// make of the numbers, and many, for which they are unpacked once.
// REQUIRES: long
// RUN: %python %S/../compare.py %s --level=graph --every-machine --rtol=0 --atol=0 m=3,b=1 m=1,b=2 m=17,b=1 m=130,b=1 m=40,b=3 m=0,b=1 m=3,b=0
#m64 = #weft.dims<"m", 64>
#m49 = #weft.dims<"m", 49>
#m1 = #weft.dims<"m", 1>
#bm128 = #weft.dims<"b", "m", 128>
#bm5 = #weft.dims<"b", "m", 5>
#m4160 = #weft.dims<"m", 4160>
#m96 = #weft.dims<"m", 96>
#m70 = #weft.dims<"m", 70>
#m128 = #weft.dims<"m", 128>
#m130 = #weft.dims<"m", 130>
func.func @main(%x64: tensor<?x64xui8, #weft.dims<"m", 64>> {weft.name = "x64"}, %w64: tensor<2x1x9x48xi32> {weft.name = "w64"},
                %x128: tensor<?x?x128xui8, #weft.dims<"b", "m", 128>> {weft.name = "x128"}, %w128: tensor<1x2x9x48xi32> {weft.name = "w128"},
                %x4160: tensor<?x4160xui8, #weft.dims<"m", 4160>> {weft.name = "x4160"}, %w4160: tensor<2x65x9x48xi32> {weft.name = "w4160"},
                %x1088: tensor<17x1088xui8> {weft.name = "x1088"}, %w1088: tensor<1x17x9x48xi32> {weft.name = "w1088"},
                %x70: tensor<?x70xf32, #weft.dims<"m", 70>> {weft.name = "x70"}, %w70: tensor<3x2x9x48xi32> {weft.name = "w70"},
                %step: tensor<130xf32> {weft.name = "step"}, %total: tensor<130xi32> {weft.name = "total"}, %bias: tensor<5xf32> {weft.name = "bias"})
  -> (tensor<?x49xf32, #m49> {weft.name = "y64"}, tensor<?x?x5xf32, #bm5> {weft.name = "y128"}, tensor<?x96xf32, #m96> {weft.name = "y4160"},
      tensor<17x48xf32> {weft.name = "y1088"}, tensor<?x130xf32, #m130> {weft.name = "y70"}) {
  %y64 = weft.matmul %x64, %w64 epilogue {
  ^bb0(%sum: i32):
    %0 = arith.sitofp %sum : i32 to f32
    weft.yield %0 : f32
  } {packed_columns = 49 : i64} : (tensor<?x64xui8, #m64>, tensor<2x1x9x48xi32>) -> tensor<?x49xf32, #m49>
  %y128 = weft.matmul %x128, %w128 captures(%bias : tensor<5xf32>) epilogue {
  ^bb0(%sum: i32, %b: f32):
    %0 = arith.sitofp %sum : i32 to f32
    %1 = arith.addf %0, %b : f32
    weft.yield %1 : f32
  } {packed_columns = 5 : i64} : (tensor<?x?x128xui8, #bm128>, tensor<1x2x9x48xi32>) -> tensor<?x?x5xf32, #bm5>
  %y4160 = weft.matmul %x4160, %w4160 epilogue {
  ^bb0(%sum: i32):
    %0 = arith.sitofp %sum : i32 to f32
    weft.yield %0 : f32
  } {packed_columns = 96 : i64} : (tensor<?x4160xui8, #m4160>, tensor<2x65x9x48xi32>) -> tensor<?x96xf32, #m96>
  %y1088 = weft.matmul %x1088, %w1088 epilogue {
  ^bb0(%sum: i32):
    %0 = arith.sitofp %sum : i32 to f32
    weft.yield %0 : f32
  } {packed_columns = 48 : i64} : (tensor<17x1088xui8>, tensor<1x17x9x48xi32>) -> tensor<17x48xf32>
  %bytes, %scale, %zero = weft.quantize_rows %x70 : (tensor<?x70xf32, #m70>) -> (tensor<?x128xui8, #m128>, tensor<?x1xf32, #m1>, tensor<?x1xi32, #m1>)
  %y70 = weft.matmul %bytes, %w70 captures(%scale, %zero, %step, %total : tensor<?x1xf32, #m1>, tensor<?x1xi32, #m1>, tensor<130xf32>, tensor<130xi32>) epilogue {
  ^bb0(%sum: i32, %s: f32, %z: i32, %cs: f32, %csum: i32):
    %0 = arith.muli %z, %csum : i32
    %1 = arith.subi %sum, %0 : i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.mulf %2, %s : f32
    %4 = arith.mulf %3, %cs : f32
    weft.yield %4 : f32
  } {packed_columns = 130 : i64} : (tensor<?x128xui8, #m128>, tensor<3x2x9x48xi32>) -> tensor<?x130xf32, #m130>
  return %y64, %y128, %y4160, %y1088, %y70
    : tensor<?x49xf32, #m49>, tensor<?x?x5xf32, #bm5>, tensor<?x96xf32, #m96>, tensor<17x48xf32>, tensor<?x130xf32, #m130>
}
