// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of each kind of kernel with one matrix, to be given schedules; of f64, which has smaller tiles, too.
#h = #weft.dims<"m", 544>
#r = #weft.dims<"m", 200>
func.func @main(%h: tensor<?x544xbf16, #h> {weft.name = "h"}, %w: tensor<544x200xbf16> {weft.name = "w"}, %bias: tensor<200xbf16> {weft.name = "bias"},
                %f: tensor<?x544xf32, #h> {weft.name = "f"}, %v: tensor<544x200xf32> {weft.name = "v"},
                %d: tensor<?x544xf64, #h> {weft.name = "d"}, %u: tensor<544x200xf64> {weft.name = "u"})
    -> (tensor<?x200xbf16, #r> {weft.name = "halves"}, tensor<?x200xf32, #r> {weft.name = "floats"}, tensor<?x200xf32, #r> {weft.name = "tf32"}, tensor<?x200xf64, #r> {weft.name = "doubles"}) {
  %0 = weft.matmul %h, %w : (tensor<?x544xbf16, #h>, tensor<544x200xbf16>) -> tensor<?x200xbf16, #r>
  %1 = weft.add %0, %bias : (tensor<?x200xbf16, #r>, tensor<200xbf16>) -> tensor<?x200xbf16, #r>
  %2 = weft.matmul %f, %v : (tensor<?x544xf32, #h>, tensor<544x200xf32>) -> tensor<?x200xf32, #r>
  %3 = weft.matmul %f, %v {tf32} : (tensor<?x544xf32, #h>, tensor<544x200xf32>) -> tensor<?x200xf32, #r>
  %4 = weft.matmul %d, %u : (tensor<?x544xf64, #h>, tensor<544x200xf64>) -> tensor<?x200xf64, #r>
  return %1, %2, %3, %4 : tensor<?x200xbf16, #r>, tensor<?x200xf32, #r>, tensor<?x200xf32, #r>, tensor<?x200xf64, #r>
}
