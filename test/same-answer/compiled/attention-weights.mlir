// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention that gives its weights, too: beside its result and alone, grouped, masked, with rows that have nothing to attend
// to. `keep` may have 1 column or all.
// RUN: sed 's/SCORE/f32/g' %s > %t-f32.mlir
// RUN: sed 's/SCORE/f64/g' %s > %t-f64.mlir
// RUN: %python %S/../compare.py %t-f32.mlir --element=f32 b=2,n=5,m=7,h=6,g=3,d=3,p=7 b=1,n=1,m=1,h=1,g=1,d=1,p=1 b=1,n=131,m=47,h=2,g=2,d=5,p=1 b=1,n=1,m=1031,h=8,g=2,d=8,p=1031 b=1,n=67,m=530,h=4,g=2,d=16,p=530 b=2,n=0,m=3,h=2,g=1,d=2,p=3 b=2,n=3,m=0,h=2,g=1,d=2,p=0 b=0,n=3,m=4,h=2,g=1,d=2,p=1
// RUN: %python %S/../compare.py %t-f32.mlir --element=f32 --special=not-finite b=2,n=5,m=7,h=6,g=3,d=3,p=7 b=1,n=33,m=65,h=4,g=1,d=1,p=1
// RUN: %python %S/../compare.py %t-f64.mlir --element=f64 --rtol=1e-9 --atol=1e-9 b=2,n=5,m=7,h=6,g=3,d=3,p=7 b=1,n=67,m=530,h=4,g=2,d=16,p=1
// RUN: %python %S/../compare.py %t-f32.mlir --element=f16 --rtol=2e-3 --atol=2e-3 b=2,n=5,m=7,h=6,g=3,d=3,p=7 b=1,n=67,m=530,h=4,g=2,d=16,p=1
!q = tensor<?x?x?x?xTYPE, #weft.dims<"b", "h", "n", "d">>
!k = tensor<?x?x?x?xTYPE, #weft.dims<"b", "g", "m", "d">>
!v = tensor<?x?x?x5xTYPE, #weft.dims<"b", "g", "m", 5>>
!result = tensor<?x?x?x5xTYPE, #weft.dims<"b", "h", "n", 5>>
!weights = tensor<?x?x?x?xTYPE, #weft.dims<"b", "h", "n", "m">>
!keep = tensor<?x1x1x?xi1, #weft.dims<"b", 1, 1, "p">>
func.func @main(%q: tensor<?x?x?x?xTYPE, #weft.dims<"b", "h", "n", "d">> {weft.name = "q"},
                %k: tensor<?x?x?x?xTYPE, #weft.dims<"b", "g", "m", "d">> {weft.name = "k"},
                %v: tensor<?x?x?x5xTYPE, #weft.dims<"b", "g", "m", 5>> {weft.name = "v"},
                %keep: tensor<?x1x1x?xi1, #weft.dims<"b", 1, 1, "p">> {weft.name = "keep"})
  -> (!result {weft.name = "plain"}, !weights {weft.name = "plain_weights"}, !weights {weft.name = "causal_weights"},
      !weights {weft.name = "cleared_weights"}, !weights {weft.name = "nan_weights"}) {
  %plain, %plain_weights = weft.attention %q, %k, %v scale(0.25) empty_rows(nan) : (!q, !k, !v) -> !result, !weights
  %causal, %causal_weights = weft.attention %q, %k, %v scale(0.5) empty_rows(zero) score {
  ^bb0(%s: SCORE, %b: index, %h: index, %i: index, %j: index):
    %before = arith.cmpi slt, %j, %i : index
    weft.yield %s, %before : SCORE, i1
  } : (!q, !k, !v) -> !result, !weights
  %cleared, %cleared_weights = weft.attention %q, %k, %v scale(0.3) empty_rows(nan_to_zero) captures(%keep : !keep) score {
  ^bb0(%s: SCORE, %b: index, %h: index, %i: index, %j: index, %e: i1):
    weft.yield %s, %e : SCORE, i1
  } : (!q, !k, !v) -> !result, !weights
  %nan, %nan_weights = weft.attention %q, %k, %v scale(0.3) empty_rows(nan) captures(%keep : !keep) score {
  ^bb0(%s: SCORE, %b: index, %h: index, %i: index, %j: index, %e: i1):
    weft.yield %s, %e : SCORE, i1
  } : (!q, !k, !v) -> !result, !weights
  return %plain, %plain_weights, %causal_weights, %cleared_weights, %nan_weights
    : !result, !weights, !weights, !weights, !weights
}
