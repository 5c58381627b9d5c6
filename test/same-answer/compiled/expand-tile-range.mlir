// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expand, tile, trilu, range and dims as data.
// RUN: %python %S/../compare.py %s --element=f32 m=3,n=5,p=1,q=5 m=1,n=1,p=1,q=1 m=4,n=17,p=4,q=1 m=0,n=3,p=1,q=3 m=33,n=65,p=33,q=1 m=5,n=0,p=1,q=1 m=130,n=64,p=1,q=64
// RUN: %python %S/../compare.py %s --element=i8 m=3,n=5,p=1,q=5
// RUN: %python %S/../compare.py %s --element=i16 m=3,n=5,p=1,q=5
// RUN: %python %S/../compare.py %s --element=i64 m=3,n=5,p=1,q=5
// RUN: %python %S/../compare.py %s --element=i1 m=3,n=5,p=1,q=5
func.func @main(%x: tensor<?x?xTYPE, #weft.dims<"m", "n">> {weft.name = "x"},
                %e: tensor<?x?xTYPE, #weft.dims<"p", "q">> {weft.name = "e"},
                %row: tensor<?xTYPE, #weft.dims<"n">> {weft.name = "row"},
                %s: tensor<TYPE> {weft.name = "s"},
                %batch: tensor<?x2x?x?xTYPE, #weft.dims<"m", 2, "n", "q">> {weft.name = "batch"},
                %sq: tensor<5x5xTYPE> {weft.name = "sq"})
  -> (tensor<?x?xTYPE> {weft.name = "expand_either"},
     tensor<?x?xTYPE> {weft.name = "expand_row"},
     tensor<?x?xTYPE> {weft.name = "expand_scalar"},
     tensor<?x?x?xTYPE> {weft.name = "expand_more"},
     tensor<?x?xTYPE> {weft.name = "expand_short"},
     tensor<?x?xTYPE> {weft.name = "tile"},
     tensor<?x?xTYPE> {weft.name = "tile_none"},
     tensor<?xTYPE> {weft.name = "tile_row"},
     tensor<?x?x?x?xTYPE> {weft.name = "tile_batch"},
     tensor<?x?xTYPE> {weft.name = "tile_symbol"},
     tensor<TYPE> {weft.name = "tile_rank0"},
     tensor<?xTYPE> {weft.name = "joined"},
     tensor<?xTYPE> {weft.name = "tile_joined"},
     tensor<?x?xTYPE> {weft.name = "upper_minus_70"},
     tensor<?x?xTYPE> {weft.name = "lower_minus_70"},
     tensor<?x?xTYPE> {weft.name = "upper_minus_1"},
     tensor<?x?xTYPE> {weft.name = "lower_minus_1"},
     tensor<?x?xTYPE> {weft.name = "upper_0"},
     tensor<?x?xTYPE> {weft.name = "lower_0"},
     tensor<?x?xTYPE> {weft.name = "upper_2"},
     tensor<?x?xTYPE> {weft.name = "lower_2"},
     tensor<?x?xTYPE> {weft.name = "upper_70"},
     tensor<?x?xTYPE> {weft.name = "lower_70"},
     tensor<?x?x?x?xTYPE> {weft.name = "trilu_batch"},
     tensor<5x5xTYPE> {weft.name = "trilu_static"},
     tensor<?xi64> {weft.name = "range"},
     tensor<?xi64> {weft.name = "range_step"},
     tensor<?xi64> {weft.name = "range_down"},
     tensor<?xi64> {weft.name = "range_short"},
     tensor<2xi64> {weft.name = "shape"},
     tensor<i64> {weft.name = "n"}) {
  %shape = weft.shape %x {start = 0 : i64, end = 2 : i64} : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<2xi64>
  %expand_either = weft.expand %e, %shape : (tensor<?x?xTYPE, #weft.dims<"p", "q">>, tensor<2xi64>) -> tensor<?x?xTYPE>
  %expand_row = weft.expand %row, %shape : (tensor<?xTYPE, #weft.dims<"n">>, tensor<2xi64>) -> tensor<?x?xTYPE>
  %expand_scalar = weft.expand %s, %shape : (tensor<TYPE>, tensor<2xi64>) -> tensor<?x?xTYPE>
  %three = weft.constant dense<[3, 1, 1]> : tensor<3xi64>
  %expand_more = weft.expand %x, %three : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<3xi64>) -> tensor<?x?x?xTYPE>
  %short = weft.constant dense<[1]> : tensor<1xi64>
  %expand_short = weft.expand %x, %short : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<1xi64>) -> tensor<?x?xTYPE>
  %r23 = weft.constant dense<[2, 3]> : tensor<2xi64>
  %r10 = weft.constant dense<[1, 0]> : tensor<2xi64>
  %r4 = weft.constant dense<[4]> : tensor<1xi64>
  %r1213 = weft.constant dense<[1, 2, 1, 3]> : tensor<4xi64>
  %r_none = weft.constant dense<> : tensor<0xi64>
  %tile = weft.tile %x, %r23 : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<2xi64>) -> tensor<?x?xTYPE>
  %tile_none = weft.tile %x, %r10 : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<2xi64>) -> tensor<?x?xTYPE>
  %tile_row = weft.tile %row, %r4 : (tensor<?xTYPE, #weft.dims<"n">>, tensor<1xi64>) -> tensor<?xTYPE>
  %tile_batch = weft.tile %batch, %r1213 : (tensor<?x2x?x?xTYPE, #weft.dims<"m", 2, "n", "q">>, tensor<4xi64>) -> tensor<?x?x?x?xTYPE>
  %tile_symbol = weft.tile %x, %shape : (tensor<?x?xTYPE, #weft.dims<"m", "n">>, tensor<2xi64>) -> tensor<?x?xTYPE>
  %tile_rank0 = weft.tile %s, %r_none : (tensor<TYPE>, tensor<0xi64>) -> tensor<TYPE>
  %joined = weft.concat %row, %row {axis = 0 : i64} : (tensor<?xTYPE, #weft.dims<"n">>, tensor<?xTYPE, #weft.dims<"n">>) -> tensor<?xTYPE>
  %tile_joined = weft.tile %joined, %r4 : (tensor<?xTYPE>, tensor<1xi64>) -> tensor<?xTYPE>
  %upper_minus_70 = weft.trilu %x {upper, diagonal = -70 : i64} : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %lower_minus_70 = weft.trilu %x {diagonal = -70 : i64} : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %upper_minus_1 = weft.trilu %x {upper, diagonal = -1 : i64} : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %lower_minus_1 = weft.trilu %x {diagonal = -1 : i64} : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %upper_0 = weft.trilu %x {upper, diagonal = 0 : i64} : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %lower_0 = weft.trilu %x {diagonal = 0 : i64} : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %upper_2 = weft.trilu %x {upper, diagonal = 2 : i64} : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %lower_2 = weft.trilu %x {diagonal = 2 : i64} : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %upper_70 = weft.trilu %x {upper, diagonal = 70 : i64} : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %lower_70 = weft.trilu %x {diagonal = 70 : i64} : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xTYPE>
  %trilu_batch = weft.trilu %batch {diagonal = 0 : i64} : (tensor<?x2x?x?xTYPE, #weft.dims<"m", 2, "n", "q">>) -> tensor<?x?x?x?xTYPE>
  %trilu_static = weft.trilu %sq {upper, diagonal = 1 : i64} : (tensor<5x5xTYPE>) -> tensor<5x5xTYPE>
  %n1 = weft.shape %x {start = 1 : i64, end = 2 : i64} : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<1xi64>
  %n = weft.squeeze %n1 {axes = array<i64: 0>} : (tensor<1xi64>) -> tensor<i64>
  %zero = weft.constant dense<0> : tensor<i64>
  %one = weft.constant dense<1> : tensor<i64>
  %two = weft.constant dense<2> : tensor<i64>
  %minus_one = weft.constant dense<-1> : tensor<i64>
  %range = weft.range %zero to %n by %one : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %range_step = weft.range %one to %n by %two : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %range_down = weft.range %n to %minus_one by %minus_one : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %range_short = weft.range %two to %n by %one : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %expand_either, %expand_row, %expand_scalar, %expand_more, %expand_short, %tile, %tile_none, %tile_row, %tile_batch, %tile_symbol, %tile_rank0, %joined, %tile_joined, %upper_minus_70, %lower_minus_70, %upper_minus_1, %lower_minus_1, %upper_0, %lower_0, %upper_2, %lower_2, %upper_70, %lower_70, %trilu_batch, %trilu_static, %range, %range_step, %range_down, %range_short, %shape, %n : tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?xTYPE>, tensor<TYPE>, tensor<?xTYPE>, tensor<?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<5x5xTYPE>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<2xi64>, tensor<i64>
}
