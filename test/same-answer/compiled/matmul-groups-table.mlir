// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed weights that are places in a table of 16 or 4 floats, in groups whose scales are from 0.06 to 1, and whose offsets are such: as many
// rows as look numbers up where they are, and more; depths within a group and beyond.
// RUN: %python %S/../compare.py %s --level=graph --indices=-2147483648:2147483647 --atol=1e-3 m=1 m=5 m=16 m=17 m=130 m=0
func.func @main(%x37: tensor<?x37xf32, #weft.dims<"m", 37>> {weft.name = "x37"}, %n37: tensor<2x2x4x48xi32> {weft.name = "n37"}, %d37: tensor<2x2x1x48xi8> {weft.name = "d37"},
                %x600: tensor<?x600xf32, #weft.dims<"m", 600>> {weft.name = "x600"}, %n600: tensor<2x5x8x48xi32> {weft.name = "n600"}, %d600: tensor<2x5x2x48xi8> {weft.name = "d600"},
                %n608: tensor<1x19x4x48xi32> {weft.name = "n608"}, %d608: tensor<1x19x1x48xi8> {weft.name = "d608"})
  -> (tensor<?x49xf32, #weft.dims<"m", 49>> {weft.name = "y37"}, tensor<?x96xf32, #weft.dims<"m", 96>> {weft.name = "y600"},
      tensor<?x40xf32, #weft.dims<"m", 40>> {weft.name = "y608"}) {
  // The bits of 0.25, and so much that 127 times it is two exponents.
  %head = weft.constant dense<0x3E800000> : tensor<i32>
  %step = weft.constant dense<0x00020000> : tensor<i32>
  %i37 = weft.cast %d37 to i32 : (tensor<2x2x1x48xi8>) -> tensor<2x2x1x48xi32>
  %b37 = weft.mul %i37, %step : (tensor<2x2x1x48xi32>, tensor<i32>) -> tensor<2x2x1x48xi32>
  %s37 = weft.add %b37, %head : (tensor<2x2x1x48xi32>, tensor<i32>) -> tensor<2x2x1x48xi32>
  %w37 = weft.concat %s37, %n37 {axis = 2 : i64} : (tensor<2x2x1x48xi32>, tensor<2x2x4x48xi32>) -> tensor<2x2x5x48xi32>
  %y37 = weft.matmul %x37, %w37 {groups = #weft.weight_groups<bits = 4, rows = 32, hasOffsets = false, table = [-1.0, -0.7, -0.525, -0.395, -0.284, -0.185, -0.091, 0.0, 0.08, 0.161, 0.246, 0.338, 0.441, 0.563, 0.723, 1.5]>, packed_columns = 49 : i64} : (tensor<?x37xf32, #weft.dims<"m", 37>>, tensor<2x2x5x48xi32>) -> tensor<?x49xf32, #weft.dims<"m", 49>>
  %i600 = weft.cast %d600 to i32 : (tensor<2x5x2x48xi8>) -> tensor<2x5x2x48xi32>
  %b600 = weft.mul %i600, %step : (tensor<2x5x2x48xi32>, tensor<i32>) -> tensor<2x5x2x48xi32>
  %s600 = weft.add %b600, %head : (tensor<2x5x2x48xi32>, tensor<i32>) -> tensor<2x5x2x48xi32>
  %w600 = weft.concat %s600, %n600 {axis = 2 : i64} : (tensor<2x5x2x48xi32>, tensor<2x5x8x48xi32>) -> tensor<2x5x10x48xi32>
  %y600 = weft.matmul %x600, %w600 {groups = #weft.weight_groups<bits = 2, rows = 128, hasOffsets = true, table = [-2.0, 0.25, 0.5, 3.0]>, packed_columns = 96 : i64} : (tensor<?x600xf32, #weft.dims<"m", 600>>, tensor<2x5x10x48xi32>) -> tensor<?x96xf32, #weft.dims<"m", 96>>
  %i608 = weft.cast %d608 to i32 : (tensor<1x19x1x48xi8>) -> tensor<1x19x1x48xi32>
  %b608 = weft.mul %i608, %step : (tensor<1x19x1x48xi32>, tensor<i32>) -> tensor<1x19x1x48xi32>
  %s608 = weft.add %b608, %head : (tensor<1x19x1x48xi32>, tensor<i32>) -> tensor<1x19x1x48xi32>
  %w608 = weft.concat %s608, %n608 {axis = 2 : i64} : (tensor<1x19x1x48xi32>, tensor<1x19x4x48xi32>) -> tensor<1x19x5x48xi32>
  %y608 = weft.matmul %x600, %w608 {groups = #weft.weight_groups<bits = 4, rows = 32, hasOffsets = false, table = [-1.0, -0.7, -0.525, -0.395, -0.284, -0.185, -0.091, 0.0, 0.08, 0.161, 0.246, 0.338, 0.441, 0.563, 0.723, 1.5]>, packed_columns = 40 : i64} : (tensor<?x600xf32, #weft.dims<"m", 600>>, tensor<1x19x5x48xi32>) -> tensor<?x40xf32, #weft.dims<"m", 40>>
  return %y37, %y600, %y608
    : tensor<?x49xf32, #weft.dims<"m", 49>>, tensor<?x96xf32, #weft.dims<"m", 96>>, tensor<?x40xf32, #weft.dims<"m", 40>>
}
