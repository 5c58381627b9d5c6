// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-form-steps on loops: an scf.for around steps, which carries the states and what iterations leave behind, each in a tensor of its own.
// RUN: weft-opt --weft-form-steps --cse %s -o %t
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=KERNEL < %t

#n4 = #weft.dims<"n", 4>
#m = #weft.dims<"m">

// The loop begins with a copy of the state, and with room for what is left behind, in one dim. A step says which iteration it is; what an
// iteration leaves behind is put in its place, and what becomes of the state where the state was. Work is that of all iterations.
// CHECK-LABEL: func.func @sums(
// CHECK-SAME: %[[N:.*]]: index, %[[X:[a-z0-9]*]]: tensor<?x4xf32> {{.*}}, %[[S:[a-z0-9]*]]: tensor<4xf32>
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[BEGIN:.*]] = weft.step @copy{{.*}} ins(%[[S]] : tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>) -> (tensor<4xf32>) work(<0> flops, <32> bytes)
// CHECK: %[[ROOM:.*]] = tensor.empty(%{{.*}}) {weft.dims = #weft.dims<4 * "n">} : tensor<?xf32>
// CHECK: %[[R:.*]]:2 = scf.for %[[I:.*]] = %[[ZERO]] to %[[N]] step %{{.*}} iter_args(%[[T:.*]] = %[[BEGIN]], %[[ALL:.*]] = %[[ROOM]]) -> (tensor<4xf32>, tensor<?xf32>) {
// CHECK: %[[NUMBER:.*]] = weft.step @iteration[%{{.*}}] ins(%[[I]] : index) outs(%{{.*}} : tensor<i64>) -> (tensor<i64>) work(<0> flops, <8 * "n"> bytes)
// CHECK: %[[AT:.*]] = weft.view %[[NUMBER]][] : tensor<i64> to tensor<1xi64>
// CHECK: weft.step @gather[%{{.*}}] ins(%{{.*}}, %[[AT]] :
// CHECK: %[[U:.*]] = weft.step @add[%{{.*}}] ins(%[[T]], %{{.*}} : tensor<4xf32>, tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>) {{.*}} work(<0> flops, <48 * "n"> bytes)
// CHECK: %[[ROW:.*]] = weft.view %[[U]][] : tensor<4xf32> to tensor<1x4xf32>
// CHECK: %[[PUT:.*]] = weft.step @scatter_replace[%{{.*}}] ins(%[[AT]], %[[ROW]], %[[N]] : tensor<1xi64>, tensor<1x4xf32>, index) outs(%[[ALL]] : tensor<?xf32>) -> (tensor<?xf32>) work(<0> flops, <40 * "n"> bytes)
// CHECK: %[[BACK:.*]] = weft.step @copy{{.*}} ins(%[[U]] : tensor<4xf32>) outs(%[[T]] : tensor<4xf32>) -> (tensor<4xf32>) work(<0> flops, <32 * "n"> bytes)
// CHECK-NEXT: scf.yield %[[BACK]], %[[PUT]] :
// CHECK-NEXT: }
// What is read behind the loop is what it ends with, with its dims.
// CHECK: %[[SUMS:.*]] = weft.view %[[R]]#1[%[[N]]] : tensor<?xf32> to tensor<?x4xf32>
// CHECK: weft.step @softmax{{.*}} ins(%[[SUMS]] : {{.*}} work(<0> flops, <32 * "n"> bytes)
// KERNEL-LABEL: weft.kernel @iteration(
// KERNEL-SAME: %{{.*}}: index, %[[I:.*]]: index, %[[OUT:.*]]: memref<i64>)
// KERNEL: linalg.generic {{.*}} outs(%[[OUT]] : memref<i64>)
// KERNEL: arith.index_cast %[[I]] : index to i64
// KERNEL-LABEL: weft.kernel @scatter_replace(
// KERNEL-SAME: %[[N:[a-z0-9]*]]: index, %[[ALL:[a-z0-9]*]]: memref<?xf32>)
// KERNEL: %[[ROWS:.*]] = memref.reinterpret_cast %[[ALL]] to offset: [0], sizes: [%[[N]], 4], strides: [4, 1]
// KERNEL: weft.scatter_tile %{{.*}}, %{{.*}}, %[[ROWS]] {kind = 0 : i32}
func.func @sums(%x: tensor<?x4xf32, #n4> {weft.name = "x"}, %s: tensor<4xf32> {weft.name = "s"}) -> (tensor<4xf32> {weft.name = "sum"}, tensor<?x4xf32, #n4> {weft.name = "y"}) {
  %r:2 = weft.loop count(#weft.dim<"n">) states(%s : tensor<4xf32>) captures(%x : tensor<?x4xf32, #n4>) {
  ^bb0(%i: tensor<i64>, %t: tensor<4xf32>, %all: tensor<?x4xf32, #n4>):
    %e = weft.gather %all, %i {axis = 0 : i64} : (tensor<?x4xf32, #n4>, tensor<i64>) -> tensor<4xf32>
    %u = weft.add %t, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    weft.yield %u, %u : tensor<4xf32>, tensor<4xf32>
  } -> (tensor<4xf32>, tensor<?x4xf32, #n4>)
  %y = weft.softmax %r#1 {axis = 1 : i64} : (tensor<?x4xf32, #n4>) -> tensor<?x4xf32, #n4>
  return %r#0, %y : tensor<4xf32>, tensor<?x4xf32, #n4>
}

// Where nothing asks for its number no step says which iteration it is. A state is in one dim, and has its own in the body; the loop's result is
// not a step's own, so it is copied to be the program's.
// CHECK-LABEL: func.func @states_only(
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: tensor<?x4xf32>
// CHECK: %[[FLAT:.*]] = weft.view %[[X]][%[[SIZE:.*]]] : tensor<?x4xf32> to tensor<?xf32>
// CHECK: %[[BEGIN:.*]] = weft.step @copy{{.*}} ins(%[[FLAT]] : tensor<?xf32>)
// CHECK: %[[R:.*]] = scf.for %{{.*}} to %{{.*}} iter_args(%[[T:.*]] = %[[BEGIN]]) -> (tensor<?xf32>) {
// CHECK-NOT: @iteration
// CHECK: %[[ROWS:.*]] = weft.view %[[T]][%[[N]]] : tensor<?xf32> to tensor<?x4xf32>
// CHECK: %[[U:.*]] = weft.step @softmax{{.*}} ins(%[[ROWS]] : tensor<?x4xf32>) {{.*}} work(<0> flops, <160 * "n"> bytes)
// CHECK: %[[V:.*]] = weft.view %[[U]][%[[SIZE]]] : tensor<?x4xf32> to tensor<?xf32>
// CHECK: %[[BACK:.*]] = weft.step @copy{{.*}} ins(%[[V]] : tensor<?xf32>) outs(%[[T]] : tensor<?xf32>)
// CHECK-NEXT: scf.yield %[[BACK]] : tensor<?xf32>
// CHECK: %[[OWN:.*]] = weft.step @copy{{.*}} ins(%[[R]] : tensor<?xf32>)
// CHECK: weft.view %[[OWN]][%[[N]]]
func.func @states_only(%x: tensor<?x4xf32, #n4> {weft.name = "x"}) -> (tensor<?x4xf32, #n4> {weft.name = "y"}) {
  %r = weft.loop count(#weft.dim<5>) states(%x : tensor<?x4xf32, #n4>) {
  ^bb0(%i: tensor<i64>, %t: tensor<?x4xf32, #n4>):
    %u = weft.softmax %t {axis = 1 : i64} : (tensor<?x4xf32, #n4>) -> tensor<?x4xf32, #n4>
    weft.yield %u : tensor<?x4xf32, #n4>
  } -> (tensor<?x4xf32, #n4>)
  return %r : tensor<?x4xf32, #n4>
}

// States that swap are copied before one of them changes, and what is left behind is put in its place before that, too. A state that another
// begins with, too, is copied for each.
// CHECK-LABEL: func.func @swap(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<4xf32>
// CHECK: %[[A:.*]] = weft.step @copy{{.*}} ins(%[[X]] : tensor<4xf32>)
// CHECK: %[[B:.*]] = weft.step @copy{{.*}} ins(%[[X]] : tensor<4xf32>)
// CHECK: scf.for %{{.*}} iter_args(%[[S:.*]] = %[[A]], %[[T:.*]] = %[[B]], %[[ALL:.*]] = %{{.*}}) ->
// CHECK: %[[ROW:.*]] = weft.view %[[S]][] : tensor<4xf32> to tensor<1x4xf32>
// CHECK: %[[PUT:.*]] = weft.step @scatter_replace{{.*}} ins(%{{.*}}, %[[ROW]] : {{.*}} outs(%[[ALL]] :
// CHECK: %[[OF_T:.*]] = weft.step @copy{{.*}} ins(%[[T]] : tensor<4xf32>) outs(%{{[0-9]+}} :
// CHECK: %[[OF_S:.*]] = weft.step @copy{{.*}} ins(%[[S]] : tensor<4xf32>) outs(%{{[0-9]+}} :
// CHECK: %[[NEXT_S:.*]] = weft.step @copy{{.*}} ins(%[[OF_T]] : tensor<4xf32>) outs(%[[S]] :
// CHECK: %[[NEXT_T:.*]] = weft.step @copy{{.*}} ins(%[[OF_S]] : tensor<4xf32>) outs(%[[T]] :
// CHECK-NEXT: scf.yield %[[NEXT_S]], %[[NEXT_T]], %[[PUT]] :
func.func @swap(%x: tensor<4xf32> {weft.name = "x"}) -> (tensor<4xf32> {weft.name = "a"}, tensor<4xf32> {weft.name = "b"}, tensor<5x4xf32> {weft.name = "c"}) {
  %r:3 = weft.loop count(#weft.dim<5>) states(%x, %x : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %s: tensor<4xf32>, %t: tensor<4xf32>):
    weft.yield %t, %s, %s : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } -> (tensor<4xf32>, tensor<4xf32>, tensor<5x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<5x4xf32>
}

// The work of a loop in a loop is that of both counts; a bool is a byte.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME: %[[N:.*]]: index, %[[M:.*]]: index,
// CHECK: scf.for %{{.*}} to %[[N]] step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<?xi8>) {
// CHECK: weft.step @iteration{{.*}} work(<0> flops, <8 * "n"> bytes)
// CHECK: scf.for %{{.*}} to %[[M]] step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<?xi8>) {
// CHECK: weft.step @not{{.*}} work(<0> flops, <2 * "m" * "m" * "n"> bytes)
// CHECK: scf.yield
// CHECK: weft.step @scatter_replace{{.*}} work(<0> flops, <2 * "m" * "n" + 8 * "n"> bytes)
// CHECK: scf.yield
func.func @nested(%x: tensor<?xi1, #weft.dims<"n">> {weft.name = "x"}, %s: tensor<?xi1, #m> {weft.name = "s"}) -> (tensor<?x?xi1, #weft.dims<"n", "m">> {weft.name = "y"}) {
  %r = weft.loop count(#weft.dim<"n">) captures(%s : tensor<?xi1, #m>) {
  ^bb0(%i: tensor<i64>, %t: tensor<?xi1, #m>):
    %q = weft.loop count(#weft.dim<"m">) states(%t : tensor<?xi1, #m>) {
    ^bb0(%j: tensor<i64>, %u: tensor<?xi1, #m>):
      %v = weft.not %u : (tensor<?xi1, #m>) -> tensor<?xi1, #m>
      weft.yield %v : tensor<?xi1, #m>
    } -> (tensor<?xi1, #m>)
    weft.yield %q : tensor<?xi1, #m>
  } -> (tensor<?x?xi1, #weft.dims<"n", "m">>)
  return %r : tensor<?x?xi1, #weft.dims<"n", "m">>
}
