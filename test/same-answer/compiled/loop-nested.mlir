// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops in loops: the state of the outer one is what the inner one begins with, and captures, too; what the inner one leaves behind, the outer
// one does; an inner one that sees its number of iterations through two captures, and one that runs no time or once.
// RUN: %python %S/../compare.py %s --element=f32 n=5,m=7 n=0,m=3 n=1,m=1 n=2,m=0 n=3,m=130 n=33,m=2
// RUN: %python %S/../compare.py %s --element=f64 n=5,m=7 n=1,m=33
// RUN: %python %S/../compare.py %s --element=i64 n=5,m=7 n=0,m=3
// RUN: %python %S/../compare.py %s --element=ui8 n=5,m=7
!rows = tensor<?x?xTYPE, #weft.dims<"n", "m">>
!row = tensor<?xTYPE, #weft.dims<"m">>
func.func @main(%x: tensor<?x?xTYPE, #weft.dims<"n", "m">> {weft.name = "x"}, %s: tensor<?xTYPE, #weft.dims<"m">> {weft.name = "s"})
  -> (tensor<TYPE> {weft.name = "total"}, !rows {weft.name = "totals"}, !row {weft.name = "last"}, tensor<?x?x?xTYPE> {weft.name = "cube"},
      tensor<?x?xi64> {weft.name = "numbers"}, !row {weft.name = "swapped"}, !row {weft.name = "swapped_too"}, !rows {weft.name = "deep"}) {
  %n = weft.shape %x {start = 0 : i64, end = 1 : i64} : (!rows) -> tensor<1xi64>
  %m = weft.shape %x {start = 1 : i64, end = 2 : i64} : (!rows) -> tensor<1xi64>
  %one = weft.constant dense<1> : tensor<i64>
  %begin = weft.cast %one to TYPE : (tensor<i64>) -> tensor<TYPE>
  // Sums of elements, and less what the row began with.
  %r:2 = weft.loop trips(%n : tensor<1xi64>) states(%begin : tensor<TYPE>) captures(%x, %m : !rows, tensor<1xi64>) {
  ^bb0(%i: tensor<i64>, %t: tensor<TYPE>, %all: !rows, %columns: tensor<1xi64>):
    %e = weft.gather %all, %i {axis = 0 : i64} : (!rows, tensor<i64>) -> !row
    %w:2 = weft.loop trips(%columns : tensor<1xi64>) states(%t : tensor<TYPE>) captures(%e, %t : !row, tensor<TYPE>) {
    ^bb0(%j: tensor<i64>, %u: tensor<TYPE>, %elements: !row, %outer: tensor<TYPE>):
      %f = weft.gather %elements, %j {axis = 0 : i64} : (!row, tensor<i64>) -> tensor<TYPE>
      %v = weft.add %u, %f : (tensor<TYPE>, tensor<TYPE>) -> tensor<TYPE>
      %o = weft.sub %v, %outer : (tensor<TYPE>, tensor<TYPE>) -> tensor<TYPE>
      weft.yield %v, %o : tensor<TYPE>, tensor<TYPE>
    } -> (tensor<TYPE>, !row)
    weft.yield %w#0, %w#1 : tensor<TYPE>, !row
  } -> (tensor<TYPE>, !rows)
  // A state that the inner loop takes through, and both numbers.
  %q:3 = weft.loop trips(%n : tensor<1xi64>) states(%s : !row) captures(%x, %n : !rows, tensor<1xi64>) {
  ^bb0(%i: tensor<i64>, %t: !row, %all: !rows, %rows: tensor<1xi64>):
    %w:3 = weft.loop trips(%rows : tensor<1xi64>) states(%t : !row) captures(%all, %i : !rows, tensor<i64>) {
    ^bb0(%j: tensor<i64>, %u: !row, %each: !rows, %k: tensor<i64>):
      %f = weft.gather %each, %j {axis = 0 : i64} : (!rows, tensor<i64>) -> !row
      %v = weft.sub %f, %u : (!row, !row) -> !row
      %number = weft.mul %j, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
      weft.yield %v, %u, %number : !row, !row, tensor<i64>
    } -> (!row, !rows, tensor<?xi64, #weft.dims<"n">>)
    weft.yield %w#0, %w#1, %w#2 : !row, !rows, tensor<?xi64, #weft.dims<"n">>
  } -> (!row, tensor<?x?x?xTYPE>, tensor<?x?xi64>)
  // Both loops swap, the inner one what the outer one did.
  %p:2 = weft.loop trips(%n : tensor<1xi64>) states(%s, %q#0 : !row, !row) captures(%m : tensor<1xi64>) {
  ^bb0(%i: tensor<i64>, %a: !row, %b: !row, %columns: tensor<1xi64>):
    %w:2 = weft.loop trips(%columns : tensor<1xi64>) states(%b, %a : !row, !row) {
    ^bb0(%j: tensor<i64>, %c: !row, %d: !row):
      weft.yield %d, %c : !row, !row
    } -> (!row, !row)
    weft.yield %w#0, %w#1 : !row, !row
  } -> (!row, !row)
  // One iteration in one iteration, and none.
  %deep = weft.loop trips(%n : tensor<1xi64>) captures(%x : !rows) {
  ^bb0(%i: tensor<i64>, %all: !rows):
    %e = weft.gather %all, %i {axis = 0 : i64} : (!rows, tensor<i64>) -> !row
    %once = weft.constant dense<1> : tensor<i32>
    %never = weft.constant dense<-1> : tensor<i32>
    %w = weft.loop trips(%once : tensor<i32>) states(%e : !row) captures(%never : tensor<i32>) {
    ^bb0(%j: tensor<i64>, %u: !row, %none: tensor<i32>):
      %y = weft.loop trips(%none : tensor<i32>) states(%u : !row) {
      ^bb0(%k: tensor<i64>, %v: !row):
        %o = weft.sub %v, %v : (!row, !row) -> !row
        weft.yield %o : !row
      } -> (!row)
      %o = weft.add %y, %u : (!row, !row) -> !row
      weft.yield %o : !row
    } -> (!row)
    weft.yield %w : !row
  } -> (!rows)
  return %r#0, %r#1, %q#0, %q#1, %q#2, %p#0, %p#1, %deep : tensor<TYPE>, !rows, !row, tensor<?x?x?xTYPE>, tensor<?x?xi64>, !row, !row, !rows
}
