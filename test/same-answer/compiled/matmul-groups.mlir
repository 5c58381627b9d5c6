// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed weights of 2, 4 and 8 bits in groups, with scales from 0.06 to 1 and, where there are offsets, such as those, of which each column
// has its own: depths within a group, a block and what is unpacked at once, and beyond; numbers behind the depth, which nothing reads; as
// many rows as read them where they are, and more.
// RUN: %python %S/../compare.py %s --level=graph --indices=-2147483648:2147483647 --atol=1e-3 m=1,b=2 m=5,b=1 m=16,b=3 m=17,b=1 m=40,b=1 m=130,b=2 \
// RUN:   m=0,b=1 m=3,b=0
// RUN: %python %S/../compare.py %s --level=graph --indices=-2147483648:2147483647 --atol=1e-3 --special=not-finite m=2,b=1 m=19,b=2
func.func @main(%x37: tensor<?x37xf32, #weft.dims<"m", 37>> {weft.name = "x37"}, %n37: tensor<2x2x4x48xi32> {weft.name = "n37"}, %d37: tensor<2x2x1x48xi8> {weft.name = "d37"},
                %x40: tensor<?x?x40xf32, #weft.dims<"b", "m", 40>> {weft.name = "x40"}, %n40: tensor<1x3x4x48xi32> {weft.name = "n40"}, %d40: tensor<1x3x2x48xi8> {weft.name = "d40"},
                %x600: tensor<?x600xf32, #weft.dims<"m", 600>> {weft.name = "x600"}, %n600: tensor<2x5x8x48xi32> {weft.name = "n600"}, %d600: tensor<2x5x2x48xi8> {weft.name = "d600"},
                %x1100: tensor<17x1100xf32> {weft.name = "x1100"}, %n1100: tensor<1x18x8x48xi32> {weft.name = "n1100"}, %d1100: tensor<1x18x2x48xi8> {weft.name = "d1100"},
                %bias: tensor<5xf32> {weft.name = "bias"})
  -> (tensor<?x49xf32, #weft.dims<"m", 49>> {weft.name = "y37"},
      tensor<?x?x5xf32, #weft.dims<"b", "m", 5>> {weft.name = "y40"},
      tensor<?x96xf32, #weft.dims<"m", 96>> {weft.name = "y600"},
      tensor<17x48xf32> {weft.name = "y1100"}) {
  // The bits of 0.25, and so much that 127 times it is two exponents.
  %head = weft.constant dense<0x3E800000> : tensor<i32>
  %step = weft.constant dense<0x00020000> : tensor<i32>
  %i37 = weft.cast %d37 to i32 : (tensor<2x2x1x48xi8>) -> tensor<2x2x1x48xi32>
  %b37 = weft.mul %i37, %step : (tensor<2x2x1x48xi32>, tensor<i32>) -> tensor<2x2x1x48xi32>
  %s37 = weft.add %b37, %head : (tensor<2x2x1x48xi32>, tensor<i32>) -> tensor<2x2x1x48xi32>
  %w37 = weft.concat %s37, %n37 {axis = 2 : i64} : (tensor<2x2x1x48xi32>, tensor<2x2x4x48xi32>) -> tensor<2x2x5x48xi32>
  %y37 = weft.matmul %x37, %w37 {groups = #weft.weight_groups<bits = 4, rows = 32, hasOffsets = false>, packed_columns = 49 : i64} : (tensor<?x37xf32, #weft.dims<"m", 37>>, tensor<2x2x5x48xi32>) -> tensor<?x49xf32, #weft.dims<"m", 49>>
  %i40 = weft.cast %d40 to i32 : (tensor<1x3x2x48xi8>) -> tensor<1x3x2x48xi32>
  %b40 = weft.mul %i40, %step : (tensor<1x3x2x48xi32>, tensor<i32>) -> tensor<1x3x2x48xi32>
  %s40 = weft.add %b40, %head : (tensor<1x3x2x48xi32>, tensor<i32>) -> tensor<1x3x2x48xi32>
  %w40 = weft.concat %s40, %n40 {axis = 2 : i64} : (tensor<1x3x2x48xi32>, tensor<1x3x4x48xi32>) -> tensor<1x3x6x48xi32>
  %y40 = weft.matmul %x40, %w40 captures(%bias : tensor<5xf32>) epilogue {
  ^bb0(%sum: f32, %b: f32):
    %0 = arith.addf %sum, %b : f32
    weft.yield %0 : f32
  } {groups = #weft.weight_groups<bits = 8, rows = 16, hasOffsets = true>, packed_columns = 5 : i64} : (tensor<?x?x40xf32, #weft.dims<"b", "m", 40>>, tensor<1x3x6x48xi32>) -> tensor<?x?x5xf32, #weft.dims<"b", "m", 5>>
  %i600 = weft.cast %d600 to i32 : (tensor<2x5x2x48xi8>) -> tensor<2x5x2x48xi32>
  %b600 = weft.mul %i600, %step : (tensor<2x5x2x48xi32>, tensor<i32>) -> tensor<2x5x2x48xi32>
  %s600 = weft.add %b600, %head : (tensor<2x5x2x48xi32>, tensor<i32>) -> tensor<2x5x2x48xi32>
  %w600 = weft.concat %s600, %n600 {axis = 2 : i64} : (tensor<2x5x2x48xi32>, tensor<2x5x8x48xi32>) -> tensor<2x5x10x48xi32>
  %y600 = weft.matmul %x600, %w600 {groups = #weft.weight_groups<bits = 2, rows = 128, hasOffsets = true>, packed_columns = 96 : i64} : (tensor<?x600xf32, #weft.dims<"m", 600>>, tensor<2x5x10x48xi32>) -> tensor<?x96xf32, #weft.dims<"m", 96>>
  %i1100 = weft.cast %d1100 to i32 : (tensor<1x18x2x48xi8>) -> tensor<1x18x2x48xi32>
  %b1100 = weft.mul %i1100, %step : (tensor<1x18x2x48xi32>, tensor<i32>) -> tensor<1x18x2x48xi32>
  %s1100 = weft.add %b1100, %head : (tensor<1x18x2x48xi32>, tensor<i32>) -> tensor<1x18x2x48xi32>
  %w1100 = weft.concat %s1100, %n1100 {axis = 2 : i64} : (tensor<1x18x2x48xi32>, tensor<1x18x8x48xi32>) -> tensor<1x18x10x48xi32>
  %y1100 = weft.matmul %x1100, %w1100 {groups = #weft.weight_groups<bits = 4, rows = 64, hasOffsets = true>, packed_columns = 48 : i64} : (tensor<17x1100xf32>, tensor<1x18x10x48xi32>) -> tensor<17x48xf32>
  return %y37, %y40, %y600, %y1100
    : tensor<?x49xf32, #weft.dims<"m", 49>>, tensor<?x?x5xf32, #weft.dims<"b", "m", 5>>, tensor<?x96xf32, #weft.dims<"m", 96>>, tensor<17x48xf32>
}
