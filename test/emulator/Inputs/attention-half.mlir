// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention by tensor cores: heads that share keys, few new queries of many keys, rows that begin anywhere, biases, lengths of each
// batch, wide heads, sinks, and a result that is written as a transpose wants it.
#q = #weft.dims<"b", 4, "n", 48>
#k = #weft.dims<"b", 2, "m", 48>
#v = #weft.dims<"b", 2, "m", 64>
#r = #weft.dims<"b", 4, "n", 64>
#t = #weft.dims<"b", "n", 4, 64>
#a = #weft.dims<"b", 2, "m", 70>
#w = #weft.dims<"b", 2, "m", 160>
#wq = #weft.dims<"b", 2, "n", 160>
func.func @main(%q: tensor<?x4x?x48xf16, #q> {weft.name = "q"}, %k: tensor<?x2x?x48xf16, #k> {weft.name = "k"},
                %v: tensor<?x2x?x64xf16, #v> {weft.name = "v"}, %a: tensor<?x2x?x70xf16, #a> {weft.name = "a"},
                %w: tensor<?x2x?x160xbf16, #w> {weft.name = "w"}, %wq: tensor<?x2x?x160xbf16, #wq> {weft.name = "wq"},
                %bias: tensor<4x?x?xf16, #weft.dims<4, "n", "m">> {weft.name = "bias"},
                %sinks: tensor<4x1x1xf32> {weft.name = "sinks"}, %rows: tensor<?x2x?x1xf32, #weft.dims<"b", 2, "n", 1>> {weft.name = "rows"},
                %lengths: tensor<?x1x1x1xi64, #weft.dims<"b", 1, 1, 1>> {weft.name = "lengths"})
  -> (tensor<?x4x?x64xf16, #r> {weft.name = "causal"}, tensor<?x?x4x64xf16, #t> {weft.name = "ragged"},
      tensor<?x4x?x64xf16, #r> {weft.name = "biased"}, tensor<?x2x?x160xbf16, #wq> {weft.name = "wide"},
      tensor<?x4x?x48xf16, #q> {weft.name = "anywhere"}, tensor<?x4x?x64xf16, #r> {weft.name = "sunk"}) {
  // The last queries of the keys, as if they came after others.
  %causal = weft.attention %q, %k, %v scale(0.144) empty_rows(zero) captures(%lengths : tensor<?x1x1x1xi64, #weft.dims<"b", 1, 1, 1>>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %length: i64):
    %past = arith.index_cast %length : i64 to index
    %last = arith.addi %i, %past : index
    %keep = arith.cmpi sle, %j, %last : index
    weft.yield %s, %keep : f32, i1
  } : (tensor<?x4x?x48xf16, #q>, tensor<?x2x?x48xf16, #k>, tensor<?x2x?x64xf16, #v>) -> tensor<?x4x?x64xf16, #r>
  // The same, of the keys before that, with a score of each head that no key has.
  %sunk = weft.attention %q, %k, %v scale(0.144) empty_rows(nan) captures(%lengths : tensor<?x1x1x1xi64, #weft.dims<"b", 1, 1, 1>>) sink(%sinks : tensor<4x1x1xf32>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %length: i64):
    %past = arith.index_cast %length : i64 to index
    %last = arith.addi %i, %past : index
    %keep = arith.cmpi slt, %j, %last : index
    weft.yield %s, %keep : f32, i1
  } : (tensor<?x4x?x48xf16, #q>, tensor<?x2x?x48xf16, #k>, tensor<?x2x?x64xf16, #v>) -> tensor<?x4x?x64xf16, #r>
  // Only so many keys of each batch; none of some.
  %some = weft.attention %q, %k, %v scale(-0.2) empty_rows(zero) captures(%lengths : tensor<?x1x1x1xi64, #weft.dims<"b", 1, 1, 1>>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %length: i64):
    %end = arith.index_cast %length : i64 to index
    %keep = arith.cmpi slt, %j, %end : index
    weft.yield %s, %keep : f32, i1
  } : (tensor<?x4x?x48xf16, #q>, tensor<?x2x?x48xf16, #k>, tensor<?x2x?x64xf16, #v>) -> tensor<?x4x?x64xf16, #r>
  %ragged = weft.transpose %some {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x4x?x64xf16, #r>) -> tensor<?x?x4x64xf16, #t>
  %biased = weft.attention %q, %k, %v scale(0.144) empty_rows(nan) captures(%bias : tensor<4x?x?xf16, #weft.dims<4, "n", "m">>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %add: f16):
    %wider = arith.extf %add : f16 to f32
    %sum = arith.addf %s, %wider : f32
    %true = arith.constant true
    weft.yield %sum, %true : f32, i1
  } : (tensor<?x4x?x48xf16, #q>, tensor<?x2x?x48xf16, #k>, tensor<?x2x?x64xf16, #v>) -> tensor<?x4x?x64xf16, #r>
  %wide = weft.attention %wq, %w, %w scale(0.08) empty_rows(nan) sink(%rows : tensor<?x2x?x1xf32, #weft.dims<"b", 2, "n", 1>>)
    : (tensor<?x2x?x160xbf16, #wq>, tensor<?x2x?x160xbf16, #w>, tensor<?x2x?x160xbf16, #w>) -> tensor<?x2x?x160xbf16, #wq>
  // Rows of 140 bytes, from the third element on.
  %sliced = weft.slice %a {offsets = #weft.dims<0, 0, 0, 3>, strides = array<i64: 1, 1, 1, 1>} : (tensor<?x2x?x70xf16, #a>) -> tensor<?x2x?x48xf16, #k>
  %anywhere = weft.attention %q, %sliced, %sliced scale(0.144) empty_rows(nan)
    : (tensor<?x4x?x48xf16, #q>, tensor<?x2x?x48xf16, #k>, tensor<?x2x?x48xf16, #k>) -> tensor<?x4x?x48xf16, #q>
  return %causal, %ragged, %biased, %wide, %anywhere, %sunk
    : tensor<?x4x?x64xf16, #r>, tensor<?x?x4x64xf16, #t>, tensor<?x4x?x64xf16, #r>, tensor<?x2x?x160xbf16, #wq>, tensor<?x4x?x48xf16, #q>, tensor<?x4x?x64xf16, #r>
}
