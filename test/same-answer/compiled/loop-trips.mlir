// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that run as often as inputs say, which are read before a run: as often as one says, no time where it is negative, less often by a size, as
// often as two say in a loop of a loop; and an input that is trips of a loop and read as data.
// RUN: %python %S/../compare.py %s --element=f32 --indices=0:7 n=5,m=7 n=0,m=3 n=1,m=1 n=2,m=0 n=3,m=130 n=2,m=9000
// RUN: %python %S/../compare.py %s --element=f32 --indices=-7:-1 n=5,m=7 n=1,m=1
// RUN: %python %S/../compare.py %s --element=f32 --indices=0:0 n=5,m=7
// RUN: %python %S/../compare.py %s --element=f32 --indices=1:1 n=5,m=7 n=0,m=3
// RUN: %python %S/../compare.py %s --element=i64 --indices=-2:9 n=5,m=7 n=3,m=1 n=4,m=33 n=0,m=2
// RUN: %python %S/../compare.py %s --element=f64 --indices=11:11 n=5,m=7 n=40,m=3
!row = tensor<?xTYPE, #weft.dims<"m">>
func.func @main(%x: tensor<?x?xTYPE, #weft.dims<"n", "m">> {weft.name = "x"}, %s: tensor<?xTYPE, #weft.dims<"m">> {weft.name = "s"},
                %k: tensor<i64> {weft.name = "k"}, %l: tensor<1xi32> {weft.name = "l"})
  -> (!row {weft.name = "alone"}, !row {weft.name = "sum"}, tensor<?x?xTYPE> {weft.name = "sums"}, tensor<?xi64> {weft.name = "numbers"},
      !row {weft.name = "state"}, tensor<?xi64> {weft.name = "pairs"}, tensor<?xi64> {weft.name = "plus"}) {
  // Nothing but a state, whose dims do not depend on the trips.
  %alone = weft.loop trips(%k : tensor<i64>) states(%s : !row) {
  ^bb0(%i: tensor<i64>, %t: !row):
    %u = weft.sub %t, %t : (!row, !row) -> !row
    %one = weft.constant dense<1> : tensor<i64>
    %c = weft.cast %one to TYPE : (tensor<i64>) -> tensor<TYPE>
    %v = weft.add %u, %c : (!row, tensor<TYPE>) -> !row
    weft.yield %v : !row
  } -> (!row)
  %n = weft.shape %x {start = 0 : i64, end = 1 : i64} : (tensor<?x?xTYPE, #weft.dims<"n", "m">>) -> tensor<1xi64>
  %wide = weft.cast %l to i64 : (tensor<1xi32>) -> tensor<1xi64>
  %less = weft.sub %wide, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %r:2 = weft.loop trips(%l : tensor<1xi32>) states(%s : !row) captures(%s, %k : !row, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %t: !row, %each: !row, %number: tensor<i64>):
    %c = weft.cast %number to TYPE : (tensor<i64>) -> tensor<TYPE>
    %e = weft.mul %each, %c : (!row, tensor<TYPE>) -> !row
    %u = weft.add %t, %e : (!row, !row) -> !row
    weft.yield %u, %u : !row, !row
  } -> (!row, tensor<?x?xTYPE>)
  %p:2 = weft.loop trips(%less : tensor<1xi64>) states(%r#0 : !row) {
  ^bb0(%i: tensor<i64>, %t: !row):
    %u = weft.add %t, %t : (!row, !row) -> !row
    weft.yield %u, %i : !row, tensor<i64>
  } -> (!row, tensor<?xi64>)
  %q = weft.loop trips(%k : tensor<i64>) captures(%l : tensor<1xi32>) {
  ^bb0(%i: tensor<i64>, %trips: tensor<1xi32>):
    %w = weft.loop trips(%trips : tensor<1xi32>) states(%i : tensor<i64>) captures(%i : tensor<i64>) {
    ^bb0(%j: tensor<i64>, %t: tensor<i64>, %outer: tensor<i64>):
      %product = weft.mul %t, %outer : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %u = weft.add %product, %j : (tensor<i64>, tensor<i64>) -> tensor<i64>
      weft.yield %u : tensor<i64>
    } -> (tensor<i64>)
    weft.yield %w : tensor<i64>
  } -> (tensor<?xi64>)
  %plus = weft.add %p#1, %k : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  return %alone, %r#0, %r#1, %p#1, %p#0, %q, %plus : !row, !row, tensor<?x?xTYPE>, tensor<?xi64>, !row, tensor<?xi64>, tensor<?xi64>
}
