// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views: reshape with -1 and 0, squeeze, unsqueeze; also of and into rank 0, and returned side by side with what they view.
// RUN: %python %S/../compare.py %s --element=f32 m=3,n=5,k=4 m=1,n=1,k=1 m=0,n=3,k=2 m=17,n=49,k=8
// RUN: %python %S/../compare.py %s --element=i64 m=3,n=5,k=4 m=1,n=1,k=1 m=0,n=3,k=2 m=17,n=49,k=8
// RUN: %python %S/../compare.py %s --element=i1 m=3,n=5,k=4 m=1,n=1,k=1 m=0,n=3,k=2 m=17,n=49,k=8
func.func @main(%x: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "x"},
                %row: tensor<?xTYPE, #weft.dims<"n">> {weft.name = "row"},
                %s: tensor<TYPE> {weft.name = "s"},
                %unit: tensor<?x1x?x1xTYPE, #weft.dims<"m", 1, "n", 1>> {weft.name = "unit"},
                %four: tensor<4xTYPE> {weft.name = "four"})
  -> (tensor<?xTYPE> {weft.name = "flat"},
     tensor<?xTYPE> {weft.name = "same"},
     tensor<?x?xTYPE> {weft.name = "from_scalar"},
     tensor<?x?xTYPE> {weft.name = "squeezed"},
     tensor<?x?x?xTYPE> {weft.name = "unsqueezed"},
     tensor<?xTYPE> {weft.name = "again"},
     tensor<?x?x?xTYPE> {weft.name = "moved"},
     tensor<?x?xTYPE> {weft.name = "view_of_moved"},
     tensor<?x?x?x?xTYPE> {weft.name = "view2_of_moved"}) {
  %all = weft.constant dense<[-1]> : tensor<1xi64>
  %keep = weft.constant dense<[0, -1]> : tensor<2xi64>
  %ones = weft.constant dense<[1, 1]> : tensor<2xi64>
  %none = weft.constant dense<> : tensor<0xi64>
  %split = weft.constant dense<[0, 0, 2, -1]> : tensor<4xi64>
  %flat = weft.reshape %x, %all : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<1xi64>) -> tensor<?xTYPE>
  %same = weft.reshape %row, %all : (tensor<?xTYPE, #weft.dims<"n">>, tensor<1xi64>) -> tensor<?xTYPE>
  %from_scalar = weft.reshape %s, %ones : (tensor<TYPE>, tensor<2xi64>) -> tensor<?x?xTYPE>
  %squeezed = weft.squeeze %unit {axes = array<i64: 1, 3>} : (tensor<?x1x?x1xTYPE, #weft.dims<"m", 1, "n", 1>>) -> tensor<?x?xTYPE>
  %unsqueezed = weft.unsqueeze %row {axes = array<i64: 0, 2>} : (tensor<?xTYPE, #weft.dims<"n">>) -> tensor<?x?x?xTYPE>
  %again = weft.reshape %flat, %all : (tensor<?xTYPE>, tensor<1xi64>) -> tensor<?xTYPE>
  %moved = weft.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %view_of_moved = weft.reshape %moved, %keep : (tensor<?x?x?xTYPE>, tensor<2xi64>) -> tensor<?x?xTYPE>
  %view2_of_moved = weft.unsqueeze %moved {axes = array<i64: 0>} : (tensor<?x?x?xTYPE>) -> tensor<?x?x?x?xTYPE>
  return %flat, %same, %from_scalar, %squeezed, %unsqueezed, %again, %moved, %view_of_moved, %view2_of_moved : tensor<?xTYPE>, tensor<?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?x?x?xTYPE>
}
