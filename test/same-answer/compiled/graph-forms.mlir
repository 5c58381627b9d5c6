// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forms that the front ends never write, but the graph level allows: captures that broadcast only at run time, schedules written by
// hand, a tile of which only the dims tell how often.
// RUN: %python %S/../compare.py %s --level=graph m=3,n=5,k=7,p=3,q=5,b=2 m=1,n=50,k=3,p=1,q=1,b=1 m=9,n=48,k=1,p=1,q=48,b=3 \
// RUN:   m=130,n=33,k=2,p=130,q=1,b=2 m=0,n=1,k=1,p=1,q=1,b=2 m=2,n=3,k=0,p=1,q=3,b=1 m=64,n=130,k=5,p=1,q=130,b=0
#mk = #weft.dims<"m", "k">
#kn = #weft.dims<"k", "n">
#mn = #weft.dims<"m", "n">
#pq = #weft.dims<"p", "q">
#bmk = #weft.dims<"b", "m", "k">
#bmn = #weft.dims<"b", "m", "n">
func.func @main(%x: tensor<?x?xf32, #weft.dims<"m", "k">> {weft.name = "x"}, %w: tensor<?x?xf32, #weft.dims<"k", "n">> {weft.name = "w"},
                %a: tensor<?x?x?xf32, #weft.dims<"b", "m", "k">> {weft.name = "a"},
                %either: tensor<?x?xf32, #weft.dims<"p", "q">> {weft.name = "either"},
                %mask: tensor<?xi1, #weft.dims<"q">> {weft.name = "mask"},
                %half: tensor<?x?xf16, #weft.dims<"p", "q">> {weft.name = "half"},
                %joined: tensor<?xf32, #weft.dims<"m">> {weft.name = "joined"})
  -> (tensor<?x?xf32, #mn> {weft.name = "captures"}, tensor<?x?x?xf32, #bmn> {weft.name = "batch"},
      tensor<?x?xf32, #mn> {weft.name = "scheduled"}, tensor<?x?xf32, #mk> {weft.name = "softmax"},
      tensor<?x?xf32, #mk> {weft.name = "relu"}, tensor<?xf32, #weft.dims<3 * "m">> {weft.name = "tile"},
      tensor<0x?xf32, #weft.dims<0, "n">> {weft.name = "tile_nothing"}, tensor<0xi64> {weft.name = "no_dims"}) {
  %captures = weft.matmul %x, %w captures(%either, %mask, %half : tensor<?x?xf32, #pq>, tensor<?xi1, #weft.dims<"q">>, tensor<?x?xf16, #pq>) epilogue {
  ^bb0(%sum: f32, %e: f32, %m: i1, %h: f16):
    %wide = arith.extf %h : f16 to f32
    %0 = arith.addf %sum, %e : f32
    %1 = arith.select %m, %0, %wide : f32
    weft.yield %1 : f32
  } : (tensor<?x?xf32, #mk>, tensor<?x?xf32, #kn>) -> tensor<?x?xf32, #mn>
  %batch = weft.matmul %a, %w captures(%either : tensor<?x?xf32, #pq>) epilogue {
  ^bb0(%sum: f32, %e: f32):
    %0 = arith.mulf %sum, %e : f32
    weft.yield %0 : f32
  } : (tensor<?x?x?xf32, #bmk>, tensor<?x?xf32, #kn>) -> tensor<?x?x?xf32, #bmn>
  %scheduled = weft.matmul %x, %w {weft.schedule = {rows = 3 : i64}} : (tensor<?x?xf32, #mk>, tensor<?x?xf32, #kn>) -> tensor<?x?xf32, #mn>
  %softmax = weft.softmax %x {axis = 1 : i64, weft.schedule = {rows = 1 : i64}} : (tensor<?x?xf32, #mk>) -> tensor<?x?xf32, #mk>
  %relu = weft.relu %x {weft.schedule = {rows = 2 : i64, columns = 16 : i64}} : (tensor<?x?xf32, #mk>) -> tensor<?x?xf32, #mk>
  %tile = weft.tile %joined : (tensor<?xf32, #weft.dims<"m">>) -> tensor<?xf32, #weft.dims<3 * "m">>
  %nothing = weft.slice %w {offsets = #weft.dims<0, 0>, strides = array<i64: 1, 1>} : (tensor<?x?xf32, #kn>) -> tensor<0x?xf32, #weft.dims<0, "n">>
  %tile_nothing = weft.tile %nothing : (tensor<0x?xf32, #weft.dims<0, "n">>) -> tensor<0x?xf32, #weft.dims<0, "n">>
  %no_dims = weft.dims <> : tensor<0xi64>
  return %captures, %batch, %scheduled, %softmax, %relu, %tile, %tile_nothing, %no_dims
    : tensor<?x?xf32, #mn>, tensor<?x?x?xf32, #bmn>, tensor<?x?xf32, #mn>, tensor<?x?xf32, #mk>, tensor<?x?xf32, #mk>,
      tensor<?xf32, #weft.dims<3 * "m">>, tensor<0x?xf32, #weft.dims<0, "n">>, tensor<0xi64>
}
