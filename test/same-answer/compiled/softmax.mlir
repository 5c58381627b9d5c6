// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax over every axis; rows of -inf are NaN, and NaN spreads over its row.
// RUN: %python %S/../compare.py %s --element=f32 m=3,n=5,k=7 m=1,n=1,k=1 m=2,n=65,k=33 m=8,n=15,k=16 m=129,n=2,k=64 m=0,n=3,k=5 m=3,n=0,k=5 m=3,n=5,k=0 m=1,n=2,k=8193
// RUN: %python %S/../compare.py %s --element=f64 m=3,n=5,k=7 m=2,n=65,k=33
// RUN: %python %S/../compare.py %s --element=f32 --special=all m=33,n=5,k=2 m=5,n=3,k=67
// RUN: %python %S/../compare.py %s --element=f64 --special=all m=33,n=5,k=2
// RUN: %python %S/../compare.py %s --element=f16 --rtol=2e-3 --atol=2e-3 m=3,n=5,k=7 m=1,n=1,k=1 m=2,n=65,k=33 m=0,n=3,k=5 m=1,n=2,k=8193
// RUN: %python %S/../compare.py %s --element=f16 --special=all --rtol=2e-3 --atol=2e-3 m=33,n=5,k=2 m=5,n=3,k=67
func.func @main(%x: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "x"},
                %row: tensor<?xTYPE, #weft.dims<"n">> {weft.name = "row"},
                %fixed: tensor<?x17xTYPE, #weft.dims<"m", 17>> {weft.name = "fixed"},
                %mask: tensor<?x?xi1, #weft.dims<"m", "k">> {weft.name = "mask"})
  -> (tensor<?x?x?xTYPE> {weft.name = "softmax_0"},
     tensor<?x?x?xTYPE> {weft.name = "softmax_1"},
     tensor<?x?x?xTYPE> {weft.name = "softmax_2"},
     tensor<?xTYPE> {weft.name = "softmax_row"},
     tensor<?x?xTYPE> {weft.name = "softmax_fixed"},
     tensor<?x?x?xTYPE> {weft.name = "log_softmax_0"},
     tensor<?x?x?xTYPE> {weft.name = "log_softmax_1"},
     tensor<?x?x?xTYPE> {weft.name = "log_softmax_2"},
     tensor<?xTYPE> {weft.name = "log_softmax_row"},
     tensor<?x?xTYPE> {weft.name = "log_softmax_fixed"},
     tensor<?x?xTYPE> {weft.name = "masked"},
     tensor<?x?xTYPE> {weft.name = "log_masked"}) {
  %softmax_0 = weft.softmax %x {axis = 0 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %softmax_1 = weft.softmax %x {axis = 1 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %softmax_2 = weft.softmax %x {axis = 2 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %softmax_row = weft.softmax %row {axis = 0 : i64} : (tensor<?xTYPE, #weft.dims<"n">>) -> tensor<?xTYPE>
  %softmax_fixed = weft.softmax %fixed {axis = 1 : i64} : (tensor<?x17xTYPE, #weft.dims<"m", 17>>) -> tensor<?x?xTYPE>
  %log_softmax_0 = weft.log_softmax %x {axis = 0 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %log_softmax_1 = weft.log_softmax %x {axis = 1 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %log_softmax_2 = weft.log_softmax %x {axis = 2 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %log_softmax_row = weft.log_softmax %row {axis = 0 : i64} : (tensor<?xTYPE, #weft.dims<"n">>) -> tensor<?xTYPE>
  %log_softmax_fixed = weft.log_softmax %fixed {axis = 1 : i64} : (tensor<?x17xTYPE, #weft.dims<"m", 17>>) -> tensor<?x?xTYPE>
  %minus_one = weft.constant dense<-1.0> : tensor<TYPE>
  %zero = weft.constant dense<0.0> : tensor<TYPE>
  %minus_infinity = weft.div %minus_one, %zero : (tensor<TYPE>, tensor<TYPE>) -> tensor<TYPE>
  %narrow = weft.reduce max %x {axes = array<i64: 1>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?xTYPE>
  %t11 = weft.where %mask, %minus_infinity, %narrow : (tensor<?x?xi1, #weft.dims<"m", "k">>, tensor<TYPE>, tensor<?x?xTYPE>) -> tensor<?x?xTYPE>
  %masked = weft.softmax %t11 {axis = 1 : i64} : (tensor<?x?xTYPE>) -> tensor<?x?xTYPE>
  %log_masked = weft.log_softmax %t11 {axis = 1 : i64} : (tensor<?x?xTYPE>) -> tensor<?x?xTYPE>
  return %softmax_0, %softmax_1, %softmax_2, %softmax_row, %softmax_fixed, %log_softmax_0, %log_softmax_1, %log_softmax_2, %log_softmax_row, %log_softmax_fixed, %masked, %log_masked : tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?xTYPE>, tensor<?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>
}
