// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices: negative and large bounds, steps of either sign, bounds that are dims; merged and strided inner dims.
// RUN: %python %S/../compare.py %s --element=f32 m=9,n=7,k=11 m=1,n=1,k=1 m=3,n=2,k=4 m=0,n=3,k=2 m=49,n=17,k=64 m=2,n=0,k=5 m=20,n=40,k=3
// RUN: %python %S/../compare.py %s --element=i8 m=9,n=7,k=11
// RUN: %python %S/../compare.py %s --element=i16 m=9,n=7,k=11
// RUN: %python %S/../compare.py %s --element=i64 m=9,n=7,k=11
// RUN: %python %S/../compare.py %s --element=i1 m=9,n=7,k=11
func.func @main(%x: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "x"},
                %r: tensor<?xTYPE, #weft.dims<"m">> {weft.name = "r"},
                %t: tensor<?x?x?xTYPE, #weft.dims<"n", "m", "k">> {weft.name = "t"},
                %fixed: tensor<10x?x12xTYPE, #weft.dims<10, "n", 12>> {weft.name = "fixed"},
                %s: tensor<TYPE> {weft.name = "s"})
  -> (tensor<?x?x?xTYPE> {weft.name = "rows"},
     tensor<?x?x?xTYPE> {weft.name = "middle"},
     tensor<?x?x?xTYPE> {weft.name = "columns"},
     tensor<?x?x?xTYPE> {weft.name = "box"},
     tensor<?x?x?xTYPE> {weft.name = "even"},
     tensor<?x?x?xTYPE> {weft.name = "reversed"},
     tensor<?x?x?xTYPE> {weft.name = "turned"},
     tensor<?x?x?xTYPE> {weft.name = "backwards"},
     tensor<?x?x?xTYPE> {weft.name = "nothing"},
     tensor<?x?x?xTYPE> {weft.name = "axes_unsorted"},
     tensor<?xTYPE> {weft.name = "rank1"},
     tensor<?xTYPE> {weft.name = "rank1_part"},
     tensor<?x?x?xTYPE> {weft.name = "static_dims"},
     tensor<?xTYPE> {weft.name = "to_symbol"},
     tensor<?x?x?xTYPE> {weft.name = "to_symbol_strided"},
     tensor<?x?x?xTYPE> {weft.name = "from_symbol"},
     tensor<TYPE> {weft.name = "rank0"},
     tensor<?x?x?xTYPE> {weft.name = "whole"}) {
  %c1 = weft.constant dense<[1]> : tensor<1xi64>
  %c2 = weft.constant dense<[3]> : tensor<1xi64>
  %rows = weft.slice %x starts %c1 ends %c2 {axes = array<i64: 0>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?x?xTYPE>
  %c3 = weft.constant dense<[1]> : tensor<1xi64>
  %c4 = weft.constant dense<[9223372036854775807]> : tensor<1xi64>
  %middle = weft.slice %x starts %c3 ends %c4 {axes = array<i64: 1>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?x?xTYPE>
  %c5 = weft.constant dense<[-3]> : tensor<1xi64>
  %c6 = weft.constant dense<[-1]> : tensor<1xi64>
  %columns = weft.slice %x starts %c5 ends %c6 {axes = array<i64: 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?x?xTYPE>
  %c7 = weft.constant dense<[1, 0, 2]> : tensor<3xi64>
  %c8 = weft.constant dense<[9223372036854775807, -1, 9]> : tensor<3xi64>
  %c9 = weft.constant dense<[1, 1, 1]> : tensor<3xi64>
  %box = weft.slice %x starts %c7 ends %c8 steps %c9 {axes = array<i64: 0, 1, 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> tensor<?x?x?xTYPE>
  %c10 = weft.constant dense<[0]> : tensor<1xi64>
  %c11 = weft.constant dense<[9223372036854775807]> : tensor<1xi64>
  %c12 = weft.constant dense<[2]> : tensor<1xi64>
  %even = weft.slice %x starts %c10 ends %c11 steps %c12 {axes = array<i64: 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?x?xTYPE>
  %c13 = weft.constant dense<[-1]> : tensor<1xi64>
  %c14 = weft.constant dense<[-9223372036854775807]> : tensor<1xi64>
  %c15 = weft.constant dense<[-1]> : tensor<1xi64>
  %reversed = weft.slice %x starts %c13 ends %c14 steps %c15 {axes = array<i64: 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?x?xTYPE>
  %c16 = weft.constant dense<[-1, -1, -1]> : tensor<3xi64>
  %c17 = weft.constant dense<[-9223372036854775807, -9223372036854775807, -9223372036854775807]> : tensor<3xi64>
  %c18 = weft.constant dense<[-1, -1, -1]> : tensor<3xi64>
  %turned = weft.slice %x starts %c16 ends %c17 steps %c18 {axes = array<i64: 0, 1, 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> tensor<?x?x?xTYPE>
  %c19 = weft.constant dense<[-2]> : tensor<1xi64>
  %c20 = weft.constant dense<[0]> : tensor<1xi64>
  %c21 = weft.constant dense<[-3]> : tensor<1xi64>
  %backwards = weft.slice %x starts %c19 ends %c20 steps %c21 {axes = array<i64: 1>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?x?xTYPE>
  %c22 = weft.constant dense<[5]> : tensor<1xi64>
  %c23 = weft.constant dense<[2]> : tensor<1xi64>
  %nothing = weft.slice %x starts %c22 ends %c23 {axes = array<i64: 0>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?x?xTYPE>
  %c24 = weft.constant dense<[3, 1]> : tensor<2xi64>
  %c25 = weft.constant dense<[100, -1]> : tensor<2xi64>
  %c26 = weft.constant dense<[2, 3]> : tensor<2xi64>
  %axes_unsorted = weft.slice %x starts %c24 ends %c25 steps %c26 {axes = array<i64: 1, 0>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?x?xTYPE>
  %c27 = weft.constant dense<[-1]> : tensor<1xi64>
  %c28 = weft.constant dense<[-9223372036854775807]> : tensor<1xi64>
  %c29 = weft.constant dense<[-2]> : tensor<1xi64>
  %rank1 = weft.slice %r starts %c27 ends %c28 steps %c29 {axes = array<i64: 0>} : (tensor<?xTYPE, #weft.dims<"m">>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xTYPE>
  %c30 = weft.constant dense<[2]> : tensor<1xi64>
  %c31 = weft.constant dense<[4]> : tensor<1xi64>
  %rank1_part = weft.slice %r starts %c30 ends %c31 {axes = array<i64: 0>} : (tensor<?xTYPE, #weft.dims<"m">>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xTYPE>
  %c32 = weft.constant dense<[1, 9]> : tensor<2xi64>
  %c33 = weft.constant dense<[8, 2]> : tensor<2xi64>
  %c34 = weft.constant dense<[3, -2]> : tensor<2xi64>
  %static_dims = weft.slice %fixed starts %c32 ends %c33 steps %c34 {axes = array<i64: 0, 2>} : (tensor<10x?x12xTYPE, #weft.dims<10, "n", 12>>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?x?xTYPE>
  %n = weft.shape %x {start = 1 : i64, end = 2 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<1xi64>
  %c35 = weft.constant dense<[0]> : tensor<1xi64>
  %to_symbol = weft.slice %r starts %c35 ends %n {axes = array<i64: 0>} : (tensor<?xTYPE, #weft.dims<"m">>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xTYPE>
  %c36 = weft.constant dense<[1]> : tensor<1xi64>
  %c37 = weft.constant dense<[2]> : tensor<1xi64>
  %to_symbol_strided = weft.slice %x starts %c36 ends %n steps %c37 {axes = array<i64: 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?x?xTYPE>
  %two = weft.constant dense<[2]> : tensor<1xi64>
  %half = weft.div %n, %two : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %c38 = weft.constant dense<[9223372036854775807]> : tensor<1xi64>
  %from_symbol = weft.slice %x starts %half ends %c38 {axes = array<i64: 1>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?x?xTYPE>
  %no = weft.constant dense<> : tensor<0xi64>
  %rank0 = weft.slice %s starts %no ends %no {axes = array<i64>} : (tensor<TYPE>, tensor<0xi64>, tensor<0xi64>) -> tensor<TYPE>
  %whole = weft.slice %x starts %no ends %no {axes = array<i64>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<0xi64>, tensor<0xi64>) -> tensor<?x?x?xTYPE>
  return %rows, %middle, %columns, %box, %even, %reversed, %turned, %backwards, %nothing, %axes_unsorted, %rank1, %rank1_part, %static_dims, %to_symbol, %to_symbol_strided, %from_symbol, %rank0, %whole : tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?xTYPE>, tensor<?xTYPE>, tensor<?x?x?xTYPE>, tensor<?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<TYPE>, tensor<?x?x?xTYPE>
}
