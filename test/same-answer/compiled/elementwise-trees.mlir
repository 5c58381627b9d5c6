// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operations that are one step: of several types, with operands that are broadcast or may turn out to be, that are read
// twice, cut, transposed or turned round; deeper than one step goes; and joined where they are computed.
// RUN: %python %S/../compare.py %s --element=f32 m=3,n=5,a=3 m=1,n=1,a=1 m=17,n=48,a=1 m=0,n=3,a=0 m=2,n=0,a=1 m=8,n=131,a=8
// RUN: %python %S/../compare.py %s --element=f64 m=3,n=5,a=1
// RUN: %python %S/../compare.py %s --element=f16 --rtol=2e-3 --atol=2e-3 m=3,n=5,a=3 m=2,n=33,a=1
!x = tensor<?x?xTYPE, #weft.dims<"m", "n">>
!v = tensor<?xTYPE, #weft.dims<"n">>
!w = tensor<?x?xTYPE, #weft.dims<"a", "n">>
!b = tensor<?x?xTYPE, #weft.dims<broadcast("a", "m"), "n">>
!is = tensor<?x?xi1, #weft.dims<"m", "n">>
!i = tensor<?x?xi64, #weft.dims<"m", "n">>
!long = tensor<?x?xTYPE, #weft.dims<"m", 2 * "n">>
!four = tensor<?x4xTYPE, #weft.dims<"m", 4>>
!two = tensor<?x2xTYPE, #weft.dims<"m", 2>>
func.func @main(%x: tensor<?x?xTYPE, #weft.dims<"m", "n">> {weft.name = "x"}, %y: tensor<?x?xTYPE, #weft.dims<"m", "n">> {weft.name = "y"},
                %v: tensor<?xTYPE, #weft.dims<"n">> {weft.name = "v"}, %w: tensor<?x?xTYPE, #weft.dims<"a", "n">> {weft.name = "w"},
                %t: tensor<?x?xTYPE, #weft.dims<"n", "m">> {weft.name = "t"}, %i: tensor<?x?xi64, #weft.dims<"m", "n">> {weft.name = "i"},
                %four: tensor<?x4xTYPE, #weft.dims<"m", 4>> {weft.name = "four"})
  -> (!x {weft.name = "arithmetic"}, !b {weft.name = "spread"}, !x {weft.name = "types"}, !x {weft.name = "moved"},
      !x {weft.name = "deep"}, !long {weft.name = "joined"}, !four {weft.name = "rotated"}, !two {weft.name = "columns"}) {
  %half = weft.constant dense<0.5> : tensor<TYPE>
  %zero = weft.constant dense<0> : tensor<i64>
  %a1 = weft.mul %x, %v : (!x, !v) -> !x
  %a2 = weft.neg %y : (!x) -> !x
  %a3 = weft.sigmoid %a2 : (!x) -> !x
  %a4 = weft.add %a1, %a3 : (!x, !x) -> !x
  %arithmetic = weft.sub %a4, %x : (!x, !x) -> !x

  %s1 = weft.sub %x, %y : (!x, !x) -> !x
  %s2 = weft.mul %w, %s1 : (!w, !x) -> !b
  %s3 = weft.abs %s2 : (!b) -> !b
  %spread = weft.max %s3, %half : (!b, tensor<TYPE>) -> !b

  %c1 = weft.compare gt %i, %zero : (!i, tensor<i64>) -> !is
  %c2 = weft.compare lt %x, %y : (!x, !x) -> !is
  %c3 = weft.and %c1, %c2 : (!is, !is) -> !is
  %c4 = weft.cast %i to TYPE : (!i) -> !x
  %c5 = weft.mul %c4, %half : (!x, tensor<TYPE>) -> !x
  %types = weft.where %c3, %c5, %y : (!is, !x, !x) -> !x

  %m1 = weft.transpose %t {permutation = array<i64: 1, 0>} : (tensor<?x?xTYPE, #weft.dims<"n", "m">>) -> !x
  %m2 = weft.slice %x {offsets = #weft.dims<"m" - 1, 0>, strides = array<i64: -1, 1>} : (!x) -> !x
  %m3 = weft.slice %y {offsets = #weft.dims<0, "n" - 1>, strides = array<i64: 1, -1>} : (!x) -> !x
  %m4 = weft.add %m1, %m2 : (!x, !x) -> !x
  %moved = weft.sub %m4, %m3 : (!x, !x) -> !x

  %d1 = weft.mul %x, %half : (!x, tensor<TYPE>) -> !x
  %d2 = weft.add %d1, %y : (!x, !x) -> !x
  %d3 = weft.mul %d2, %half : (!x, tensor<TYPE>) -> !x
  %d4 = weft.add %d3, %x : (!x, !x) -> !x
  %d5 = weft.mul %d4, %half : (!x, tensor<TYPE>) -> !x
  %d6 = weft.add %d5, %y : (!x, !x) -> !x
  %d7 = weft.mul %d6, %half : (!x, tensor<TYPE>) -> !x
  %d8 = weft.add %d7, %x : (!x, !x) -> !x
  %d9 = weft.mul %d8, %half : (!x, tensor<TYPE>) -> !x
  %d10 = weft.add %d9, %y : (!x, !x) -> !x
  %d11 = weft.mul %d10, %half : (!x, tensor<TYPE>) -> !x
  %d12 = weft.add %d11, %x : (!x, !x) -> !x
  %d13 = weft.mul %d12, %half : (!x, tensor<TYPE>) -> !x
  %d14 = weft.add %d13, %y : (!x, !x) -> !x
  %d15 = weft.mul %d14, %half : (!x, tensor<TYPE>) -> !x
  %d16 = weft.add %d15, %x : (!x, !x) -> !x
  %d17 = weft.mul %d16, %half : (!x, tensor<TYPE>) -> !x
  %d18 = weft.add %d17, %v : (!x, !v) -> !x
  %deep = weft.relu %d18 : (!x) -> !x

  %j1 = weft.neg %x : (!x) -> !x
  %j2 = weft.mul %y, %v : (!x, !v) -> !x
  %joined = weft.concat %j1, %j2 {axis = 1 : i64} : (!x, !x) -> !long

  %low = weft.slice %four {offsets = #weft.dims<0, 0>, strides = array<i64: 1, 1>} : (!four) -> !two
  %high = weft.slice %four {offsets = #weft.dims<0, 2>, strides = array<i64: 1, 1>} : (!four) -> !two
  %minus = weft.neg %high : (!two) -> !two
  %rotated = weft.concat %minus, %low {axis = 1 : i64} : (!two, !two) -> !four

  %one = weft.slice %four {offsets = #weft.dims<0, 1>, strides = array<i64: 1, 1>} : (!four) -> tensor<?x1xTYPE, #weft.dims<"m", 1>>
  %last = weft.slice %four {offsets = #weft.dims<0, 3>, strides = array<i64: 1, 1>} : (!four) -> tensor<?x1xTYPE, #weft.dims<"m", 1>>
  %e = weft.abs %one : (tensor<?x1xTYPE, #weft.dims<"m", 1>>) -> tensor<?x1xTYPE, #weft.dims<"m", 1>>
  %columns = weft.concat %e, %last {axis = 1 : i64} : (tensor<?x1xTYPE, #weft.dims<"m", 1>>, tensor<?x1xTYPE, #weft.dims<"m", 1>>) -> !two
  return %arithmetic, %spread, %types, %moved, %deep, %joined, %rotated, %columns : !x, !b, !x, !x, !x, !long, !four, !two
}
