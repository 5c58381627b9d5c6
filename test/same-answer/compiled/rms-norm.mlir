// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Root mean square normalization from every axis on, with a scale of every form that is one for all rows.
// RUN: %python %S/../compare.py %s --element=f32 m=3,n=5,k=7,p=7,q=5 m=1,n=1,k=1,p=1,q=1 m=2,n=65,k=33,p=1,q=65 m=8,n=15,k=16,p=16,q=1 m=129,n=2,k=64,p=1,q=1 m=0,n=3,k=5,p=5,q=3 m=3,n=0,k=5,p=1,q=1 m=3,n=5,k=0,p=1,q=5
// RUN: %python %S/../compare.py %s --element=f64 m=3,n=5,k=7,p=7,q=5 m=2,n=65,k=33,p=1,q=1
// RUN: %python %S/../compare.py %s --element=f16 --rtol=2e-3 --atol=2e-3 m=3,n=5,k=7,p=7,q=5 m=2,n=65,k=33,p=1,q=1
func.func @main(%x: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "x"},
                %g: tensor<?xTYPE, #weft.dims<"k">> {weft.name = "g"},
                %s: tensor<TYPE> {weft.name = "s"},
                %nk: tensor<?x?xTYPE, #weft.dims<"n", "k">> {weft.name = "nk"},
                %full: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "full"},
                %either: tensor<?x?xTYPE, #weft.dims<"q", "p">> {weft.name = "either"},
                %fixed: tensor<?x48xTYPE, #weft.dims<"m", 48>> {weft.name = "fixed"},
                %g48: tensor<48xTYPE> {weft.name = "g48"},
                %ranked: tensor<1x1x?xTYPE, #weft.dims<1, 1, "k">> {weft.name = "ranked"})
  -> (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "last_out"},
     tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "scalar_out"},
     tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "two_out"},
     tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "two_by_row_out"},
     tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "either__out"},
     tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "all_out"},
     tensor<?x48xTYPE, #weft.dims<"m", 48>> {weft.name = "static_row_out"},
     tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "ranked__out"}) {
  %last = weft.rms_norm %x, %g {axis = 2 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?xTYPE, #weft.dims<"k">>) -> tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>
  %scalar = weft.rms_norm %x, %s {axis = 2 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<TYPE>) -> tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>
  %two = weft.rms_norm %x, %nk {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?xTYPE, #weft.dims<"n", "k">>) -> tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>
  %two_by_row = weft.rms_norm %x, %g {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?xTYPE, #weft.dims<"k">>) -> tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>
  %either_ = weft.rms_norm %x, %either {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?xTYPE, #weft.dims<"q", "p">>) -> tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>
  %all = weft.rms_norm %x, %full {axis = 0 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>
  %static_row = weft.rms_norm %fixed, %g48 {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x48xTYPE, #weft.dims<"m", 48>>, tensor<48xTYPE>) -> tensor<?x48xTYPE, #weft.dims<"m", 48>>
  %ranked_ = weft.rms_norm %x, %ranked {axis = 2 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<1x1x?xTYPE, #weft.dims<1, 1, "k">>) -> tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>
  return %last, %scalar, %two, %two_by_row, %either_, %all, %static_row, %ranked_ : tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x48xTYPE, #weft.dims<"m", 48>>, tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>
}
