// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places of extremes along each axis, the first or the last of equal ones, and of NaNs.
// RUN: %python %S/../compare.py %s --element=f32 m=2,n=5,k=7 m=1,n=1,k=1 m=3,n=17,k=65 m=7,n=2,k=300 m=1,n=3,k=33
// RUN: %python %S/../compare.py %s --element=f32 --special=not-finite m=2,n=5,k=7 m=5,n=9,k=40
// RUN: %python %S/../compare.py %s --element=f16 m=2,n=5,k=37
// RUN: %python %S/../compare.py %s --element=ui8 m=2,n=5,k=37
// RUN: %python %S/../compare.py %s --element=i64 m=2,n=5,k=37
func.func @main(%x: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "x"})
  -> (tensor<?x?xi64> {weft.name = "first"},
      tensor<?x?xi64> {weft.name = "middle"},
      tensor<?x?xi64> {weft.name = "rows"},
      tensor<?x?x?xi64> {weft.name = "last"},
      tensor<?x?x?xi64> {weft.name = "least"},
      tensor<?x?x?xi64> {weft.name = "column"}) {
  %first = weft.arg_reduce max %x {axis = 0 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?xi64>
  %middle = weft.arg_reduce min %x {axis = 1 : i64, last} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?xi64>
  %rows = weft.arg_reduce max %x {axis = 2 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?xi64>
  %last = weft.arg_reduce max %x {axis = 2 : i64, keepdims, last} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xi64>
  %least = weft.arg_reduce min %x {axis = 2 : i64, keepdims} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xi64>
  %column = weft.arg_reduce min %x {axis = 1 : i64, keepdims} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xi64>
  return %first, %middle, %rows, %last, %least, %column : tensor<?x?xi64>, tensor<?x?xi64>, tensor<?x?xi64>, tensor<?x?x?xi64>, tensor<?x?x?xi64>, tensor<?x?x?xi64>
}
