// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-plan-arena: buffers that are never alive together share a slot; the arena's size is a max/+ formula of the symbols.
// RUN: weft-opt --weft-plan-arena %s | FileCheck %s


// A chain of three needs two slots: the third buffer takes the first one's place.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: memref<?x16xf32>, %[[ARENA:.*]]: memref<?xi8> {weft.role = "arena"})
// CHECK-SAME: weft.arena_bytes = #weft.dim<128 * "n">
// CHECK-NOT: memref.alloc
// CHECK: %[[A:.*]] = memref.view %[[ARENA]][%[[FIRST:.*]]][%[[N]]] {weft.bytes = #weft.dim<64 * "n">, weft.offset = #weft.dim<{{.*}}>} : memref<?xi8> to memref<?x16xf32>
// CHECK: weft.step @k[%[[N]]] ins(%[[X]] {{.*}}) outs(%[[A]]
// CHECK: %[[B:.*]] = memref.view %[[ARENA]][%[[SECOND:.*]]][%[[N]]]
// CHECK: weft.step @k[%[[N]]] ins(%[[A]] {{.*}}) outs(%[[B]]
// CHECK: %[[C:.*]] = memref.view %[[ARENA]][%[[FIRST]]][%[[N]]]
// CHECK: weft.step @k[%[[N]]] ins(%[[B]] {{.*}}) outs(%[[C]]
func.func @chain(%n: index, %x: memref<?x16xf32>) attributes {weft.symbols = ["n"]} {
  %a = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%a : memref<?x16xf32>)
  %b = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @k[%n] ins(%a : memref<?x16xf32>) outs(%b : memref<?x16xf32>)
  %c = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @k[%n] ins(%b : memref<?x16xf32>) outs(%c : memref<?x16xf32>)
  weft.step @sink[%n] ins(%c : memref<?x16xf32>) outs(%x : memref<?x16xf32>)
  return
}

// A slot is as large as its largest buffer, which may not be known: a max. Sizes are rounded up to 64 bytes.
// CHECK-LABEL: func.func @grown(
// CHECK-SAME: weft.arena_bytes = #weft.dim<max(64 * "m", 64 * "n")>
func.func @grown(%n: index, %m: index, %x: memref<?x16xf32>, %z: memref<?x16xf32>) attributes {weft.symbols = ["n", "m"]} {
  %a = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%a : memref<?x16xf32>)
  weft.step @sink[%n] ins(%a : memref<?x16xf32>) outs(%x : memref<?x16xf32>)
  %b = memref.alloc(%m) {weft.dims = #weft.dims<"m", 16>} : memref<?x16xf32>
  weft.step @k[%m] ins(%z : memref<?x16xf32>) outs(%b : memref<?x16xf32>)
  weft.step @sink[%m] ins(%b : memref<?x16xf32>) outs(%z : memref<?x16xf32>)
  return
}

// CHECK-LABEL: func.func @rounded(
// CHECK-SAME: weft.arena_bytes = #weft.dim<64 * floordiv("n" + 63, 64)>
func.func @rounded(%n: index, %x: memref<?xi8>) attributes {weft.symbols = ["n"]} {
  %a = memref.alloc(%n) {weft.dims = #weft.dims<"n">} : memref<?xi8>
  weft.step @bytes[%n] ins(%x : memref<?xi8>) outs(%a : memref<?xi8>)
  weft.step @bytes[%n] ins(%a : memref<?xi8>) outs(%x : memref<?xi8>)
  return
}

// Of two free slots a buffer takes the one of its size, not the first.
// CHECK-LABEL: func.func @fit(
// CHECK-SAME: weft.arena_bytes = #weft.dim<192 * "n">
// CHECK: memref.view %{{.*}}[%[[LARGE:.*]]][%{{.*}}] {{.*}} : memref<?xi8> to memref<?x32xf32>
// CHECK: memref.view %{{.*}}[%[[SMALL:.*]]][%{{.*}}] {{.*}} : memref<?xi8> to memref<?x16xf32>
// CHECK: weft.step @two
// CHECK: memref.view %{{.*}}[%[[SMALL]]][%{{.*}}] {{.*}} : memref<?xi8> to memref<?x16xf32>
func.func @fit(%n: index, %x: memref<?x16xf32>) attributes {weft.symbols = ["n"]} {
  %large = memref.alloc(%n) {weft.dims = #weft.dims<"n", 32>} : memref<?x32xf32>
  %small = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @two[%n] ins(%x : memref<?x16xf32>) outs(%large, %small : memref<?x32xf32>, memref<?x16xf32>)
  weft.step @two_in[%n] ins(%large, %small : memref<?x32xf32>, memref<?x16xf32>) outs(%x : memref<?x16xf32>)
  %next = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%next : memref<?x16xf32>)
  weft.step @sink[%n] ins(%next : memref<?x16xf32>) outs(%x : memref<?x16xf32>)
  return
}

// A chain on one buffer, as of a concat, and a view keep it alive until the last use of any of them.
// CHECK-LABEL: func.func @alive(
// CHECK-SAME: weft.arena_bytes = #weft.dim<128 * "n">
// CHECK: %[[A:.*]] = memref.view %{{.*}}[%[[FIRST:.*]]][%{{.*}}] {{.*}} : memref<?xi8> to memref<?x16xf32>
// CHECK: weft.step @k[%{{.*}}] ins(%{{.*}}) outs(%[[A]]
// CHECK: weft.step @k[%{{.*}}] ins(%{{.*}}) outs(%[[A]]
// CHECK-NOT: memref.view %{{.*}}[%[[FIRST]]]
// CHECK: weft.step @flat
func.func @alive(%n: index, %x: memref<?x16xf32>) attributes {weft.symbols = ["n"]} {
  %c16 = arith.constant 16 : index
  %size = arith.muli %n, %c16 : index
  %a = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%a : memref<?x16xf32>)
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%a : memref<?x16xf32>)
  %view = memref.reinterpret_cast %a to offset: [0], sizes: [%size], strides: [1] : memref<?x16xf32> to memref<?xf32>
  %b = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%b : memref<?x16xf32>)
  weft.step @flat[%n] ins(%view : memref<?xf32>) outs(%x : memref<?x16xf32>)
  weft.step @sink[%n] ins(%b : memref<?x16xf32>) outs(%x : memref<?x16xf32>)
  return
}

// What nothing reads still needs its place while its step runs.
// CHECK-LABEL: func.func @unread(
// CHECK-SAME: weft.arena_bytes = #weft.dim<128>
func.func @unread(%x: memref<16xf32>) attributes {weft.symbols = []} {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() {weft.dims = #weft.dims<16>} : memref<16xf32>
  %b = memref.alloc() {weft.dims = #weft.dims<16>} : memref<16xf32>
  weft.step @pair[%c1] ins(%x : memref<16xf32>) outs(%a, %b : memref<16xf32>, memref<16xf32>)
  return
}

// Nothing to place.
// CHECK-LABEL: func.func @nothing(
// CHECK-SAME: weft.arena_bytes = #weft.dim<0>
func.func @nothing(%x: memref<16xf32>) attributes {weft.symbols = []} {
  return
}

// A loop that reads a buffer from around it needs it until its end, since another iteration may follow: no buffer of the body takes its slot, though
// it is made after the last step that reads it. Two buffers of the body that are not alive together share one, which is free behind the loop.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: weft.arena_bytes = #weft.dim<192 * "n">
// CHECK: %[[OUTER:.*]] = memref.view %{{.*}}[%[[FIRST:.*]]][%{{.*}}]
// CHECK: weft.step @k[%{{.*}}] ins(%{{.*}}) outs(%[[OUTER]]
// CHECK: scf.for
// CHECK: %[[A:.*]] = memref.view %{{.*}}[%[[SECOND:.*]]][%{{.*}}]
// CHECK: weft.step @k[%{{.*}}] ins(%[[OUTER]] {{.*}}) outs(%[[A]]
// CHECK: %[[B:.*]] = memref.view %{{.*}}[%[[THIRD:.*]]][%{{.*}}]
// CHECK-NOT: memref.view %{{.*}}[%[[FIRST]]]
// CHECK: weft.step @k[%{{.*}}] ins(%[[A]] {{.*}}) outs(%[[B]]
// CHECK: %[[C:.*]] = memref.view %{{.*}}[%[[SECOND]]][%{{.*}}]
// CHECK: weft.step @k[%{{.*}}] ins(%[[B]] {{.*}}) outs(%[[C]]
// CHECK: weft.step @sink
// CHECK: }
// CHECK: memref.view %{{.*}}[%[[FIRST]]][%{{.*}}]
// CHECK: weft.step @k
func.func @loop(%n: index, %x: memref<?x16xf32>) attributes {weft.symbols = ["n"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %outer = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%outer : memref<?x16xf32>)
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
    weft.step @k[%n] ins(%outer : memref<?x16xf32>) outs(%a : memref<?x16xf32>)
    %b = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
    weft.step @k[%n] ins(%a : memref<?x16xf32>) outs(%b : memref<?x16xf32>)
    %c = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
    weft.step @k[%n] ins(%b : memref<?x16xf32>) outs(%c : memref<?x16xf32>)
    weft.step @sink[%n] ins(%c : memref<?x16xf32>) outs(%x : memref<?x16xf32>)
  }
  %d = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%d : memref<?x16xf32>)
  weft.step @sink[%n] ins(%d : memref<?x16xf32>) outs(%x : memref<?x16xf32>)
  return
}

// So it does of a view that is in the body, and a loop in the body of what is in that.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME: weft.arena_bytes = #weft.dim<192 * "n">
// CHECK: memref.view %{{.*}}[%[[OUTER:.*]]][%{{.*}}]
// CHECK: scf.for
// CHECK: memref.view %{{.*}}[%[[MIDDLE:.*]]][%{{.*}}]
// CHECK: scf.for
// CHECK: weft.step @flat
// CHECK: memref.view %{{.*}}[%[[INNER:.*]]][%{{.*}}]
// CHECK-NOT: memref.view %{{.*}}[%[[OUTER]]]
// CHECK-NOT: memref.view %{{.*}}[%[[MIDDLE]]]
// CHECK: }
// Behind the inner loop the middle one's is free, the outer one's is not.
// CHECK: memref.view %{{.*}}[%[[MIDDLE]]][%{{.*}}]
// CHECK: }
func.func @nested(%n: index, %x: memref<?x16xf32>) attributes {weft.symbols = ["n"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %size = arith.muli %n, %c16 : index
  %outer = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%outer : memref<?x16xf32>)
  scf.for %i = %c0 to %n step %c1 {
    %middle = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
    weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%middle : memref<?x16xf32>)
    scf.for %j = %c0 to %i step %c1 {
      %view = memref.reinterpret_cast %outer to offset: [0], sizes: [%size], strides: [1] : memref<?x16xf32> to memref<?xf32>
      weft.step @flat[%n] ins(%view, %middle : memref<?xf32>, memref<?x16xf32>) outs(%x : memref<?x16xf32>)
      %inner = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
      weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%inner : memref<?x16xf32>)
      weft.step @sink[%n] ins(%inner : memref<?x16xf32>) outs(%x : memref<?x16xf32>)
    }
    %next = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
    weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%next : memref<?x16xf32>)
    weft.step @sink[%n] ins(%next : memref<?x16xf32>) outs(%x : memref<?x16xf32>)
  }
  return
}

// The steps of a group are one moment: %a, which the first reads last, is no room for what the last makes.
// A buffer that begins behind the group has it.
// CHECK-LABEL: func.func @group(
// CHECK-SAME: weft.arena_bytes = #weft.dim<192 * "n">
// CHECK: memref.view %{{.*}}[%[[FIRST:.*]]][%{{.*}}]
// CHECK: memref.view %{{.*}}[%[[SECOND:.*]]][%{{.*}}]
// CHECK: memref.view %{{.*}}[%[[THIRD:.*]]][%{{.*}}]
// CHECK: weft.step @k{{.*}} {weft.beside}
// CHECK: memref.view %{{.*}}[%[[FIRST]]][%{{.*}}]
// CHECK: weft.step @two
func.func @group(%n: index, %x: memref<?x16xf32>) attributes {weft.symbols = ["n"]} {
  %a = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%a : memref<?x16xf32>)
  %b = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @k[%n] ins(%a : memref<?x16xf32>) outs(%b : memref<?x16xf32>)
  %c = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%c : memref<?x16xf32>) {weft.beside}
  %d = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @two[%n] ins(%b, %c : memref<?x16xf32>, memref<?x16xf32>) outs(%d : memref<?x16xf32>)
  weft.step @sink[%n] ins(%d : memref<?x16xf32>) outs(%x : memref<?x16xf32>)
  return
}
