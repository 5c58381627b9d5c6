// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats to integers that stay floats; halves, infinities, NaN and what is too large to have a fraction.
// RUN: %python %S/../compare.py %s --element=f32 --special=all m=3,n=5 m=1,n=1 m=0,n=3 m=130,n=65
// RUN: %python %S/../compare.py %s --element=f64 --special=all m=3,n=5 m=130,n=65
// RUN: %python %S/../compare.py %s --element=f16 --special=all m=3,n=5 m=130,n=65
func.func @main(%x: tensor<?x?xTYPE, #weft.dims<"m", "n">> {weft.name = "x"})
  -> (tensor<?x?xTYPE> {weft.name = "floor"}, tensor<?x?xTYPE> {weft.name = "ceil"}, tensor<?x?xTYPE> {weft.name = "round"},
      tensor<?x?xTYPE> {weft.name = "halves"}, tensor<?x?xf32> {weft.name = "of_bf16"}) {
  %floor = weft.floor %x : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %ceil = weft.ceil %x : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %round = weft.round %x : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %half = weft.constant dense<0.5> : tensor<TYPE>
  %between = weft.add %round, %half : (tensor<?x?xTYPE>, tensor<TYPE>) -> tensor<?x?xTYPE>
  %halves = weft.round %between : (tensor<?x?xTYPE>) -> tensor<?x?xTYPE>
  %short = weft.cast %x to bf16 : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xbf16>
  %rounded = weft.round %short : (tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %of_bf16 = weft.cast %rounded to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  return %floor, %ceil, %round, %halves, %of_bf16 : tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xf32>
}
