// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// States without and with a decay, of each row or of all, and a rate; shared heads; columns that fill a vector or not.
// RUN: %python %S/../compare.py %s --element=f32 b=1,n=1,w=4,v=8 b=2,n=5,w=3,v=7 b=2,n=0,w=3,v=5 b=0,n=3,w=2,v=2 b=1,n=3,w=0,v=4 b=1,n=3,w=2,v=0 b=1,n=9,w=17,v=70 b=2,n=2,w=2,v=129
// RUN: %python %S/../compare.py %s --element=f64 b=2,n=5,w=3,v=7 b=1,n=4,w=9,v=70
func.func @main(%q: tensor<?x?x6x?xTYPE, #weft.dims<"b", "n", 6, "w">> {weft.name = "q"},
                %k: tensor<?x?x2x?xTYPE, #weft.dims<"b", "n", 2, "w">> {weft.name = "k"},
                %v: tensor<?x?x2x?xTYPE, #weft.dims<"b", "n", 2, "v">> {weft.name = "v"},
                %s: tensor<?x2x?x?xTYPE, #weft.dims<"b", 2, "w", "v">> {weft.name = "s"},
                %rows: tensor<?x?x2x?xTYPE, #weft.dims<"b", "n", 2, "w">> {weft.name = "rows"},
                %one: tensor<?x?x2x1xTYPE, #weft.dims<"b", "n", 2, 1>> {weft.name = "one"},
                %shared: tensor<?x?x1x1xTYPE, #weft.dims<"b", "n", 1, 1>> {weft.name = "shared"})
  -> (tensor<?x?x6x?xTYPE> {weft.name = "plain"}, tensor<?x2x?x?xTYPE> {weft.name = "plain_state"},
      tensor<?x?x6x?xTYPE> {weft.name = "by_row"}, tensor<?x2x?x?xTYPE> {weft.name = "by_row_state"},
      tensor<?x?x2x?xTYPE> {weft.name = "delta"}, tensor<?x2x?x?xTYPE> {weft.name = "delta_state"},
      tensor<?x?x6x?xTYPE> {weft.name = "both"}, tensor<?x2x?x?xTYPE> {weft.name = "both_state"}) {
  %0:2 = weft.linear_attention %q, %k, %v, %s
    : (tensor<?x?x6x?xTYPE, #weft.dims<"b", "n", 6, "w">>, tensor<?x?x2x?xTYPE, #weft.dims<"b", "n", 2, "w">>,
       tensor<?x?x2x?xTYPE, #weft.dims<"b", "n", 2, "v">>, tensor<?x2x?x?xTYPE, #weft.dims<"b", 2, "w", "v">>)
    -> (tensor<?x?x6x?xTYPE>, tensor<?x2x?x?xTYPE>)
  %1:2 = weft.linear_attention %q, %k, %v, %s decay(%rows : tensor<?x?x2x?xTYPE, #weft.dims<"b", "n", 2, "w">>)
    : (tensor<?x?x6x?xTYPE, #weft.dims<"b", "n", 6, "w">>, tensor<?x?x2x?xTYPE, #weft.dims<"b", "n", 2, "w">>,
       tensor<?x?x2x?xTYPE, #weft.dims<"b", "n", 2, "v">>, tensor<?x2x?x?xTYPE, #weft.dims<"b", 2, "w", "v">>)
    -> (tensor<?x?x6x?xTYPE>, tensor<?x2x?x?xTYPE>)
  %2:2 = weft.linear_attention %k, %k, %v, %s rate(%one : tensor<?x?x2x1xTYPE, #weft.dims<"b", "n", 2, 1>>)
    : (tensor<?x?x2x?xTYPE, #weft.dims<"b", "n", 2, "w">>, tensor<?x?x2x?xTYPE, #weft.dims<"b", "n", 2, "w">>,
       tensor<?x?x2x?xTYPE, #weft.dims<"b", "n", 2, "v">>, tensor<?x2x?x?xTYPE, #weft.dims<"b", 2, "w", "v">>)
    -> (tensor<?x?x2x?xTYPE>, tensor<?x2x?x?xTYPE>)
  %3:2 = weft.linear_attention %q, %k, %v, %s decay(%one : tensor<?x?x2x1xTYPE, #weft.dims<"b", "n", 2, 1>>)
      rate(%shared : tensor<?x?x1x1xTYPE, #weft.dims<"b", "n", 1, 1>>)
    : (tensor<?x?x6x?xTYPE, #weft.dims<"b", "n", 6, "w">>, tensor<?x?x2x?xTYPE, #weft.dims<"b", "n", 2, "w">>,
       tensor<?x?x2x?xTYPE, #weft.dims<"b", "n", 2, "v">>, tensor<?x2x?x?xTYPE, #weft.dims<"b", 2, "w", "v">>)
    -> (tensor<?x?x6x?xTYPE>, tensor<?x2x?x?xTYPE>)
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1, %3#0, %3#1
    : tensor<?x?x6x?xTYPE>, tensor<?x2x?x?xTYPE>, tensor<?x?x6x?xTYPE>, tensor<?x2x?x?xTYPE>,
      tensor<?x?x2x?xTYPE>, tensor<?x2x?x?xTYPE>, tensor<?x?x6x?xTYPE>, tensor<?x2x?x?xTYPE>
}
