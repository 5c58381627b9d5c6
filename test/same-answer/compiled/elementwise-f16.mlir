// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f16 and bf16 are computed in f32 and rounded.
// RUN: %python %S/../compare.py %s --element=f16 --rtol=2e-3 --atol=2e-3 m=3,n=5,p=3,q=5 m=1,n=33,p=9,q=1 m=64,n=48,p=1,q=48
func.func @main(%a: tensor<?x?xTYPE, #weft.dims<"m", "n">> {weft.name = "a"},
                %b: tensor<?x?xTYPE, #weft.dims<"p", "q">> {weft.name = "b"})
  -> (tensor<?x?xTYPE> {weft.name = "add"},
     tensor<?x?xTYPE> {weft.name = "sub"},
     tensor<?x?xTYPE> {weft.name = "mul"},
     tensor<?x?xTYPE> {weft.name = "min"},
     tensor<?x?xTYPE> {weft.name = "max"},
     tensor<?x?xTYPE> {weft.name = "neg"},
     tensor<?x?xTYPE> {weft.name = "abs"},
     tensor<?x?xTYPE> {weft.name = "relu"},
     tensor<?x?xTYPE> {weft.name = "sigmoid"},
     tensor<?x?xTYPE> {weft.name = "tanh"},
     tensor<?x?xTYPE> {weft.name = "erf"},
     tensor<?x?xi1> {weft.name = "lt"},
     tensor<?x?xTYPE> {weft.name = "where"},
     tensor<?x?xTYPE> {weft.name = "splat"},
     tensor<?x?xTYPE> {weft.name = "transpose"},
     tensor<?x?xTYPE> {weft.name = "concat"}) {
  %add = weft.add %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %sub = weft.sub %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %mul = weft.mul %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %min = weft.min %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %max = weft.max %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %neg = weft.neg %a : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %abs = weft.abs %a : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %relu = weft.relu %a : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %sigmoid = weft.sigmoid %a : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %tanh = weft.tanh %a : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %erf = weft.erf %a : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %lt = weft.compare lt %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xi1>
  %where = weft.where %lt, %a, %b : (tensor<?x?xi1>, tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %half = weft.constant dense<0.5> : tensor<TYPE>
  %splat = weft.mul %half, %a : (tensor<TYPE>, tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %transpose = weft.transpose %a {permutation = array<i64: 1, 0>} : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %concat = weft.concat %a, %a {axis = 1 : i64} : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  return %add, %sub, %mul, %min, %max, %neg, %abs, %relu, %sigmoid, %tanh, %erf, %lt, %where, %splat, %transpose, %concat : tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xi1>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>
}
