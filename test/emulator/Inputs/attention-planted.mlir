// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention by tensor cores, of as many queries as keys, and of few queries whose keys come in parts.
#x = #weft.dims<1, 2, "n", 48>
#v = #weft.dims<1, 2, "n", 64>
func.func @main(%q: tensor<1x2x?x48xf16, #x> {weft.name = "q"}, %k: tensor<1x2x?x48xf16, #x> {weft.name = "k"},
                %v: tensor<1x2x?x64xf16, #v> {weft.name = "v"}, %few: tensor<1x4x3x48xf16> {weft.name = "few"})
  -> (tensor<1x2x?x64xf16, #v> {weft.name = "y"}, tensor<1x4x3x64xf16> {weft.name = "z"}) {
  %y = weft.attention %q, %k, %v scale(0.3) empty_rows(zero) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    weft.yield %s, %keep : f32, i1
  } : (tensor<1x2x?x48xf16, #x>, tensor<1x2x?x48xf16, #x>, tensor<1x2x?x64xf16, #v>) -> tensor<1x2x?x64xf16, #v>
  %z = weft.attention %few, %k, %v scale(0.3) empty_rows(zero)
    : (tensor<1x4x3x48xf16>, tensor<1x2x?x48xf16, #x>, tensor<1x2x?x64xf16, #v>) -> tensor<1x4x3x64xf16>
  return %y, %z : tensor<1x2x?x64xf16, #v>, tensor<1x4x3x64xf16>
}
