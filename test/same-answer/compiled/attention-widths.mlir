// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Widths of values that do not fill vectors, beside few and many queries: whole blocks of keys, and what is left of one,
// with a mask, and of 16 queries over parts of the keys.
// RUN: %python %S/../compare.py %s --element=f32 n=1,m=1 n=2,m=77 n=4,m=516 n=5,m=64 n=15,m=30 n=16,m=64 n=67,m=515 n=130,m=1030
// RUN: %python %S/../compare.py %s --element=f64 n=40,m=77
func.func @main(%q: tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "n", 12>> {weft.name = "q"},
                %q16: tensor<1x2x16x12xTYPE> {weft.name = "q16"},
                %k: tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "m", 12>> {weft.name = "k"},
                %v1: tensor<1x2x?x1xTYPE, #weft.dims<1, 2, "m", 1>> {weft.name = "v1"},
                %v12: tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "m", 12>> {weft.name = "v12"},
                %v20: tensor<1x2x?x20xTYPE, #weft.dims<1, 2, "m", 20>> {weft.name = "v20"},
                %v36: tensor<1x2x?x36xTYPE, #weft.dims<1, 2, "m", 36>> {weft.name = "v36"},
                %v72: tensor<1x2x?x72xTYPE, #weft.dims<1, 2, "m", 72>> {weft.name = "v72"})
  -> (tensor<1x2x?x1xTYPE, #weft.dims<1, 2, "n", 1>> {weft.name = "y1"},
      tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "n", 12>> {weft.name = "y12"},
      tensor<1x2x?x20xTYPE, #weft.dims<1, 2, "n", 20>> {weft.name = "y20"},
      tensor<1x2x?x36xTYPE, #weft.dims<1, 2, "n", 36>> {weft.name = "y36"},
      tensor<1x2x?x72xTYPE, #weft.dims<1, 2, "n", 72>> {weft.name = "y72"},
      tensor<1x2x?x20xTYPE, #weft.dims<1, 2, "n", 20>> {weft.name = "causal"},
      tensor<1x2x16x20xTYPE> {weft.name = "parts"}) {
  %y1 = weft.attention %q, %k, %v1 scale(0.3) empty_rows(nan)
    : (tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "n", 12>>, tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "m", 12>>, tensor<1x2x?x1xTYPE, #weft.dims<1, 2, "m", 1>>) -> tensor<1x2x?x1xTYPE, #weft.dims<1, 2, "n", 1>>
  %y12 = weft.attention %q, %k, %v12 scale(0.3) empty_rows(nan)
    : (tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "n", 12>>, tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "m", 12>>, tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "m", 12>>) -> tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "n", 12>>
  %y20 = weft.attention %q, %k, %v20 scale(0.3) empty_rows(nan)
    : (tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "n", 12>>, tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "m", 12>>, tensor<1x2x?x20xTYPE, #weft.dims<1, 2, "m", 20>>) -> tensor<1x2x?x20xTYPE, #weft.dims<1, 2, "n", 20>>
  %y36 = weft.attention %q, %k, %v36 scale(0.3) empty_rows(nan)
    : (tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "n", 12>>, tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "m", 12>>, tensor<1x2x?x36xTYPE, #weft.dims<1, 2, "m", 36>>) -> tensor<1x2x?x36xTYPE, #weft.dims<1, 2, "n", 36>>
  %y72 = weft.attention %q, %k, %v72 scale(0.3) empty_rows(nan)
    : (tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "n", 12>>, tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "m", 12>>, tensor<1x2x?x72xTYPE, #weft.dims<1, 2, "m", 72>>) -> tensor<1x2x?x72xTYPE, #weft.dims<1, 2, "n", 72>>
  %causal = weft.attention %q, %k, %v20 scale(0.3) empty_rows(nan) score {
  ^bb0(%s: TYPE, %b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    weft.yield %s, %keep : TYPE, i1
  }
    : (tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "n", 12>>, tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "m", 12>>, tensor<1x2x?x20xTYPE, #weft.dims<1, 2, "m", 20>>) -> tensor<1x2x?x20xTYPE, #weft.dims<1, 2, "n", 20>>
  %parts = weft.attention %q16, %k, %v20 scale(0.3) empty_rows(nan)
    : (tensor<1x2x16x12xTYPE>, tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "m", 12>>, tensor<1x2x?x20xTYPE, #weft.dims<1, 2, "m", 20>>) -> tensor<1x2x16x20xTYPE>
  return %y1, %y12, %y20, %y36, %y72, %causal, %parts
    : tensor<1x2x?x1xTYPE, #weft.dims<1, 2, "n", 1>>, tensor<1x2x?x12xTYPE, #weft.dims<1, 2, "n", 12>>, tensor<1x2x?x20xTYPE, #weft.dims<1, 2, "n", 20>>, tensor<1x2x?x36xTYPE, #weft.dims<1, 2, "n", 36>>, tensor<1x2x?x72xTYPE, #weft.dims<1, 2, "n", 72>>, tensor<1x2x?x20xTYPE, #weft.dims<1, 2, "n", 20>>, tensor<1x2x16x20xTYPE>
}
