// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In a step of several operations numbers of 16 bits are rounded after each, as they would be in memory: to the bit.
// RUN: %python %S/../compare.py %s --rtol=0 --atol=0 m=3,n=5 m=17,n=48
!x = tensor<?x?xf32, #weft.dims<"m", "n">>
!b = tensor<?x?xbf16, #weft.dims<"m", "n">>
!h = tensor<?x?xf16, #weft.dims<"m", "n">>
func.func @main(%x: tensor<?x?xf32, #weft.dims<"m", "n">> {weft.name = "x"}, %y: tensor<?x?xf32, #weft.dims<"m", "n">> {weft.name = "y"})
  -> (!x {weft.name = "bf16"}, !x {weft.name = "f16"}) {
  %b1 = weft.cast %x to bf16 : (!x) -> !b
  %b2 = weft.cast %y to bf16 : (!x) -> !b
  %b3 = weft.mul %b1, %b2 : (!b, !b) -> !b
  %third = weft.constant dense<0.333333> : tensor<bf16>
  %b4 = weft.add %b3, %third : (!b, tensor<bf16>) -> !b
  %b5 = weft.cast %x to bf16 : (!x) -> !b
  %b6 = weft.mul %b4, %b5 : (!b, !b) -> !b
  %b = weft.cast %b6 to f32 : (!b) -> !x
  %h1 = weft.cast %x to f16 : (!x) -> !h
  %h2 = weft.cast %y to f16 : (!x) -> !h
  %h3 = weft.mul %h1, %h2 : (!h, !h) -> !h
  %h5 = weft.cast %x to f16 : (!x) -> !h
  %h6 = weft.add %h3, %h5 : (!h, !h) -> !h
  %h = weft.cast %h6 to f32 : (!h) -> !x
  return %b, %h : !x, !x
}
