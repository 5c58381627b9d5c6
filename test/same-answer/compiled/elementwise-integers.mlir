// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every element-wise operation of integers: they wrap, and a division never traps.
// RUN: %python %S/../compare.py %s --element=i8 m=3,n=5,p=3,q=5 m=1,n=33,p=9,q=1 m=130,n=65,p=130,q=1 m=0,n=5,p=1,q=5
// RUN: %python %S/../compare.py %s --element=i16 m=3,n=5,p=3,q=5 m=1,n=33,p=9,q=1 m=130,n=65,p=130,q=1 m=0,n=5,p=1,q=5
// RUN: %python %S/../compare.py %s --element=i32 m=3,n=5,p=3,q=5 m=1,n=33,p=9,q=1 m=130,n=65,p=130,q=1 m=0,n=5,p=1,q=5
// RUN: %python %S/../compare.py %s --element=i64 m=3,n=5,p=3,q=5 m=1,n=33,p=9,q=1 m=130,n=65,p=130,q=1 m=0,n=5,p=1,q=5
// RUN: %python %S/../compare.py %s --element=ui8 m=3,n=5,p=3,q=5 m=1,n=33,p=9,q=1 m=130,n=65,p=130,q=1 m=0,n=5,p=1,q=5
// RUN: %python %S/../compare.py %s --element=ui16 m=3,n=5,p=3,q=5 m=1,n=33,p=9,q=1 m=130,n=65,p=130,q=1 m=0,n=5,p=1,q=5
// RUN: %python %S/../compare.py %s --element=ui32 m=3,n=5,p=3,q=5 m=1,n=33,p=9,q=1 m=130,n=65,p=130,q=1 m=0,n=5,p=1,q=5
// RUN: %python %S/../compare.py %s --element=ui64 m=3,n=5,p=3,q=5 m=1,n=33,p=9,q=1 m=130,n=65,p=130,q=1 m=0,n=5,p=1,q=5
func.func @main(%a: tensor<?x?xTYPE, #weft.dims<"m", "n">> {weft.name = "a"},
                %b: tensor<?x?xTYPE, #weft.dims<"p", "q">> {weft.name = "b"},
                %row: tensor<?xTYPE, #weft.dims<"q">> {weft.name = "row"},
                %scalar: tensor<TYPE> {weft.name = "scalar"})
  -> (tensor<?x?xTYPE> {weft.name = "add"},
     tensor<?x?xTYPE> {weft.name = "sub"},
     tensor<?x?xTYPE> {weft.name = "mul"},
     tensor<?x?xTYPE> {weft.name = "div"},
     tensor<?x?xTYPE> {weft.name = "rem"},
     tensor<?x?xTYPE> {weft.name = "min"},
     tensor<?x?xTYPE> {weft.name = "max"},
     tensor<?x?xTYPE> {weft.name = "pow"},
     tensor<?x?xTYPE> {weft.name = "neg"},
     tensor<?x?xTYPE> {weft.name = "abs"},
     tensor<?x?xTYPE> {weft.name = "relu"},
     tensor<?x?xi1> {weft.name = "eq"},
     tensor<?x?xi1> {weft.name = "lt"},
     tensor<?x?xi1> {weft.name = "le"},
     tensor<?x?xi1> {weft.name = "gt"},
     tensor<?x?xi1> {weft.name = "ge"},
     tensor<?x?xTYPE> {weft.name = "where"},
     tensor<?x?xTYPE> {weft.name = "scalar_first"},
     tensor<?x?xTYPE> {weft.name = "splat"},
     tensor<?x?xTYPE> {weft.name = "splat_first"}) {
  %add = weft.add %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %sub = weft.sub %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %mul = weft.mul %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %div = weft.div %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %rem = weft.rem %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %min = weft.min %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %max = weft.max %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %pow = weft.pow %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xTYPE>
  %neg = weft.neg %a : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %abs = weft.abs %a : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %relu = weft.relu %a : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %eq = weft.compare eq %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xi1>
  %lt = weft.compare lt %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xi1>
  %le = weft.compare le %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xi1>
  %gt = weft.compare gt %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xi1>
  %ge = weft.compare ge %a, %b : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?x?xTYPE, #weft.dims<"p", "q">>) -> tensor<?x?xi1>
  %where = weft.where %lt, %a, %row : (tensor<?x?xi1>, tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<?xTYPE, #weft.dims<"q">>) -> tensor<?x?xTYPE>
  %scalar_first = weft.sub %scalar, %a : (tensor<TYPE>, tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %three = weft.constant dense<3> : tensor<TYPE>
  %splat = weft.div %a, %three : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<TYPE>) -> tensor<?x?xTYPE>
  %splat_first = weft.max %three, %a : (tensor<TYPE>, tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  return %add, %sub, %mul, %div, %rem, %min, %max, %pow, %neg, %abs, %relu, %eq, %lt, %le, %gt, %ge, %where, %scalar_first, %splat, %splat_first : tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>
}
