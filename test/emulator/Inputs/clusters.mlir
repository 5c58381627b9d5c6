// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products whose tiles are two and three beside each other; and one in parts of the depth.
#x = #weft.dims<"m", 200>
#y = #weft.dims<"m", 136>
#z = #weft.dims<"m", 264>
func.func @main(%x: tensor<?x200xf16, #x> {weft.name = "x"}, %w: tensor<200x136xf16> {weft.name = "w"}, %v: tensor<200x264xf16> {weft.name = "v"})
    -> (tensor<?x136xf16, #y> {weft.name = "two"}, tensor<?x264xf16, #z> {weft.name = "three"}, tensor<?x136xf16, #y> {weft.name = "parts"}) {
  %0 = weft.matmul %x, %w {weft.schedule = {columns = 128 : i64, rows = 128 : i64}} : (tensor<?x200xf16, #x>, tensor<200x136xf16>) -> tensor<?x136xf16, #y>
  %1 = weft.matmul %x, %v {weft.schedule = {columns = 128 : i64, rows = 128 : i64}} : (tensor<?x200xf16, #x>, tensor<200x264xf16>) -> tensor<?x264xf16, #z>
  %2 = weft.matmul %x, %w {weft.schedule = {columns = 128 : i64, parts = 2 : i64, rows = 128 : i64}} : (tensor<?x200xf16, #x>, tensor<200x136xf16>) -> tensor<?x136xf16, #y>
  return %0, %1, %2 : tensor<?x136xf16, #y>, tensor<?x264xf16, #z>, tensor<?x136xf16, #y>
}
