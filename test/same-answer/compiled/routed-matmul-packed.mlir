// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that are routed to packed matrices, of f32 and bf16, and of few bits in blocks and in groups: panels that a matrix fills and does not;
// depths within a block and beyond; one row for a matrix, several, none, and more than are multiplied at once.
// REQUIRES: long
// RUN: %python %S/../compare.py %s --level=graph --every-machine --indices=-3:2 --atol=1e-3 s=1 s=2 s=7 s=40 s=600 s=0
func.func @main(%x: tensor<?x100xf32, #weft.dims<"s", 100>> {weft.name = "x"}, %i: tensor<?xi64, #weft.dims<"s">> {weft.name = "i"},
                %floats: tensor<6x100x48xf32> {weft.name = "floats"}, %numbers: tensor<3x100x48xf32> {weft.name = "numbers"},
                %n: tensor<6x2x8x48xi32> {weft.name = "n"}, %d: tensor<6x2x1x48xi8> {weft.name = "d"},
                %x600: tensor<?x600xf32, #weft.dims<"s", 600>> {weft.name = "x600"},
                %n600: tensor<6x5x32x48xi32> {weft.name = "n600"}, %d600: tensor<6x5x2x48xi8> {weft.name = "d600"})
  -> (tensor<?x50xf32, #weft.dims<"s", 50>> {weft.name = "f32"}, tensor<?x48xf32, #weft.dims<"s", 48>> {weft.name = "bf16"},
      tensor<?x90xf32, #weft.dims<"s", 90>> {weft.name = "blocks"}, tensor<?x96xf32, #weft.dims<"s", 96>> {weft.name = "groups"}) {
  %f32 = weft.routed_matmul %x, %floats, %i {packed_columns = 50 : i64}
    : (tensor<?x100xf32, #weft.dims<"s", 100>>, tensor<6x100x48xf32>, tensor<?xi64, #weft.dims<"s">>) -> tensor<?x50xf32, #weft.dims<"s", 50>>
  %halves = weft.cast %numbers to bf16 : (tensor<3x100x48xf32>) -> tensor<3x100x48xbf16>
  %bf16 = weft.routed_matmul %x, %halves, %i {packed_columns = 48 : i64}
    : (tensor<?x100xf32, #weft.dims<"s", 100>>, tensor<3x100x48xbf16>, tensor<?xi64, #weft.dims<"s">>) -> tensor<?x48xf32, #weft.dims<"s", 48>>
  // Scales from 0.125 to 0.5 for the first group of a block, and from 0.25 to 1 for the second.
  %scale = weft.constant dense<0x3F003E80> : tensor<i32>
  %both = weft.constant dense<0x00010001> : tensor<i32>
  %wide = weft.cast %d to i32 : (tensor<6x2x1x48xi8>) -> tensor<6x2x1x48xi32>
  %steps = weft.mul %wide, %both : (tensor<6x2x1x48xi32>, tensor<i32>) -> tensor<6x2x1x48xi32>
  %scales = weft.add %steps, %scale : (tensor<6x2x1x48xi32>, tensor<i32>) -> tensor<6x2x1x48xi32>
  %words = weft.concat %scales, %n {axis = 2 : i64} : (tensor<6x2x1x48xi32>, tensor<6x2x8x48xi32>) -> tensor<6x2x9x48xi32>
  %blocks = weft.routed_matmul %x, %words, %i {packed_columns = 90 : i64}
    : (tensor<?x100xf32, #weft.dims<"s", 100>>, tensor<6x2x9x48xi32>, tensor<?xi64, #weft.dims<"s">>) -> tensor<?x90xf32, #weft.dims<"s", 90>>
  // Heads are the bits of 0.25, and up to two exponents more or less.
  %head = weft.constant dense<0x3E800000> : tensor<i32>
  %step = weft.constant dense<0x00020000> : tensor<i32>
  %wide600 = weft.cast %d600 to i32 : (tensor<6x5x2x48xi8>) -> tensor<6x5x2x48xi32>
  %steps600 = weft.mul %wide600, %step : (tensor<6x5x2x48xi32>, tensor<i32>) -> tensor<6x5x2x48xi32>
  %heads600 = weft.add %steps600, %head : (tensor<6x5x2x48xi32>, tensor<i32>) -> tensor<6x5x2x48xi32>
  %words600 = weft.concat %heads600, %n600 {axis = 2 : i64} : (tensor<6x5x2x48xi32>, tensor<6x5x32x48xi32>) -> tensor<6x5x34x48xi32>
  %groups = weft.routed_matmul %x600, %words600, %i {groups = #weft.weight_groups<bits = 8, rows = 128, hasOffsets = true>, packed_columns = 96 : i64}
    : (tensor<?x600xf32, #weft.dims<"s", 600>>, tensor<6x5x34x48xi32>, tensor<?xi64, #weft.dims<"s">>) -> tensor<?x96xf32, #weft.dims<"s", 96>>
  return %f32, %bf16, %blocks, %groups
    : tensor<?x50xf32, #weft.dims<"s", 50>>, tensor<?x48xf32, #weft.dims<"s", 48>>, tensor<?x90xf32, #weft.dims<"s", 90>>, tensor<?x96xf32, #weft.dims<"s", 96>>
}
