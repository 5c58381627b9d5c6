// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// top_k along every axis, of few elements and of all, with ties and NaN.
// RUN: %python %S/../compare.py %s --element=f32 m=7,n=5,k=9 m=4,n=4,k=4 m=37,n=67,k=129 m=4,n=1031,k=5 m=5,n=4,k=0
// RUN: %python %S/../compare.py %s --element=f32 --special=all m=7,n=5,k=9 m=37,n=67,k=29
// RUN: %python %S/../compare.py %s --element=f16 --special=all m=7,n=5,k=9 m=37,n=67,k=29
// RUN: %python %S/../compare.py %s --element=f64 --special=not-finite m=7,n=5,k=9 m=37,n=67,k=29
// RUN: %python %S/../compare.py %s --element=i8 m=7,n=5,k=9 m=37,n=67,k=29
// RUN: %python %S/../compare.py %s --element=ui8 m=7,n=5,k=9 m=37,n=67,k=29
// RUN: %python %S/../compare.py %s --element=i64 m=7,n=5,k=9 m=37,n=67,k=29
// RUN: %python %S/../compare.py %s --element=ui64 m=7,n=5,k=9 m=37,n=67,k=29
func.func @main(%x: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "x"},
                %row: tensor<?xTYPE, #weft.dims<"n">> {weft.name = "row"},
                %fixed: tensor<3x16xTYPE> {weft.name = "fixed"})
  -> (tensor<4x?x?xi64, #weft.dims<4, "n", "k">> {weft.name = "first"},
     tensor<?x3x?xi64, #weft.dims<"m", 3, "k">> {weft.name = "middle"},
     tensor<?x?x?xi64, #weft.dims<"m", "n", floordiv("k" + 1, 2)>> {weft.name = "last"},
     tensor<?x?x0xi64, #weft.dims<"m", "n", 0>> {weft.name = "none"},
     tensor<?xi64, #weft.dims<"n">> {weft.name = "all"},
     tensor<1xi64> {weft.name = "one"},
     tensor<3x5xi64> {weft.name = "static"},
     tensor<3x5xTYPE> {weft.name = "values"}) {
  %first = weft.top_k %x {axis = 0 : i64, largest} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<4x?x?xi64, #weft.dims<4, "n", "k">>
  %middle = weft.top_k %x {axis = 1 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x3x?xi64, #weft.dims<"m", 3, "k">>
  %last = weft.top_k %x {axis = 2 : i64, largest} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xi64, #weft.dims<"m", "n", floordiv("k" + 1, 2)>>
  %none = weft.top_k %x {axis = 2 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x0xi64, #weft.dims<"m", "n", 0>>
  %all = weft.top_k %row {axis = 0 : i64} : (tensor<?xTYPE, #weft.dims<"n">>) -> tensor<?xi64, #weft.dims<"n">>
  %one = weft.top_k %row {axis = 0 : i64, largest} : (tensor<?xTYPE, #weft.dims<"n">>) -> tensor<1xi64>
  %k = weft.constant dense<5> : tensor<1xi64>
  %static = weft.top_k %fixed, %k {axis = 1 : i64, largest} : (tensor<3x16xTYPE>, tensor<1xi64>) -> tensor<3x5xi64>
  %values = weft.gather_elements %fixed, %static {axis = 1 : i64} : (tensor<3x16xTYPE>, tensor<3x5xi64>) -> tensor<3x5xTYPE>
  return %first, %middle, %last, %none, %all, %one, %static, %values : tensor<4x?x?xi64, #weft.dims<4, "n", "k">>, tensor<?x3x?xi64, #weft.dims<"m", 3, "k">>, tensor<?x?x?xi64, #weft.dims<"m", "n", floordiv("k" + 1, 2)>>, tensor<?x?x0xi64, #weft.dims<"m", "n", 0>>, tensor<?xi64, #weft.dims<"n">>, tensor<1xi64>, tensor<3x5xi64>, tensor<3x5xTYPE>
}
