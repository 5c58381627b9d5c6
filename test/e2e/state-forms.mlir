// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// States of every form, over several runs: values of other types, which are copied for what reads them; more than one part in a
// concatenation; keys in [batch, length, heads, width], which attention reads through a transpose; heads that share keys; attention in f64
// and of halves; two lengths in one model. Nothing here is causal, so each run is compared with one that is given what was returned.
// REQUIRES: long
// RUN: split-file %s %t
// RUN: %python %S/Inputs/state_cases.py --once --stepwise %t/moves.mlir %t/moves --capacity=140 --piece-sizes 1,2,40 5,0,33 | FileCheck %s --check-prefix=SIX
// SIX: 6 states, 2 prompts, 0 problems
// RUN: %python %S/Inputs/state_cases.py --once --stepwise %t/attention.mlir %t/attention --capacity=80 --piece-sizes 1,1,5,60 66,3,1 | FileCheck %s --check-prefix=SEVEN
// SEVEN: 7 states, 2 prompts, 0 problems
// RUN: %python %S/Inputs/state_cases.py --once --stepwise %t/axes.mlir %t/axes --capacity=80 --piece-sizes 1,5,60 2,3,1 | FileCheck %s --check-prefix=THREE
// THREE: 3 states, 2 prompts, 0 problems
// RUN: %python %S/Inputs/state_cases.py --once --stepwise %t/half.mlir %t/half --tolerance=2e-3 --capacity=80 --piece-sizes 1,5,60 66,3 | FileCheck %s --check-prefix=TWO
// Keys of one query, divided among tiles.
// RUN: %python %S/Inputs/state_cases.py --once --stepwise %t/decode.mlir %t/decode --capacity=2101 --piece-sizes 1,1,500 1100,999,1,1 | FileCheck %s --check-prefix=TWO
// TWO: 2 states, 2 prompts, 0 problems

//--- moves.mlir
#all3 = #weft.dims<"batch", "past" + "seq", 3>
#new3 = #weft.dims<"batch", "seq", 3>
#old3 = #weft.dims<"batch", "past", 3>
func.func @main(%x: tensor<?x?x3xf32, #new3> {weft.name = "x"}, %n: tensor<?x?x3xi64, #new3> {weft.name = "n"}, %m: tensor<?x?x3xi1, #new3> {weft.name = "m"},
    %c: tensor<?x2xf32, #weft.dims<"batch", 2>> {weft.name = "c"},
    %past_x: tensor<?x?x3xf32, #old3> {weft.name = "past_x"}, %past_n: tensor<?x?x3xi64, #old3> {weft.name = "past_n"},
    %past_m: tensor<?x?x3xi1, #old3> {weft.name = "past_m"},
    %past_two: tensor<?x?xf32, #weft.dims<"batch", "pairs">> {weft.name = "past_two"},
    %past_rows: tensor<?x3xf32, #weft.dims<"rows", 3>> {weft.name = "past_rows"},
    %past_lone: tensor<?x?x3xf32, #old3> {weft.name = "past_lone"})
    -> (tensor<?x?x3xf32, #all3> {weft.name = "exp"}, tensor<?x?x3xf32, #all3> {weft.name = "present_x"},
        tensor<?x?x3xi64, #all3> {weft.name = "twice"}, tensor<?x?x3xi64, #all3> {weft.name = "present_n"},
        tensor<?x?x3xi1, #all3> {weft.name = "present_m"}, tensor<?x?x3xf32, #all3> {weft.name = "masked"},
        tensor<?x?xf32, #weft.dims<"batch", "pairs" + 4>> {weft.name = "present_two"}, tensor<?xf32, #weft.dims<"batch">> {weft.name = "sum"},
        tensor<?x3xf32, #weft.dims<"rows" + "batch" * "seq", 3>> {weft.name = "present_rows"}, tensor<3xf32> {weft.name = "columns"},
        tensor<?x?x3xf32, #all3> {weft.name = "present_lone"}) {
  %ax = weft.concat %past_x, %x {axis = 1 : i64} : (tensor<?x?x3xf32, #old3>, tensor<?x?x3xf32, #new3>) -> tensor<?x?x3xf32, #all3>
  %exp = weft.exp %ax : (tensor<?x?x3xf32, #all3>) -> tensor<?x?x3xf32, #all3>
  %an = weft.concat %past_n, %n {axis = 1 : i64} : (tensor<?x?x3xi64, #old3>, tensor<?x?x3xi64, #new3>) -> tensor<?x?x3xi64, #all3>
  %twice = weft.add %an, %an : (tensor<?x?x3xi64, #all3>, tensor<?x?x3xi64, #all3>) -> tensor<?x?x3xi64, #all3>
  %am = weft.concat %past_m, %m {axis = 1 : i64} : (tensor<?x?x3xi1, #old3>, tensor<?x?x3xi1, #new3>) -> tensor<?x?x3xi1, #all3>
  %masked = weft.where %am, %ax, %exp : (tensor<?x?x3xi1, #all3>, tensor<?x?x3xf32, #all3>, tensor<?x?x3xf32, #all3>) -> tensor<?x?x3xf32, #all3>
  // Two parts, one twice.
  %two = weft.concat %past_two, %c, %c {axis = 1 : i64}
    : (tensor<?x?xf32, #weft.dims<"batch", "pairs">>, tensor<?x2xf32, #weft.dims<"batch", 2>>, tensor<?x2xf32, #weft.dims<"batch", 2>>) -> tensor<?x?xf32, #weft.dims<"batch", "pairs" + 4>>
  %sum = weft.reduce sum %two {axes = array<i64: 1>} : (tensor<?x?xf32, #weft.dims<"batch", "pairs" + 4>>) -> tensor<?xf32, #weft.dims<"batch">>
  // Along the first axis.
  %flat = weft.reshape %x : (tensor<?x?x3xf32, #new3>) -> tensor<?x3xf32, #weft.dims<"batch" * "seq", 3>>
  %rows = weft.concat %past_rows, %flat {axis = 0 : i64}
    : (tensor<?x3xf32, #weft.dims<"rows", 3>>, tensor<?x3xf32, #weft.dims<"batch" * "seq", 3>>) -> tensor<?x3xf32, #weft.dims<"rows" + "batch" * "seq", 3>>
  %turned = weft.transpose %rows {permutation = array<i64: 1, 0>} : (tensor<?x3xf32, #weft.dims<"rows" + "batch" * "seq", 3>>) -> tensor<3x?xf32, #weft.dims<3, "rows" + "batch" * "seq">>
  %columns = weft.reduce sum %turned {axes = array<i64: 1>} : (tensor<3x?xf32, #weft.dims<3, "rows" + "batch" * "seq">>) -> tensor<3xf32>
  // Nothing reads it.
  %lone = weft.concat %past_lone, %x {axis = 1 : i64} : (tensor<?x?x3xf32, #old3>, tensor<?x?x3xf32, #new3>) -> tensor<?x?x3xf32, #all3>
  return %exp, %ax, %twice, %an, %am, %masked, %two, %sum, %rows, %columns, %lone
    : tensor<?x?x3xf32, #all3>, tensor<?x?x3xf32, #all3>, tensor<?x?x3xi64, #all3>, tensor<?x?x3xi64, #all3>, tensor<?x?x3xi1, #all3>, tensor<?x?x3xf32, #all3>,
      tensor<?x?xf32, #weft.dims<"batch", "pairs" + 4>>, tensor<?xf32, #weft.dims<"batch">>, tensor<?x3xf32, #weft.dims<"rows" + "batch" * "seq", 3>>, tensor<3xf32>,
      tensor<?x?x3xf32, #all3>
}

//--- attention.mlir
#q = #weft.dims<"batch", 4, "seq", 8>
#k = #weft.dims<"batch", 2, "seq", 8>
#ok = #weft.dims<"batch", 2, "past", 8>
#ak = #weft.dims<"batch", 2, "past" + "seq", 8>
#l = #weft.dims<"batch", "seq", 2, 8>
#ol = #weft.dims<"batch", "past", 2, 8>
#al = #weft.dims<"batch", "past" + "seq", 2, 8>
func.func @main(%q: tensor<?x4x?x8xf32, #q> {weft.name = "q"}, %x: tensor<?x2x?x8xf32, #k> {weft.name = "x"}, %y: tensor<?x2x?x8xf32, #k> {weft.name = "y"},
    %q64: tensor<?x4x?x8xf64, #q> {weft.name = "q64"}, %x64: tensor<?x2x?x8xf64, #k> {weft.name = "x64"}, %turned: tensor<?x?x2x8xf32, #l> {weft.name = "turned"},
    %past_k: tensor<?x2x?x8xf32, #ok> {weft.name = "past_k"}, %past_v: tensor<?x2x?x8xf32, #ok> {weft.name = "past_v"},
    %past_k64: tensor<?x2x?x8xf64, #ok> {weft.name = "past_k64"}, %past_v64: tensor<?x2x?x8xf64, #ok> {weft.name = "past_v64"},
    %past_both: tensor<?x2x?x8xf32, #ok> {weft.name = "past_both"},
    %past_kt: tensor<?x?x2x8xf32, #ol> {weft.name = "past_kt"}, %past_vt: tensor<?x?x2x8xf32, #ol> {weft.name = "past_vt"})
    -> (tensor<?x4x?x8xf32, #q> {weft.name = "grouped"}, tensor<?x4x?x8xf64, #q> {weft.name = "wide"}, tensor<?x4x?x8xf32, #q> {weft.name = "one"},
        tensor<?x2x?x8xf32, #ak> {weft.name = "exp"}, tensor<?x4x?x8xf32, #q> {weft.name = "transposed"},
        tensor<?x4x?x8xf32, #q> {weft.name = "only_key"}, tensor<?x4x?x8xf32, #q> {weft.name = "only_value"},
        tensor<?x2x?x8xf32, #ak> {weft.name = "present_v"}, tensor<?x2x?x8xf32, #ak> {weft.name = "present_k"},
        tensor<?x2x?x8xf64, #ak> {weft.name = "present_k64"}, tensor<?x2x?x8xf64, #ak> {weft.name = "present_v64"},
        tensor<?x2x?x8xf32, #ak> {weft.name = "present_both"}, tensor<?x?x2x8xf32, #al> {weft.name = "present_kt"}, tensor<?x?x2x8xf32, #al> {weft.name = "present_vt"}) {
  %k = weft.concat %past_k, %x {axis = 2 : i64} : (tensor<?x2x?x8xf32, #ok>, tensor<?x2x?x8xf32, #k>) -> tensor<?x2x?x8xf32, #ak>
  %v = weft.concat %past_v, %y {axis = 2 : i64} : (tensor<?x2x?x8xf32, #ok>, tensor<?x2x?x8xf32, #k>) -> tensor<?x2x?x8xf32, #ak>
  %grouped = weft.attention %q, %k, %v scale(0.5) empty_rows(nan)
    : (tensor<?x4x?x8xf32, #q>, tensor<?x2x?x8xf32, #ak>, tensor<?x2x?x8xf32, #ak>) -> tensor<?x4x?x8xf32, #q>
  %k64 = weft.concat %past_k64, %x64 {axis = 2 : i64} : (tensor<?x2x?x8xf64, #ok>, tensor<?x2x?x8xf64, #k>) -> tensor<?x2x?x8xf64, #ak>
  %v64 = weft.concat %past_v64, %x64 {axis = 2 : i64} : (tensor<?x2x?x8xf64, #ok>, tensor<?x2x?x8xf64, #k>) -> tensor<?x2x?x8xf64, #ak>
  %wide = weft.attention %q64, %k64, %v64 scale(0.5) empty_rows(nan)
    : (tensor<?x4x?x8xf64, #q>, tensor<?x2x?x8xf64, #ak>, tensor<?x2x?x8xf64, #ak>) -> tensor<?x4x?x8xf64, #q>
  // One tensor is both, and something else reads it, too.
  %both = weft.concat %past_both, %x {axis = 2 : i64} : (tensor<?x2x?x8xf32, #ok>, tensor<?x2x?x8xf32, #k>) -> tensor<?x2x?x8xf32, #ak>
  %one = weft.attention %q, %both, %both scale(0.5) empty_rows(nan)
    : (tensor<?x4x?x8xf32, #q>, tensor<?x2x?x8xf32, #ak>, tensor<?x2x?x8xf32, #ak>) -> tensor<?x4x?x8xf32, #q>
  %exp = weft.exp %both : (tensor<?x2x?x8xf32, #ak>) -> tensor<?x2x?x8xf32, #ak>
  // Length before heads.
  %kt = weft.concat %past_kt, %turned {axis = 1 : i64} : (tensor<?x?x2x8xf32, #ol>, tensor<?x?x2x8xf32, #l>) -> tensor<?x?x2x8xf32, #al>
  %vt = weft.concat %past_vt, %turned {axis = 1 : i64} : (tensor<?x?x2x8xf32, #ol>, tensor<?x?x2x8xf32, #l>) -> tensor<?x?x2x8xf32, #al>
  %kk = weft.transpose %kt {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x?x2x8xf32, #al>) -> tensor<?x2x?x8xf32, #ak>
  %vv = weft.transpose %vt {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x?x2x8xf32, #al>) -> tensor<?x2x?x8xf32, #ak>
  %transposed = weft.attention %q, %kk, %vv scale(0.5) empty_rows(nan)
    : (tensor<?x4x?x8xf32, #q>, tensor<?x2x?x8xf32, #ak>, tensor<?x2x?x8xf32, #ak>) -> tensor<?x4x?x8xf32, #q>
  // One of the two is a state.
  %only_key = weft.attention %q, %k, %exp scale(0.5) empty_rows(nan)
    : (tensor<?x4x?x8xf32, #q>, tensor<?x2x?x8xf32, #ak>, tensor<?x2x?x8xf32, #ak>) -> tensor<?x4x?x8xf32, #q>
  %only_value = weft.attention %q, %exp, %v scale(0.5) empty_rows(nan)
    : (tensor<?x4x?x8xf32, #q>, tensor<?x2x?x8xf32, #ak>, tensor<?x2x?x8xf32, #ak>) -> tensor<?x4x?x8xf32, #q>
  return %grouped, %wide, %one, %exp, %transposed, %only_key, %only_value, %v, %k, %k64, %v64, %both, %kt, %vt
    : tensor<?x4x?x8xf32, #q>, tensor<?x4x?x8xf64, #q>, tensor<?x4x?x8xf32, #q>, tensor<?x2x?x8xf32, #ak>, tensor<?x4x?x8xf32, #q>,
      tensor<?x4x?x8xf32, #q>, tensor<?x4x?x8xf32, #q>, tensor<?x2x?x8xf32, #ak>, tensor<?x2x?x8xf32, #ak>,
      tensor<?x2x?x8xf64, #ak>, tensor<?x2x?x8xf64, #ak>, tensor<?x2x?x8xf32, #ak>, tensor<?x?x2x8xf32, #al>, tensor<?x?x2x8xf32, #al>
}

// Attention on keys and values that grow in number of heads, and in width: it cannot read these where they are held.
//--- axes.mlir
#h = #weft.dims<"batch", "seq", 5, 8>
#oh = #weft.dims<"batch", "past", 5, 8>
#ah = #weft.dims<"batch", "past" + "seq", 5, 8>
#w = #weft.dims<"batch", 2, 5, "seq">
#ow = #weft.dims<"batch", 2, 5, "past">
#aw = #weft.dims<"batch", 2, 5, "past" + "seq">
func.func @main(%h: tensor<?x?x5x8xf32, #h> {weft.name = "h"}, %w: tensor<?x2x5x?xf32, #w> {weft.name = "w"},
    %past_h: tensor<?x?x5x8xf32, #oh> {weft.name = "past_h"}, %past_g: tensor<?x?x5x8xf32, #oh> {weft.name = "past_g"},
    %past_w: tensor<?x2x5x?xf32, #ow> {weft.name = "past_w"})
    -> (tensor<?x?x5x8xf32, #ah> {weft.name = "heads"}, tensor<?x2x5x?xf32, #aw> {weft.name = "widths"},
        tensor<?x?x5x8xf32, #ah> {weft.name = "present_h"}, tensor<?x?x5x8xf32, #ah> {weft.name = "present_g"},
        tensor<?x2x5x?xf32, #aw> {weft.name = "present_w"}) {
  %0 = weft.concat %past_h, %h {axis = 1 : i64} : (tensor<?x?x5x8xf32, #oh>, tensor<?x?x5x8xf32, #h>) -> tensor<?x?x5x8xf32, #ah>
  %1 = weft.concat %past_g, %h {axis = 1 : i64} : (tensor<?x?x5x8xf32, #oh>, tensor<?x?x5x8xf32, #h>) -> tensor<?x?x5x8xf32, #ah>
  %2 = weft.neg %0 : (tensor<?x?x5x8xf32, #ah>) -> tensor<?x?x5x8xf32, #ah>
  %heads = weft.attention %2, %0, %1 scale(0.5) empty_rows(nan)
    : (tensor<?x?x5x8xf32, #ah>, tensor<?x?x5x8xf32, #ah>, tensor<?x?x5x8xf32, #ah>) -> tensor<?x?x5x8xf32, #ah>
  %3 = weft.concat %past_w, %w {axis = 3 : i64} : (tensor<?x2x5x?xf32, #ow>, tensor<?x2x5x?xf32, #w>) -> tensor<?x2x5x?xf32, #aw>
  %4 = weft.neg %3 : (tensor<?x2x5x?xf32, #aw>) -> tensor<?x2x5x?xf32, #aw>
  %widths = weft.attention %4, %3, %3 scale(0.5) empty_rows(nan)
    : (tensor<?x2x5x?xf32, #aw>, tensor<?x2x5x?xf32, #aw>, tensor<?x2x5x?xf32, #aw>) -> tensor<?x2x5x?xf32, #aw>
  return %heads, %widths, %0, %1, %3
    : tensor<?x?x5x8xf32, #ah>, tensor<?x2x5x?xf32, #aw>, tensor<?x?x5x8xf32, #ah>, tensor<?x?x5x8xf32, #ah>, tensor<?x2x5x?xf32, #aw>
}

//--- half.mlir
#q = #weft.dims<"batch", 4, "seq", 8>
#k = #weft.dims<"batch", 2, "seq", 8>
#ok = #weft.dims<"batch", 2, "past", 8>
#ak = #weft.dims<"batch", 2, "past" + "seq", 8>
func.func @main(%q: tensor<?x4x?x8xf16, #q> {weft.name = "q"}, %x: tensor<?x2x?x8xf16, #k> {weft.name = "x"},
    %past_k: tensor<?x2x?x8xf16, #ok> {weft.name = "past_k"}, %past_v: tensor<?x2x?x8xf16, #ok> {weft.name = "past_v"})
    -> (tensor<?x4x?x8xf16, #q> {weft.name = "y"}, tensor<?x2x?x8xf16, #ak> {weft.name = "present_k"}, tensor<?x2x?x8xf16, #ak> {weft.name = "present_v"}) {
  %k = weft.concat %past_k, %x {axis = 2 : i64} : (tensor<?x2x?x8xf16, #ok>, tensor<?x2x?x8xf16, #k>) -> tensor<?x2x?x8xf16, #ak>
  %v = weft.concat %past_v, %x {axis = 2 : i64} : (tensor<?x2x?x8xf16, #ok>, tensor<?x2x?x8xf16, #k>) -> tensor<?x2x?x8xf16, #ak>
  %y = weft.attention %q, %k, %v scale(0.5) empty_rows(nan)
    : (tensor<?x4x?x8xf16, #q>, tensor<?x2x?x8xf16, #ak>, tensor<?x2x?x8xf16, #ak>) -> tensor<?x4x?x8xf16, #q>
  return %y, %k, %v : tensor<?x4x?x8xf16, #q>, tensor<?x2x?x8xf16, #ak>, tensor<?x2x?x8xf16, #ak>
}

//--- decode.mlir
#q = #weft.dims<"batch", 4, 1, 8>
#k = #weft.dims<"batch", 2, "seq", 8>
#ok = #weft.dims<"batch", 2, "past", 8>
#ak = #weft.dims<"batch", 2, "past" + "seq", 8>
func.func @main(%q: tensor<?x4x1x8xf32, #q> {weft.name = "q"}, %x: tensor<?x2x?x8xf32, #k> {weft.name = "x"}, %y: tensor<?x2x?x8xf32, #k> {weft.name = "y"},
    %past_k: tensor<?x2x?x8xf32, #ok> {weft.name = "past_k"}, %past_v: tensor<?x2x?x8xf32, #ok> {weft.name = "past_v"})
    -> (tensor<?x4x1x8xf32, #q> {weft.name = "out"}, tensor<?x2x?x8xf32, #ak> {weft.name = "present_k"}, tensor<?x2x?x8xf32, #ak> {weft.name = "present_v"}) {
  %k = weft.concat %past_k, %x {axis = 2 : i64} : (tensor<?x2x?x8xf32, #ok>, tensor<?x2x?x8xf32, #k>) -> tensor<?x2x?x8xf32, #ak>
  %v = weft.concat %past_v, %y {axis = 2 : i64} : (tensor<?x2x?x8xf32, #ok>, tensor<?x2x?x8xf32, #k>) -> tensor<?x2x?x8xf32, #ak>
  %out = weft.attention %q, %k, %v scale(0.5) empty_rows(nan)
    : (tensor<?x4x1x8xf32, #q>, tensor<?x2x?x8xf32, #ak>, tensor<?x2x?x8xf32, #ak>) -> tensor<?x4x1x8xf32, #q>
  return %out, %k, %v : tensor<?x4x1x8xf32, #q>, tensor<?x2x?x8xf32, #ak>, tensor<?x2x?x8xf32, #ak>
}
