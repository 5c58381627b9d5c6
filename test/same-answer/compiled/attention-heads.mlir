// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heads of unknown width and wide ones: queries and keys, or values, or both; of many queries and of few, over parts of
// the keys, with a mask and query heads that share keys.
// RUN: sed 's/SCORE/f32/g' %s > %t-f32.mlir && sed 's/SCORE/f64/g' %s > %t-f64.mlir
// RUN: %python %S/../compare.py %t-f32.mlir --element=f32 n=5,m=7,d=3,e=5 n=1,m=1,d=1,e=1 n=40,m=70,d=70,e=300 n=1,m=300,d=130,e=20 n=2,m=0,d=5,e=3 n=3,m=4,d=0,e=2
// RUN: %python %S/../compare.py %t-f64.mlir --element=f64 --rtol=1e-9 --atol=1e-9 n=17,m=40,d=65,e=257
!k = tensor<2x2x?x?xTYPE, #weft.dims<2, 2, "m", "d">>
!v = tensor<2x2x?x?xTYPE, #weft.dims<2, 2, "m", "e">>
!result = tensor<2x4x?x?xTYPE, #weft.dims<2, 4, "n", "e">>
!k24 = tensor<1x1x?x24xTYPE, #weft.dims<1, 1, "m", 24>>
!k520 = tensor<1x1x?x520xTYPE, #weft.dims<1, 1, "m", 520>>
!v1 = tensor<1x1x?x?xTYPE, #weft.dims<1, 1, "m", "e">>
func.func @main(%q: tensor<2x4x?x?xTYPE, #weft.dims<2, 4, "n", "d">> {weft.name = "q"}, %k: tensor<2x2x?x?xTYPE, #weft.dims<2, 2, "m", "d">> {weft.name = "k"}, %v: tensor<2x2x?x?xTYPE, #weft.dims<2, 2, "m", "e">> {weft.name = "v"},
                %one: tensor<2x4x1x?xTYPE, #weft.dims<2, 4, 1, "d">> {weft.name = "one"},
                %q24: tensor<1x1x?x24xTYPE, #weft.dims<1, 1, "n", 24>> {weft.name = "q24"}, %k24: tensor<1x1x?x24xTYPE, #weft.dims<1, 1, "m", 24>> {weft.name = "k24"}, %v1: tensor<1x1x?x?xTYPE, #weft.dims<1, 1, "m", "e">> {weft.name = "v1"},
                %q520: tensor<1x1x?x520xTYPE, #weft.dims<1, 1, "n", 520>> {weft.name = "q520"}, %k520: tensor<1x1x?x520xTYPE, #weft.dims<1, 1, "m", 520>> {weft.name = "k520"})
  -> (tensor<2x4x?x?xTYPE, #weft.dims<2, 4, "n", "e">> {weft.name = "causal"}, tensor<2x4x1x?xTYPE, #weft.dims<2, 4, 1, "e">> {weft.name = "token"},
      tensor<1x1x?x?xTYPE, #weft.dims<1, 1, "n", "e">> {weft.name = "columns"}, tensor<1x1x?x520xTYPE, #weft.dims<1, 1, "n", 520>> {weft.name = "wide"}) {
  %causal = weft.attention %q, %k, %v scale(0.3) empty_rows(zero) score {
  ^bb0(%s: SCORE, %b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    weft.yield %s, %keep : SCORE, i1
  } : (tensor<2x4x?x?xTYPE, #weft.dims<2, 4, "n", "d">>, !k, !v) -> !result
  %token = weft.attention %one, %k, %v scale(0.3) empty_rows(zero) : (tensor<2x4x1x?xTYPE, #weft.dims<2, 4, 1, "d">>, !k, !v) -> tensor<2x4x1x?xTYPE, #weft.dims<2, 4, 1, "e">>
  %columns = weft.attention %q24, %k24, %v1 scale(0.3) empty_rows(zero) : (tensor<1x1x?x24xTYPE, #weft.dims<1, 1, "n", 24>>, !k24, !v1) -> tensor<1x1x?x?xTYPE, #weft.dims<1, 1, "n", "e">>
  %wide = weft.attention %q520, %k520, %k520 scale(0.05) empty_rows(zero) : (tensor<1x1x?x520xTYPE, #weft.dims<1, 1, "n", 520>>, !k520, !k520) -> tensor<1x1x?x520xTYPE, #weft.dims<1, 1, "n", 520>>
  return %causal, %token, %columns, %wide : !result, tensor<2x4x1x?xTYPE, #weft.dims<2, 4, 1, "e">>, tensor<1x1x?x?xTYPE, #weft.dims<1, 1, "n", "e">>, tensor<1x1x?x520xTYPE, #weft.dims<1, 1, "n", 520>>
}
