// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins of what slices, transposes and reshapes find in other tensors: halves of rows, single columns, every other row, rows from
// behind, and dims of 1.
// RUN: %python %S/../compare.py %s --element=f32 m=3,n=5 m=1,n=1 m=17,n=48 m=0,n=3 m=2,n=0
// RUN: %python %S/../compare.py %s --element=i8 m=3,n=5
!x = tensor<?x?x8xTYPE, #weft.dims<"m", "n", 8>>
!half = tensor<?x?x4xTYPE, #weft.dims<"m", "n", 4>>
!column = tensor<?x?x1xTYPE, #weft.dims<"m", "n", 1>>
!columns = tensor<?x?x3xTYPE, #weft.dims<"m", "n", 3>>
!y = tensor<?x?x8xTYPE, #weft.dims<"n", "m", 8>>
!rows = tensor<?x?x8xTYPE, #weft.dims<"m", "m" + 2 * "n", 8>>
!some = tensor<?x?x2xTYPE, #weft.dims<"m", "n", 2>>
!fours = tensor<?x1x4xTYPE, #weft.dims<"m", 1, 4>>
!four = tensor<?x4x1xTYPE, #weft.dims<"m", 4, 1>>
func.func @main(%x: tensor<?x?x8xTYPE, #weft.dims<"m", "n", 8>> {weft.name = "x"},
                %y: tensor<?x?x8xTYPE, #weft.dims<"n", "m", 8>> {weft.name = "y"},
                %z: tensor<?x?x8xTYPE, #weft.dims<"m", "m", 8>> {weft.name = "z"},
                %f: tensor<?x7x4xTYPE, #weft.dims<"m", 7, 4>> {weft.name = "f"})
  -> (!x {weft.name = "halves"}, !columns {weft.name = "columns"}, !rows {weft.name = "rows"},
      tensor<?x?x6xTYPE, #weft.dims<"m", "n", 6>> {weft.name = "stepped"}, tensor<?x4x2xTYPE, #weft.dims<"m", 4, 2>> {weft.name = "ones"}) {
  %left = weft.slice %x {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (!x) -> !half
  %right = weft.slice %x {offsets = #weft.dims<0, 0, 4>, strides = array<i64: 1, 1, 1>} : (!x) -> !half
  %halves = weft.concat %right, %left {axis = 2 : i64} : (!half, !half) -> !x
  %a = weft.slice %x {offsets = #weft.dims<0, 0, 7>, strides = array<i64: 1, 1, 1>} : (!x) -> !column
  %b = weft.slice %x {offsets = #weft.dims<0, 0, 2>, strides = array<i64: 1, 1, 1>} : (!x) -> !column
  %columns = weft.concat %a, %b, %a {axis = 2 : i64} : (!column, !column, !column) -> !columns
  %t = weft.transpose %y {permutation = array<i64: 1, 0, 2>} : (!y) -> !x
  %back = weft.slice %x {offsets = #weft.dims<0, "n" - 1, 0>, strides = array<i64: 1, -1, 1>} : (!x) -> !x
  %rows = weft.concat %t, %z, %back {axis = 1 : i64} : (!x, tensor<?x?x8xTYPE, #weft.dims<"m", "m", 8>>, !x) -> !rows
  %even = weft.slice %x {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 4>} : (!x) -> !some
  %mirrored = weft.slice %x {offsets = #weft.dims<0, 0, 3>, strides = array<i64: 1, 1, -1>} : (!x) -> !half
  %stepped = weft.concat %mirrored, %even {axis = 2 : i64} : (!half, !some) -> tensor<?x?x6xTYPE, #weft.dims<"m", "n", 6>>
  %g = weft.slice %f {offsets = #weft.dims<0, 2, 0>, strides = array<i64: 1, 1, 1>} : (tensor<?x7x4xTYPE, #weft.dims<"m", 7, 4>>) -> !fours
  %one = weft.transpose %g {permutation = array<i64: 0, 2, 1>} : (!fours) -> !four
  %ones = weft.concat %one, %one {axis = 2 : i64} : (!four, !four) -> tensor<?x4x2xTYPE, #weft.dims<"m", 4, 2>>
  return %halves, %columns, %rows, %stepped, %ones
    : !x, !columns, !rows, tensor<?x?x6xTYPE, #weft.dims<"m", "n", 6>>, tensor<?x4x2xTYPE, #weft.dims<"m", 4, 2>>
}
