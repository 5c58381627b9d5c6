// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums and products up to each element, from either end, with and without it.
// RUN: %python %S/../compare.py %s --element=f32 m=2,n=5,k=7 m=1,n=1,k=1 m=0,n=2,k=3 m=3,n=17,k=65 m=2,n=0,k=4 m=2,n=3,k=0 m=7,n=2,k=300
// RUN: %python %S/../compare.py %s --element=i8 m=2,n=5,k=37
// RUN: %python %S/../compare.py %s --element=i64 m=2,n=5,k=37
// RUN: %python %S/../compare.py %s --element=f16 --rtol=2e-3 --atol=2e-3 m=2,n=5,k=9
func.func @main(%x: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "x"})
  -> (tensor<?x?x?xTYPE> {weft.name = "first"},
      tensor<?x?x?xTYPE> {weft.name = "middle"},
      tensor<?x?x?xTYPE> {weft.name = "rows"},
      tensor<?x?x?xTYPE> {weft.name = "back"},
      tensor<?x?x?xTYPE> {weft.name = "behind"},
      tensor<?x?x?xTYPE> {weft.name = "before"},
      tensor<?x?x?xTYPE> {weft.name = "products"},
      tensor<?x?x?xTYPE> {weft.name = "products_of_rows"}) {
  %first = weft.cumulative sum %x {axis = 0 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %middle = weft.cumulative sum %x {axis = 1 : i64, exclusive} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %rows = weft.cumulative sum %x {axis = 2 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %back = weft.cumulative sum %x {axis = 2 : i64, reverse} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %behind = weft.cumulative sum %x {axis = 1 : i64, exclusive, reverse} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %before = weft.cumulative sum %x {axis = 2 : i64, exclusive} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %products = weft.cumulative prod %x {axis = 1 : i64, reverse} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %products_of_rows = weft.cumulative prod %x {axis = 2 : i64, exclusive} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  return %first, %middle, %rows, %back, %behind, %before, %products, %products_of_rows : tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>
}
