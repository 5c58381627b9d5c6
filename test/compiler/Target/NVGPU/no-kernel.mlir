// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that no emitter for GPUs writes are named, all of them.
// RUN: not weft-opt --weft-emit-cta-kernels %s 2>&1 | FileCheck %s
// CHECK: node "/layers.0/Panel" (panel_tile): there is no kernel for GPUs for this operation yet [weft-0501]
// CHECK: node "/layers.1/Panel" (panel_tile): there is no kernel for GPUs for this operation yet [weft-0501]

weft.kernel @panel(%tile: index, %x: memref<1x1x?x8xf32>, %y: memref<1x1x?x8x64xf32>) attributes {schedule = {rows = 1 : i64}} {
  weft.panel_tile %x, %y : (memref<1x1x?x8xf32>, memref<1x1x?x8x64xf32>) -> ()
  weft.yield
} loc("/layers.0/Panel")
weft.kernel @other(%tile: index, %x: memref<1x1x?x8xf32>, %y: memref<1x1x?x8x64xf32>) attributes {schedule = {rows = 1 : i64}} {
  weft.panel_tile %x, %y : (memref<1x1x?x8xf32>, memref<1x1x?x8x64xf32>) -> ()
  weft.yield
} loc("/layers.1/Panel")
