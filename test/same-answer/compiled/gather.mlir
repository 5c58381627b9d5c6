// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gather along every axis, from every element type, by indices of every rank, negative ones and none.
// RUN: %python %S/../compare.py %s --element=f32 --indices=-3:2 m=4,n=5,k=7,i=6,j=2 m=3,n=3,k=1,i=1,j=1 m=17,n=33,k=65,i=0,j=3 m=3,n=4,k=0,i=2,j=2
// RUN: %python %S/../compare.py %s --element=i8 --indices=-3:2 m=4,n=5,k=7,i=6,j=2 m=3,n=3,k=1,i=1,j=1 m=17,n=33,k=65,i=0,j=3 m=3,n=4,k=0,i=2,j=2
// RUN: %python %S/../compare.py %s --element=i1 --indices=-3:2 m=4,n=5,k=7,i=6,j=2 m=3,n=3,k=1,i=1,j=1 m=17,n=33,k=65,i=0,j=3 m=3,n=4,k=0,i=2,j=2
// RUN: %python %S/../compare.py %s --element=i16 --indices=-3:2 m=4,n=5,k=7,i=6,j=2
// RUN: %python %S/../compare.py %s --element=i64 --indices=-3:2 m=4,n=5,k=7,i=6,j=2
func.func @main(%x: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "x"},
                %table: tensor<?xTYPE, #weft.dims<"m">> {weft.name = "table"},
                %fixed: tensor<3x16xTYPE> {weft.name = "fixed"},
                %i: tensor<?xi64, #weft.dims<"i">> {weft.name = "i"},
                %ij: tensor<?x?xi32, #weft.dims<"i", "j">> {weft.name = "ij"},
                %s: tensor<i64> {weft.name = "s"})
  -> (tensor<?x?x?xTYPE> {weft.name = "axis0"},
     tensor<?x?x?x?xTYPE> {weft.name = "rank2_0"},
     tensor<?x?xTYPE> {weft.name = "scalar_0"},
     tensor<?x?x?xTYPE> {weft.name = "axis1"},
     tensor<?x?x?x?xTYPE> {weft.name = "rank2_1"},
     tensor<?x?xTYPE> {weft.name = "scalar_1"},
     tensor<?x?xTYPE> {weft.name = "elements"},
     tensor<TYPE> {weft.name = "element"},
     tensor<?x16xTYPE> {weft.name = "rows"},
     tensor<16x?x?xTYPE> {weft.name = "last"}) {
  %axis0 = weft.gather %x, %i {axis = 0 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?xi64, #weft.dims<"i">>) -> tensor<?x?x?xTYPE>
  %rank2_0 = weft.gather %x, %ij {axis = 0 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?xi32, #weft.dims<"i", "j">>) -> tensor<?x?x?x?xTYPE>
  %scalar_0 = weft.gather %x, %s {axis = 0 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<i64>) -> tensor<?x?xTYPE>
  %axis1 = weft.gather %x, %i {axis = 1 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?xi64, #weft.dims<"i">>) -> tensor<?x?x?xTYPE>
  %rank2_1 = weft.gather %x, %ij {axis = 1 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?xi32, #weft.dims<"i", "j">>) -> tensor<?x?x?x?xTYPE>
  %scalar_1 = weft.gather %x, %s {axis = 1 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<i64>) -> tensor<?x?xTYPE>
  %elements = weft.gather %table, %ij {axis = 0 : i64} : (tensor<?xTYPE, #weft.dims<"m">>, tensor<?x?xi32, #weft.dims<"i", "j">>) -> tensor<?x?xTYPE>
  %element = weft.gather %table, %s {axis = 0 : i64} : (tensor<?xTYPE, #weft.dims<"m">>, tensor<i64>) -> tensor<TYPE>
  %rows = weft.gather %fixed, %i {axis = 0 : i64} : (tensor<3x16xTYPE>, tensor<?xi64, #weft.dims<"i">>) -> tensor<?x16xTYPE>
  %t = weft.transpose %fixed {permutation = array<i64: 1, 0>} : (tensor<3x16xTYPE>) -> tensor<16x3xTYPE>
  %last = weft.gather %t, %ij {axis = 1 : i64} : (tensor<16x3xTYPE>, tensor<?x?xi32, #weft.dims<"i", "j">>) -> tensor<16x?x?xTYPE>
  return %axis0, %rank2_0, %scalar_0, %axis1, %rank2_1, %scalar_1, %elements, %element, %rows, %last : tensor<?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<TYPE>, tensor<?x16xTYPE>, tensor<16x?x?xTYPE>
}
