// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with packed panels of a row, of one group of rows, of a few, which take the depth in short blocks, and of many: depths of one short
// block, of several, of a part of one behind them, and of more than the longest; sums that wait in memory meet their epilogue once.
// RUN: %python %S/../compare.py %s --level=graph --atol=1e-3 m=17 m=1 m=6 m=7 m=8 m=9 m=24 m=25 m=32 m=33 m=64 m=197 m=0
#m70 = #weft.dims<"m", 70>
#m96 = #weft.dims<"m", 96>
#m1 = #weft.dims<"m", 1>
func.func @main(%x300: tensor<?x300xf32, #weft.dims<"m", 300>> {weft.name = "x300"}, %w300: tensor<2x300x48xf32> {weft.name = "w300"},
                %x128: tensor<?x128xf32, #weft.dims<"m", 128>> {weft.name = "x128"}, %w128: tensor<2x128x48xf32> {weft.name = "w128"},
                %x1100: tensor<?x1100xf32, #weft.dims<"m", 1100>> {weft.name = "x1100"}, %w1100: tensor<1x1100x48xf32> {weft.name = "w1100"},
                %x20: tensor<20x256xf32> {weft.name = "x20"}, %w20: tensor<2x256x48xf32> {weft.name = "w20"},
                %bias: tensor<70xf32> {weft.name = "bias"})
  -> (tensor<?x70xf32, #m70> {weft.name = "y300"}, tensor<?x96xf32, #m96> {weft.name = "y128"}, tensor<?x1xf32, #m1> {weft.name = "y1100"},
      tensor<20x50xf32> {weft.name = "y20"}) {
  %y300 = weft.matmul %x300, %w300 captures(%bias : tensor<70xf32>) epilogue {
  ^bb0(%sum: f32, %b: f32):
    %0 = arith.addf %sum, %b : f32
    weft.yield %0 : f32
  } {packed_columns = 70 : i64} : (tensor<?x300xf32, #weft.dims<"m", 300>>, tensor<2x300x48xf32>) -> tensor<?x70xf32, #m70>
  %y128 = weft.matmul %x128, %w128 {packed_columns = 96 : i64} : (tensor<?x128xf32, #weft.dims<"m", 128>>, tensor<2x128x48xf32>) -> tensor<?x96xf32, #m96>
  %y1100 = weft.matmul %x1100, %w1100 {packed_columns = 1 : i64} : (tensor<?x1100xf32, #weft.dims<"m", 1100>>, tensor<1x1100x48xf32>) -> tensor<?x1xf32, #m1>
  %y20 = weft.matmul %x20, %w20 {packed_columns = 50 : i64} : (tensor<20x256xf32>, tensor<2x256x48xf32>) -> tensor<20x50xf32>
  return %y300, %y128, %y1100, %y20 : tensor<?x70xf32, #m70>, tensor<?x96xf32, #m96>, tensor<?x1xf32, #m1>, tensor<20x50xf32>
}
