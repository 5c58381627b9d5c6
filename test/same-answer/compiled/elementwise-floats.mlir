// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every element-wise operation of floats, each dim under its own symbol: equal, or 1 on either side at run time.
// RUN: %python %S/../compare.py %s --element=f32 m=3,n=5,p=3,q=5 m=1,n=7,p=31,q=7 m=31,n=7,p=1,q=7 m=13,n=1,p=13,q=17 m=13,n=17,p=13,q=1 m=1,n=33,p=9,q=1 m=1,n=1,p=1,q=1 m=0,n=5,p=1,q=5 m=5,n=1,p=5,q=0 m=127,n=65,p=1,q=65
// RUN: %python %S/../compare.py %s --element=f64 m=3,n=5,p=3,q=5 m=1,n=7,p=31,q=7 m=31,n=7,p=1,q=7 m=13,n=1,p=13,q=17 m=13,n=17,p=13,q=1 m=1,n=33,p=9,q=1 m=1,n=1,p=1,q=1 m=0,n=5,p=1,q=5 m=5,n=1,p=5,q=0 m=127,n=65,p=1,q=65
// RUN: %python %S/../compare.py %s --element=f32 --special=all m=3,n=5,p=3,q=5 m=1,n=67,p=31,q=67
// RUN: %python %S/../compare.py %s --element=f64 --special=all m=3,n=5,p=3,q=5 m=1,n=67,p=31,q=67
func.func @main(%a: tensor<?x?xTYPE, #weft.dims<"m", "n">> {weft.name = "a"},
                %b: tensor<?x?xTYPE, #weft.dims<"p", "q">> {weft.name = "b"},
                %row: tensor<?xTYPE, #weft.dims<"q">> {weft.name = "row"},
                %scalar: tensor<TYPE> {weft.name = "scalar"})
  -> (tensor<?x?xTYPE> {weft.name = "add"},
     tensor<?x?xTYPE> {weft.name = "sub"},
     tensor<?x?xTYPE> {weft.name = "mul"},
     tensor<?x?xTYPE> {weft.name = "div"},
     tensor<?x?xTYPE> {weft.name = "min"},
     tensor<?x?xTYPE> {weft.name = "max"},
     tensor<?x?xTYPE> {weft.name = "abs"},
     tensor<?x?xTYPE> {weft.name = "pow"},
     tensor<?x?xTYPE> {weft.name = "rem"},
     tensor<?x?xTYPE> {weft.name = "neg"},
     tensor<?x?xTYPE> {weft.name = "sqrt"},
     tensor<?x?xTYPE> {weft.name = "exp"},
     tensor<?x?xTYPE> {weft.name = "log"},
     tensor<?x?xTYPE> {weft.name = "sigmoid"},
     tensor<?x?xTYPE> {weft.name = "reciprocal"},
     tensor<?x?xTYPE> {weft.name = "relu"},
     tensor<?x?xi1> {weft.name = "eq"},
     tensor<?x?xi1> {weft.name = "lt"},
     tensor<?x?xi1> {weft.name = "le"},
     tensor<?x?xi1> {weft.name = "gt"},
     tensor<?x?xi1> {weft.name = "ge"},
     tensor<?x?xTYPE> {weft.name = "where"},
     tensor<?x?xTYPE> {weft.name = "row_first"},
     tensor<?x?xTYPE> {weft.name = "scaled"},
     tensor<TYPE> {weft.name = "rank0"},
     tensor<?x?xTYPE> {weft.name = "splat"},
     tensor<?x?x?xTYPE> {weft.name = "splat_adds_dim"}) {
  %add = weft.add %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %sub = weft.sub %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %mul = weft.mul %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %div = weft.div %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %min = weft.min %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %max = weft.max %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %abs = weft.abs %a : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %pow = weft.pow %abs, %b : (tensor<?x?xTYPE>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %rem = weft.rem %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %neg = weft.neg %a : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %sqrt = weft.sqrt %a : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %exp = weft.exp %a : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %log = weft.log %a : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %sigmoid = weft.sigmoid %a : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %reciprocal = weft.reciprocal %a : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %relu = weft.relu %a : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %eq = weft.compare eq %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xi1>
  %lt = weft.compare lt %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xi1>
  %le = weft.compare le %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xi1>
  %gt = weft.compare gt %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xi1>
  %ge = weft.compare ge %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xi1>
  %where = weft.where %lt, %a, %row : (tensor<?x?xi1>, tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?xTYPE, #weft.dims<"q">>) -> tensor<?x?xTYPE>
  %row_first = weft.add %row, %a : (tensor<?xTYPE, #weft.dims<"q">>, tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %scaled = weft.mul %b, %scalar : (tensor<?x?xTYPE, #weft.dims<"p", "q">>, tensor<TYPE>) -> tensor<?x?xTYPE>
  %rank0 = weft.exp %scalar : (tensor<TYPE>) -> tensor<TYPE>
  %half = weft.constant dense<0.5> : tensor<TYPE>
  %ones = weft.constant dense<1.0> : tensor<1x1x1xTYPE>
  %splat = weft.mul %half, %a : (tensor<TYPE>, tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %splat_adds_dim = weft.sub %ones, %b : (tensor<1x1x1xTYPE>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?x?xTYPE>
  return %add, %sub, %mul, %div, %min, %max, %abs, %pow, %rem, %neg, %sqrt, %exp, %log, %sigmoid, %reciprocal, %relu, %eq, %lt, %le, %gt, %ge, %where, %row_first, %scaled, %rank0, %splat, %splat_adds_dim : tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<TYPE>, tensor<?x?xTYPE>, tensor<?x?x?xTYPE>
}
