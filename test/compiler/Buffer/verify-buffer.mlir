// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-verify-buffer: what does not belong to the buffer level.
// RUN: weft-opt --weft-verify-buffer --split-input-file --verify-diagnostics %s

// What belongs there passes.
func.func @fine(%n: index, %x: memref<?xf32> {weft.role = "output"}, %weights: memref<?xi8> {weft.role = "weights"},
                %arena: memref<?xi8> {weft.role = "arena"})
    attributes {weft.symbols = ["n"], weft.arena_bytes = #weft.dim<4 * "n">} {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][%n] : memref<?xi8> to memref<?xf32>
  weft.step @k[%n] ins(%a : memref<?xf32>) outs(%x : memref<?xf32>)
  return
}
weft.kernel @k(%tile: index, %x: memref<?xf32>, %y: memref<?xf32>) attributes {schedule = {}} {
  weft.yield
}

// -----

// expected-error @below {{expects a program with a planned arena}}
func.func @unplanned(%x: memref<4xf32>) attributes {weft.symbols = []} {
  return
}

// -----

func.func @allocation(%x: memref<4xf32>) attributes {weft.symbols = [], weft.arena_bytes = #weft.dim<0>} {
  // expected-error @below {{an allocation at the buffer level}}
  %a = memref.alloc() : memref<4xf32>
  // expected-error @below {{an allocation at the buffer level}}
  %b = memref.alloca() : memref<4xf32>
  return
}

// -----

func.func @tensors() attributes {weft.symbols = [], weft.arena_bytes = #weft.dim<0>} {
  // expected-error @below {{a tensor at the buffer level}}
  %a = tensor.empty() : tensor<4xf32>
  return
}
