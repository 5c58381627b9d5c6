// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-lower-steps-to-launches: a step is a call of the callback `launch` with a WeftLaunch (runtime/include/weft/abi.h).
// RUN: weft-opt --weft-lower-steps-to-launches=machine=x86-64-v4 --canonicalize --cse %s | FileCheck %s

// CHECK: module attributes {weft.machine = "x86-64-v4"}
// CHECK-LABEL: func.func @weft_entry_0(
// CHECK-SAME: %[[FRAME:[^:]*]]: !llvm.ptr, %[[THREAD:[^:]*]]: i64, %[[THREADS:[^:]*]]: i64)
// CHECK-SAME: weft.steps = ["scale", "/Mul", "", #weft.dim<0>, #weft.dim<0>, 0]

// Seven words: tiles, x's pointer and rows, the factor's bits, an index, and y's pointer and rows. Fourteen fields, of
// which one is the number of words.
// CHECK-DAG: %[[COUNT:.*]] = llvm.mlir.constant(7 : i64)
// CHECK-DAG: %[[FIELDS:.*]] = llvm.mlir.constant(14 : i64)
// CHECK-DAG: %[[WORDS:.*]] = llvm.alloca %[[COUNT]] x i64
// CHECK-DAG: %[[LAUNCH:.*]] = llvm.alloca %[[FIELDS]] x i64
// CHECK-DAG: %[[NAME:.*]] = llvm.mlir.addressof @weft_name_of_scale
// CHECK-DAG: %[[WIDE:.*]] = arith.constant 1075838976 : i64

// Three tiles a block; a thread takes its share of the blocks.
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %{{.*}}, %{{.*}} : index
// CHECK: %[[KERNEL:.*]] = cta.address @scale : !llvm.ptr
// CHECK: arith.muli %{{.*}}, %[[THREAD]] : i64
// CHECK: arith.divui %{{.*}}, %[[THREADS]] : i64
// CHECK: llvm.store %[[WIDE]]
// CHECK: llvm.store %[[NAME]], %[[LAUNCH]]
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[LAUNCH]][1]
// CHECK-NEXT: llvm.store %[[KERNEL]], %[[SECOND]]
// CHECK: %[[EIGHTH:.*]] = llvm.getelementptr %[[LAUNCH]][7]
// CHECK-NEXT: llvm.store %[[COUNT]], %[[EIGHTH]]
// CHECK: %[[NINTH:.*]] = llvm.getelementptr %[[LAUNCH]][8]
// CHECK-NEXT: llvm.store %[[WORDS]], %[[NINTH]]

// The third callback, then the barrier.
// CHECK: %[[CALLBACKS:.*]] = llvm.load %[[FRAME]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[CALLBACKS]][2]
// CHECK: %[[CALL:.*]] = llvm.load %[[AT]]
// CHECK: llvm.call %[[CALL]](%{{.*}}, %[[LAUNCH]])
// CHECK: llvm.call {{.*}} -> i32

// CHECK: llvm.mlir.global internal constant @weft_name_of_scale("scale\00")
func.func @main(%n: index, %x: memref<?x4xf32> {weft.dims = #weft.dims<"n", 4>, weft.element = f32, weft.name = "x", weft.role = "input"},
                %y: memref<?x4xf32> {weft.dims = #weft.dims<"n", 4>, weft.element = f32, weft.name = "y", weft.role = "output"})
    attributes {weft.arena_bytes = #weft.dim<0>, weft.symbols = ["n"]} {
  %factor = arith.constant 2.5 : f32
  weft.step @scale[%n] ins(%x, %factor, %n : memref<?x4xf32>, f32, index) outs(%y : memref<?x4xf32>) loc("/Mul")
  return
}
cta.kernel @scale(%tiles: index, %x: memref<?x4xf32>, %factor: f32, %rows: index, %y: memref<?x4xf32>) attributes {threads = 96 : i64, tiles = 3 : i64} {
  cta.return
}
