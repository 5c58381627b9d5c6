// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gather_elements along every axis: of whole dims, which are merged, and of fewer elements than data has.
// RUN: %python %S/../compare.py %s --element=f32 --indices=-3:2 m=4,n=5,k=7,a=4,b=5,c=7 m=3,n=3,k=3,a=1,b=1,c=1 m=17,n=33,k=65,a=13,b=31,c=64 m=3,n=4,k=5,a=0,b=2,c=2 m=3,n=4,k=5,a=2,b=4,c=0
// RUN: %python %S/../compare.py %s --element=i8 --indices=-3:2 m=4,n=5,k=7,a=3,b=2,c=7 m=17,n=33,k=65,a=17,b=31,c=1
// RUN: %python %S/../compare.py %s --element=i1 --indices=-3:2 m=4,n=5,k=7,a=3,b=2,c=7
// RUN: %python %S/../compare.py %s --element=f16 --indices=-3:2 m=4,n=5,k=7,a=3,b=2,c=7
// RUN: %python %S/../compare.py %s --element=ui16 --indices=-3:2 m=4,n=5,k=7,a=3,b=2,c=7
// RUN: %python %S/../compare.py %s --element=i64 --indices=-3:2 m=4,n=5,k=7,a=3,b=2,c=7
// RUN: %python %S/../compare.py %s --element=f64 --indices=-3:2 m=4,n=5,k=7,a=3,b=2,c=7
func.func @main(%x: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "x"},
                %row: tensor<?xTYPE, #weft.dims<"m">> {weft.name = "row"},
                %fixed: tensor<3x16xTYPE> {weft.name = "fixed"},
                %part: tensor<?x?x?xi64, #weft.dims<"a", "b", "c">> {weft.name = "part"},
                %first: tensor<?x?x?xi32, #weft.dims<"a", "n", "k">> {weft.name = "first"},
                %middle: tensor<?x?x?xi64, #weft.dims<"m", "b", "k">> {weft.name = "middle"},
                %last: tensor<?x?x?xi64, #weft.dims<"m", "n", "c">> {weft.name = "last"},
                %i: tensor<?xi64, #weft.dims<"c">> {weft.name = "i"},
                %few: tensor<2x16xi64> {weft.name = "few"})
  -> (tensor<?x?x?xTYPE> {weft.name = "part0"},
     tensor<?x?x?xTYPE> {weft.name = "part1"},
     tensor<?x?x?xTYPE> {weft.name = "part2"},
     tensor<?x?x?xTYPE> {weft.name = "whole0"},
     tensor<?x?x?xTYPE> {weft.name = "whole1"},
     tensor<?x?x?xTYPE> {weft.name = "whole2"},
     tensor<?xTYPE> {weft.name = "vector"},
     tensor<2x16xTYPE> {weft.name = "static"}) {
  %part0 = weft.gather_elements %x, %part {axis = 0 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xi64, #weft.dims<"a", "b", "c">>) -> tensor<?x?x?xTYPE>
  %part1 = weft.gather_elements %x, %part {axis = 1 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xi64, #weft.dims<"a", "b", "c">>) -> tensor<?x?x?xTYPE>
  %part2 = weft.gather_elements %x, %part {axis = 2 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xi64, #weft.dims<"a", "b", "c">>) -> tensor<?x?x?xTYPE>
  %whole0 = weft.gather_elements %x, %first {axis = 0 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xi32, #weft.dims<"a", "n", "k">>) -> tensor<?x?x?xTYPE>
  %whole1 = weft.gather_elements %x, %middle {axis = 1 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xi64, #weft.dims<"m", "b", "k">>) -> tensor<?x?x?xTYPE>
  %whole2 = weft.gather_elements %x, %last {axis = 2 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xi64, #weft.dims<"m", "n", "c">>) -> tensor<?x?x?xTYPE>
  %vector = weft.gather_elements %row, %i {axis = 0 : i64} : (tensor<?xTYPE, #weft.dims<"m">>, tensor<?xi64, #weft.dims<"c">>) -> tensor<?xTYPE>
  %static = weft.gather_elements %fixed, %few {axis = 0 : i64} : (tensor<3x16xTYPE>, tensor<2x16xi64>) -> tensor<2x16xTYPE>
  return %part0, %part1, %part2, %whole0, %whole1, %whole2, %vector, %static : tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?xTYPE>, tensor<2x16xTYPE>
}
