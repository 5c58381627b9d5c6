// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layer normalization from every axis on, with scale and bias of every form that is one for all rows.
// RUN: %python %S/../compare.py %s --element=f32 --atol=1e-3 m=3,n=5,k=7,p=7,q=5 m=1,n=1,k=1,p=1,q=1 m=2,n=65,k=33,p=1,q=65 m=8,n=15,k=16,p=16,q=1 m=129,n=2,k=64,p=1,q=1 m=0,n=3,k=5,p=5,q=3 m=3,n=0,k=5,p=1,q=1 m=3,n=5,k=0,p=1,q=5
// RUN: %python %S/../compare.py %s --element=f64 m=3,n=5,k=7,p=7,q=5 m=2,n=65,k=33,p=1,q=1
// RUN: %python %S/../compare.py %s --element=f16 --rtol=2e-3 --atol=4e-3 m=3,n=5,k=7,p=7,q=5 m=1,n=1,k=1,p=1,q=1 m=2,n=65,k=33,p=1,q=65 m=8,n=15,k=16,p=16,q=1 m=0,n=3,k=5,p=5,q=3
func.func @main(%x: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "x"},
                %g: tensor<?xTYPE, #weft.dims<"k">> {weft.name = "g"},
                %h: tensor<?xTYPE, #weft.dims<"k">> {weft.name = "h"},
                %s: tensor<TYPE> {weft.name = "s"},
                %nk: tensor<?x?xTYPE, #weft.dims<"n", "k">> {weft.name = "nk"},
                %n1: tensor<?x1xTYPE, #weft.dims<"n", 1>> {weft.name = "n1"},
                %full: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "full"},
                %either: tensor<?x?xTYPE, #weft.dims<"q", "p">> {weft.name = "either"},
                %fixed: tensor<?x48xTYPE, #weft.dims<"m", 48>> {weft.name = "fixed"},
                %g48: tensor<48xTYPE> {weft.name = "g48"},
                %ranked: tensor<1x1x?xTYPE, #weft.dims<1, 1, "k">> {weft.name = "ranked"})
  -> (tensor<?x?x?xTYPE> {weft.name = "last"},
     tensor<?x?x?xTYPE> {weft.name = "no_bias"},
     tensor<?x?x?xTYPE> {weft.name = "scalar_scale"},
     tensor<?x?x?xTYPE> {weft.name = "two"},
     tensor<?x?x?xTYPE> {weft.name = "either_"},
     tensor<?x?x?xTYPE> {weft.name = "all"},
     tensor<?x?xTYPE> {weft.name = "static_row"},
     tensor<?x?x?xTYPE> {weft.name = "ranked_"}) {
  %last = weft.layer_norm %x, %g, %h {axis = 2 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?xTYPE, #weft.dims<"k">>, tensor<?xTYPE, #weft.dims<"k">>) -> tensor<?x?x?xTYPE>
  %no_bias = weft.layer_norm %x, %g {axis = 2 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?xTYPE, #weft.dims<"k">>) -> tensor<?x?x?xTYPE>
  %scalar_scale = weft.layer_norm %x, %s, %g {axis = 2 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<TYPE>, tensor<?xTYPE, #weft.dims<"k">>) -> tensor<?x?x?xTYPE>
  %two = weft.layer_norm %x, %nk, %n1 {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?xTYPE, #weft.dims<"n", "k">>, tensor<?x1xTYPE, #weft.dims<"n", 1>>) -> tensor<?x?x?xTYPE>
  %either_ = weft.layer_norm %x, %g, %either {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?xTYPE, #weft.dims<"k">>, tensor<?x?xTYPE, #weft.dims<"q", "p">>) -> tensor<?x?x?xTYPE>
  %all = weft.layer_norm %x, %full, %s {axis = 0 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<TYPE>) -> tensor<?x?x?xTYPE>
  %static_row = weft.layer_norm %fixed, %g48, %g48 {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x48xTYPE, #weft.dims<"m", 48>>, tensor<48xTYPE>, tensor<48xTYPE>) -> tensor<?x?xTYPE>
  %ranked_ = weft.layer_norm %x, %ranked, %ranked {axis = 2 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<1x1x?xTYPE, #weft.dims<1, 1, "k">>, tensor<1x1x?xTYPE, #weft.dims<1, 1, "k">>) -> tensor<?x?x?xTYPE>
  return %last, %no_bias, %scalar_scale, %two, %either_, %all, %static_row, %ranked_ : tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?x?xTYPE>
}
