// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over rows: sums, and what there is of them on the way, before an iteration and after it; states that swap, one that becomes another and
// one that stays. States begin as inputs, constants and results, which, as what is captured, are read behind the loop, too. As many iterations
// as there are rows, one more, and as many as there are elements; none, and one.
// RUN: %python %S/../compare.py %s --element=f32 n=5,m=7 n=0,m=3 n=1,m=1 n=2,m=0 n=3,m=130 n=17,m=2
// RUN: %python %S/../compare.py %s --element=f16 --rtol=2e-3 --atol=2e-2 n=5,m=7 n=0,m=3 n=1,m=33
// RUN: %python %S/../compare.py %s --element=i64 n=5,m=7 n=0,m=3 n=1,m=33
// RUN: %python %S/../compare.py %s --element=i8 n=5,m=7 n=2,m=0
// RUN: %python %S/../compare.py %s --element=f32 --special=not-finite n=5,m=37
!rows = tensor<?x?xTYPE, #weft.dims<"n", "m">>
!row = tensor<?xTYPE, #weft.dims<"m">>
!bools = tensor<?xi1, #weft.dims<"m">>
func.func @main(%x: tensor<?x?xTYPE, #weft.dims<"n", "m">> {weft.name = "x"}, %s: tensor<?xTYPE, #weft.dims<"m">> {weft.name = "s"},
                %z: tensor<?xTYPE, #weft.dims<"m">> {weft.name = "z"})
  -> (!row {weft.name = "sum"}, !bools {weft.name = "ever"}, !rows {weft.name = "after"}, !rows {weft.name = "before"}, tensor<?x?xi1> {weft.name = "greater"},
      tensor<?xi64> {weft.name = "numbers"}, !row {weft.name = "sum_again"}, !rows {weft.name = "captured_later"}, !row {weft.name = "state_later"},
      !row {weft.name = "a"}, !row {weft.name = "b"}, !row {weft.name = "c"}, !row {weft.name = "d"}, tensor<?x?xTYPE> {weft.name = "every_a"},
      tensor<TYPE> {weft.name = "total"}, tensor<?xTYPE> {weft.name = "elements_again"}, tensor<?xTYPE> {weft.name = "twice"},
      tensor<?x?x?xTYPE> {weft.name = "wide"}) {
  %one = weft.constant dense<1> : tensor<1xi64>
  %shape = weft.shape %x {start = 0 : i64, end = 2 : i64} : (!rows) -> tensor<2xi64>
  %n = weft.shape %x {start = 0 : i64, end = 1 : i64} : (!rows) -> tensor<1xi64>
  %m = weft.shape %x {start = 1 : i64, end = 2 : i64} : (!rows) -> tensor<1xi64>
  %more = weft.add %n, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %size = weft.mul %n, %m : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %moved = weft.add %x, %z : (!rows, !row) -> !rows
  %never = weft.compare lt %s, %s : (!row, !row) -> !bools
  %r:6 = weft.loop trips(%n : tensor<1xi64>) states(%s, %never : !row, !bools) captures(%moved : !rows) {
  ^bb0(%i: tensor<i64>, %t: !row, %ever: !bools, %all: !rows):
    %e = weft.gather %all, %i {axis = 0 : i64} : (!rows, tensor<i64>) -> !row
    %u = weft.add %t, %e : (!row, !row) -> !row
    %greater = weft.compare lt %t, %e : (!row, !row) -> !bools
    %now = weft.or %ever, %greater : (!bools, !bools) -> !bools
    weft.yield %u, %now, %u, %t, %greater, %i : !row, !bools, !row, !row, !bools, tensor<i64>
  } -> (!row, !bools, !rows, !rows, tensor<?x?xi1>, tensor<?xi64>)
  %captured_later = weft.sub %moved, %s : (!rows, !row) -> !rows
  %state_later = weft.add %r#0, %s : (!row, !row) -> !row
  %q:5 = weft.loop trips(%more : tensor<1xi64>) states(%s, %r#0, %z, %s : !row, !row, !row, !row) {
  ^bb0(%i: tensor<i64>, %a: !row, %b: !row, %c: !row, %d: !row):
    weft.yield %b, %a, %a, %d, %a : !row, !row, !row, !row, !row
  } -> (!row, !row, !row, !row, tensor<?x?xTYPE>)
  %first = weft.constant dense<1> : tensor<i64>
  %begin = weft.cast %first to TYPE : (tensor<i64>) -> tensor<TYPE>
  %minus = weft.constant dense<-1> : tensor<1xi64>
  %elements = weft.reshape %x, %minus : (!rows, tensor<1xi64>) -> tensor<?xTYPE>
  %p:2 = weft.loop trips(%size : tensor<1xi64>) states(%begin : tensor<TYPE>) captures(%elements : tensor<?xTYPE>) {
  ^bb0(%i: tensor<i64>, %t: tensor<TYPE>, %all: tensor<?xTYPE>):
    %e = weft.gather %all, %i {axis = 0 : i64} : (tensor<?xTYPE>, tensor<i64>) -> tensor<TYPE>
    %u = weft.add %t, %e : (tensor<TYPE>, tensor<TYPE>) -> tensor<TYPE>
    weft.yield %u, %e : tensor<TYPE>, tensor<TYPE>
  } -> (tensor<TYPE>, tensor<?xTYPE>)
  %twice = weft.add %p#1, %p#1 : (tensor<?xTYPE>, tensor<?xTYPE>) -> tensor<?xTYPE>
  // What is captured is broadcast in the body, and left behind so.
  %wide = weft.loop trips(%more : tensor<1xi64>) captures(%s, %shape : !row, tensor<2xi64>) {
  ^bb0(%i: tensor<i64>, %t: !row, %to: tensor<2xi64>):
    %u = weft.expand %t, %to : (!row, tensor<2xi64>) -> !rows
    weft.yield %u : !rows
  } -> (tensor<?x?x?xTYPE>)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#0, %captured_later, %state_later, %q#0, %q#1, %q#2, %q#3, %q#4, %p#0, %p#1, %twice, %wide
    : !row, !bools, !rows, !rows, tensor<?x?xi1>, tensor<?xi64>, !row, !rows, !row, !row, !row, !row, !row, tensor<?x?xTYPE>, tensor<TYPE>, tensor<?xTYPE>, tensor<?xTYPE>, tensor<?x?x?xTYPE>
}
