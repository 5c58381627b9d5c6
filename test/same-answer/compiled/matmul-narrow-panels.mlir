// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with panels of 16 columns, of which a tile has four, on every machine: one row, which reads four of them at once, two or three, a
// group, a few groups, which take the depth in short blocks, and many; depths of one block and of several; tiles with a part of their panels;
// numbers of fewer bits, which many rows unpack.
// RUN: %python %S/../compare.py %s --level=graph --atol=1e-3 m=17 m=1 m=2 m=3 m=4 m=6 m=7 m=24 m=33 m=130 m=197 m=0
#m70 = #weft.dims<"m", 70>
#m128 = #weft.dims<"m", 128>
#m1 = #weft.dims<"m", 1>
#m40 = #weft.dims<"m", 40>
#m64 = #weft.dims<"m", 64>
#m100 = #weft.dims<"m", 100>
func.func @main(%x300: tensor<?x300xf32, #weft.dims<"m", 300>> {weft.name = "x300"}, %w300: tensor<5x300x16xf32> {weft.name = "w300"},
                %x128: tensor<?x128xf32, #weft.dims<"m", 128>> {weft.name = "x128"}, %w128: tensor<8x128x16xf32> {weft.name = "w128"},
                %x1100: tensor<?x1100xf32, #weft.dims<"m", 1100>> {weft.name = "x1100"}, %w1100: tensor<1x1100x16xf32> {weft.name = "w1100"},
                %x64: tensor<?x37xf64, #weft.dims<"m", 37>> {weft.name = "x64"}, %w64: tensor<3x37x16xf64> {weft.name = "w64"},
                %xi: tensor<?x9xi32, #weft.dims<"m", 9>> {weft.name = "xi"}, %wi: tensor<5x9x16xi32> {weft.name = "wi"},
                %x600: tensor<?x600xf32, #weft.dims<"m", 600>> {weft.name = "x600"}, %wb: tensor<5x600x16xf16> {weft.name = "wb"},
                %wh: tensor<4x600x16xf16> {weft.name = "wh"}, %w8: tensor<7x600x16xi8> {weft.name = "w8"},
                %x20: tensor<20x256xf32> {weft.name = "x20"}, %w20: tensor<4x256x16xf32> {weft.name = "w20"},
                %bias: tensor<70xf32> {weft.name = "bias"})
  -> (tensor<?x70xf32, #m70> {weft.name = "y300"}, tensor<?x128xf32, #m128> {weft.name = "y128"}, tensor<?x1xf32, #m1> {weft.name = "y1100"},
      tensor<?x40xf64, #m40> {weft.name = "y64"}, tensor<?x70xi32, #m70> {weft.name = "yi"}, tensor<20x50xf32> {weft.name = "y20"},
      tensor<?x70xf32, #m70> {weft.name = "yb"}, tensor<?x64xf32, #m64> {weft.name = "yh"}, tensor<?x100xf32, #m100> {weft.name = "y8"}) {
  %y300 = weft.matmul %x300, %w300 captures(%bias : tensor<70xf32>) epilogue {
  ^bb0(%sum: f32, %b: f32):
    %0 = arith.addf %sum, %b : f32
    weft.yield %0 : f32
  } {packed_columns = 70 : i64} : (tensor<?x300xf32, #weft.dims<"m", 300>>, tensor<5x300x16xf32>) -> tensor<?x70xf32, #m70>
  %y128 = weft.matmul %x128, %w128 {packed_columns = 128 : i64} : (tensor<?x128xf32, #weft.dims<"m", 128>>, tensor<8x128x16xf32>) -> tensor<?x128xf32, #m128>
  %y1100 = weft.matmul %x1100, %w1100 {packed_columns = 1 : i64} : (tensor<?x1100xf32, #weft.dims<"m", 1100>>, tensor<1x1100x16xf32>) -> tensor<?x1xf32, #m1>
  %y64 = weft.matmul %x64, %w64 {packed_columns = 40 : i64} : (tensor<?x37xf64, #weft.dims<"m", 37>>, tensor<3x37x16xf64>) -> tensor<?x40xf64, #m40>
  %yi = weft.matmul %xi, %wi {packed_columns = 70 : i64} : (tensor<?x9xi32, #weft.dims<"m", 9>>, tensor<5x9x16xi32>) -> tensor<?x70xi32, #m70>
  %y20 = weft.matmul %x20, %w20 {packed_columns = 50 : i64} : (tensor<20x256xf32>, tensor<4x256x16xf32>) -> tensor<20x50xf32>
  %yb = weft.matmul %x600, %wb captures(%bias : tensor<70xf32>) epilogue {
  ^bb0(%sum: f32, %b: f32):
    %0 = arith.addf %sum, %b : f32
    weft.yield %0 : f32
  } {packed_columns = 70 : i64} : (tensor<?x600xf32, #weft.dims<"m", 600>>, tensor<5x600x16xf16>) -> tensor<?x70xf32, #m70>
  %yh = weft.matmul %x600, %wh {packed_columns = 64 : i64} : (tensor<?x600xf32, #weft.dims<"m", 600>>, tensor<4x600x16xf16>) -> tensor<?x64xf32, #m64>
  %y8 = weft.matmul %x600, %w8 {packed_columns = 100 : i64} : (tensor<?x600xf32, #weft.dims<"m", 600>>, tensor<7x600x16xi8>) -> tensor<?x100xf32, #m100>
  return %y300, %y128, %y1100, %y64, %yi, %y20, %yb, %yh, %y8
    : tensor<?x70xf32, #m70>, tensor<?x128xf32, #m128>, tensor<?x1xf32, #m1>, tensor<?x40xf64, #m40>, tensor<?x70xi32, #m70>, tensor<20x50xf32>,
      tensor<?x70xf32, #m70>, tensor<?x64xf32, #m64>, tensor<?x100xf32, #m100>
}
