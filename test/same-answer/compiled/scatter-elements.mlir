// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scatter_elements along every axis, in every kind; the indices are few, so that they repeat.
// RUN: %python %S/../compare.py %s --element=f32 --indices=-3:2 m=4,n=5,k=7,a=4,b=5,c=7 m=3,n=3,k=3,a=1,b=1,c=1 m=17,n=13,k=35,a=13,b=11,c=31 m=3,n=4,k=5,a=0,b=2,c=2 m=3,n=4,k=5,a=2,b=4,c=0
// RUN: %python %S/../compare.py %s --element=i32 --indices=-3:2 m=4,n=5,k=7,a=3,b=2,c=7 m=17,n=33,k=15,a=17,b=31,c=1
// RUN: %python %S/../compare.py %s --element=ui8 --indices=-3:2 m=4,n=5,k=7,a=3,b=2,c=7
// RUN: %python %S/../compare.py %s --element=f16 --rtol=2e-3 --atol=2e-3 --indices=-3:2 m=4,n=5,k=7,a=3,b=2,c=7
// RUN: %python %S/../compare.py %s --element=f32 --special=not-finite --indices=-3:2 m=4,n=5,k=7,a=3,b=2,c=7
func.func @main(%x: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "x"},
                %part: tensor<?x?x?xi64, #weft.dims<"a", "b", "c">> {weft.name = "part"},
                %u: tensor<?x?x?xTYPE, #weft.dims<"a", "b", "c">> {weft.name = "u"},
                %keep: tensor<?xi1, #weft.dims<"m">> {weft.name = "keep"},
                %at: tensor<?xi32, #weft.dims<"c">> {weft.name = "at"},
                %flags: tensor<?xi1, #weft.dims<"c">> {weft.name = "flags"})
  -> (tensor<?x?x?xTYPE> {weft.name = "replace"},
     tensor<?x?x?xTYPE> {weft.name = "add"},
     tensor<?x?x?xTYPE> {weft.name = "mul"},
     tensor<?x?x?xTYPE> {weft.name = "min"},
     tensor<?x?x?xTYPE> {weft.name = "max"},
     tensor<?xi1> {weft.name = "bools"}) {
  %replace = weft.scatter_elements replace %x, %part, %u {axis = 0 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xi64, #weft.dims<"a", "b", "c">>, tensor<?x?x?xTYPE, #weft.dims<"a", "b", "c">>) -> tensor<?x?x?xTYPE>
  %add = weft.scatter_elements add %x, %part, %u {axis = 1 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xi64, #weft.dims<"a", "b", "c">>, tensor<?x?x?xTYPE, #weft.dims<"a", "b", "c">>) -> tensor<?x?x?xTYPE>
  %mul = weft.scatter_elements mul %x, %part, %u {axis = 2 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xi64, #weft.dims<"a", "b", "c">>, tensor<?x?x?xTYPE, #weft.dims<"a", "b", "c">>) -> tensor<?x?x?xTYPE>
  %min = weft.scatter_elements min %x, %part, %u {axis = 2 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xi64, #weft.dims<"a", "b", "c">>, tensor<?x?x?xTYPE, #weft.dims<"a", "b", "c">>) -> tensor<?x?x?xTYPE>
  %max = weft.scatter_elements max %x, %part, %u {axis = 2 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xi64, #weft.dims<"a", "b", "c">>, tensor<?x?x?xTYPE, #weft.dims<"a", "b", "c">>) -> tensor<?x?x?xTYPE>
  %bools = weft.scatter_elements replace %keep, %at, %flags {axis = 0 : i64} : (tensor<?xi1, #weft.dims<"m">>, tensor<?xi32, #weft.dims<"c">>, tensor<?xi1, #weft.dims<"c">>) -> tensor<?xi1>
  return %replace, %add, %mul, %min, %max, %bools : tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?xi1>
}
