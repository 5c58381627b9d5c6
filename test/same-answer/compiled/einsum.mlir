// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Einsums: products with moves around them, diagonals, sums, ellipses, three and more operands.
// RUN: %python %S/../compare.py %s --element=f32 b=2,h=3,i=5,j=7,d=4 b=1,h=1,i=1,j=1,d=1 b=0,h=2,i=3,j=1,d=4 b=3,h=2,i=17,j=13,d=11 b=2,h=1,i=0,j=5,d=3
// RUN: %python %S/../compare.py %s --element=i32 b=2,h=3,i=5,j=7,d=4
func.func @main(%bihd: tensor<?x?x?x?xTYPE, #weft.dims<"b", "i", "h", "d">> {weft.name = "bihd"},
                %bjhd: tensor<?x?x?x?xTYPE, #weft.dims<"b", "j", "h", "d">> {weft.name = "bjhd"},
                %bhij: tensor<?x?x?x?xTYPE, #weft.dims<"b", "h", "i", "j">> {weft.name = "bhij"},
                %ij: tensor<?x?xTYPE, #weft.dims<"i", "j">> {weft.name = "ij"},
                %jd: tensor<?x?xTYPE, #weft.dims<"j", "d">> {weft.name = "jd"},
                %dj: tensor<?x?xTYPE, #weft.dims<"d", "j">> {weft.name = "dj"},
                %i: tensor<?xTYPE, #weft.dims<"i">> {weft.name = "i"},
                %j: tensor<?xTYPE, #weft.dims<"j">> {weft.name = "j"},
                %square: tensor<?x?xTYPE, #weft.dims<"i", "i">> {weft.name = "square"},
                %cube: tensor<?x?x?x?xTYPE, #weft.dims<"b", "i", "b", "j">> {weft.name = "cube"},
                %s: tensor<TYPE> {weft.name = "s"},
                %one: tensor<1x?xTYPE, #weft.dims<1, "j">> {weft.name = "one"},
                %batch: tensor<?x1x?xTYPE, #weft.dims<"b", 1, "i">> {weft.name = "batch"})
  -> (tensor<?x?x?x?xTYPE> {weft.name = "scores"},
      tensor<?x?x?x?xTYPE> {weft.name = "values"},
      tensor<?x?xTYPE> {weft.name = "product"},
      tensor<?x?xTYPE> {weft.name = "turned"},
      tensor<?x?xTYPE> {weft.name = "outer"},
      tensor<TYPE> {weft.name = "dot"},
      tensor<?x?xTYPE> {weft.name = "permuted"},
      tensor<TYPE> {weft.name = "total"},
      tensor<?xTYPE> {weft.name = "rows"},
      tensor<?xTYPE> {weft.name = "diagonal"},
      tensor<TYPE> {weft.name = "trace"},
      tensor<?x?xTYPE> {weft.name = "inner"},
      tensor<?xTYPE> {weft.name = "both"},
      tensor<?xTYPE> {weft.name = "chain"},
      tensor<?x?xTYPE> {weft.name = "scaled"},
      tensor<?x?x?x?xTYPE> {weft.name = "batched"},
      tensor<?x?xTYPE> {weft.name = "ellipsis"},
      tensor<?xTYPE> {weft.name = "summed"},
      tensor<?x?xTYPE> {weft.name = "broadcast"},
      tensor<?x?xTYPE> {weft.name = "broadcast_sum"}) {
  %scores = weft.einsum "bihd,bjhd->bhij" %bihd, %bjhd : (tensor<?x?x?x?xTYPE, #weft.dims<"b", "i", "h", "d">>, tensor<?x?x?x?xTYPE, #weft.dims<"b", "j", "h", "d">>) -> tensor<?x?x?x?xTYPE>
  %values = weft.einsum "bhij,bjhd->bihd" %bhij, %bjhd : (tensor<?x?x?x?xTYPE, #weft.dims<"b", "h", "i", "j">>, tensor<?x?x?x?xTYPE, #weft.dims<"b", "j", "h", "d">>) -> tensor<?x?x?x?xTYPE>
  %product = weft.einsum "ij,jd" %ij, %jd : (tensor<?x?xTYPE, #weft.dims<"i", "j">>, tensor<?x?xTYPE, #weft.dims<"j", "d">>) -> tensor<?x?xTYPE>
  %turned = weft.einsum "ij,dj->di" %ij, %dj : (tensor<?x?xTYPE, #weft.dims<"i", "j">>, tensor<?x?xTYPE, #weft.dims<"d", "j">>) -> tensor<?x?xTYPE>
  %outer = weft.einsum "i,j->ij" %i, %j : (tensor<?xTYPE, #weft.dims<"i">>, tensor<?xTYPE, #weft.dims<"j">>) -> tensor<?x?xTYPE>
  %dot = weft.einsum "i,i" %i, %i : (tensor<?xTYPE, #weft.dims<"i">>, tensor<?xTYPE, #weft.dims<"i">>) -> tensor<TYPE>
  %permuted = weft.einsum "ij->ji" %ij : (tensor<?x?xTYPE, #weft.dims<"i", "j">>) -> tensor<?x?xTYPE>
  %total = weft.einsum "ij->" %ij : (tensor<?x?xTYPE, #weft.dims<"i", "j">>) -> tensor<TYPE>
  %rows = weft.einsum "ij->i" %ij : (tensor<?x?xTYPE, #weft.dims<"i", "j">>) -> tensor<?xTYPE>
  %diagonal = weft.einsum "ii->i" %square : (tensor<?x?xTYPE, #weft.dims<"i", "i">>) -> tensor<?xTYPE>
  %trace = weft.einsum "ii" %square : (tensor<?x?xTYPE, #weft.dims<"i", "i">>) -> tensor<TYPE>
  %inner = weft.einsum "bibj->ij" %cube : (tensor<?x?x?x?xTYPE, #weft.dims<"b", "i", "b", "j">>) -> tensor<?x?xTYPE>
  %both = weft.einsum "bibj,ij->b" %cube, %ij : (tensor<?x?x?x?xTYPE, #weft.dims<"b", "i", "b", "j">>, tensor<?x?xTYPE, #weft.dims<"i", "j">>) -> tensor<?xTYPE>
  %chain = weft.einsum "ij,jd,dj,i->i" %ij, %jd, %dj, %i : (tensor<?x?xTYPE, #weft.dims<"i", "j">>, tensor<?x?xTYPE, #weft.dims<"j", "d">>, tensor<?x?xTYPE, #weft.dims<"d", "j">>, tensor<?xTYPE, #weft.dims<"i">>) -> tensor<?xTYPE>
  %scaled = weft.einsum ",ij->ji" %s, %ij : (tensor<TYPE>, tensor<?x?xTYPE, #weft.dims<"i", "j">>) -> tensor<?x?xTYPE>
  %batched = weft.einsum "...ij,...jd->...id" %bhij, %jd : (tensor<?x?x?x?xTYPE, #weft.dims<"b", "h", "i", "j">>, tensor<?x?xTYPE, #weft.dims<"j", "d">>) -> tensor<?x?x?x?xTYPE>
  %ellipsis = weft.einsum "...i,i...->..." %batch, %ij : (tensor<?x1x?xTYPE, #weft.dims<"b", 1, "i">>, tensor<?x?xTYPE, #weft.dims<"i", "j">>) -> tensor<?x?xTYPE>
  %summed = weft.einsum "...i,ij->j" %batch, %ij : (tensor<?x1x?xTYPE, #weft.dims<"b", 1, "i">>, tensor<?x?xTYPE, #weft.dims<"i", "j">>) -> tensor<?xTYPE>
  %broadcast = weft.einsum "ij,ij->ij" %one, %ij : (tensor<1x?xTYPE, #weft.dims<1, "j">>, tensor<?x?xTYPE, #weft.dims<"i", "j">>) -> tensor<?x?xTYPE>
  %broadcast_sum = weft.einsum "kj,ij->ki" %one, %ij : (tensor<1x?xTYPE, #weft.dims<1, "j">>, tensor<?x?xTYPE, #weft.dims<"i", "j">>) -> tensor<?x?xTYPE>
  return %scores, %values, %product, %turned, %outer, %dot, %permuted, %total, %rows, %diagonal, %trace, %inner, %both, %chain, %scaled, %batched, %ellipsis, %summed, %broadcast, %broadcast_sum : tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<TYPE>, tensor<?x?xTYPE>, tensor<TYPE>, tensor<?xTYPE>, tensor<?xTYPE>, tensor<TYPE>, tensor<?x?xTYPE>, tensor<?xTYPE>, tensor<?xTYPE>, tensor<?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?xTYPE>, tensor<?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>
}
