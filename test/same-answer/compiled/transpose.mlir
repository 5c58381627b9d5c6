// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transpositions of every rank up to five, and of every element width.
// RUN: %python %S/../compare.py %s --element=f32 m=3,n=5,k=7 m=1,n=17,k=1 m=16,n=1,k=33 m=65,n=48,k=2 m=0,n=3,k=4 m=129,n=64,k=1 m=7,n=0,k=1
// RUN: %python %S/../compare.py %s --element=i8 m=3,n=17,k=5 m=65,n=33,k=2
// RUN: %python %S/../compare.py %s --element=i16 m=3,n=17,k=5 m=65,n=33,k=2
// RUN: %python %S/../compare.py %s --element=i64 m=3,n=17,k=5 m=65,n=33,k=2
// RUN: %python %S/../compare.py %s --element=i1 m=3,n=17,k=5 m=65,n=33,k=2
func.func @main(%s: tensor<TYPE> {weft.name = "s"},
                %r: tensor<?xTYPE, #weft.dims<"m">> {weft.name = "r"},
                %x: tensor<?x?xTYPE, #weft.dims<"m", "n">> {weft.name = "x"},
                %y: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "y"},
                %z: tensor<?x2x?x?xTYPE, #weft.dims<"m", 2, "k", "n">> {weft.name = "z"},
                %v: tensor<?x2x1x?x3xTYPE, #weft.dims<"m", 2, 1, "n", 3>> {weft.name = "v"},
                %fixed: tensor<8x17xTYPE> {weft.name = "fixed"})
  -> (tensor<TYPE> {weft.name = "rank0"},
     tensor<?xTYPE> {weft.name = "rank1"},
     tensor<?x?xTYPE> {weft.name = "rank2"},
     tensor<?x?x?xTYPE> {weft.name = "rank3_021"},
     tensor<?x?x?xTYPE> {weft.name = "rank3_102"},
     tensor<?x?x?xTYPE> {weft.name = "rank3_120"},
     tensor<?x?x?xTYPE> {weft.name = "rank3_201"},
     tensor<?x?x?xTYPE> {weft.name = "rank3_210"},
     tensor<?x?x?x?xTYPE> {weft.name = "rank4_0213"},
     tensor<?x?x?x?xTYPE> {weft.name = "rank4_0231"},
     tensor<?x?x?x?xTYPE> {weft.name = "rank4_3210"},
     tensor<?x?x?x?xTYPE> {weft.name = "rank4_2301"},
     tensor<?x?x?x?xTYPE> {weft.name = "rank4_0312"},
     tensor<?x?x?x?x?xTYPE> {weft.name = "rank5_43210"},
     tensor<?x?x?x?x?xTYPE> {weft.name = "rank5_20143"},
     tensor<?x?x?x?x?xTYPE> {weft.name = "rank5_13204"},
     tensor<17x8xTYPE> {weft.name = "static"}) {
  %rank0 = weft.transpose %s {permutation = array<i64>} : (tensor<TYPE>) -> tensor<TYPE>
  %rank1 = weft.transpose %r {permutation = array<i64: 0>} : (tensor<?xTYPE, #weft.dims<"m">>) -> tensor<?xTYPE>
  %rank2 = weft.transpose %x {permutation = array<i64: 1, 0>} : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %rank3_021 = weft.transpose %y {permutation = array<i64: 0, 2, 1>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %rank3_102 = weft.transpose %y {permutation = array<i64: 1, 0, 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %rank3_120 = weft.transpose %y {permutation = array<i64: 1, 2, 0>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %rank3_201 = weft.transpose %y {permutation = array<i64: 2, 0, 1>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %rank3_210 = weft.transpose %y {permutation = array<i64: 2, 1, 0>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %rank4_0213 = weft.transpose %z {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x2x?x?xTYPE, #weft.dims<"m", 2, "k", "n">>) -> tensor<?x?x?x?xTYPE>
  %rank4_0231 = weft.transpose %z {permutation = array<i64: 0, 2, 3, 1>} : (tensor<?x2x?x?xTYPE, #weft.dims<"m", 2, "k", "n">>) -> tensor<?x?x?x?xTYPE>
  %rank4_3210 = weft.transpose %z {permutation = array<i64: 3, 2, 1, 0>} : (tensor<?x2x?x?xTYPE, #weft.dims<"m", 2, "k", "n">>) -> tensor<?x?x?x?xTYPE>
  %rank4_2301 = weft.transpose %z {permutation = array<i64: 2, 3, 0, 1>} : (tensor<?x2x?x?xTYPE, #weft.dims<"m", 2, "k", "n">>) -> tensor<?x?x?x?xTYPE>
  %rank4_0312 = weft.transpose %z {permutation = array<i64: 0, 3, 1, 2>} : (tensor<?x2x?x?xTYPE, #weft.dims<"m", 2, "k", "n">>) -> tensor<?x?x?x?xTYPE>
  %rank5_43210 = weft.transpose %v {permutation = array<i64: 4, 3, 2, 1, 0>} : (tensor<?x2x1x?x3xTYPE, #weft.dims<"m", 2, 1, "n", 3>>) -> tensor<?x?x?x?x?xTYPE>
  %rank5_20143 = weft.transpose %v {permutation = array<i64: 2, 0, 1, 4, 3>} : (tensor<?x2x1x?x3xTYPE, #weft.dims<"m", 2, 1, "n", 3>>) -> tensor<?x?x?x?x?xTYPE>
  %rank5_13204 = weft.transpose %v {permutation = array<i64: 1, 3, 2, 0, 4>} : (tensor<?x2x1x?x3xTYPE, #weft.dims<"m", 2, 1, "n", 3>>) -> tensor<?x?x?x?x?xTYPE>
  %static = weft.transpose %fixed {permutation = array<i64: 1, 0>} : (tensor<8x17xTYPE>) -> tensor<17x8xTYPE>
  return %rank0, %rank1, %rank2, %rank3_021, %rank3_102, %rank3_120, %rank3_201, %rank3_210, %rank4_0213, %rank4_0231, %rank4_3210, %rank4_2301, %rank4_0312, %rank5_43210, %rank5_20143, %rank5_13204, %static : tensor<TYPE>, tensor<?xTYPE>, tensor<?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?x?xTYPE>, tensor<?x?x?x?x?xTYPE>, tensor<?x?x?x?x?xTYPE>, tensor<17x8xTYPE>
}
