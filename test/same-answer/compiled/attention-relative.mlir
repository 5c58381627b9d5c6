// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Captures that are read where they lie: products that a relative shift moves, as XLNet does it and with the column of zeros of
// Transformer-XL; a number for each distance; a mask and weights of more keys, cut. Joins of what slices and transposes cut are
// here, too.
// RUN: %python %S/../compare.py %s --element=f32 b=2,n=5,p=3 b=1,n=1,p=0 b=2,n=33,p=40 b=1,n=130,p=7 b=1,n=70,p=600 b=0,n=3,p=1
// RUN: %python %S/../compare.py %s --element=f64 b=2,n=5,p=3 b=1,n=67,p=0
!q = tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n", 8>>
!k = tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n" + "p", 8>>
!product = tensor<?x4x?x?xTYPE, #weft.dims<"b", 4, "n", 2 * "n" + "p">>
!turned = tensor<?x4x?x?xTYPE, #weft.dims<"b", 4, 2 * "n" + "p", "n">>
!cut = tensor<?x4x?x?xTYPE, #weft.dims<"b", 4, 2 * "n" + "p" - 1, "n">>
!back = tensor<?x4x?x?xTYPE, #weft.dims<"b", 4, "n", 2 * "n" + "p" - 1>>
!short = tensor<?x4x?x?xTYPE, #weft.dims<"b", 4, "n", "n" + "p">>
!zeros = tensor<?x4x?x1xTYPE, #weft.dims<"b", 4, "n", 1>>
!padded = tensor<?x4x?x?xTYPE, #weft.dims<"b", 4, "n", "n" + "p" + 1>>
!paddedTurned = tensor<?x4x?x?xTYPE, #weft.dims<"b", 4, "n" + "p" + 1, "n">>
!shortTurned = tensor<?x4x?x?xTYPE, #weft.dims<"b", 4, "n" + "p", "n">>
!distances = tensor<4x?xTYPE, #weft.dims<4, (2 * "n" + "p" - 1) * min(1, "n") * min(1, "n" + "p")>>
!matrices = tensor<4x?x?xTYPE, #weft.dims<4, "n", "n" + "p">>
!long = tensor<?x1x?x?xi1, #weft.dims<"b", 1, "n" + 3, "n" + "p" + 5>>
!mask = tensor<?x1x?x?xi1, #weft.dims<"b", 1, "n", "n" + "p">>
!scores = tensor<?x?x4x?xTYPE, #weft.dims<"b", "n", 4, "n" + "p">>
!halves = tensor<?x4x?x4xTYPE, #weft.dims<"b", 4, "n", 4>>
!both = tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, 2 * "n", 8>>
!turnedBoth = tensor<?x?x4x8xTYPE, #weft.dims<"b", "n", 4, 8>>
func.func @main(%q: tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n", 8>> {weft.name = "q"}, %k: tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n" + "p", 8>> {weft.name = "k"}, %v: tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n" + "p", 8>> {weft.name = "v"},
                %product: tensor<?x4x?x?xTYPE, #weft.dims<"b", 4, "n", 2 * "n" + "p">> {weft.name = "product"}, %short: tensor<?x?x4x?xTYPE, #weft.dims<"b", "n", 4, "n" + "p">> {weft.name = "short"},
                %distances: tensor<4x?xTYPE, #weft.dims<4, (2 * "n" + "p" - 1) * min(1, "n") * min(1, "n" + "p")>> {weft.name = "distances"}, %long: tensor<?x1x?x?xi1, #weft.dims<"b", 1, "n" + 3, "n" + "p" + 5>> {weft.name = "long"},
                %other: tensor<?x?x4x8xTYPE, #weft.dims<"b", "n", 4, 8>> {weft.name = "other"}, %past: tensor<?xTYPE, #weft.dims<"p">> {weft.name = "past"})
  -> (!q {weft.name = "shifted"}, !q {weft.name = "padded"}, !q {weft.name = "by_distance"}, !q {weft.name = "masked"},
      !q {weft.name = "rotated"}, !both {weft.name = "joined"}, !matrices {weft.name = "copied"}) {
  %turned = weft.reshape %product : (!product) -> !turned
  %cut = weft.slice %turned {offsets = #weft.dims<0, 0, 1, 0>, strides = array<i64: 1, 1, 1, 1>} : (!turned) -> !cut
  %back = weft.reshape %cut : (!cut) -> !back
  %shift = weft.slice %back {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (!back) -> !short
  %shifted = weft.attention %q, %k, %v scale(0.5) empty_rows(nan) captures(%shift : !short) score {
  ^bb0(%score: TYPE, %b: index, %h: index, %i: index, %j: index, %bias: TYPE):
    %sum = arith.addf %score, %bias : TYPE
    %yes = arith.constant true
    weft.yield %sum, %yes : TYPE, i1
  } : (!q, !k, !k) -> !q

  %zero = weft.constant dense<0.0> : tensor<TYPE>
  %zeros = weft.expand %zero : (tensor<TYPE>) -> !zeros
  %heads = weft.transpose %short {permutation = array<i64: 0, 2, 1, 3>} : (!scores) -> !short
  %pad = weft.concat %zeros, %heads {axis = 3 : i64} : (!zeros, !short) -> !padded
  %padTurned = weft.reshape %pad : (!padded) -> !paddedTurned
  %padCut = weft.slice %padTurned {offsets = #weft.dims<0, 0, 1, 0>, strides = array<i64: 1, 1, 1, 1>} : (!paddedTurned) -> !shortTurned
  %padBack = weft.reshape %padCut : (!shortTurned) -> !short
  %padded = weft.attention %q, %k, %v scale(0.5) empty_rows(nan) captures(%padBack : !short) score {
  ^bb0(%score: TYPE, %b: index, %h: index, %i: index, %j: index, %bias: TYPE):
    %sum = arith.addf %score, %bias : TYPE
    %seen = arith.cmpi sle, %j, %i : index
    weft.yield %sum, %seen : TYPE, i1
  } : (!q, !k, !k) -> !q

  %matrices = weft.toeplitz %distances : (!distances) -> !matrices
  %byDistance = weft.attention %q, %k, %v scale(0.5) empty_rows(nan) captures(%matrices : !matrices) score {
  ^bb0(%score: TYPE, %b: index, %h: index, %i: index, %j: index, %bias: TYPE):
    %sum = arith.addf %score, %bias : TYPE
    %yes = arith.constant true
    weft.yield %sum, %yes : TYPE, i1
  } : (!q, !k, !k) -> !q

  %mask = weft.slice %long {offsets = #weft.dims<0, 0, 2, 4>, strides = array<i64: 1, 1, 1, 1>} : (!long) -> !mask
  %masked = weft.attention %q, %k, %v scale(0.5) empty_rows(nan_to_zero) captures(%mask : !mask) score {
  ^bb0(%score: TYPE, %b: index, %h: index, %i: index, %j: index, %keep: i1):
    weft.yield %score, %keep : TYPE, i1
  } : (!q, !k, !k) -> !q

  %left = weft.slice %q {offsets = #weft.dims<0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>} : (!q) -> !halves
  %right = weft.slice %q {offsets = #weft.dims<0, 0, 0, 4>, strides = array<i64: 1, 1, 1, 1>} : (!q) -> !halves
  %rotated = weft.concat %right, %left {axis = 3 : i64} : (!halves, !halves) -> !q
  %there = weft.transpose %other {permutation = array<i64: 0, 2, 1, 3>} : (!turnedBoth) -> !q
  %joined = weft.concat %there, %q {axis = 2 : i64} : (!q, !q) -> !both
  return %shifted, %padded, %byDistance, %masked, %rotated, %joined, %matrices : !q, !q, !q, !q, !q, !both, !matrices
}
