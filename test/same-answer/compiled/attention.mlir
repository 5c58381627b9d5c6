// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention, grouped or not, with every kind of capture: masks, biases, slopes, numbers; rows with nothing to attend to.
// RUN: %python %S/../compare.py %s --element=f32 b=2,n=5,m=7,h=6,g=3,p=2,r=7 b=1,n=1,m=1,h=1,g=1,p=1,r=1 b=3,n=33,m=65,h=4,g=1,p=1,r=65 b=1,n=130,m=47,h=2,g=2,p=1,r=1 b=1,n=1,m=129,h=8,g=2,p=1,r=129 b=1,n=67,m=500,h=4,g=2,p=1,r=500 b=2,n=0,m=3,h=2,g=1,p=2,r=3 b=2,n=3,m=0,h=2,g=1,p=1,r=0 b=0,n=3,m=4,h=2,g=1,p=0,r=4
func.func @main(%q: tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n", 8>> {weft.name = "q"},
                %k: tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "m", 8>> {weft.name = "k"},
                %v: tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "m", 5>> {weft.name = "v"},
                %k2: tensor<?x2x?x8xTYPE, #weft.dims<"b", 2, "m", 8>> {weft.name = "k2"},
                %v2: tensor<?x2x?x5xTYPE, #weft.dims<"b", 2, "m", 5>> {weft.name = "v2"},
                %qh: tensor<?x?x?x3xTYPE, #weft.dims<"b", "h", "n", 3>> {weft.name = "qh"},
                %kg: tensor<?x?x?x3xTYPE, #weft.dims<"b", "g", "m", 3>> {weft.name = "kg"},
                %vg: tensor<?x?x?x50xTYPE, #weft.dims<"b", "g", "m", 50>> {weft.name = "vg"},
                %padding: tensor<?x1x1x?xi1, #weft.dims<"b", 1, 1, "m">> {weft.name = "padding"},
                %bias: tensor<4x?x?xTYPE, #weft.dims<4, "n", "m">> {weft.name = "bias"},
                %slopes: tensor<4x1x1xf32> {weft.name = "slopes"},
                %offset: tensor<i64> {weft.name = "offset"},
                %either: tensor<?x1x1x?xi1, #weft.dims<"p", 1, 1, "r">> {weft.name = "either"},
                %window: tensor<i32> {weft.name = "window"})
  -> (tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>> {weft.name = "plain"},
     tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>> {weft.name = "unscaled"},
     tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>> {weft.name = "causal"},
     tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>> {weft.name = "grouped"},
     tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>> {weft.name = "padded_zero"},
     tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>> {weft.name = "padded_nan"},
     tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>> {weft.name = "sloped"},
     tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>> {weft.name = "window_"},
     tensor<?x?x?x50xTYPE, #weft.dims<"b", "h", "n", 50>> {weft.name = "symbols"}) {
  %plain = weft.attention %q, %k, %v scale(0.25) empty_rows(nan)
    : (tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "m", 8>>, tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>>
  %unscaled = weft.attention %q, %k, %v scale(1.0) empty_rows(zero)
    : (tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "m", 8>>, tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>>
  %causal = weft.attention %q, %k, %v scale(0.353553390593273762) empty_rows(zero) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    weft.yield %s, %keep : f32, i1
  }
    : (tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "m", 8>>, tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>>
  %grouped = weft.attention %q, %k2, %v2 scale(-0.3) empty_rows(zero) captures(%offset : tensor<i64>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %o: i64):
    %first = arith.index_cast %o : i64 to index
    %last = arith.addi %i, %first : index
    %keep = arith.cmpi sle, %j, %last : index
    weft.yield %s, %keep : f32, i1
  }
    : (tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n", 8>>, tensor<?x2x?x8xTYPE, #weft.dims<"b", 2, "m", 8>>, tensor<?x2x?x5xTYPE, #weft.dims<"b", 2, "m", 5>>) -> tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>>
  %padded_zero = weft.attention %q, %k2, %v2 scale(0.3) empty_rows(zero) captures(%padding, %bias : tensor<?x1x1x?xi1, #weft.dims<"b", 1, 1, "m">>, tensor<4x?x?xTYPE, #weft.dims<4, "n", "m">>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %keep: i1, %add: TYPE):
    %wide = arith.mulf %add, %add : f32
    %sum = arith.addf %s, %wide : f32
    weft.yield %sum, %keep : f32, i1
  }
    : (tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n", 8>>, tensor<?x2x?x8xTYPE, #weft.dims<"b", 2, "m", 8>>, tensor<?x2x?x5xTYPE, #weft.dims<"b", 2, "m", 5>>) -> tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>>
  %padded_nan = weft.attention %q, %k, %v scale(0.3) empty_rows(nan) captures(%padding, %bias : tensor<?x1x1x?xi1, #weft.dims<"b", 1, 1, "m">>, tensor<4x?x?xTYPE, #weft.dims<4, "n", "m">>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %keep: i1, %add: TYPE):
    %wide = arith.mulf %add, %add : f32
    %sum = arith.addf %s, %wide : f32
    weft.yield %sum, %keep : f32, i1
  }
    : (tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "m", 8>>, tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>>
  %sloped = weft.attention %q, %k, %v scale(0.3) empty_rows(zero) captures(%slopes : tensor<4x1x1xf32>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %slope: f32):
    %d = arith.subi %j, %i : index
    %n = arith.index_cast %d : index to i64
    %f = arith.sitofp %n : i64 to f32
    %m = arith.mulf %slope, %f : f32
    %sum = arith.addf %s, %m : f32
    %keep = arith.cmpi sle, %j, %i : index
    weft.yield %sum, %keep : f32, i1
  }
    : (tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "m", 8>>, tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "m", 5>>) -> tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>>
  %window_ = weft.attention %q, %k2, %v2 scale(0.3) empty_rows(zero) captures(%window, %either : tensor<i32>, tensor<?x1x1x?xi1, #weft.dims<"p", 1, 1, "r">>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %w: i32, %e: i1):
    %w4 = arith.constant 4 : i32
    %bh = arith.addi %b, %h : index
    %u = arith.remsi %w, %w4 : i32
    %reach = arith.index_cast %u : i32 to index
    %d0 = arith.subi %i, %j : index
    %d1 = arith.subi %d0, %bh : index
    %near = arith.cmpi sle, %d1, %reach : index
    %keep = arith.andi %near, %e : i1
    weft.yield %s, %keep : f32, i1
  }
    : (tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n", 8>>, tensor<?x2x?x8xTYPE, #weft.dims<"b", 2, "m", 8>>, tensor<?x2x?x5xTYPE, #weft.dims<"b", 2, "m", 5>>) -> tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>>
  %symbols = weft.attention %qh, %kg, %vg scale(0.6) empty_rows(zero) captures(%offset : tensor<i64>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %o: i64):
    %first = arith.index_cast %o : i64 to index
    %last = arith.addi %i, %first : index
    %keep = arith.cmpi sle, %j, %last : index
    weft.yield %s, %keep : f32, i1
  }
    : (tensor<?x?x?x3xTYPE, #weft.dims<"b", "h", "n", 3>>, tensor<?x?x?x3xTYPE, #weft.dims<"b", "g", "m", 3>>, tensor<?x?x?x50xTYPE, #weft.dims<"b", "g", "m", 50>>) -> tensor<?x?x?x50xTYPE, #weft.dims<"b", "h", "n", 50>>
  return %plain, %unscaled, %causal, %grouped, %padded_zero, %padded_nan, %sloped, %window_, %symbols : tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>>, tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>>, tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>>, tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>>, tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>>, tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>>, tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>>, tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>>, tensor<?x?x?x50xTYPE, #weft.dims<"b", "h", "n", 50>>
}
