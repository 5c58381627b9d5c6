// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys in lists of blocks: of sizes that are whole panels, parts of one and neither, in any order and twice; heads that
// share keys; few rows and many; masks of the place in the list; weights.
// UNSUPPORTED: gpu
// RUN: %python %S/../compare.py %s --element=f32 b=1,n=1 b=2,n=5 b=1,n=131 b=0,n=7
// RUN: %python %S/../compare.py %s --element=f16 --rtol=2e-3 --atol=2e-3 b=1,n=70
func.func @main(%wholeq: tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n", 8>> {weft.name = "whole_q"},
                %wholek: tensor<?x4x256x8xTYPE, #weft.dims<"b", 4, 256, 8>> {weft.name = "whole_k"},
                %wholev: tensor<?x4x256x5xTYPE, #weft.dims<"b", 4, 256, 5>> {weft.name = "whole_v"},
                %twiceq: tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n", 8>> {weft.name = "twice_q"},
                %twicek: tensor<?x2x200x8xTYPE, #weft.dims<"b", 2, 200, 8>> {weft.name = "twice_k"},
                %twicev: tensor<?x2x200x16xTYPE, #weft.dims<"b", 2, 200, 16>> {weft.name = "twice_v"},
                %smallq: tensor<?x2x?x7xTYPE, #weft.dims<"b", 2, "n", 7>> {weft.name = "small_q"},
                %smallk: tensor<?x1x40x7xTYPE, #weft.dims<"b", 1, 40, 7>> {weft.name = "small_k"},
                %smallv: tensor<?x1x40x4xTYPE, #weft.dims<"b", 1, 40, 4>> {weft.name = "small_v"},
                %oddq: tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n", 8>> {weft.name = "odd_q"},
                %oddk: tensor<?x4x300x8xTYPE, #weft.dims<"b", 4, 300, 8>> {weft.name = "odd_k"},
                %oddv: tensor<?x4x300x24xTYPE, #weft.dims<"b", 4, 300, 24>> {weft.name = "odd_v"},
                %oddm: tensor<?x1x1x700xf32, #weft.dims<"b", 1, 1, 700>> {weft.name = "odd_m"},
                %partsq: tensor<?x2x?x16xTYPE, #weft.dims<"b", 2, "n", 16>> {weft.name = "parts_q"},
                %partsk: tensor<?x2x700x16xTYPE, #weft.dims<"b", 2, 700, 16>> {weft.name = "parts_k"},
                %partsv: tensor<?x2x700x64xTYPE, #weft.dims<"b", 2, 700, 64>> {weft.name = "parts_v"},
                %sixteenq: tensor<?x2x?x8xTYPE, #weft.dims<"b", 2, "n", 8>> {weft.name = "sixteen_q"},
                %sixteenk: tensor<?x1x64x8xTYPE, #weft.dims<"b", 1, 64, 8>> {weft.name = "sixteen_k"},
                %sixteenv: tensor<?x1x64x3xTYPE, #weft.dims<"b", 1, 64, 3>> {weft.name = "sixteen_v"})
  -> (tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>> {weft.name = "whole"},
      tensor<?x4x?x16xTYPE, #weft.dims<"b", 4, "n", 16>> {weft.name = "twice"},
      tensor<?x2x?x4xTYPE, #weft.dims<"b", 2, "n", 4>> {weft.name = "small"},
      tensor<?x4x?x24xTYPE, #weft.dims<"b", 4, "n", 24>> {weft.name = "odd"},
      tensor<?x2x?x64xTYPE, #weft.dims<"b", 2, "n", 64>> {weft.name = "parts"},
      tensor<?x2x?x3xTYPE, #weft.dims<"b", 2, "n", 3>> {weft.name = "sixteen"},
      tensor<?x2x?x80xTYPE, #weft.dims<"b", 2, "n", 80>> {weft.name = "sixteen_weights"}) {
  %whole = weft.attention %wholeq, %wholek, %wholev scale(0.25) empty_rows(nan) {blocks = dense<[[60, 60, 139, 33], [94, 154, 121, 160], [148, 16, 155, 3], [120, 66, 141, 192]]> : tensor<4x4xi64>, block_size = 64 : i64}
    : (tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x256x8xTYPE, #weft.dims<"b", 4, 256, 8>>, tensor<?x4x256x5xTYPE, #weft.dims<"b", 4, 256, 5>>) -> tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>>
  %twice = weft.attention %twiceq, %twicek, %twicev scale(0.25) empty_rows(nan) score {
  ^bb0(%s: f32, %bb: index, %h: index, %i: index, %j: index):
    %three = arith.constant 3 : index
    %end = arith.addi %i, %three : index
    %scaled = arith.muli %end, %three : index
    %keep = arith.cmpi sle, %j, %scaled : index
    weft.yield %s, %keep : f32, i1
  } {blocks = dense<[[24, 24, 69], [70, 60, 50], [19, 29, 19], [66, 49, 72]]> : tensor<4x3xi64>, block_size = 128 : i64}
    : (tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n", 8>>, tensor<?x2x200x8xTYPE, #weft.dims<"b", 2, 200, 8>>, tensor<?x2x200x16xTYPE, #weft.dims<"b", 2, 200, 16>>) -> tensor<?x4x?x16xTYPE, #weft.dims<"b", 4, "n", 16>>
  %small = weft.attention %smallq, %smallk, %smallv scale(0.25) empty_rows(nan) {blocks = dense<[[4, 4, 2, 19, 1, 17, 30, 24, 27], [25, 28, 8, 23, 6, 2, 8, 31, 35]]> : tensor<2x9xi64>, block_size = 5 : i64}
    : (tensor<?x2x?x7xTYPE, #weft.dims<"b", 2, "n", 7>>, tensor<?x1x40x7xTYPE, #weft.dims<"b", 1, 40, 7>>, tensor<?x1x40x4xTYPE, #weft.dims<"b", 1, 40, 4>>) -> tensor<?x2x?x4xTYPE, #weft.dims<"b", 2, "n", 4>>
  %odd = weft.attention %oddq, %oddk, %oddv scale(0.25) empty_rows(nan) captures(%oddm : tensor<?x1x1x700xf32, #weft.dims<"b", 1, 1, 700>>) score {
  ^bb0(%s: f32, %bb: index, %h: index, %i: index, %j: index, %m: f32):
    %sum = arith.addf %s, %m : f32
    %true = arith.constant true
    weft.yield %sum, %true : f32, i1
  } {blocks = dense<[[66, 66, 111, 199, 160, 77, 107], [129, 98, 146, 89, 136, 149, 104], [149, 59, 86, 174, 7, 71, 155], [171, 178, 41, 178, 83, 138, 200]]> : tensor<4x7xi64>, block_size = 100 : i64}
    : (tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "n", 8>>, tensor<?x4x300x8xTYPE, #weft.dims<"b", 4, 300, 8>>, tensor<?x4x300x24xTYPE, #weft.dims<"b", 4, 300, 24>>) -> tensor<?x4x?x24xTYPE, #weft.dims<"b", 4, "n", 24>>
  %parts = weft.attention %partsq, %partsk, %partsv scale(0.25) empty_rows(nan) score {
  ^bb0(%s: f32, %bb: index, %h: index, %i: index, %j: index):
    %three = arith.constant 3 : index
    %end = arith.addi %i, %three : index
    %scaled = arith.muli %end, %three : index
    %keep = arith.cmpi sle, %j, %scaled : index
    weft.yield %s, %keep : f32, i1
  } {blocks = dense<[[582, 582, 216, 648, 587, 273, 291, 127, 64, 493, 495, 90, 352, 68, 420, 154, 20, 300, 437, 425, 121, 45, 619, 629, 46], [386, 600, 338, 564, 285, 517, 241, 36, 317, 7, 78, 110, 614, 548, 32, 202, 417, 298, 625, 269, 159, 43, 347, 321, 652]]> : tensor<2x25xi64>, block_size = 48 : i64}
    : (tensor<?x2x?x16xTYPE, #weft.dims<"b", 2, "n", 16>>, tensor<?x2x700x16xTYPE, #weft.dims<"b", 2, 700, 16>>, tensor<?x2x700x64xTYPE, #weft.dims<"b", 2, 700, 64>>) -> tensor<?x2x?x64xTYPE, #weft.dims<"b", 2, "n", 64>>
  %sixteen, %sixteenw = weft.attention %sixteenq, %sixteenk, %sixteenv scale(0.25) empty_rows(nan) {blocks = dense<[[33, 33, 41, 38, 43], [35, 6, 39, 32, 48]]> : tensor<2x5xi64>, block_size = 16 : i64}
    : (tensor<?x2x?x8xTYPE, #weft.dims<"b", 2, "n", 8>>, tensor<?x1x64x8xTYPE, #weft.dims<"b", 1, 64, 8>>, tensor<?x1x64x3xTYPE, #weft.dims<"b", 1, 64, 3>>) -> tensor<?x2x?x3xTYPE, #weft.dims<"b", 2, "n", 3>>, tensor<?x2x?x80xTYPE, #weft.dims<"b", 2, "n", 80>>
  return %whole, %twice, %small, %odd, %parts, %sixteen, %sixteenw : tensor<?x4x?x5xTYPE, #weft.dims<"b", 4, "n", 5>>, tensor<?x4x?x16xTYPE, #weft.dims<"b", 4, "n", 16>>, tensor<?x2x?x4xTYPE, #weft.dims<"b", 2, "n", 4>>, tensor<?x4x?x24xTYPE, #weft.dims<"b", 4, "n", 24>>, tensor<?x2x?x64xTYPE, #weft.dims<"b", 2, "n", 64>>, tensor<?x2x?x3xTYPE, #weft.dims<"b", 2, "n", 3>>, tensor<?x2x?x80xTYPE, #weft.dims<"b", 2, "n", 80>>
}
