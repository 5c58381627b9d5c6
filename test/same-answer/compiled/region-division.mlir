// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer divisions in regions: real zeros among the divisors, and lanes beyond the end of a row, never trap.
// RUN: %python %S/../compare.py %s --element=i32 n=1,m=1 n=3,m=17 n=5,m=70
// RUN: %python %S/../compare.py %s --element=i64 n=1,m=3 n=3,m=16 n=5,m=260
func.func @main(%q: tensor<?x4xf32, #weft.dims<"n", 4>> {weft.name = "q"}, %k: tensor<4x?xf32, #weft.dims<4, "m">> {weft.name = "k"},
                %heads: tensor<1x1x?x4xf32, #weft.dims<1, 1, "n", 4>> {weft.name = "heads"}, %keys: tensor<1x1x?x4xf32, #weft.dims<1, 1, "m", 4>> {weft.name = "keys"},
                %u: tensor<?xTYPE, #weft.dims<"m">> {weft.name = "u"})
  -> (tensor<?x?xf32, #weft.dims<"n", "m">> {weft.name = "sums"}, tensor<1x1x?x4xf32, #weft.dims<1, 1, "n", 4>> {weft.name = "means"}) {
  %sums = weft.matmul %q, %k captures(%u : tensor<?xTYPE, #weft.dims<"m">>) epilogue {
  ^bb0(%s: f32, %o: TYPE):
    %seven = arith.constant -7 : TYPE
    %quotient = arith.divsi %seven, %o : TYPE
    %rest = arith.remsi %seven, %o : TYPE
    %large = arith.divui %seven, %o : TYPE
    %least = arith.remui %seven, %o : TYPE
    %a = arith.addi %quotient, %rest : TYPE
    %b = arith.xori %large, %least : TYPE
    %c = arith.addi %a, %b : TYPE
    %number = arith.sitofp %c : TYPE to f32
    %sum = arith.addf %s, %number : f32
    weft.yield %sum : f32
  } : (tensor<?x4xf32, #weft.dims<"n", 4>>, tensor<4x?xf32, #weft.dims<4, "m">>) -> tensor<?x?xf32, #weft.dims<"n", "m">>
  %means = weft.attention %heads, %keys, %keys scale(0.5) empty_rows(nan) captures(%u : tensor<?xTYPE, #weft.dims<"m">>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %o: TYPE):
    %place = arith.index_cast %j : index to TYPE
    %quotient = arith.divsi %place, %o : TYPE
    %number = arith.sitofp %quotient : TYPE to f32
    %sum = arith.addf %s, %number : f32
    %keep = arith.constant true
    weft.yield %sum, %keep : f32, i1
  } : (tensor<1x1x?x4xf32, #weft.dims<1, 1, "n", 4>>, tensor<1x1x?x4xf32, #weft.dims<1, 1, "m", 4>>, tensor<1x1x?x4xf32, #weft.dims<1, 1, "m", 4>>) -> tensor<1x1x?x4xf32, #weft.dims<1, 1, "n", 4>>
  return %sums, %means : tensor<?x?xf32, #weft.dims<"n", "m">>, tensor<1x1x?x4xf32, #weft.dims<1, 1, "n", 4>>
}
