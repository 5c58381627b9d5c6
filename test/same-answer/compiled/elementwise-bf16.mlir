// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bf16, which has no NumPy type: its values come from f32 and go there.
// RUN: %python %S/../compare.py %s --rtol=1e-2 --atol=1e-2 m=3,n=5,p=3,q=5 m=1,n=33,p=9,q=1 m=64,n=48,p=1,q=48
// RUN: %python %S/../compare.py %s --special=all --rtol=1e-2 --atol=1e-2 m=3,n=5,p=3,q=5 m=64,n=48,p=1,q=48
func.func @main(%x: tensor<?x?xf32, #weft.dims<"m", "n">> {weft.name = "x"},
                %y: tensor<?x?xf32, #weft.dims<"p", "q">> {weft.name = "y"})
  -> (tensor<?x?xf32> {weft.name = "add"},
     tensor<?x?xf32> {weft.name = "sub"},
     tensor<?x?xf32> {weft.name = "mul"},
     tensor<?x?xf32> {weft.name = "min"},
     tensor<?x?xf32> {weft.name = "max"},
     tensor<?x?xf32> {weft.name = "neg"},
     tensor<?x?xf32> {weft.name = "abs"},
     tensor<?x?xf32> {weft.name = "relu"},
     tensor<?x?xf32> {weft.name = "sigmoid"},
     tensor<?x?xf32> {weft.name = "tanh"},
     tensor<?x?xf32> {weft.name = "erf"},
     tensor<?x?xi1> {weft.name = "lt"},
     tensor<?x?xf32> {weft.name = "where"},
     tensor<?x?xf32> {weft.name = "splat"},
     tensor<?x?xf32> {weft.name = "transpose"},
     tensor<?x?xf32> {weft.name = "concat"},
     tensor<?x?xf32> {weft.name = "trilu"},
     tensor<?x?xi32> {weft.name = "to_int"}) {
  %t0 = weft.cast %x to bf16 : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xbf16>
  %t1 = weft.cast %y to bf16 : (tensor<?x?xf32, #weft.dims<"p", "q">>) -> tensor<?x?xbf16>
  %t2 = weft.add %t0, %t1 : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %add = weft.cast %t2 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %t4 = weft.sub %t0, %t1 : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %sub = weft.cast %t4 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %t6 = weft.mul %t0, %t1 : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %mul = weft.cast %t6 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %t8 = weft.min %t0, %t1 : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %min = weft.cast %t8 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %t10 = weft.max %t0, %t1 : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %max = weft.cast %t10 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %t12 = weft.neg %t0 : (tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %neg = weft.cast %t12 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %t14 = weft.abs %t0 : (tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %abs = weft.cast %t14 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %t16 = weft.relu %t0 : (tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %relu = weft.cast %t16 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %t18 = weft.sigmoid %t0 : (tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %sigmoid = weft.cast %t18 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %t20 = weft.tanh %t0 : (tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %tanh = weft.cast %t20 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %t22 = weft.erf %t0 : (tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %erf = weft.cast %t22 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %lt = weft.compare lt %t0, %t1 : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xi1>
  %t25 = weft.where %lt, %t0, %t1 : (tensor<?x?xi1>, tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %where = weft.cast %t25 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %half = weft.constant dense<0.5> : tensor<bf16>
  %t27 = weft.mul %half, %t0 : (tensor<bf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %splat = weft.cast %t27 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %t29 = weft.transpose %t0 {permutation = array<i64: 1, 0>} : (tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %transpose = weft.cast %t29 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %t31 = weft.concat %t0, %t0 {axis = 1 : i64} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %concat = weft.cast %t31 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %t33 = weft.trilu %t0 {diagonal = 0 : i64} : (tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %trilu = weft.cast %t33 to f32 : (tensor<?x?xbf16>) -> tensor<?x?xf32>
  %to_int = weft.cast %t0 to i32 : (tensor<?x?xbf16>) -> tensor<?x?xi32>
  return %add, %sub, %mul, %min, %max, %neg, %abs, %relu, %sigmoid, %tanh, %erf, %lt, %where, %splat, %transpose, %concat, %trilu, %to_int : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xi1>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xi32>
}
