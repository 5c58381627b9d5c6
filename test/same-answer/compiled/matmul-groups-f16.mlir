// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed weights in groups, multiplied with f16 and with bf16: those are made f32, the weights are not rounded to them, and the sums are.
// Depths of one part and of several, whose sums would be rounded if they waited in memory.
// RUN: %python %S/../compare.py %s --level=graph --indices=-2147483648:2147483647 --rtol=1.6e-2 --atol=5e-2 m=1 m=3 m=12 m=33 m=130
func.func @main(%x: tensor<?x100xf16, #weft.dims<"m", 100>> {weft.name = "x"}, %n: tensor<2x4x4x48xi32> {weft.name = "n"}, %d: tensor<2x4x2x48xi8> {weft.name = "d"},
                %long: tensor<?x1500xf16, #weft.dims<"m", 1500>> {weft.name = "long"}, %m: tensor<1x47x4x48xi32> {weft.name = "m"})
  -> (tensor<?x50xf16, #weft.dims<"m", 50>> {weft.name = "half"}, tensor<?x50xf32, #weft.dims<"m", 50>> {weft.name = "brain"},
      tensor<?x48xf16, #weft.dims<"m", 48>> {weft.name = "deep"}) {
  %head = weft.constant dense<0x3E800000> : tensor<i32>
  %step = weft.constant dense<0x00020000> : tensor<i32>
  %i = weft.cast %d to i32 : (tensor<2x4x2x48xi8>) -> tensor<2x4x2x48xi32>
  %b = weft.mul %i, %step : (tensor<2x4x2x48xi32>, tensor<i32>) -> tensor<2x4x2x48xi32>
  %s = weft.add %b, %head : (tensor<2x4x2x48xi32>, tensor<i32>) -> tensor<2x4x2x48xi32>
  %w = weft.concat %s, %n {axis = 2 : i64} : (tensor<2x4x2x48xi32>, tensor<2x4x4x48xi32>) -> tensor<2x4x6x48xi32>
  %half = weft.matmul %x, %w {groups = #weft.weight_groups<bits = 4, rows = 32, hasOffsets = true>, packed_columns = 50 : i64} : (tensor<?x100xf16, #weft.dims<"m", 100>>, tensor<2x4x6x48xi32>) -> tensor<?x50xf16, #weft.dims<"m", 50>>
  %xb = weft.cast %x to bf16 : (tensor<?x100xf16, #weft.dims<"m", 100>>) -> tensor<?x100xbf16, #weft.dims<"m", 100>>
  %yb = weft.matmul %xb, %w {groups = #weft.weight_groups<bits = 4, rows = 32, hasOffsets = true>, packed_columns = 50 : i64} : (tensor<?x100xbf16, #weft.dims<"m", 100>>, tensor<2x4x6x48xi32>) -> tensor<?x50xbf16, #weft.dims<"m", 50>>
  %brain = weft.cast %yb to f32 : (tensor<?x50xbf16, #weft.dims<"m", 50>>) -> tensor<?x50xf32, #weft.dims<"m", 50>>
  %scale = weft.constant dense<0x3C800000> : tensor<1x47x1x48xi32>
  %v = weft.concat %scale, %m {axis = 2 : i64} : (tensor<1x47x1x48xi32>, tensor<1x47x4x48xi32>) -> tensor<1x47x5x48xi32>
  %deep = weft.matmul %long, %v {groups = #weft.weight_groups<bits = 4, rows = 32, hasOffsets = false>, packed_columns = 48 : i64}
    : (tensor<?x1500xf16, #weft.dims<"m", 1500>>, tensor<1x47x5x48xi32>) -> tensor<?x48xf16, #weft.dims<"m", 48>>
  return %half, %brain, %deep : tensor<?x50xf16, #weft.dims<"m", 50>>, tensor<?x50xf32, #weft.dims<"m", 50>>, tensor<?x48xf16, #weft.dims<"m", 48>>
}
