// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention in loops: written as products and a softmax, of which the pass makes one, over keys that are captured, and what comes of it asks in
// the next iteration; and with masks: one that is captured and read behind the loop, too, and one that is a state, which is all of one number.
// RUN: %python %S/../compare.py %s --element=f32 t=3,n=5,m=7 t=0,n=3,m=2 t=1,n=1,m=1 t=2,n=70,m=130 t=4,n=0,m=5 t=2,n=4,m=64
// RUN: %python %S/../compare.py %s --element=f64 t=3,n=5,m=7
// RUN: sed -e "s/score: TYPE/score: f32/" -e "s/ : TYPE, i1/ : f32, i1/" %s > %t.f16.mlir
// RUN: %python %S/../compare.py %t.f16.mlir --element=f16 --rtol=2e-2 --atol=2e-2 t=3,n=5,m=7
// RUN: sed s/TYPE/f32/g %s > %t.mlir
// RUN: weft compile %t.mlir --from=import --require-fusion=1 --to=graph -o %t.graph.mlir
// RUN: FileCheck %s < %t.graph.mlir
// CHECK: weft.loop
// CHECK-COUNT-3: weft.attention
// CHECK: weft.yield
!q = tensor<2x4x?x8xTYPE, #weft.dims<2, 4, "n", 8>>
!qs = tensor<?x2x4x?x8xTYPE, #weft.dims<"t", 2, 4, "n", 8>>
!k = tensor<2x4x?x8xTYPE, #weft.dims<2, 4, "m", 8>>
!turned = tensor<2x4x8x?xTYPE, #weft.dims<2, 4, 8, "m">>
!scores = tensor<2x4x?x?xTYPE, #weft.dims<2, 4, "n", "m">>
!mask = tensor<2x1x?x?xi1, #weft.dims<2, 1, "n", "m">>
func.func @main(%qs: tensor<?x2x4x?x8xTYPE, #weft.dims<"t", 2, 4, "n", 8>> {weft.name = "qs"}, %q: tensor<2x4x?x8xTYPE, #weft.dims<2, 4, "n", 8>> {weft.name = "q"},
                %k: tensor<2x4x?x8xTYPE, #weft.dims<2, 4, "m", 8>> {weft.name = "k"}, %v: tensor<2x4x?x8xTYPE, #weft.dims<2, 4, "m", 8>> {weft.name = "v"},
                %mask: tensor<2x1x?x?xi1, #weft.dims<2, 1, "n", "m">> {weft.name = "mask"}, %coarse: tensor<2x1x1x1xi1> {weft.name = "coarse"}, %some: tensor<2x1x1x1xi1> {weft.name = "some"})
  -> (!q {weft.name = "asked"}, !qs {weft.name = "by_state"}, !qs {weft.name = "by_capture"}, !mask {weft.name = "mask_behind"}, !q {weft.name = "behind"},
      !q {weft.name = "changed"}) {
  %trips = weft.shape %qs {start = 0 : i64, end = 1 : i64} : (!qs) -> tensor<1xi64>
  %blocks = weft.shape %mask {start = 0 : i64, end = 4 : i64} : (!mask) -> tensor<4xi64>
  %first = weft.expand %coarse, %blocks : (tensor<2x1x1x1xi1>, tensor<4xi64>) -> !mask
  %r:4 = weft.loop trips(%trips : tensor<1xi64>) states(%q, %first : !q, !mask) captures(%qs, %k, %v, %mask, %some : !qs, !k, !k, !mask, tensor<2x1x1x1xi1>) {
  ^bb0(%i: tensor<i64>, %state: !q, %open: !mask, %all: !qs, %keys: !k, %values: !k, %fixed: !mask, %row: tensor<2x1x1x1xi1>):
    %scale = weft.constant dense<0.35> : tensor<TYPE>
    %t = weft.transpose %keys {permutation = array<i64: 0, 1, 3, 2>} : (!k) -> !turned
    %product = weft.matmul %state, %t : (!q, !turned) -> !scores
    %scaled = weft.mul %product, %scale : (!scores, tensor<TYPE>) -> !scores
    %weights = weft.softmax %scaled {axis = 3 : i64} : (!scores) -> !scores
    %y = weft.matmul %weights, %values : (!scores, !k) -> !q
    %new = weft.gather %all, %i {axis = 0 : i64} : (!qs, tensor<i64>) -> !q
    %sum = weft.add %y, %new : (!q, !q) -> !q
    %next = weft.tanh %sum : (!q) -> !q
    %z = weft.attention %next, %keys, %values scale(0.5) empty_rows(zero) captures(%open : !mask) score {
    ^bb0(%score: TYPE, %b: index, %h: index, %a: index, %j: index, %o: i1):
      weft.yield %score, %o : TYPE, i1
    } : (!q, !k, !k) -> !q
    %w = weft.attention %next, %keys, %values scale(0.5) empty_rows(zero) captures(%fixed : !mask) score {
    ^bb0(%score: TYPE, %b: index, %h: index, %a: index, %j: index, %f: i1):
      weft.yield %score, %f : TYPE, i1
    } : (!q, !k, !k) -> !q
    %changed = weft.compare eq %open, %row : (!mask, tensor<2x1x1x1xi1>) -> !mask
    weft.yield %next, %changed, %z, %w : !q, !mask, !q, !q
  } -> (!q, !mask, !qs, !qs)
  %behind = weft.attention %r#0, %k, %v scale(0.5) empty_rows(zero) captures(%mask : !mask) score {
  ^bb0(%score: TYPE, %b: index, %h: index, %a: index, %j: index, %m: i1):
    weft.yield %score, %m : TYPE, i1
  } : (!q, !k, !k) -> !q
  %changed = weft.attention %r#0, %k, %v scale(0.5) empty_rows(zero) captures(%r#1 : !mask) score {
  ^bb0(%score: TYPE, %b: index, %h: index, %a: index, %j: index, %m: i1):
    weft.yield %score, %m : TYPE, i1
  } : (!q, !k, !k) -> !q
  return %r#0, %r#2, %r#3, %r#1, %behind, %changed : !q, !qs, !qs, !mask, !q, !q
}
