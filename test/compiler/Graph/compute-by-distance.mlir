// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: weft-opt %s -weft-compute-by-distance -canonicalize | FileCheck %s

!row = tensor<1x?xi64, #weft.dims<1, "k">>
!column = tensor<?x1xi64, #weft.dims<"q", 1>>
!pairs = tensor<?x?xi64, #weft.dims<"q", "k">>
!seen = tensor<?x?xi1, #weft.dims<"q", "k">>
!keys = tensor<?xi64, #weft.dims<"k">>
!queries = tensor<?xi64, #weft.dims<"q">>

// Buckets of T5, for queries behind a past: each operation is of as many numbers as there are distances.
// CHECK-LABEL: @buckets
// CHECK-SAME: %[[TABLE:[a-z0-9]+]]:
// CHECK: %[[D:.*]] = weft.range {first = #weft.dim<-"past" - "q" + 1>, step = 1 : i64} : () -> tensor<?xi64, #weft.dims<[[N:.*]]>>
// CHECK: %[[AHEAD:.*]] = weft.compare gt %[[D]]
// CHECK: %[[FAR:.*]] = weft.abs %[[D]]
// CHECK: %[[LEAST:.*]] = weft.min %[[FAR]], %{{.*}} : (tensor<?xi64, {{.*}}>, tensor<i64>) -> tensor<?xi64, #weft.dims<[[N]]>>
// CHECK: %[[I:.*]] = weft.where %[[AHEAD]], %[[LEAST]], %{{.*}} : {{.*}} -> tensor<?xi64, #weft.dims<[[N]]>>
// CHECK: %[[G:.*]] = weft.gather %[[TABLE]], %[[I]] {axis = 0 : i64}
// CHECK: %[[T:.*]] = weft.transpose %[[G]] {permutation = array<i64: 1, 0>}
// CHECK: %[[Y:.*]] = weft.toeplitz %[[T]] : {{.*}} -> tensor<4x?x?xf32, #weft.dims<4, "q", "k">>
// CHECK: return %[[Y]]
func.func @buckets(%table: tensor<8x4xf32>) -> tensor<4x?x?xf32, #weft.dims<4, "q", "k">> {
  %zero = weft.constant dense<0> : tensor<i64>
  %seven = weft.constant dense<7> : tensor<i64>
  %past = weft.dims <"past"> : tensor<1xi64>
  %k = weft.range {first = #weft.dim<0>, step = 1 : i64} : () -> !keys
  %new = weft.range {first = #weft.dim<0>, step = 1 : i64} : () -> !queries
  %q = weft.add %new, %past : (!queries, tensor<1xi64>) -> !queries
  %row = weft.reshape %k : (!keys) -> !row
  %column = weft.reshape %q : (!queries) -> !column
  %d = weft.sub %row, %column : (!row, !column) -> !pairs
  %far = weft.abs %d : (!pairs) -> !pairs
  %most = weft.expand %seven : (tensor<i64>) -> !pairs
  %least = weft.min %far, %most : (!pairs, !pairs) -> !pairs
  %ahead = weft.compare gt %d, %zero : (!pairs, tensor<i64>) -> !seen
  %i = weft.where %ahead, %least, %zero : (!seen, !pairs, tensor<i64>) -> !pairs
  %g = weft.gather %table, %i {axis = 0 : i64} : (tensor<8x4xf32>, !pairs) -> tensor<?x?x4xf32, #weft.dims<"q", "k", 4>>
  %y = weft.transpose %g {permutation = array<i64: 2, 0, 1>} : (tensor<?x?x4xf32, #weft.dims<"q", "k", 4>>) -> tensor<4x?x?xf32, #weft.dims<4, "q", "k">>
  return %y : tensor<4x?x?xf32, #weft.dims<4, "q", "k">>
}

// The other way round, of as many queries as keys, in a table whose rows are heads.
// CHECK-LABEL: @heads
// CHECK: %[[D:.*]] = weft.range {first = #weft.dim<"n" - 1>, step = -1 : i64} : () -> tensor<?xi32, #weft.dims<max(0, 2 * "n" - 1)>>
// CHECK: %[[I:.*]] = weft.max %[[D]]
// CHECK: %[[G:.*]] = weft.gather %{{.*}}, %[[I]] {axis = 1 : i64}
// CHECK: weft.toeplitz %[[G]] : {{.*}} -> tensor<4x?x?xf32, #weft.dims<4, "n", "n">>
func.func @heads(%table: tensor<4x?xf32, #weft.dims<4, "n">>) -> tensor<4x1x?x?xf32, #weft.dims<4, 1, "n", "n">> {
  %zero = weft.constant dense<0> : tensor<i32>
  %n = weft.range {first = #weft.dim<0>, step = 1 : i64} : () -> tensor<?xi32, #weft.dims<"n">>
  %row = weft.reshape %n : (tensor<?xi32, #weft.dims<"n">>) -> tensor<1x1x?xi32, #weft.dims<1, 1, "n">>
  %column = weft.reshape %n : (tensor<?xi32, #weft.dims<"n">>) -> tensor<?x1xi32, #weft.dims<"n", 1>>
  %d = weft.sub %column, %row : (tensor<?x1xi32, #weft.dims<"n", 1>>, tensor<1x1x?xi32, #weft.dims<1, 1, "n">>) -> tensor<1x?x?xi32, #weft.dims<1, "n", "n">>
  %i = weft.max %d, %zero : (tensor<1x?x?xi32, #weft.dims<1, "n", "n">>, tensor<i32>) -> tensor<1x?x?xi32, #weft.dims<1, "n", "n">>
  %y = weft.gather %table, %i {axis = 1 : i64} : (tensor<4x?xf32, #weft.dims<4, "n">>, tensor<1x?x?xi32, #weft.dims<1, "n", "n">>) -> tensor<4x1x?x?xf32, #weft.dims<4, 1, "n", "n">>
  return %y : tensor<4x1x?x?xf32, #weft.dims<4, 1, "n", "n">>
}

// Of sizes that are known, a number may stand at each pair.
// CHECK-LABEL: @known
// CHECK: %[[MOST:.*]] = weft.constant dense<3> : tensor<i64>
// CHECK: %[[D:.*]] = weft.range {first = #weft.dim<-4>, step = 1 : i64} : () -> tensor<11xi64>
// CHECK: %[[FAR:.*]] = weft.abs %[[D]]
// CHECK: %[[I:.*]] = weft.min %[[FAR]], %[[MOST]] : (tensor<11xi64>, tensor<i64>) -> tensor<11xi64>
// CHECK: %[[G:.*]] = weft.gather %{{.*}}, %[[I]] {axis = 0 : i64}
// CHECK: weft.toeplitz %[[G]] : (tensor<11xf32>) -> tensor<5x7xf32>
func.func @known(%table: tensor<4xf32>) -> tensor<5x7xf32> {
  %most = weft.constant dense<3> : tensor<5x7xi64>
  %k = weft.range {first = #weft.dim<0>, step = 1 : i64} : () -> tensor<7xi64>
  %q = weft.range {first = #weft.dim<0>, step = 1 : i64} : () -> tensor<5xi64>
  %column = weft.reshape %q : (tensor<5xi64>) -> tensor<5x1xi64>
  %d = weft.sub %k, %column : (tensor<7xi64>, tensor<5x1xi64>) -> tensor<5x7xi64>
  %far = weft.abs %d : (tensor<5x7xi64>) -> tensor<5x7xi64>
  %i = weft.min %far, %most : (tensor<5x7xi64>, tensor<5x7xi64>) -> tensor<5x7xi64>
  %y = weft.gather %table, %i {axis = 0 : i64} : (tensor<4xf32>, tensor<5x7xi64>) -> tensor<5x7xf32>
  return %y : tensor<5x7xf32>
}

// The sum of two places is no distance.
// CHECK-LABEL: @sum
// CHECK-NOT: weft.toeplitz
func.func @sum(%table: tensor<?x4xf32, #weft.dims<"m", 4>>) -> tensor<?x?x4xf32, #weft.dims<"q", "k", 4>> {
  %k = weft.range {first = #weft.dim<0>, step = 1 : i64} : () -> !keys
  %q = weft.range {first = #weft.dim<0>, step = 1 : i64} : () -> !queries
  %row = weft.reshape %k : (!keys) -> !row
  %column = weft.reshape %q : (!queries) -> !column
  %i = weft.add %row, %column : (!row, !column) -> !pairs
  %y = weft.gather %table, %i {axis = 0 : i64} : (tensor<?x4xf32, #weft.dims<"m", 4>>, !pairs) -> tensor<?x?x4xf32, #weft.dims<"q", "k", 4>>
  return %y : tensor<?x?x4xf32, #weft.dims<"q", "k", 4>>
}

// Neither is what an input has a part in,
// CHECK-LABEL: @data
// CHECK-NOT: weft.toeplitz
func.func @data(%table: tensor<8x4xf32>, %shift: !row) -> tensor<?x?x4xf32, #weft.dims<"q", "k", 4>> {
  %k = weft.range {first = #weft.dim<0>, step = 1 : i64} : () -> !keys
  %q = weft.range {first = #weft.dim<0>, step = 1 : i64} : () -> !queries
  %row = weft.reshape %k : (!keys) -> !row
  %column = weft.reshape %q : (!queries) -> !column
  %d = weft.sub %row, %column : (!row, !column) -> !pairs
  %i = weft.mul %d, %shift : (!pairs, !row) -> !pairs
  %y = weft.gather %table, %i {axis = 0 : i64} : (tensor<8x4xf32>, !pairs) -> tensor<?x?x4xf32, #weft.dims<"q", "k", 4>>
  return %y : tensor<?x?x4xf32, #weft.dims<"q", "k", 4>>
}

// or a place beside the distance.
// CHECK-LABEL: @place
// CHECK-NOT: weft.toeplitz
func.func @place(%table: tensor<8x4xf32>) -> tensor<?x?x4xf32, #weft.dims<"n", "n", 4>> {
  %n = weft.range {first = #weft.dim<0>, step = 1 : i64} : () -> tensor<?xi64, #weft.dims<"n">>
  %column = weft.reshape %n : (tensor<?xi64, #weft.dims<"n">>) -> tensor<?x1xi64, #weft.dims<"n", 1>>
  %d = weft.sub %n, %column : (tensor<?xi64, #weft.dims<"n">>, tensor<?x1xi64, #weft.dims<"n", 1>>) -> tensor<?x?xi64, #weft.dims<"n", "n">>
  %i = weft.min %d, %n : (tensor<?x?xi64, #weft.dims<"n", "n">>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x?xi64, #weft.dims<"n", "n">>
  %y = weft.gather %table, %i {axis = 0 : i64} : (tensor<8x4xf32>, tensor<?x?xi64, #weft.dims<"n", "n">>) -> tensor<?x?x4xf32, #weft.dims<"n", "n", 4>>
  return %y : tensor<?x?x4xf32, #weft.dims<"n", "n", 4>>
}
