// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention of heads of 128, of 64, and of 256, as many new queries as keys.
#a = #weft.dims<"b", 8, "n", 128>
#b = #weft.dims<"b", 8, "n", 64>
#c = #weft.dims<"b", 8, "n", 256>
func.func @main(%a: tensor<?x8x?x128xbf16, #a> {weft.name = "a"}, %b: tensor<?x8x?x64xf16, #b> {weft.name = "b"},
                %c: tensor<?x8x?x256xbf16, #c> {weft.name = "c"})
    -> (tensor<?x8x?x128xbf16, #a> {weft.name = "x"}, tensor<?x8x?x64xf16, #b> {weft.name = "y"}, tensor<?x8x?x256xbf16, #c> {weft.name = "z"}) {
  %x = weft.attention %a, %a, %a scale(0.088) empty_rows(nan) score {
  ^bb0(%s: f32, %g: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    weft.yield %s, %keep : f32, i1
  } : (tensor<?x8x?x128xbf16, #a>, tensor<?x8x?x128xbf16, #a>, tensor<?x8x?x128xbf16, #a>) -> tensor<?x8x?x128xbf16, #a>
  %y = weft.attention %b, %b, %b scale(0.125) empty_rows(nan)
    : (tensor<?x8x?x64xf16, #b>, tensor<?x8x?x64xf16, #b>, tensor<?x8x?x64xf16, #b>) -> tensor<?x8x?x64xf16, #b>
  %z = weft.attention %c, %c, %c scale(0.0625) empty_rows(nan) score {
  ^bb0(%s: f32, %g: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    weft.yield %s, %keep : f32, i1
  } : (tensor<?x8x?x256xbf16, #c>, tensor<?x8x?x256xbf16, #c>, tensor<?x8x?x256xbf16, #c>) -> tensor<?x8x?x256xbf16, #c>
  return %x, %y, %z : tensor<?x8x?x128xbf16, #a>, tensor<?x8x?x64xf16, #b>, tensor<?x8x?x256xbf16, #c>
}
