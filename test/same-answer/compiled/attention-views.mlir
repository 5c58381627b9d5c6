// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queries and keys that are slices, reshapes and transposes of one product, read where they lie, and a result that is written as a
// transpose wants it: all heads their own keys, heads that share them, few queries, several blocks of keys, widths that are no whole
// vectors, and tensors that something else reads, too.
// RUN: %python %S/../compare.py %s --element=f32 b=1,n=1 b=2,n=3 b=2,n=17 b=1,n=65 b=3,n=130 b=1,n=600 b=1,n=0 b=0,n=5
// RUN: %python %S/../compare.py %s --element=f64 b=2,n=3 b=1,n=65
// RUN: %python %S/../compare.py %s --element=f16 --rtol=2e-3 --atol=2e-3 b=2,n=3 b=1,n=65
#x = #weft.dims<"b", "n", 120>
#part = #weft.dims<"b", "n", 40>
#split = #weft.dims<"b", "n", 5, 8>
#heads = #weft.dims<"b", 5, "n", 8>
#three = #weft.dims<"b", "n", 3, 5, 8>
#threes = #weft.dims<3, "b", 5, "n", 8>
#one = #weft.dims<1, "b", 5, "n", 8>
#q2 = #weft.dims<"b", "n", 4, 8>
#h2 = #weft.dims<"b", 4, "n", 8>
#k2 = #weft.dims<"b", "n", 2, 8>
#g2 = #weft.dims<"b", 2, "n", 8>
#flat = #weft.dims<"b" * "n", 40>
func.func @main(%x: tensor<?x?x120xTYPE, #weft.dims<"b", "n", 120>> {weft.name = "x"})
  -> (tensor<?x?x5x8xTYPE, #split> {weft.name = "sliced"}, tensor<?x?x40xTYPE, #part> {weft.name = "stacked"},
      tensor<?x?x4x8xTYPE, #q2> {weft.name = "grouped"}, tensor<?x5x?x8xTYPE, #heads> {weft.name = "shared"},
      tensor<?x5x?x8xTYPE, #heads> {weft.name = "keys"}, tensor<?x?x5x8xTYPE, #split> {weft.name = "last"}) {
  // Three slices of the columns, as GPT-2 has them.
  %a = weft.slice %x {offsets = #weft.dims<0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<?x?x120xTYPE, #x>) -> tensor<?x?x40xTYPE, #part>
  %b = weft.slice %x {offsets = #weft.dims<0, 0, 40>, strides = array<i64: 1, 1, 1>} : (tensor<?x?x120xTYPE, #x>) -> tensor<?x?x40xTYPE, #part>
  %c = weft.slice %x {offsets = #weft.dims<0, 0, 80>, strides = array<i64: 1, 1, 1>} : (tensor<?x?x120xTYPE, #x>) -> tensor<?x?x40xTYPE, #part>
  %as = weft.reshape %a : (tensor<?x?x40xTYPE, #part>) -> tensor<?x?x5x8xTYPE, #split>
  %bs = weft.reshape %b : (tensor<?x?x40xTYPE, #part>) -> tensor<?x?x5x8xTYPE, #split>
  %cs = weft.reshape %c : (tensor<?x?x40xTYPE, #part>) -> tensor<?x?x5x8xTYPE, #split>
  %q = weft.transpose %as {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x?x5x8xTYPE, #split>) -> tensor<?x5x?x8xTYPE, #heads>
  %k = weft.transpose %bs {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x?x5x8xTYPE, #split>) -> tensor<?x5x?x8xTYPE, #heads>
  %v = weft.transpose %cs {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x?x5x8xTYPE, #split>) -> tensor<?x5x?x8xTYPE, #heads>
  %y = weft.attention %q, %k, %v scale(0.35) empty_rows(nan) : (tensor<?x5x?x8xTYPE, #heads>, tensor<?x5x?x8xTYPE, #heads>, tensor<?x5x?x8xTYPE, #heads>) -> tensor<?x5x?x8xTYPE, #heads>
  %sliced = weft.transpose %y {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x5x?x8xTYPE, #heads>) -> tensor<?x?x5x8xTYPE, #split>

  // One transpose of all three, then slices, as ViT has them; the result is merged to rows.
  %s = weft.reshape %x : (tensor<?x?x120xTYPE, #x>) -> tensor<?x?x3x5x8xTYPE, #three>
  %t = weft.transpose %s {permutation = array<i64: 2, 0, 3, 1, 4>} : (tensor<?x?x3x5x8xTYPE, #three>) -> tensor<3x?x5x?x8xTYPE, #threes>
  %q1 = weft.slice %t {offsets = #weft.dims<0, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x?x5x?x8xTYPE, #threes>) -> tensor<1x?x5x?x8xTYPE, #one>
  %k1 = weft.slice %t {offsets = #weft.dims<1, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x?x5x?x8xTYPE, #threes>) -> tensor<1x?x5x?x8xTYPE, #one>
  %v1 = weft.slice %t {offsets = #weft.dims<2, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x?x5x?x8xTYPE, #threes>) -> tensor<1x?x5x?x8xTYPE, #one>
  %qs = weft.reshape %q1 : (tensor<1x?x5x?x8xTYPE, #one>) -> tensor<?x5x?x8xTYPE, #heads>
  %ks = weft.reshape %k1 : (tensor<1x?x5x?x8xTYPE, #one>) -> tensor<?x5x?x8xTYPE, #heads>
  %vs = weft.reshape %v1 : (tensor<1x?x5x?x8xTYPE, #one>) -> tensor<?x5x?x8xTYPE, #heads>
  %z = weft.attention %qs, %ks, %vs scale(-0.4) empty_rows(nan) : (tensor<?x5x?x8xTYPE, #heads>, tensor<?x5x?x8xTYPE, #heads>, tensor<?x5x?x8xTYPE, #heads>) -> tensor<?x5x?x8xTYPE, #heads>
  %zt = weft.transpose %z {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x5x?x8xTYPE, #heads>) -> tensor<?x?x5x8xTYPE, #split>
  %stacked = weft.reshape %zt : (tensor<?x?x5x8xTYPE, #split>) -> tensor<?x?x40xTYPE, #part>

  // Heads that share keys.
  %g = weft.slice %x {offsets = #weft.dims<0, 0, 3>, strides = array<i64: 1, 1, 1>} : (tensor<?x?x120xTYPE, #x>) -> tensor<?x?x32xTYPE, #weft.dims<"b", "n", 32>>
  %gs = weft.reshape %g : (tensor<?x?x32xTYPE, #weft.dims<"b", "n", 32>>) -> tensor<?x?x4x8xTYPE, #q2>
  %gq = weft.transpose %gs {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x?x4x8xTYPE, #q2>) -> tensor<?x4x?x8xTYPE, #h2>
  %h = weft.slice %x {offsets = #weft.dims<0, 0, 60>, strides = array<i64: 1, 1, 3>} : (tensor<?x?x120xTYPE, #x>) -> tensor<?x?x16xTYPE, #weft.dims<"b", "n", 16>>
  %hs = weft.reshape %h : (tensor<?x?x16xTYPE, #weft.dims<"b", "n", 16>>) -> tensor<?x?x2x8xTYPE, #k2>
  %gk = weft.transpose %hs {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x?x2x8xTYPE, #k2>) -> tensor<?x2x?x8xTYPE, #g2>
  %i = weft.slice %x {offsets = #weft.dims<0, 0, 104>, strides = array<i64: 1, 1, 1>} : (tensor<?x?x120xTYPE, #x>) -> tensor<?x?x16xTYPE, #weft.dims<"b", "n", 16>>
  %is = weft.reshape %i : (tensor<?x?x16xTYPE, #weft.dims<"b", "n", 16>>) -> tensor<?x?x2x8xTYPE, #k2>
  %gv = weft.transpose %is {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x?x2x8xTYPE, #k2>) -> tensor<?x2x?x8xTYPE, #g2>
  %gy = weft.attention %gq, %gv, %gk scale(0.35) empty_rows(nan) : (tensor<?x4x?x8xTYPE, #h2>, tensor<?x2x?x8xTYPE, #g2>, tensor<?x2x?x8xTYPE, #g2>) -> tensor<?x4x?x8xTYPE, #h2>
  %grouped = weft.transpose %gy {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x4x?x8xTYPE, #h2>) -> tensor<?x?x4x8xTYPE, #q2>

  // The keys, and a result before it is transposed, are wanted by somebody else, too.
  %both = weft.attention %k, %k, %q scale(0.35) empty_rows(nan) : (tensor<?x5x?x8xTYPE, #heads>, tensor<?x5x?x8xTYPE, #heads>, tensor<?x5x?x8xTYPE, #heads>) -> tensor<?x5x?x8xTYPE, #heads>
  %moved = weft.transpose %both {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x5x?x8xTYPE, #heads>) -> tensor<?x?x5x8xTYPE, #split>
  // A reshape that no strides can do, of a transpose.
  %rows = weft.reshape %both : (tensor<?x5x?x8xTYPE, #heads>) -> tensor<?x40xTYPE, #flat>
  %last = weft.reshape %rows : (tensor<?x40xTYPE, #flat>) -> tensor<?x?x5x8xTYPE, #split>
  %sum = weft.add %moved, %last : (tensor<?x?x5x8xTYPE, #split>, tensor<?x?x5x8xTYPE, #split>) -> tensor<?x?x5x8xTYPE, #split>
  return %sliced, %stacked, %grouped, %both, %k, %sum : tensor<?x?x5x8xTYPE, #split>, tensor<?x?x40xTYPE, #part>, tensor<?x?x4x8xTYPE, #q2>, tensor<?x5x?x8xTYPE, #heads>, tensor<?x5x?x8xTYPE, #heads>, tensor<?x?x5x8xTYPE, #split>
}
