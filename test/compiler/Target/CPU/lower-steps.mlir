// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-lower-steps: a program becomes the function that every thread of a run walks, as runtime/include/weft/abi.h says.
// RUN: weft-opt --weft-lower-steps=machine=x86-64-v4 --canonicalize --cse %s | FileCheck %s

// The machine's name goes to the module, the signature and the steps' names and nodes onto the function.
// CHECK: module attributes {weft.machine = "x86-64-v4"}
// CHECK-LABEL: func.func @weft_entry_0(
// CHECK-SAME: %[[FRAME:[^:]*]]: !llvm.ptr, %[[THREAD:[^:]*]]: i64, %[[THREADS:[^:]*]]: i64)
// CHECK-SAME: weft.arena_bytes = #weft.dim<64 * "n">
// CHECK-SAME: weft.entry = "main"
// CHECK-SAME: weft.inputs = [{weft.dims = #weft.dims<"n", 2 * "n">, weft.element = f32, weft.name = "x", weft.role = "input"}]
// CHECK-SAME: weft.outputs = [{weft.dims = #weft.dims<"n">, weft.element = f32, weft.name = "y", weft.role = "output"}]
// CHECK-SAME: weft.states = [], weft.steps = ["reduce", "/Sum", "", #weft.dim<0>, #weft.dim<0>, 0, "may_fail", "/Gather", "", #weft.dim<0>, #weft.dim<0>, 0]
// CHECK-SAME: weft.symbols = ["n"]

// Symbols, inputs, outputs, arena and weights come out of the frame's fields 2 to 6.
// CHECK: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK: %[[SYMBOLS_AT:.*]] = llvm.getelementptr %[[FRAME]][2]
// CHECK: %[[SYMBOLS:.*]] = llvm.load %[[SYMBOLS_AT]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[N:.*]] = llvm.load %[[SYMBOLS]] : !llvm.ptr -> i64
// CHECK: llvm.getelementptr %[[FRAME]][3]
// CHECK: llvm.getelementptr %[[FRAME]][4]
// CHECK: llvm.getelementptr %[[FRAME]][6]
// CHECK: llvm.getelementptr %[[FRAME]][5]

// A thread takes the tiles grid * thread / threads up to grid * (thread + 1) / threads.
// CHECK: %[[BEGIN:.*]] = arith.muli %[[N]], %[[THREAD]] : i64
// CHECK: %[[FIRST:.*]] = arith.divui %[[BEGIN]], %[[THREADS]] : i64
// CHECK: %[[LOWER:.*]] = arith.index_cast %[[FIRST]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[THREAD]], %[[ONE]] : i64
// CHECK: %[[END:.*]] = arith.muli %[[N]], %[[NEXT]] : i64
// CHECK: %[[LAST:.*]] = arith.divui %[[END]], %[[THREADS]] : i64
// CHECK: %[[UPPER:.*]] = arith.index_cast %[[LAST]]
// CHECK: scf.for %[[TILE:.*]] = %[[LOWER]] to %[[UPPER]] step
// CHECK-NEXT: func.call @reduce(%[[TILE]], %{{.*}}, %{{.*}}) : (index, memref<?x?xf32>, memref<?xf32>) -> ()

// Then the barrier: callback 0 with the team and the step's number; a run that failed ends there.
// CHECK: %[[CALLBACKS:.*]] = llvm.load %[[FRAME]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[BARRIER:.*]] = llvm.load %[[CALLBACKS]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[TEAM_AT:.*]] = llvm.getelementptr %[[FRAME]][1]
// CHECK: %[[TEAM:.*]] = llvm.load %[[TEAM_AT]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[STATUS:.*]] = llvm.call %[[BARRIER]](%[[TEAM]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, i64) -> i32
// CHECK: %[[FAILED:.*]] = arith.cmpi ne, %[[STATUS]], %{{.*}} : i32
// CHECK: cf.cond_br %[[FAILED]], ^[[EXIT:.*]], ^[[REST:.*]]
// CHECK: ^[[REST]]:
// A kernel that may fail is told the frame and the step's number.
// CHECK: func.call @may_fail(%{{.*}}, %{{.*}}, %{{.*}}, %[[FRAME]], %[[ONE]])
func.func @main(%n: index, %x: memref<?x?xf32> {weft.dims = #weft.dims<"n", 2 * "n">, weft.element = f32, weft.name = "x", weft.role = "input"},
                %y: memref<?xf32> {weft.dims = #weft.dims<"n">, weft.element = f32, weft.name = "y", weft.role = "output"},
                %weights: memref<?xi8> {weft.role = "weights"}, %arena: memref<?xi8> {weft.role = "arena"})
    attributes {weft.symbols = ["n"], weft.arena_bytes = #weft.dim<64 * "n">} {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][%n] : memref<?xi8> to memref<?xf32>
  %w = memref.view %weights[%c0][] : memref<?xi8> to memref<4xf32>
  weft.step @reduce[%n] ins(%x : memref<?x?xf32>) outs(%a : memref<?xf32>) loc("/Sum")
  weft.step @may_fail[%n] ins(%w, %a : memref<4xf32>, memref<?xf32>) outs(%y : memref<?xf32>) loc("/Gather")
  return
}
func.func private @reduce(%tile: index, %x: memref<?x?xf32>, %y: memref<?xf32>) {
  return
}

// weft.fail becomes callback 1: the team, the failure's kind, the step, the value and its bound.
// CHECK-LABEL: func.func private @may_fail(
// CHECK-SAME: %[[VALUES:[^:]*]]: memref<4xf32>
// CHECK-SAME: %[[FRAME:[^:]*]]: !llvm.ptr, %[[STEP:[^:]*]]: i64)
// CHECK-DAG: %[[VALUE:.*]] = arith.constant 7 : i64
// CHECK-DAG: %[[KIND:.*]] = llvm.mlir.constant(1 : i32) : i32
// CHECK: %[[CALLBACKS:.*]] = llvm.load %[[FRAME]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[FAIL_AT:.*]] = llvm.getelementptr %[[CALLBACKS]][1]
// CHECK: %[[FAIL:.*]] = llvm.load %[[FAIL_AT]] : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.getelementptr %[[FRAME]][1]
// CHECK: llvm.call %[[FAIL]](%{{.*}}, %[[KIND]], %[[STEP]], %[[VALUE]], %[[VALUE]]) : !llvm.ptr, (!llvm.ptr, i32, i64, i64, i64) -> ()
func.func private @may_fail(%tile: index, %w: memref<4xf32>, %x: memref<?xf32>, %y: memref<?xf32>) {
  %value = arith.constant 7 : i64
  weft.fail %value, %value
  return
}

// A second program is entry point 1.
// CHECK-LABEL: func.func @weft_entry_1(
// CHECK-SAME: weft.entry = "other"
// CHECK-SAME: weft.steps = []
func.func @other(%weights: memref<?xi8> {weft.role = "weights"}, %arena: memref<?xi8> {weft.role = "arena"})
    attributes {weft.symbols = [], weft.arena_bytes = #weft.dim<0>} {
  return
}

// A state comes out of the frame's field 7, and is as long along its axis as it has room for, whatever it holds.
// CHECK-LABEL: func.func @weft_entry_2(
// CHECK-SAME: %[[FRAME:[^:]*]]: !llvm.ptr,
// CHECK-SAME: weft.entry = "state"
// CHECK-SAME: weft.inputs = [], weft.outputs = []
// CHECK-SAME: weft.states = [{weft.dims = #weft.dims<"b", 3, "past">, weft.element = f32, weft.name = "k", weft.role = "state", weft.state = {axis = 2 : i64, capacity = 32 : i64, next = #weft.dim<"past" + 1>}}]
// CHECK-SAME: weft.steps = ["append", "/Concat", "", #weft.dim<0>, #weft.dim<12 * "b">, 0]
// CHECK-DAG: %[[CAPACITY:.*]] = arith.constant 32 : i64
// CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : i64
// CHECK: %[[SYMBOLS_AT:.*]] = llvm.getelementptr %[[FRAME]][2]
// CHECK: %[[SYMBOLS:.*]] = llvm.load %[[SYMBOLS_AT]]
// CHECK: %[[B:.*]] = llvm.load %[[SYMBOLS]] : !llvm.ptr -> i64
// CHECK: %[[STATES_AT:.*]] = llvm.getelementptr %[[FRAME]][7]
// CHECK: %[[STATES:.*]] = llvm.load %[[STATES_AT]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[DATA:.*]] = llvm.load %[[STATES]] : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.insertvalue %[[DATA]], %{{.*}}[1]
// CHECK: llvm.insertvalue %[[CAPACITY]], %{{.*}}[3, 2]
// CHECK: %[[PITCH:.*]] = llvm.mul %{{.*}}, %[[CAPACITY]] : i64
// CHECK: llvm.insertvalue %[[THREE]], %{{.*}}[3, 1]
// CHECK: llvm.insertvalue %[[PITCH]], %{{.*}}[4, 1]
// CHECK: llvm.insertvalue %[[B]], %{{.*}}[3, 0]
func.func @state(%b: index, %past: index,
                 %k: memref<?x3x32xf32> {weft.dims = #weft.dims<"b", 3, "past">, weft.element = f32, weft.name = "k", weft.role = "state",
                                         weft.state = {axis = 2 : i64, capacity = 32 : i64, next = #weft.dim<"past" + 1>}})
    attributes {weft.symbols = ["b", "past"], weft.arena_bytes = #weft.dim<0>} {
  weft.step @append[%b] ins(%past : index) outs(%k : memref<?x3x32xf32>) work(<0> flops, <12 * "b"> bytes) loc("/Concat")
  return
}
func.func private @append(%tile: index, %past: index, %k: memref<?x3x32xf32>) {
  return
}

// Steps of a group: a thread goes on to the next, unless the frame's field 8 says that steps are apart. Where the tiles of
// one do not go evenly into the threads, the shares are those of the whole group, by cost; here the second costs three
// times the first.
// CHECK-LABEL: func.func @weft_entry_3(
// CHECK-SAME: %[[FRAME:[^:]*]]: !llvm.ptr, %[[THREAD:[^:]*]]: i64, %[[THREADS:[^:]*]]: i64)
// CHECK-DAG: %[[HUNDRED:.*]] = arith.constant 100 : index
// CHECK-DAG: %[[THREE_HUNDRED:.*]] = arith.constant 300 : index
// CHECK-DAG: arith.muli %{{.*}}, %[[HUNDRED]] : index
// CHECK-DAG: arith.muli %{{.*}}, %[[THREE_HUNDRED]] : index
// CHECK: %[[LEFT:.*]] = arith.remui %[[N:.*]], %[[THREADS]] : i64
// CHECK: arith.addf
// CHECK: %[[EVEN:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i64
// CHECK: llvm.getelementptr %[[FRAME]][8]
// CHECK: %[[APART:.*]] = arith.cmpi ne, %{{.*}}, %{{.*}} : i64
// CHECK: %[[EACH:.*]] = arith.ori %[[EVEN]], %[[APART]] : i1
// CHECK: arith.select %[[EACH]]
// CHECK: func.call @reduce
// CHECK: %[[WAITS:.*]] = arith.cmpi ne, %{{.*}}, %{{.*}} : i64
// CHECK: cf.cond_br %[[WAITS]], ^[[BARRIER:.*]], ^[[SECOND:.*]]
// CHECK: ^[[BARRIER]]:
// CHECK: llvm.call
// CHECK: cf.cond_br %{{.*}}, ^{{.*}}, ^[[SECOND]]
// CHECK: ^[[SECOND]]:
// CHECK: arith.select %[[EACH]]
// CHECK: func.call @reduce
// CHECK-NOT: arith.cmpi ne, %{{.*}}, %{{.*}} : i64
// CHECK: llvm.call
func.func @group(%n: index, %x: memref<?x?xf32> {weft.dims = #weft.dims<"n", 2 * "n">, weft.element = f32, weft.name = "x", weft.role = "input"},
                 %y: memref<?xf32> {weft.dims = #weft.dims<"n">, weft.element = f32, weft.name = "y", weft.role = "output"},
                 %z: memref<?xf32> {weft.dims = #weft.dims<"n">, weft.element = f32, weft.name = "z", weft.role = "output"},
                 %weights: memref<?xi8> {weft.role = "weights"}, %arena: memref<?xi8> {weft.role = "arena"})
    attributes {weft.symbols = ["n"], weft.arena_bytes = #weft.dim<0>} {
  weft.step @reduce[%n] ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) work(<60 * "n"> flops, <10 * "n"> bytes)
  weft.step @reduce[%n] ins(%x : memref<?x?xf32>) outs(%z : memref<?xf32>) {weft.beside} work(<180 * "n"> flops, <30 * "n"> bytes)
  return
}

// A tile that can be cut is shared out in eighths, and its kernel is told which: from where this thread's share begins, or
// the tile does, up to where one of them ends.
// CHECK-LABEL: func.func @weft_entry_4(
// CHECK-SAME: %[[FRAME:[^:]*]]: !llvm.ptr, %[[THREAD:[^:]*]]: i64, %[[THREADS:[^:]*]]: i64)
// CHECK-DAG: %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[ALL:.*]] = arith.constant 8 : i64
// CHECK: %[[PIECES:.*]] = arith.muli %{{.*}}, %[[ALL]] : i64
// CHECK: arith.muli %[[PIECES]], %[[THREAD]] : i64
// CHECK: %[[FROM:.*]] = arith.index_cast
// CHECK: %[[TO:.*]] = arith.index_cast
// CHECK: %[[FIRST:.*]] = arith.divui %[[FROM]], %[[EIGHT]] : index
// CHECK: %[[END:.*]] = arith.ceildivui %[[TO]], %[[EIGHT]] : index
// CHECK: %[[EMPTY:.*]] = arith.cmpi eq, %[[FROM]], %[[TO]] : index
// CHECK: %[[UPPER:.*]] = arith.select %[[EMPTY]], %[[FIRST]], %[[END]] : index
// CHECK: scf.for %[[TILE:.*]] = %[[FIRST]] to %[[UPPER]]
// CHECK-NEXT: %[[BASE:.*]] = arith.muli %[[TILE]], %[[EIGHT]] : index
// CHECK-NEXT: %[[BEFORE:.*]] = arith.subi %[[FROM]], %[[BASE]] : index
// CHECK-NEXT: %[[BEHIND:.*]] = arith.subi %[[TO]], %[[BASE]] : index
// CHECK-NEXT: %[[A:.*]] = arith.maxsi %[[BEFORE]], %{{.*}} : index
// CHECK-NEXT: %[[B:.*]] = arith.minsi %[[BEHIND]], %[[EIGHT]] : index
// CHECK-NEXT: func.call @cut(%[[TILE]], %{{.*}}, %{{.*}}, %[[A]], %[[B]])
func.func @pieces(%n: index, %x: memref<?x?xf32> {weft.dims = #weft.dims<"n", 2 * "n">, weft.element = f32, weft.name = "x", weft.role = "input"},
                  %y: memref<?xf32> {weft.dims = #weft.dims<"n">, weft.element = f32, weft.name = "y", weft.role = "output"},
                  %weights: memref<?xi8> {weft.role = "weights"}, %arena: memref<?xi8> {weft.role = "arena"})
    attributes {weft.symbols = ["n"], weft.arena_bytes = #weft.dim<0>} {
  weft.step @cut[%n] ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>)
  return
}
func.func private @cut(%tile: index, %x: memref<?x?xf32>, %y: memref<?xf32>, %first: index, %end: index) attributes {weft.pieces} {
  return
}
