// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short floats and unsigned integers beside a product, in its epilogue where that can read them.
// RUN: %python %S/../compare.py %s --rtol=2e-2 --atol=5e-2 m=7,k=5,n=50 m=1,k=1,n=1 m=9,k=3,n=48
func.func @main(%x: tensor<?x?xf32, #weft.dims<"m", "k">> {weft.name = "x"}, %w: tensor<?x?xf32, #weft.dims<"k", "n">> {weft.name = "w"},
                %row: tensor<?xf32, #weft.dims<"n">> {weft.name = "row"}, %h: tensor<?xf16, #weft.dims<"n">> {weft.name = "h"},
                %u: tensor<?xui8, #weft.dims<"n">> {weft.name = "u"})
  -> (tensor<?x?xf32> {weft.name = "bf16"}, tensor<?x?xf32> {weft.name = "f16"}, tensor<?x?xf32> {weft.name = "ui8"}) {
  %bias = weft.cast %row to bf16 : (tensor<?xf32, #weft.dims<"n">>) -> tensor<?xbf16>
  %p0 = weft.matmul %x, %w : (tensor<?x?xf32, #weft.dims<"m", "k">>, tensor<?x?xf32, #weft.dims<"k", "n">>) -> tensor<?x?xf32>
  %0 = weft.cast %p0 to bf16 : (tensor<?x?xf32>) -> tensor<?x?xbf16>
  %1 = weft.add %0, %bias : (tensor<?x?xbf16>, tensor<?xbf16>) -> tensor<?x?xbf16>
  %2 = weft.cast %1 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %x1 = weft.neg %x : (tensor<?x?xf32, #weft.dims<"m", "k">>) -> tensor<?x?xf32>
  %p1 = weft.matmul %x1, %w : (tensor<?x?xf32>, tensor<?x?xf32, #weft.dims<"k", "n">>) -> tensor<?x?xf32>
  %neg = weft.neg %p1 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %3 = weft.cast %neg to f16 : (tensor<?x?xf32>) -> tensor<?x?xf16>
  %4 = weft.add %3, %h : (tensor<?x?xf16>, tensor<?xf16, #weft.dims<"n">>) -> tensor<?x?xf16>
  %5 = weft.cast %4 to f32 : (tensor<?x?xf16>) -> tensor<?x?xf32>
  %x2 = weft.abs %x : (tensor<?x?xf32, #weft.dims<"m", "k">>) -> tensor<?x?xf32>
  %p2 = weft.matmul %x2, %w : (tensor<?x?xf32>, tensor<?x?xf32, #weft.dims<"k", "n">>) -> tensor<?x?xf32>
  %big = weft.exp %p2 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %zero = weft.constant dense<0.0> : tensor<f32>
  %none = weft.mul %big, %zero : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  %6 = weft.cast %none to ui8 : (tensor<?x?xf32>) -> tensor<?x?xui8>
  %7 = weft.add %6, %u : (tensor<?x?xui8>, tensor<?xui8, #weft.dims<"n">>) -> tensor<?x?xui8>
  %8 = weft.cast %7 to f32 : (tensor<?x?xui8>) -> tensor<?x?xf32>
  return %2, %5, %8 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
