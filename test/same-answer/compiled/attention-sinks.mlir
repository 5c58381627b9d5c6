// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention with a score that no key has: by head, by row, 0, minus infinity, far above and below all others; where a row
// keeps nothing else, where keys are divided among tiles (decoded), and where scores are changed.
// RUN: %python %S/../compare.py %s --element=f32 b=2,n=5,m=7,p=2,l=9 b=1,n=1,m=1,p=1,l=1 b=3,n=33,m=65,p=1,l=1100 b=1,n=130,m=47,p=1,l=3000 b=1,n=3,m=600,p=1,l=0 b=2,n=0,m=3,p=2,l=600 b=2,n=3,m=0,p=1,l=70
// RUN: %python %S/../compare.py %s --element=f16 --rtol=2e-3 --atol=2e-3 b=2,n=5,m=7,p=2,l=9 b=3,n=33,m=65,p=1,l=1100 b=1,n=130,m=600,p=1,l=3000 b=2,n=3,m=0,p=1,l=0
func.func @main(%q: tensor<?x4x?x16xTYPE, #weft.dims<"b", 4, "n", 16>> {weft.name = "q"},
                %k: tensor<?x4x?x16xTYPE, #weft.dims<"b", 4, "m", 16>> {weft.name = "k"},
                %v: tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "m", 32>> {weft.name = "v"},
                %k2: tensor<?x2x?x16xTYPE, #weft.dims<"b", 2, "m", 16>> {weft.name = "k2"},
                %v2: tensor<?x2x?x32xTYPE, #weft.dims<"b", 2, "m", 32>> {weft.name = "v2"},
                %one: tensor<1x4x1x16xTYPE> {weft.name = "one"},
                %kl: tensor<1x4x?x16xTYPE, #weft.dims<1, 4, "l", 16>> {weft.name = "kl"},
                %vl: tensor<1x4x?x32xTYPE, #weft.dims<1, 4, "l", 32>> {weft.name = "vl"},
                %by_head: tensor<4x1x1xf32> {weft.name = "by_head"},
                %by_row: tensor<?x4x?x1xf32, #weft.dims<"b", 4, "n", 1>> {weft.name = "by_row"},
                %either: tensor<?x1x1x1xf32, #weft.dims<"p", 1, 1, 1>> {weft.name = "either"},
                %bias: tensor<4x?x?xf32, #weft.dims<4, "n", "m">> {weft.name = "bias"},
                %qd: tensor<?x4x?x3xf64, #weft.dims<"b", 4, "n", 3>> {weft.name = "qd"},
                %kd: tensor<?x1x?x3xf64, #weft.dims<"b", 1, "m", 3>> {weft.name = "kd"},
                %vd: tensor<?x1x?x5xf64, #weft.dims<"b", 1, "m", 5>> {weft.name = "vd"},
                %sinks_d: tensor<4x1x1xf64> {weft.name = "sinks_d"})
  -> (tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>> {weft.name = "by_head_"},
     tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>> {weft.name = "before"},
     tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>> {weft.name = "added"},
     tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>> {weft.name = "spread"},
     tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>> {weft.name = "hidden"},
     tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>> {weft.name = "nowhere"},
     tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>> {weft.name = "far"},
     tensor<1x4x1x32xTYPE> {weft.name = "decoded"},
     tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>> {weft.name = "weighted"},
     tensor<?x4x?x?xTYPE, #weft.dims<"b", 4, "n", "m">> {weft.name = "weighted_weights"},
     tensor<?x4x?x5xf64, #weft.dims<"b", 4, "n", 5>> {weft.name = "double"}) {
  %smooth = weft.constant dense<0.0> : tensor<f32>
  %nowhere_ = weft.constant dense<[[[0xFF800000]], [[0.0]], [[-2.0]], [[0xFF800000]]]> : tensor<4x1x1xf32>
  %far_ = weft.constant dense<[[[90.0]], [[-300.0]], [[5.0]], [[-1.0e+30]]]> : tensor<4x1x1xf32>
  %by_head_ = weft.attention %q, %k, %v scale(0.25) empty_rows(nan) sink(%by_head : tensor<4x1x1xf32>)
    : (tensor<?x4x?x16xTYPE, #weft.dims<"b", 4, "n", 16>>, tensor<?x4x?x16xTYPE, #weft.dims<"b", 4, "m", 16>>, tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "m", 32>>) -> tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>>
  %before = weft.attention %q, %k2, %v2 scale(0.25) empty_rows(nan) sink(%by_row : tensor<?x4x?x1xf32, #weft.dims<"b", 4, "n", 1>>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi slt, %j, %i : index
    weft.yield %s, %keep : f32, i1
  }
    : (tensor<?x4x?x16xTYPE, #weft.dims<"b", 4, "n", 16>>, tensor<?x2x?x16xTYPE, #weft.dims<"b", 2, "m", 16>>, tensor<?x2x?x32xTYPE, #weft.dims<"b", 2, "m", 32>>) -> tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>>
  %added = weft.attention %q, %k, %v scale(0.3) empty_rows(zero) captures(%bias : tensor<4x?x?xf32, #weft.dims<4, "n", "m">>) sink(%smooth : tensor<f32>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %add: f32):
    %wide = arith.mulf %add, %add : f32
    %sum = arith.subf %s, %wide : f32
    %keep = arith.cmpi ne, %j, %i : index
    weft.yield %sum, %keep : f32, i1
  }
    : (tensor<?x4x?x16xTYPE, #weft.dims<"b", 4, "n", 16>>, tensor<?x4x?x16xTYPE, #weft.dims<"b", 4, "m", 16>>, tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "m", 32>>) -> tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>>
  %spread = weft.attention %q, %k2, %v2 scale(-0.3) empty_rows(zero) sink(%either : tensor<?x1x1x1xf32, #weft.dims<"p", 1, 1, 1>>)
    : (tensor<?x4x?x16xTYPE, #weft.dims<"b", 4, "n", 16>>, tensor<?x2x?x16xTYPE, #weft.dims<"b", 2, "m", 16>>, tensor<?x2x?x32xTYPE, #weft.dims<"b", 2, "m", 32>>) -> tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>>
  %hidden = weft.attention %q, %k, %v scale(0.25) empty_rows(nan) sink(%by_head : tensor<4x1x1xf32>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %c0 = arith.constant 0 : index
    %keep = arith.cmpi slt, %j, %c0 : index
    weft.yield %s, %keep : f32, i1
  }
    : (tensor<?x4x?x16xTYPE, #weft.dims<"b", 4, "n", 16>>, tensor<?x4x?x16xTYPE, #weft.dims<"b", 4, "m", 16>>, tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "m", 32>>) -> tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>>
  %nowhere = weft.attention %q, %k, %v scale(0.25) empty_rows(zero) sink(%nowhere_ : tensor<4x1x1xf32>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi slt, %j, %i : index
    weft.yield %s, %keep : f32, i1
  }
    : (tensor<?x4x?x16xTYPE, #weft.dims<"b", 4, "n", 16>>, tensor<?x4x?x16xTYPE, #weft.dims<"b", 4, "m", 16>>, tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "m", 32>>) -> tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>>
  %far = weft.attention %q, %k, %v scale(0.25) empty_rows(zero) sink(%far_ : tensor<4x1x1xf32>)
    : (tensor<?x4x?x16xTYPE, #weft.dims<"b", 4, "n", 16>>, tensor<?x4x?x16xTYPE, #weft.dims<"b", 4, "m", 16>>, tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "m", 32>>) -> tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>>
  %decoded = weft.attention %one, %kl, %vl scale(0.25) empty_rows(zero) sink(%by_head : tensor<4x1x1xf32>)
    : (tensor<1x4x1x16xTYPE>, tensor<1x4x?x16xTYPE, #weft.dims<1, 4, "l", 16>>, tensor<1x4x?x32xTYPE, #weft.dims<1, 4, "l", 32>>) -> tensor<1x4x1x32xTYPE>
  %weighted, %weighted_weights = weft.attention %q, %k2, %v2 scale(0.25) empty_rows(zero) sink(%by_row : tensor<?x4x?x1xf32, #weft.dims<"b", 4, "n", 1>>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi slt, %j, %i : index
    weft.yield %s, %keep : f32, i1
  }
    : (tensor<?x4x?x16xTYPE, #weft.dims<"b", 4, "n", 16>>, tensor<?x2x?x16xTYPE, #weft.dims<"b", 2, "m", 16>>, tensor<?x2x?x32xTYPE, #weft.dims<"b", 2, "m", 32>>) -> tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>>, tensor<?x4x?x?xTYPE, #weft.dims<"b", 4, "n", "m">>
  %double = weft.attention %qd, %kd, %vd scale(0.5) empty_rows(nan) sink(%sinks_d : tensor<4x1x1xf64>)
    : (tensor<?x4x?x3xf64, #weft.dims<"b", 4, "n", 3>>, tensor<?x1x?x3xf64, #weft.dims<"b", 1, "m", 3>>, tensor<?x1x?x5xf64, #weft.dims<"b", 1, "m", 5>>) -> tensor<?x4x?x5xf64, #weft.dims<"b", 4, "n", 5>>
  return %by_head_, %before, %added, %spread, %hidden, %nowhere, %far, %decoded, %weighted, %weighted_weights, %double : tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>>, tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>>, tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>>, tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>>, tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>>, tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>>, tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>>, tensor<1x4x1x32xTYPE>, tensor<?x4x?x32xTYPE, #weft.dims<"b", 4, "n", 32>>, tensor<?x4x?x?xTYPE, #weft.dims<"b", 4, "n", "m">>, tensor<?x4x?x5xf64, #weft.dims<"b", 4, "n", 5>>
}
