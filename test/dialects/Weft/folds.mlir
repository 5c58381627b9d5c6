// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds and canonicalization: what becomes simpler, and beside each what looks like it and must stay.
// RUN: weft-opt --canonicalize %s | FileCheck %s

#n = #weft.dims<"n", 4>

// CHECK-LABEL: func.func @integer_neutral(
// CHECK-SAME: %[[X:.*]]: tensor<4xi64>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @integer_neutral(%x: tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) {
  %zero = weft.constant dense<0> : tensor<i64>
  %one = weft.constant dense<1> : tensor<4xi64>
  %a = weft.add %x, %zero : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  %b = weft.add %zero, %x : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64>
  %c = weft.sub %x, %zero : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  %d = weft.mul %x, %one : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %e = weft.mul %one, %x : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %f = weft.div %x, %one : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  return %a, %b, %c, %d, %e, %f : tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>
}

// x - 0.0, x * 1.0 and x / 1.0 are x, NaN and -0.0 included; x + 0.0 is 0.0 for -0.0 and stays.
// CHECK-LABEL: func.func @float_neutral(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>)
// CHECK: %[[SUM:.*]] = weft.add
// CHECK-NOT: weft.sub
// CHECK-NOT: weft.mul
// CHECK-NOT: weft.div
// CHECK: return %[[SUM]], %[[X]], %[[X]], %[[X]]
func.func @float_neutral(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = weft.constant dense<0.0> : tensor<4xf32>
  %one = weft.constant dense<1.0> : tensor<f32>
  %a = weft.add %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = weft.sub %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c = weft.mul %x, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %d = weft.div %x, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %a, %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// x - (-0.0) is 0.0 for -0.0; 1 - x and 1 / x are no x; a constant that enlarges the result cannot go.
// CHECK-LABEL: func.func @not_neutral
// CHECK: weft.sub
// CHECK: weft.sub
// CHECK: weft.div
// CHECK: weft.mul
// CHECK: weft.add
func.func @not_neutral(%x: tensor<4xf32>, %i: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>, tensor<4xi64>) {
  %minus_zero = weft.constant dense<-0.0> : tensor<4xf32>
  %zero = weft.constant dense<0.0> : tensor<4xf32>
  %one = weft.constant dense<1.0> : tensor<4xf32>
  %large = weft.constant dense<1.0> : tensor<2x4xf32>
  %zeros = weft.constant dense<0> : tensor<4xi64>
  %a = weft.sub %x, %minus_zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = weft.sub %zero, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c = weft.div %one, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = weft.mul %x, %large : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %e = weft.add %i, %zeros : (tensor<i64>, tensor<4xi64>) -> tensor<4xi64>
  return %a, %b, %c, %d, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>, tensor<4xi64>
}

// CHECK-LABEL: func.func @square(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>)
// CHECK: %[[SQUARE:.*]] = weft.mul %[[X]], %[[X]]
// CHECK: %[[CUBE:.*]] = weft.pow
// CHECK: %[[LARGE:.*]] = weft.pow
// CHECK: return %[[SQUARE]], %[[CUBE]], %[[LARGE]]
func.func @square(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>) {
  %two = weft.constant dense<2> : tensor<i64>
  %three = weft.constant dense<3.0> : tensor<f32>
  %twos = weft.constant dense<2.0> : tensor<2x4xf32>
  %a = weft.pow %x, %two : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
  %b = weft.pow %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c = weft.pow %x, %twos : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @logic(
// CHECK-SAME: %[[C:.*]]: tensor<4xi1>, %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>, %[[S:.*]]: tensor<f32>)
// CHECK: %[[KEPT:.*]] = weft.where
// CHECK-NEXT: return %[[C]], %[[X]], %[[Y]], %[[KEPT]]
func.func @logic(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>, %s: tensor<f32>)
    -> (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %yes = weft.constant dense<true> : tensor<i1>
  %no = weft.constant dense<false> : tensor<4xi1>
  %a = weft.not %c : (tensor<4xi1>) -> tensor<4xi1>
  %b = weft.not %a : (tensor<4xi1>) -> tensor<4xi1>
  %then = weft.where %yes, %x, %y : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %else = weft.where %no, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // The chosen value is smaller than the result.
  %enlarged = weft.where %yes, %s, %y : (tensor<i1>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %b, %then, %else, %enlarged : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @views(
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32, #weft.dims<"n", 4>>)
// CHECK-DAG: %[[ONCE:.*]] = weft.reshape %[[X]] : ({{.*}}) -> tensor<2x?x2xf32, #weft.dims<2, "n", 2>>
// CHECK-DAG: %[[RENAMED:.*]] = weft.expand
// CHECK: return %[[X]], %[[X]], %[[X]], %[[X]], %[[ONCE]], %[[RENAMED]]
func.func @views(%x: tensor<?x4xf32, #n>)
    -> (tensor<?x4xf32, #n>, tensor<?x4xf32, #n>, tensor<?x4xf32, #n>, tensor<?x4xf32, #n>, tensor<2x?x2xf32, #weft.dims<2, "n", 2>>,
        tensor<?x4xf32, #weft.dims<"m", 4>>) {
  %same = weft.reshape %x : (tensor<?x4xf32, #n>) -> tensor<?x4xf32, #n>
  %flat = weft.reshape %x : (tensor<?x4xf32, #n>) -> tensor<?xf32, #weft.dims<4 * "n">>
  %back = weft.reshape %flat : (tensor<?xf32, #weft.dims<4 * "n">>) -> tensor<?x4xf32, #n>
  %expanded = weft.expand %x : (tensor<?x4xf32, #n>) -> tensor<?x4xf32, #n>
  %cast = weft.cast %x to f32 : (tensor<?x4xf32, #n>) -> tensor<?x4xf32, #n>
  %again = weft.reshape %flat : (tensor<?xf32, #weft.dims<4 * "n">>) -> tensor<2x?x2xf32, #weft.dims<2, "n", 2>>
  // "n" may be 1 where "m" is not.
  %renamed = weft.expand %x : (tensor<?x4xf32, #n>) -> tensor<?x4xf32, #weft.dims<"m", 4>>
  return %same, %back, %expanded, %cast, %again, %renamed : tensor<?x4xf32, #n>, tensor<?x4xf32, #n>, tensor<?x4xf32, #n>,
    tensor<?x4xf32, #n>, tensor<2x?x2xf32, #weft.dims<2, "n", 2>>, tensor<?x4xf32, #weft.dims<"m", 4>>
}

// CHECK-LABEL: func.func @transposes(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>)
// CHECK: %[[MERGED:.*]] = weft.transpose %[[X]] {permutation = array<i64: 2, 1, 0>} : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
// CHECK: return %[[X]], %[[X]], %[[MERGED]]
func.func @transposes(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<4x3x2xf32>) {
  %same = weft.transpose %x {permutation = array<i64: 0, 1, 2>} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %turned = weft.transpose %x {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %back = weft.transpose %turned {permutation = array<i64: 2, 0, 1>} : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
  %merged = weft.transpose %turned {permutation = array<i64: 1, 0, 2>} : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
  return %same, %back, %merged : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<4x3x2xf32>
}

// One input is the result; equal constants are one.
// CHECK-LABEL: func.func @concat(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>)
// CHECK: %[[TWO:.*]] = weft.concat %[[X]], %[[X]]
// CHECK: return %[[X]], %[[TWO]]
func.func @concat(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<4x3xf32>) {
  %one = weft.concat %x {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %two = weft.concat %x, %x {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %one, %two : tensor<2x3xf32>, tensor<4x3xf32>
}

// A constant that a loop captures is the body's own, in the innermost body that reads it; what nothing reads is not captured.
// CHECK-LABEL: func.func @loop_captures(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>, %[[N:.*]]: tensor<i64>)
// CHECK-NEXT: weft.loop count(<5>) states(%[[X]] : tensor<4xf32>) captures(%[[Y]], %[[N]] : tensor<4xf32>, tensor<i64>) {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[S:.*]]: tensor<4xf32>, %[[Z:.*]]: tensor<4xf32>, %[[M:.*]]: tensor<i64>):
// CHECK-NEXT: %[[TWO:.*]] = weft.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[T:.*]] = weft.mul %[[S]], %[[Z]]
// CHECK-NEXT: %[[U:.*]] = weft.add %[[T]], %[[TWO]]
// CHECK-NEXT: weft.loop trips(%[[M]] : tensor<i64>) states(%[[U]] : tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[Q:.*]]: tensor<4xf32>):
// CHECK-NEXT: %[[ONE:.*]] = weft.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: weft.add %[[Q]], %[[ONE]]
func.func @loop_captures(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: tensor<i64>) -> tensor<4xf32> {
  %one = weft.constant dense<1.0> : tensor<f32>
  %two = weft.constant dense<2.0> : tensor<f32>
  %r = weft.loop count(#weft.dim<5>) states(%x : tensor<4xf32>)
      captures(%one, %x, %y, %two, %two, %n : tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %s: tensor<4xf32>, %c: tensor<f32>, %unread: tensor<4xf32>, %z: tensor<4xf32>, %unread_too: tensor<f32>, %d: tensor<f32>, %m: tensor<i64>):
    %t = weft.mul %s, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %u = weft.add %t, %d : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %v = weft.loop trips(%m : tensor<i64>) states(%u : tensor<4xf32>) captures(%c : tensor<f32>) {
    ^bb0(%j: tensor<i64>, %q: tensor<4xf32>, %e: tensor<f32>):
      %w = weft.add %q, %e : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      weft.yield %w : tensor<4xf32>
    } -> (tensor<4xf32>)
    weft.yield %v : tensor<4xf32>
  } -> (tensor<4xf32>)
  return %r : tensor<4xf32>
}

// A state that stays what it is, is captured, or the body's own constant, and is what it was behind the loop; one that nothing reads is
// nowhere in the loop. What an iteration leaves behind is numbered as before.
// CHECK-LABEL: func.func @loop_invariant(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>, %[[M:.*]]: tensor<i64>)
// CHECK: %[[TWO:.*]] = weft.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[R:.*]]:2 = weft.loop count(<5>) states(%[[X]] : tensor<4xf32>) captures(%[[Y]] : tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[S:.*]]: tensor<4xf32>, %[[Z:.*]]: tensor<4xf32>):
// CHECK-NEXT: %[[OWN:.*]] = weft.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[T:.*]] = weft.mul %[[S]], %[[Z]]
// CHECK-NEXT: %[[U:.*]] = weft.mul %[[T]], %[[OWN]]
// CHECK-NEXT: weft.yield %[[U]], %[[Z]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: } -> (tensor<4xf32>, tensor<5x4xf32>)
// CHECK-NEXT: return %[[R]]#0, %[[Y]], %[[M]], %[[TWO]], %[[R]]#1
func.func @loop_invariant(%x: tensor<4xf32>, %y: tensor<4xf32>, %m: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<5x4xf32>) {
  %two = weft.constant dense<2.0> : tensor<f32>
  %r:5 = weft.loop count(#weft.dim<5>) states(%x, %y, %m, %two : tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %s: tensor<4xf32>, %z: tensor<4xf32>, %unread: tensor<i64>, %c: tensor<f32>):
    %t = weft.mul %s, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %u = weft.mul %t, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    weft.yield %u, %z, %unread, %c, %z : tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<4xf32>
  } -> (tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<5x4xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<5x4xf32>
}

// A loop that does nothing is none.
// CHECK-LABEL: func.func @loop_nothing(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %{{.*}}: tensor<i64>)
// CHECK-NEXT: return %[[X]]
func.func @loop_nothing(%x: tensor<4xf32>, %trips: tensor<i64>) -> tensor<4xf32> {
  %r = weft.loop trips(%trips : tensor<i64>) states(%x : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %s: tensor<4xf32>):
    weft.yield %s : tensor<4xf32>
  } -> (tensor<4xf32>)
  return %r : tensor<4xf32>
}

// States that swap, and one that becomes another, stay states, though they begin as the same.
// CHECK-LABEL: func.func @loop_swap(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[R:.*]]:3 = weft.loop count(<5>) states(%[[X]], %[[Y]], %[[Y]] : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[S:.*]]: tensor<4xf32>, %[[T:.*]]: tensor<4xf32>, %{{.*}}: tensor<4xf32>):
// CHECK-NEXT: weft.yield %[[T]], %[[S]], %[[T]] :
// CHECK: return %[[R]]#0, %[[R]]#1, %[[R]]#2
func.func @loop_swap(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r:3 = weft.loop count(#weft.dim<5>) states(%x, %y, %y : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %s: tensor<4xf32>, %t: tensor<4xf32>, %u: tensor<4xf32>):
    weft.yield %t, %s, %t : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// One known index, from either end, is a slice; many are not, nor is one that may be out of range.
// CHECK-LABEL: func.func @gather_to_slice(
// CHECK-SAME: %[[X:.*]]: tensor<?x4x8xf32
// CHECK: %[[A:.*]] = weft.slice %[[X]] {offsets = #weft.dims<0, 2, 0>, strides = array<i64: 1, 1, 1>} : {{.*}} -> tensor<?x1x8xf32
// CHECK: %[[B:.*]] = weft.reshape %[[A]] : {{.*}} -> tensor<?x8xf32
// CHECK: %[[C:.*]] = weft.slice %[[X]] {offsets = #weft.dims<0, 3, 0>
// CHECK-NOT: weft.reshape
// CHECK: weft.gather {{.*}} {axis = 1 : i64}
// CHECK: weft.gather {{.*}} {axis = 0 : i64}
// CHECK: weft.gather {{.*}} {axis = 1 : i64}
func.func @gather_to_slice(%x: tensor<?x4x8xf32, #weft.dims<"n", 4, 8>>) -> (tensor<?x8xf32, #weft.dims<"n", 8>>, tensor<?x1x8xf32, #weft.dims<"n", 1, 8>>, tensor<?x2x8xf32, #weft.dims<"n", 2, 8>>, tensor<4x8xf32>, tensor<?x8xf32, #weft.dims<"n", 8>>) {
  %two = weft.constant dense<2> : tensor<i64>
  %last = weft.constant dense<-1> : tensor<1xi32>
  %several = weft.constant dense<1> : tensor<2xi64>
  %far = weft.constant dense<4> : tensor<i64>
  %a = weft.gather %x, %two {axis = 1 : i64} : (tensor<?x4x8xf32, #weft.dims<"n", 4, 8>>, tensor<i64>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
  %b = weft.gather %x, %last {axis = 1 : i64} : (tensor<?x4x8xf32, #weft.dims<"n", 4, 8>>, tensor<1xi32>) -> tensor<?x1x8xf32, #weft.dims<"n", 1, 8>>
  %c = weft.gather %x, %several {axis = 1 : i64} : (tensor<?x4x8xf32, #weft.dims<"n", 4, 8>>, tensor<2xi64>) -> tensor<?x2x8xf32, #weft.dims<"n", 2, 8>>
  %d = weft.gather %x, %two {axis = 0 : i64} : (tensor<?x4x8xf32, #weft.dims<"n", 4, 8>>, tensor<i64>) -> tensor<4x8xf32>
  %e = weft.gather %x, %far {axis = 1 : i64} : (tensor<?x4x8xf32, #weft.dims<"n", 4, 8>>, tensor<i64>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
  return %a, %b, %c, %d, %e : tensor<?x8xf32, #weft.dims<"n", 8>>, tensor<?x1x8xf32, #weft.dims<"n", 1, 8>>, tensor<?x2x8xf32, #weft.dims<"n", 2, 8>>, tensor<4x8xf32>, tensor<?x8xf32, #weft.dims<"n", 8>>
}

// Every nth index is a slice, too: of a range that a dim of the tensor bounds, from either end, or of numbers; not where a range
// may go beyond, and not numbers that go back and forth.
// CHECK-LABEL: func.func @gather_of_range(
// CHECK-SAME: %[[X:.*]]: tensor<?x9xf32
// CHECK: %[[A:.*]] = weft.slice %[[X]] {offsets = #weft.dims<0, 0>, strides = array<i64: 1, 1>} : {{.*}} -> tensor<?x9xf32, #weft.dims<"n", 9>>
// CHECK: %[[B:.*]] = weft.slice %[[X]] {offsets = #weft.dims<"n" - 1, 0>, strides = array<i64: -1, 1>} : {{.*}} -> tensor<?x9xf32, #weft.dims<"n", 9>>
// CHECK: %[[C:.*]] = weft.gather %[[X]]
// CHECK: %[[D:.*]] = weft.slice %[[X]] {offsets = #weft.dims<0, 1>, strides = array<i64: 1, 3>} : {{.*}} -> tensor<?x3xf32, #weft.dims<2 * "n" - 1, 3>>
// CHECK: %[[E:.*]] = weft.gather %[[X]]
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
func.func @gather_of_range(%x: tensor<?x9xf32, #weft.dims<2 * "n" - 1, 9>>)
  -> (tensor<?x9xf32, #weft.dims<"n", 9>>, tensor<?x9xf32, #weft.dims<"n", 9>>, tensor<?x9xf32, #weft.dims<"n", 9>>, tensor<?x3xf32, #weft.dims<2 * "n" - 1, 3>>, tensor<?x3xf32, #weft.dims<2 * "n" - 1, 3>>) {
  %up = weft.range {first = #weft.dim<0>, step = 1 : i64} : () -> tensor<?xi64, #weft.dims<"n">>
  %down = weft.range {first = #weft.dim<"n" - 1>, step = -1 : i64} : () -> tensor<?xi64, #weft.dims<"n">>
  %far = weft.range {first = #weft.dim<"n">, step = 1 : i64} : () -> tensor<?xi64, #weft.dims<"n">>
  %thirds = weft.constant dense<[1, 4, -2]> : tensor<3xi64>
  %back = weft.constant dense<[1, 4, 2]> : tensor<3xi64>
  %a = weft.gather %x, %up {axis = 0 : i64} : (tensor<?x9xf32, #weft.dims<2 * "n" - 1, 9>>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x9xf32, #weft.dims<"n", 9>>
  %b = weft.gather %x, %down {axis = 0 : i64} : (tensor<?x9xf32, #weft.dims<2 * "n" - 1, 9>>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x9xf32, #weft.dims<"n", 9>>
  %c = weft.gather %x, %far {axis = 0 : i64} : (tensor<?x9xf32, #weft.dims<2 * "n" - 1, 9>>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x9xf32, #weft.dims<"n", 9>>
  %d = weft.gather %x, %thirds {axis = 1 : i64} : (tensor<?x9xf32, #weft.dims<2 * "n" - 1, 9>>, tensor<3xi64>) -> tensor<?x3xf32, #weft.dims<2 * "n" - 1, 3>>
  %e = weft.gather %x, %back {axis = 1 : i64} : (tensor<?x9xf32, #weft.dims<2 * "n" - 1, 9>>, tensor<3xi64>) -> tensor<?x3xf32, #weft.dims<2 * "n" - 1, 3>>
  return %a, %b, %c, %d, %e : tensor<?x9xf32, #weft.dims<"n", 9>>, tensor<?x9xf32, #weft.dims<"n", 9>>, tensor<?x9xf32, #weft.dims<"n", 9>>, tensor<?x3xf32, #weft.dims<2 * "n" - 1, 3>>, tensor<?x3xf32, #weft.dims<2 * "n" - 1, 3>>
}

// A bool that is compared as a number is itself, or what it is not; a number that is cast is none, and more rows stay.
// CHECK-LABEL: func.func @compare_of_bool(
// CHECK-SAME: %[[X:.*]]: tensor<4xi1>, %[[N:.*]]: tensor<4xi64>)
// CHECK-DAG: %[[NOT:.*]] = weft.not %[[X]]
// CHECK-DAG: %[[C:.*]] = weft.compare eq %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<i32>)
// CHECK-DAG: %[[D:.*]] = weft.compare eq %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<2x4xf32>)
// CHECK-DAG: %[[E:.*]] = weft.compare eq %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>)
// CHECK: return %[[X]], %[[NOT]], %[[C]], %[[D]], %[[E]]
func.func @compare_of_bool(%x: tensor<4xi1>, %n: tensor<4xi64>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<2x4xi1>, tensor<4xi1>) {
  %one = weft.constant dense<1> : tensor<i32>
  %zero = weft.constant dense<0.0> : tensor<f32>
  %ones = weft.constant dense<1.0> : tensor<2x4xf32>
  %two = weft.constant dense<2.0> : tensor<f32>
  %byte = weft.cast %x to ui8 : (tensor<4xi1>) -> tensor<4xui8>
  %int = weft.cast %byte to i32 : (tensor<4xui8>) -> tensor<4xi32>
  %float = weft.cast %x to f32 : (tensor<4xi1>) -> tensor<4xf32>
  %number = weft.cast %n to i32 : (tensor<4xi64>) -> tensor<4xi32>
  %a = weft.compare eq %int, %one : (tensor<4xi32>, tensor<i32>) -> tensor<4xi1>
  %b = weft.compare eq %float, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
  %c = weft.compare eq %number, %one : (tensor<4xi32>, tensor<i32>) -> tensor<4xi1>
  %d = weft.compare eq %float, %ones : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
  %e = weft.compare eq %float, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
  return %a, %b, %c, %d, %e : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<2x4xi1>, tensor<4xi1>
}
