// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks that are tensors, of blocks that are one number each and do not lie as tiles do: chosen by, added, with a bias or a
// causal mask beside them, by rows and for a few queries; rows of which nothing is left, or only numbers that are all the same; and
// weights as a result.
// RUN: %python %S/../compare.py %s --element=f32 b=2,a=3,r=30,c=5 b=1,a=1,r=30,c=1 b=1,a=7,r=40,c=9 b=3,a=0,r=5,c=2 b=2,a=2,r=5,c=0 b=4,a=3,r=7,c=4
// RUN: %python %S/../compare.py %s --element=f64 b=2,a=3,r=30,c=5
!q = tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "a" * "r", 8>>
!k = tensor<?x2x?x8xTYPE, #weft.dims<"b", 2, "c" * 70, 8>>
!own = tensor<?x4x?x8xTYPE, #weft.dims<"b", 4, "c" * 70, 8>>
!three = tensor<?x4x3x8xTYPE, #weft.dims<"b", 4, 3, 8>>
!weights = tensor<?x4x?x?xTYPE, #weft.dims<"b", 4, "a" * "r", "c" * 70>>
!coarse = tensor<?x1x?x1x?x1xi1, #weft.dims<"b", 1, "a", 1, "c", 1>>
!blocks = tensor<?x1x?x?x?x70xi1, #weft.dims<"b", 1, "a", "r", "c", 70>>
!mask = tensor<?x1x?x?xi1, #weft.dims<"b", 1, "a" * "r", "c" * 70>>
!numbers = tensor<?x1x?x?xTYPE, #weft.dims<"b", 1, "a" * "r", "c" * 70>>
!some = tensor<?x1x1x?x1xi1, #weft.dims<"b", 1, 1, "c", 1>>
!many = tensor<?x1x1x?x70xi1, #weft.dims<"b", 1, 1, "c", 70>>
!row = tensor<?x1x1x?xi1, #weft.dims<"b", 1, 1, "c" * 70>>
!rows = tensor<?x1x1x?xTYPE, #weft.dims<"b", 1, 1, "c" * 70>>
!bias = tensor<4x?x?xTYPE, #weft.dims<4, "a" * "r", "c" * 70>>
func.func @main(%qs: tensor<?x4x?x?x8xTYPE, #weft.dims<"b", 4, "a", "r", 8>> {weft.name = "q"},
                %ks: tensor<?x2x?x70x8xTYPE, #weft.dims<"b", 2, "c", 70, 8>> {weft.name = "k"},
                %vs: tensor<?x2x?x70x8xTYPE, #weft.dims<"b", 2, "c", 70, 8>> {weft.name = "v"},
                %kos: tensor<?x4x?x70x8xTYPE, #weft.dims<"b", 4, "c", 70, 8>> {weft.name = "ko"},
                %vos: tensor<?x4x?x70x8xTYPE, #weft.dims<"b", 4, "c", 70, 8>> {weft.name = "vo"},
                %three: tensor<?x4x3x8xTYPE, #weft.dims<"b", 4, 3, 8>> {weft.name = "three"},
                %biases: tensor<4x?x?x?x70xTYPE, #weft.dims<4, "a", "r", "c", 70>> {weft.name = "bias"},
                %coarse: tensor<?x1x?x1x?x1xi1, #weft.dims<"b", 1, "a", 1, "c", 1>> {weft.name = "coarse"},
                %some: tensor<?x1x1x?x1xi1, #weft.dims<"b", 1, 1, "c", 1>> {weft.name = "some"})
  -> (!q {weft.name = "chosen"}, !q {weft.name = "excluded"}, !q {weft.name = "added"}, !q {weft.name = "infinitely"},
      !q {weft.name = "mild"}, !q {weft.name = "biased"}, !q {weft.name = "both"}, !q {weft.name = "padded"},
      !three {weft.name = "few"}, !q {weft.name = "weighted"}, !weights {weft.name = "weights"}) {
  %q = weft.reshape %qs : (tensor<?x4x?x?x8xTYPE, #weft.dims<"b", 4, "a", "r", 8>>) -> !q
  %k = weft.reshape %ks : (tensor<?x2x?x70x8xTYPE, #weft.dims<"b", 2, "c", 70, 8>>) -> !k
  %v = weft.reshape %vs : (tensor<?x2x?x70x8xTYPE, #weft.dims<"b", 2, "c", 70, 8>>) -> !k
  %ko = weft.reshape %kos : (tensor<?x4x?x70x8xTYPE, #weft.dims<"b", 4, "c", 70, 8>>) -> !own
  %vo = weft.reshape %vos : (tensor<?x4x?x70x8xTYPE, #weft.dims<"b", 4, "c", 70, 8>>) -> !own
  %bias = weft.reshape %biases : (tensor<4x?x?x?x70xTYPE, #weft.dims<4, "a", "r", "c", 70>>) -> !bias
  %blocks = weft.expand %coarse : (!coarse) -> !blocks
  %mask = weft.reshape %blocks : (!blocks) -> !mask
  %many = weft.expand %some : (!some) -> !many
  %row = weft.reshape %many : (!many) -> !row
  %zero = weft.constant dense<0.0> : tensor<TYPE>
  %least = weft.constant dense<-3.0e+38> : tensor<TYPE>
  %hundred = weft.constant dense<-1.0e+02> : tensor<TYPE>
  %one = weft.constant dense<1.0> : tensor<TYPE>
  %infinite = weft.log %zero : (tensor<TYPE>) -> tensor<TYPE>
  %numbers = weft.where %mask, %zero, %least : (!mask, tensor<TYPE>, tensor<TYPE>) -> !numbers
  %infinities = weft.where %mask, %zero, %infinite : (!mask, tensor<TYPE>, tensor<TYPE>) -> !numbers
  %mildly = weft.where %mask, %one, %hundred : (!mask, tensor<TYPE>, tensor<TYPE>) -> !numbers
  %ones = weft.where %mask, %one, %zero : (!mask, tensor<TYPE>, tensor<TYPE>) -> !numbers
  %rows = weft.where %row, %zero, %least : (!row, tensor<TYPE>, tensor<TYPE>) -> !rows

  %chosen = weft.attention %q, %k, %v scale(0.3) empty_rows(nan) captures(%ones : !numbers) score {
  ^bb0(%s: TYPE, %b: index, %h: index, %i: index, %j: index, %m: TYPE):
    %true = arith.constant true
    %none = arith.constant 0.0 : TYPE
    %low = arith.constant -1.0e+09 : TYPE
    %hidden = arith.cmpf oeq, %m, %none : TYPE
    %r = arith.select %hidden, %low, %s : TYPE
    weft.yield %r, %true : TYPE, i1
  } : (!q, !k, !k) -> !q
  %excluded = weft.attention %q, %ko, %vo scale(0.3) empty_rows(zero) captures(%mask : !mask) score {
  ^bb0(%s: TYPE, %b: index, %h: index, %i: index, %j: index, %m: i1):
    weft.yield %s, %m : TYPE, i1
  } : (!q, !own, !own) -> !q
  %added = weft.attention %q, %ko, %vo scale(0.25) empty_rows(nan) captures(%numbers : !numbers) score {
  ^bb0(%s: TYPE, %b: index, %h: index, %i: index, %j: index, %m: TYPE):
    %true = arith.constant true
    %r = arith.addf %s, %m : TYPE
    weft.yield %r, %true : TYPE, i1
  } : (!q, !own, !own) -> !q
  %infinitely = weft.attention %q, %k, %v scale(0.3) empty_rows(nan) captures(%infinities : !numbers) score {
  ^bb0(%s: TYPE, %b: index, %h: index, %i: index, %j: index, %m: TYPE):
    %true = arith.constant true
    %r = arith.addf %s, %m : TYPE
    weft.yield %r, %true : TYPE, i1
  } : (!q, !k, !k) -> !q
  // Neither 0 nor so low that scores do not matter.
  %mild = weft.attention %q, %k, %v scale(0.3) empty_rows(nan) captures(%mildly : !numbers) score {
  ^bb0(%s: TYPE, %b: index, %h: index, %i: index, %j: index, %m: TYPE):
    %true = arith.constant true
    %r = arith.addf %s, %m : TYPE
    weft.yield %r, %true : TYPE, i1
  } : (!q, !k, !k) -> !q
  %biased = weft.attention %q, %k, %v scale(0.3) empty_rows(nan) captures(%bias, %numbers : !bias, !numbers) score {
  ^bb0(%s: TYPE, %b: index, %h: index, %i: index, %j: index, %c: TYPE, %m: TYPE):
    %true = arith.constant true
    %sum = arith.addf %c, %m : TYPE
    %r = arith.addf %s, %sum : TYPE
    weft.yield %r, %true : TYPE, i1
  } : (!q, !k, !k) -> !q
  %both = weft.attention %q, %ko, %vo scale(0.3) empty_rows(zero) captures(%row, %numbers : !row, !numbers) score {
  ^bb0(%s: TYPE, %b: index, %h: index, %i: index, %j: index, %p: i1, %m: TYPE):
    %causal = arith.cmpi sle, %j, %i : index
    %keep = arith.andi %causal, %p : i1
    %r = arith.addf %s, %m : TYPE
    weft.yield %r, %keep : TYPE, i1
  } : (!q, !own, !own) -> !q
  %padded = weft.attention %q, %k, %v scale(0.3) empty_rows(nan) captures(%rows : !rows) score {
  ^bb0(%s: TYPE, %b: index, %h: index, %i: index, %j: index, %m: TYPE):
    %true = arith.constant true
    %r = arith.addf %s, %m : TYPE
    weft.yield %r, %true : TYPE, i1
  } : (!q, !k, !k) -> !q
  %few = weft.attention %three, %ko, %vo scale(0.3) empty_rows(nan) captures(%rows : !rows) score {
  ^bb0(%s: TYPE, %b: index, %h: index, %i: index, %j: index, %m: TYPE):
    %true = arith.constant true
    %r = arith.addf %s, %m : TYPE
    weft.yield %r, %true : TYPE, i1
  } : (!three, !own, !own) -> !three
  %weighted, %weights = weft.attention %q, %k, %v scale(0.3) empty_rows(nan) captures(%numbers : !numbers) score {
  ^bb0(%s: TYPE, %b: index, %h: index, %i: index, %j: index, %m: TYPE):
    %true = arith.constant true
    %r = arith.addf %s, %m : TYPE
    weft.yield %r, %true : TYPE, i1
  } : (!q, !k, !k) -> !q, !weights
  return %chosen, %excluded, %added, %infinitely, %mild, %biased, %both, %padded, %few, %weighted, %weights
    : !q, !q, !q, !q, !q, !q, !q, !q, !three, !q, !weights
}
