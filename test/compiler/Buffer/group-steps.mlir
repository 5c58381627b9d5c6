// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-group-steps: a step that needs nothing of the steps before it is marked; they are a group.
// RUN: weft-opt --weft-group-steps %s | FileCheck %s

// Three that read the same: a group. What reads their results waits for all.
// CHECK-LABEL: func.func @projections(
// CHECK: weft.step @k[%{{.*}}] ins(%{{.*}}) outs(%{{.*}} : memref<?x16xf32>){{$}}
// CHECK: weft.step @k[%{{.*}}] {{.*}} {weft.beside}
// CHECK: weft.step @k[%{{.*}}] {{.*}} {weft.beside}
// CHECK: weft.step @three[%{{.*}}] ins(%{{.*}}) outs(%{{.*}} : memref<?x16xf32>){{$}}
func.func @projections(%n: index, %x: memref<?x16xf32>, %y: memref<?x16xf32>) attributes {weft.symbols = ["n"]} {
  %q = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%q : memref<?x16xf32>)
  %k = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%k : memref<?x16xf32>)
  %v = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%v : memref<?x16xf32>)
  weft.step @three[%n] ins(%q, %k, %v : memref<?x16xf32>, memref<?x16xf32>, memref<?x16xf32>) outs(%y : memref<?x16xf32>)
  return
}

// Who reads, by a view, what another writes, who writes what another reads, and who writes where another does: each waits.
// CHECK-LABEL: func.func @dependent(
// CHECK-NOT: weft.beside
// CHECK: return
func.func @dependent(%n: index, %x: memref<?x16xf32>, %y: memref<?x16xf32>, %z: memref<?x16xf32>) attributes {weft.symbols = ["n"]} {
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>)
  %c0 = arith.constant 0 : index
  %view = memref.reinterpret_cast %y to offset: [0], sizes: [%n, 16], strides: [16, 1] : memref<?x16xf32> to memref<?x16xf32>
  weft.step @k[%n] ins(%view : memref<?x16xf32>) outs(%z : memref<?x16xf32>)
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>)
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%view : memref<?x16xf32>)
  return
}

// The first is done with %a, so %c can have its place: a group would need both.
// CHECK-LABEL: func.func @memory(
// CHECK-NOT: weft.beside
// CHECK: weft.step @last[%{{.*}}] ins(%{{.*}}) outs(%{{.*}} : memref<?x16xf32>) {weft.beside}
// CHECK-NOT: weft.beside
// CHECK: return
func.func @memory(%n: index, %x: memref<?x16xf32>, %y: memref<?x16xf32>, %z: memref<?x16xf32>) attributes {weft.symbols = ["n"]} {
  %a = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%a : memref<?x16xf32>)
  weft.step @k[%n] ins(%a : memref<?x16xf32>) outs(%y : memref<?x16xf32>)
  %c = memref.alloc(%n) {weft.dims = #weft.dims<"n", 16>} : memref<?x16xf32>
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%c : memref<?x16xf32>)
  weft.step @last[%n] ins(%x : memref<?x16xf32>) outs(%z : memref<?x16xf32>)
  weft.step @last[%n] ins(%c : memref<?x16xf32>) outs(%z : memref<?x16xf32>)
  return
}

// A loop ends a group, and begins one. How many tiles a step has is known before the group.
// CHECK-LABEL: func.func @loop(
// CHECK-NOT: weft.beside
// CHECK: scf.for
// CHECK-NEXT: weft.step @k
// CHECK-NEXT: weft.step @k[%{{.*}}] {{.*}} {weft.beside}
// CHECK-NEXT: arith.addi
// CHECK-NEXT: weft.step @k[%{{.*}}] ins(%{{.*}}) outs(%{{.*}} : memref<?x16xf32>){{$}}
// CHECK-NEXT: }
// CHECK-NOT: weft.beside
// CHECK: return
func.func @loop(%n: index, %x: memref<?x16xf32>, %a: memref<?x16xf32>, %b: memref<?x16xf32>, %c: memref<?x16xf32>,
                %d: memref<?x16xf32>, %e: memref<?x16xf32>) attributes {weft.symbols = ["n"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%a : memref<?x16xf32>)
  scf.for %i = %c0 to %n step %c1 {
    weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%b : memref<?x16xf32>)
    weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%c : memref<?x16xf32>)
    %tiles = arith.addi %i, %c1 : index
    weft.step @k[%tiles] ins(%x : memref<?x16xf32>) outs(%d : memref<?x16xf32>)
  }
  weft.step @k[%n] ins(%x : memref<?x16xf32>) outs(%e : memref<?x16xf32>)
  return
}

// Of a step and its alternative one has no tiles, so both write the same; a third step that writes there waits.
// CHECK-LABEL: func.func @alternatives(
// CHECK: weft.step @many[%{{.*}}] ins(%{{.*}}) outs(%{{.*}} : memref<?x16xf32>){{$}}
// CHECK-NEXT: weft.step @few[%{{.*}}] {{.*}} {weft.alternative, weft.beside}
// CHECK-NEXT: weft.step @few[%{{.*}}] ins(%{{.*}}) outs(%{{.*}} : memref<?x16xf32>) {weft.alternative}
// CHECK-NEXT: weft.step @many[%{{.*}}] ins(%{{.*}}) outs(%{{.*}} : memref<?x16xf32>){{$}}
// CHECK-NEXT: weft.step @few[%{{.*}}] {{.*}} {weft.alternative, weft.beside}
// CHECK-NEXT: weft.step @few[%{{.*}}] ins(%{{.*}}) outs(%{{.*}} : memref<?x16xf32>){{$}}
func.func @alternatives(%n: index, %m: index, %x: memref<?x16xf32>, %y: memref<?x16xf32>, %z: memref<?x16xf32>) attributes {weft.symbols = ["n", "m"]} {
  weft.step @many[%n] ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>)
  weft.step @few[%m] ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) {weft.alternative}
  weft.step @few[%m] ins(%y : memref<?x16xf32>) outs(%z : memref<?x16xf32>) {weft.alternative}
  weft.step @many[%n] ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>)
  weft.step @few[%m] ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) {weft.alternative}
  weft.step @few[%m] ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>)
  return
}
