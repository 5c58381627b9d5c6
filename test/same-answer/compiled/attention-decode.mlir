// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Few queries and many keys: the keys are divided among tiles, which a second step puts together, and are brought into
// panels where they are used. Grouped or not, with a mask by numbers and a mask of the graph.
// RUN: %python %S/../compare.py %s --element=f32 b=1,m=1 b=2,m=65 b=1,m=1025 b=3,m=2100 b=20,m=1100 b=1,m=0 b=0,m=1025
// RUN: %python %S/../compare.py %s --element=f16 --rtol=2e-3 --atol=2e-3 b=2,m=65 b=1,m=1100
func.func @main(%q: tensor<?x4x1x8xTYPE, #weft.dims<"b", 4, 1, 8>> {weft.name = "q"},
                %k: tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "m", 8>> {weft.name = "k"},
                %v: tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "m", 5>> {weft.name = "v"},
                %k2: tensor<?x2x?x8xTYPE, #weft.dims<"b", 2, "m", 8>> {weft.name = "k2"},
                %v2: tensor<?x2x?x5xTYPE, #weft.dims<"b", 2, "m", 5>> {weft.name = "v2"},
                %padding: tensor<?x1x1x?xi1, #weft.dims<"b", 1, 1, "m">> {weft.name = "padding"},
                %length: tensor<i64> {weft.name = "length"})
  -> (tensor<?x4x1x5xTYPE, #weft.dims<"b", 4, 1, 5>> {weft.name = "plain"},
      tensor<?x4x1x5xTYPE, #weft.dims<"b", 4, 1, 5>> {weft.name = "grouped"},
      tensor<?x4x1x5xTYPE, #weft.dims<"b", 4, 1, 5>> {weft.name = "nothing"}) {
  %plain = weft.attention %q, %k, %v scale(0.25) empty_rows(nan)
    : (tensor<?x4x1x8xTYPE, #weft.dims<"b", 4, 1, 8>>, tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "m", 8>>, tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x1x5xTYPE, #weft.dims<"b", 4, 1, 5>>
  %grouped = weft.attention %q, %k2, %v2 scale(-0.3) empty_rows(nan_to_zero) captures(%padding : tensor<?x1x1x?xi1, #weft.dims<"b", 1, 1, "m">>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %keep: i1):
    weft.yield %s, %keep : f32, i1
  }
    : (tensor<?x4x1x8xTYPE, #weft.dims<"b", 4, 1, 8>>, tensor<?x2x?x8xTYPE, #weft.dims<"b", 2, "m", 8>>, tensor<?x2x?x5xTYPE, #weft.dims<"b", 2, "m", 5>>) -> tensor<?x4x1x5xTYPE, #weft.dims<"b", 4, 1, 5>>
  %nothing = weft.attention %q, %k, %v scale(1.0) empty_rows(zero) captures(%length : tensor<i64>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %n: i64):
    %end = arith.index_cast %n : i64 to index
    %keep = arith.cmpi slt, %j, %end : index
    weft.yield %s, %keep : f32, i1
  }
    : (tensor<?x4x1x8xTYPE, #weft.dims<"b", 4, 1, 8>>, tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "m", 8>>, tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x1x5xTYPE, #weft.dims<"b", 4, 1, 5>>
  return %plain, %grouped, %nothing : tensor<?x4x1x5xTYPE, #weft.dims<"b", 4, 1, 5>>, tensor<?x4x1x5xTYPE, #weft.dims<"b", 4, 1, 5>>, tensor<?x4x1x5xTYPE, #weft.dims<"b", 4, 1, 5>>
}
