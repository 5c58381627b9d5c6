// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores of an image's places, taken apart into rows and columns on the way to the softmax: a bias for each row of keys, one for each
// column, and a mask that the graph makes of columns. Both are attention (fuse-attention-places.mlir).
// RUN: %python %S/../compare.py %s n=1,h=4 n=3,h=5 n=2,h=1 n=1,h=17 n=0,h=3
!q = tensor<?x?x8xf32, #weft.dims<"n", 3 * "h", 8>>
!kt = tensor<?x8x?xf32, #weft.dims<"n", 8, 3 * "h">>
!s = tensor<?x?x?xf32, #weft.dims<"n", 3 * "h", 3 * "h">>
!places = tensor<?x?x3x?x3xf32, #weft.dims<"n", "h", 3, "h", 3>>
!rows = tensor<?x?x3x?x1xf32, #weft.dims<"n", "h", 3, "h", 1>>
!columns = tensor<?x?x3x1x3xf32, #weft.dims<"n", "h", 3, 1, 3>>
func.func @main(%q: tensor<?x?x8xf32, #weft.dims<"n", 3 * "h", 8>> {weft.name = "q"}, %k: tensor<?x?x8xf32, #weft.dims<"n", 3 * "h", 8>> {weft.name = "k"},
                %v: tensor<?x?x8xf32, #weft.dims<"n", 3 * "h", 8>> {weft.name = "v"},
                %rows: tensor<?x?x3x?x1xf32, #weft.dims<"n", "h", 3, "h", 1>> {weft.name = "rows"},
                %columns: tensor<?x?x3x1x3xf32, #weft.dims<"n", "h", 3, 1, 3>> {weft.name = "columns"})
  -> (!q {weft.name = "biased"}, !q {weft.name = "masked"}) {
  %kt = weft.transpose %k {permutation = array<i64: 0, 2, 1>} : (!q) -> !kt
  %s = weft.matmul %q, %kt : (!q, !kt) -> !s
  %apart = weft.reshape %s : (!s) -> !places
  %withRows = weft.add %apart, %rows : (!places, !rows) -> !places
  %biased = weft.add %withRows, %columns : (!places, !columns) -> !places
  %together = weft.reshape %biased : (!places) -> !s
  %p0 = weft.softmax %together {axis = 2 : i64} : (!s) -> !s
  %y0 = weft.matmul %p0, %v : (!s, !q) -> !q

  %numbers = weft.constant dense<[0, 1, 2]> : tensor<3xi64>
  %across = weft.unsqueeze %numbers {axes = array<i64: 1, 2>} : (tensor<3xi64>) -> tensor<3x1x1xi64>
  %isBefore = weft.compare le %numbers, %across : (tensor<3xi64>, tensor<3x1x1xi64>) -> tensor<3x1x3xi1>
  %kt1 = weft.neg %kt : (!kt) -> !kt
  %s1 = weft.matmul %q, %kt1 : (!q, !kt) -> !s
  %apart1 = weft.reshape %s1 : (!s) -> !places
  %least = weft.constant dense<0xFF800000> : tensor<f32>
  %seen = weft.where %isBefore, %apart1, %least : (tensor<3x1x3xi1>, !places, tensor<f32>) -> !places
  %together1 = weft.reshape %seen : (!places) -> !s
  %p1 = weft.softmax %together1 {axis = 2 : i64} : (!s) -> !s
  %y1 = weft.matmul %p1, %v : (!s, !q) -> !q
  return %y0, %y1 : !q, !q
}
