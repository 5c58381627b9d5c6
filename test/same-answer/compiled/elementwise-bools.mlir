// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bools, in and out: a byte in memory, one bit in arithmetic.
// RUN: %python %S/../compare.py %s m=3,n=5,p=3,q=5 m=1,n=33,p=9,q=1 m=130,n=65,p=130,q=1 m=0,n=5,p=1,q=5
func.func @main(%a: tensor<?x?xi1, #weft.dims<"m", "n">> {weft.name = "a"},
                %b: tensor<?x?xi1, #weft.dims<"p", "q">> {weft.name = "b"},
                %c: tensor<?x?xi1, #weft.dims<"m", "n">> {weft.name = "c"})
  -> (tensor<?x?xi1> {weft.name = "and"},
     tensor<?x?xi1> {weft.name = "or"},
     tensor<?x?xi1> {weft.name = "eq"},
     tensor<?x?xi1> {weft.name = "lt"},
     tensor<?x?xi1> {weft.name = "ge"},
     tensor<?x?xi1> {weft.name = "not"},
     tensor<?x?xi1> {weft.name = "where"},
     tensor<?x?xi1> {weft.name = "splat"},
     tensor<?x?xi1> {weft.name = "concat"},
     tensor<?x?xi1> {weft.name = "transpose"},
     tensor<?x?xi1> {weft.name = "trilu"}) {
  %and = weft.and %a, %b : (tensor<?x?xi1, #weft.dims<"m", "n">>, tensor<?x?xi1, #weft.dims<"p", "q">>) -> tensor<?x?xi1>
  %or = weft.or %a, %b : (tensor<?x?xi1, #weft.dims<"m", "n">>, tensor<?x?xi1, #weft.dims<"p", "q">>) -> tensor<?x?xi1>
  %eq = weft.compare eq %a, %b : (tensor<?x?xi1, #weft.dims<"m", "n">>, tensor<?x?xi1, #weft.dims<"p", "q">>) -> tensor<?x?xi1>
  %lt = weft.compare lt %a, %b : (tensor<?x?xi1, #weft.dims<"m", "n">>, tensor<?x?xi1, #weft.dims<"p", "q">>) -> tensor<?x?xi1>
  %ge = weft.compare ge %a, %b : (tensor<?x?xi1, #weft.dims<"m", "n">>, tensor<?x?xi1, #weft.dims<"p", "q">>) -> tensor<?x?xi1>
  %not = weft.not %a : (tensor<?x?xi1, #weft.dims<"m", "n">>) -> tensor<?x?xi1>
  %where = weft.where %a, %b, %c : (tensor<?x?xi1, #weft.dims<"m", "n">>, tensor<?x?xi1, #weft.dims<"p", "q">>, tensor<?x?xi1, #weft.dims<"m", "n">>) -> tensor<?x?xi1>
  %true = weft.constant dense<true> : tensor<i1>
  %splat = weft.and %a, %true : (tensor<?x?xi1, #weft.dims<"m", "n">>, tensor<i1>) -> tensor<?x?xi1>
  %concat = weft.concat %a, %c {axis = 1 : i64} : (tensor<?x?xi1, #weft.dims<"m", "n">>, tensor<?x?xi1, #weft.dims<"m", "n">>) -> tensor<?x?xi1>
  %transpose = weft.transpose %a {permutation = array<i64: 1, 0>} : (tensor<?x?xi1, #weft.dims<"m", "n">>) -> tensor<?x?xi1>
  %trilu = weft.trilu %a {upper, diagonal = 1 : i64} : (tensor<?x?xi1, #weft.dims<"m", "n">>) -> tensor<?x?xi1>
  return %and, %or, %eq, %lt, %ge, %not, %where, %splat, %concat, %transpose, %trilu : tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>
}
