// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops with bf16, which comes from f32 and goes there: states, one that is the other and one that is rounded each time, what is left behind, and
// true i16 beside it.
// RUN: %python %S/../compare.py %s --rtol=1.6e-2 --atol=2e-2 n=5,m=7 n=0,m=3 n=1,m=1 n=2,m=0 n=3,m=130
!rows = tensor<?x?xbf16, #weft.dims<"n", "m">>
!row = tensor<?xbf16, #weft.dims<"m">>
!shorts = tensor<?xi16, #weft.dims<"m">>
func.func @main(%x: tensor<?x?xf32, #weft.dims<"n", "m">> {weft.name = "x"}, %s: tensor<?xf32, #weft.dims<"m">> {weft.name = "s"},
                %c: tensor<?xi16, #weft.dims<"m">> {weft.name = "c"})
  -> (tensor<?xf32> {weft.name = "sum"}, tensor<?xf32> {weft.name = "last"}, !shorts {weft.name = "count"}, tensor<?x?xf32> {weft.name = "sums"},
      tensor<?x?xi16> {weft.name = "counts"}) {
  %x0 = weft.cast %x to bf16 : (tensor<?x?xf32, #weft.dims<"n", "m">>) -> !rows
  %s0 = weft.cast %s to bf16 : (tensor<?xf32, #weft.dims<"m">>) -> !row
  %n = weft.shape %x {start = 0 : i64, end = 1 : i64} : (tensor<?x?xf32, #weft.dims<"n", "m">>) -> tensor<1xi64>
  %r:5 = weft.loop trips(%n : tensor<1xi64>) states(%s0, %s0, %c : !row, !row, !shorts) captures(%x0 : !rows) {
  ^bb0(%i: tensor<i64>, %t: !row, %before: !row, %count: !shorts, %all: !rows):
    %e = weft.gather %all, %i {axis = 0 : i64} : (!rows, tensor<i64>) -> !row
    %u = weft.add %t, %e : (!row, !row) -> !row
    %three = weft.constant dense<3> : tensor<i16>
    %more = weft.add %count, %three : (!shorts, tensor<i16>) -> !shorts
    weft.yield %u, %t, %more, %before, %count : !row, !row, !shorts, !row, !shorts
  } -> (!row, !row, !shorts, !rows, tensor<?x?xi16>)
  %sum = weft.cast %r#0 to f32 : (!row) -> tensor<?xf32>
  %last = weft.cast %r#1 to f32 : (!row) -> tensor<?xf32>
  %sums = weft.cast %r#3 to f32 : (!rows) -> tensor<?x?xf32>
  return %sum, %last, %r#2, %sums, %r#4 : tensor<?xf32>, tensor<?xf32>, !shorts, tensor<?x?xf32>, tensor<?x?xi16>
}
