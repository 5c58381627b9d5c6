// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Index family on bf16, which has no NumPy type: its values come from f32 and go there.
// RUN: %python %S/../compare.py %s --rtol=1e-2 --atol=1e-2 --indices=-3:2 m=4,n=5,a=4,c=6 m=3,n=3,a=1,c=1 m=37,n=67,a=31,c=29 m=3,n=4,a=0,c=0
// RUN: %python %S/../compare.py %s --rtol=1e-2 --atol=1e-2 --special=not-finite --indices=-3:2 m=4,n=5,a=4,c=6 m=37,n=67,a=31,c=29
func.func @main(%x: tensor<?x?xf32, #weft.dims<"m", "n">> {weft.name = "x"},
                %i: tensor<?x?xi64, #weft.dims<"a", "n">> {weft.name = "i"},
                %t: tensor<?x2xi64, #weft.dims<"c", 2>> {weft.name = "t"},
                %u: tensor<?x?xf32, #weft.dims<"a", "n">> {weft.name = "u"})
  -> (tensor<?x?xf32> {weft.name = "elements"}, tensor<?xf32> {weft.name = "nd"}, tensor<?x?xf32> {weft.name = "replace"},
     tensor<?x?xf32> {weft.name = "add"}, tensor<?x?xf32> {weft.name = "max"}, tensor<?x3xi64> {weft.name = "largest"},
     tensor<3x?xi64> {weft.name = "smallest"}) {
  %b = weft.cast %x to bf16 : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xbf16, #weft.dims<"m", "n">>
  %v = weft.cast %u to bf16 : (tensor<?x?xf32, #weft.dims<"a", "n">>) -> tensor<?x?xbf16, #weft.dims<"a", "n">>
  %0 = weft.gather_elements %b, %i {axis = 0 : i64} : (tensor<?x?xbf16, #weft.dims<"m", "n">>, tensor<?x?xi64, #weft.dims<"a", "n">>) -> tensor<?x?xbf16>
  %1 = weft.gather_nd %b, %t {batch_dims = 0 : i64} : (tensor<?x?xbf16, #weft.dims<"m", "n">>, tensor<?x2xi64, #weft.dims<"c", 2>>) -> tensor<?xbf16>
  %2 = weft.scatter_elements replace %b, %i, %v {axis = 0 : i64} : (tensor<?x?xbf16, #weft.dims<"m", "n">>, tensor<?x?xi64, #weft.dims<"a", "n">>, tensor<?x?xbf16, #weft.dims<"a", "n">>) -> tensor<?x?xbf16>
  %3 = weft.scatter_elements add %b, %i, %v {axis = 0 : i64} : (tensor<?x?xbf16, #weft.dims<"m", "n">>, tensor<?x?xi64, #weft.dims<"a", "n">>, tensor<?x?xbf16, #weft.dims<"a", "n">>) -> tensor<?x?xbf16>
  %4 = weft.scatter_elements max %b, %i, %v {axis = 0 : i64} : (tensor<?x?xbf16, #weft.dims<"m", "n">>, tensor<?x?xi64, #weft.dims<"a", "n">>, tensor<?x?xbf16, #weft.dims<"a", "n">>) -> tensor<?x?xbf16>
  %three = weft.constant dense<3> : tensor<1xi64>
  %largest = weft.top_k %b, %three {axis = 1 : i64, largest} : (tensor<?x?xbf16, #weft.dims<"m", "n">>, tensor<1xi64>) -> tensor<?x3xi64>
  %smallest = weft.top_k %b, %three {axis = 0 : i64} : (tensor<?x?xbf16, #weft.dims<"m", "n">>, tensor<1xi64>) -> tensor<3x?xi64>
  %elements = weft.cast %0 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %nd = weft.cast %1 to f32 : (tensor<?xbf16>) -> tensor<?xf32>
  %replace = weft.cast %2 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %add = weft.cast %3 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %max = weft.cast %4 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  return %elements, %nd, %replace, %add, %max, %largest, %smallest : tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x3xi64>, tensor<3x?xi64>
}
