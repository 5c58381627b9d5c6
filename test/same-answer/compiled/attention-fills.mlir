// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mask that subtracts a multiple of the least number: as much is left of it as data say, so no panel is known to be
// masked.
// RUN: %python %S/../compare.py %s --element=f32 n=4,m=256 n=1,m=1 n=67,m=300
func.func @main(%q: tensor<1x1x?x8xTYPE, #weft.dims<1, 1, "n", 8>> {weft.name = "q"},
                %k: tensor<1x1x?x8xTYPE, #weft.dims<1, 1, "m", 8>> {weft.name = "k"},
                %v: tensor<1x1x?x5xTYPE, #weft.dims<1, 1, "m", 5>> {weft.name = "v"},
                %keep: tensor<1x1x1x?xi1, #weft.dims<1, 1, 1, "m">> {weft.name = "keep"})
  -> (tensor<1x1x?x5xTYPE, #weft.dims<1, 1, "n", 5>> {weft.name = "y"}) {
  %y = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) captures(%keep : tensor<1x1x1x?xi1, #weft.dims<1, 1, 1, "m">>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %kept: i1):
    %least = arith.constant -3.0e+38 : f32
    %true = arith.constant true
    %number = arith.uitofp %kept : i1 to f32
    %part = arith.mulf %number, %least : f32
    %mask = arith.subf %least, %part : f32
    %sum = arith.addf %s, %mask : f32
    weft.yield %sum, %true : f32, i1
  } : (tensor<1x1x?x8xTYPE, #weft.dims<1, 1, "n", 8>>, tensor<1x1x?x8xTYPE, #weft.dims<1, 1, "m", 8>>, tensor<1x1x?x5xTYPE, #weft.dims<1, 1, "m", 5>>)
    -> tensor<1x1x?x5xTYPE, #weft.dims<1, 1, "n", 5>>
  return %y : tensor<1x1x?x5xTYPE, #weft.dims<1, 1, "n", 5>>
}
