// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-verify-buffer: what the targets rely on, of programs that a person wrote.
// RUN: weft-opt --weft-verify-buffer --split-input-file --verify-diagnostics %s

// expected-error @below {{expects weft.symbols, and an index argument for each at first}}
func.func @no_symbols() attributes {weft.arena_bytes = #weft.dim<0>} {
  return
}

// -----

// expected-error @below {{uses the symbol "n", which weft.symbols does not name}}
func.func @foreign_symbol() attributes {weft.symbols = [], weft.arena_bytes = #weft.dim<"n">} {
  return
}

// -----

// expected-error @below {{expects weft.arena_bytes to be a #weft.dim}}
func.func @arena() attributes {weft.symbols = [], weft.arena_bytes = 4 : i64} {
  return
}

// -----

// expected-error @below {{expects argument 0 to be a buffer with a weft.role}}
func.func @no_role(%x: memref<4xf32>) attributes {weft.symbols = [], weft.arena_bytes = #weft.dim<0>} {
  return
}

// -----

// expected-error @below {{expects argument 0 to be a buffer with a weft.role}}
func.func @strided(%x: memref<4xf32, strided<[2]>> {weft.role = "input"}) attributes {weft.symbols = [], weft.arena_bytes = #weft.dim<0>} {
  return
}

// -----

// expected-error @below {{expects argument 0 to be a buffer with a weft.role}}
func.func @foreign_role(%x: memref<4xf32> {weft.role = "memory"}) attributes {weft.symbols = [], weft.arena_bytes = #weft.dim<0>} {
  return
}

// -----

// Each role that there is.
func.func @roles(%x: memref<4xf32> {weft.role = "input"}, %y: memref<4xf32> {weft.role = "output"}, %k: memref<4xf32> {weft.role = "state", weft.dims = #weft.dims<2>,
                 weft.state = {axis = 0 : i64, capacity = 4 : i64, next = #weft.dim<3>}},
                 %w: memref<?xi8> {weft.role = "weights"}, %a: memref<?xi8> {weft.role = "arena"}) attributes {weft.symbols = [], weft.arena_bytes = #weft.dim<0>} {
  return
}

// -----

// expected-error @below {{expects argument 0 to have the role "state" if it has weft.state, and only then}}
func.func @role_alone(%k: memref<4xf32> {weft.role = "state"}) attributes {weft.symbols = [], weft.arena_bytes = #weft.dim<0>} {
  return
}

// -----

// expected-error @below {{expects argument 0 to have the role "state" if it has weft.state, and only then}}
func.func @input(%k: memref<4xf32> {weft.role = "input", weft.dims = #weft.dims<2>,
                 weft.state = {axis = 0 : i64, capacity = 4 : i64, next = #weft.dim<3>}}) attributes {weft.symbols = [], weft.arena_bytes = #weft.dim<0>} {
  return
}

// -----

// expected-error @below {{expects argument 0 with weft.state = {axis, capacity, next} to have weft.dims, and the capacity as the dim of that axis}}
func.func @capacity(%k: memref<4xf32> {weft.role = "state", weft.dims = #weft.dims<2>,
                    weft.state = {axis = 0 : i64, capacity = 5 : i64, next = #weft.dim<3>}}) attributes {weft.symbols = [], weft.arena_bytes = #weft.dim<0>} {
  return
}

// -----

func.func @operation(%x: memref<4xf32> {weft.role = "input"}) attributes {weft.symbols = [], weft.arena_bytes = #weft.dim<0>} {
  // expected-error @below {{is not of the buffer level}}
  %y = memref.cast %x : memref<4xf32> to memref<?xf32>
  return
}

// -----

func.func @no_kernel(%n: index, %x: memref<4xf32> {weft.role = "output"}) attributes {weft.symbols = ["n"], weft.arena_bytes = #weft.dim<0>} {
  // expected-error @below {{there is no kernel @nowhere}}
  weft.step @nowhere[%n] outs(%x : memref<4xf32>)
  return
}

// -----

// A loop of steps, and what is in loops is checked as what is around them.
func.func @loop(%n: index, %x: memref<4xf32> {weft.role = "output"}, %a: memref<?xi8> {weft.role = "arena"}) attributes {weft.symbols = ["n"], weft.arena_bytes = #weft.dim<64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %state = memref.view %a[%c0][] : memref<?xi8> to memref<4xf32>
    scf.for %j = %c0 to %i step %c1 {
      %more = arith.addi %i, %j : index
      weft.step @k[%more] ins(%state : memref<4xf32>) outs(%x : memref<4xf32>)
    }
  }
  return
}
weft.kernel @k(%tile: index, %x: memref<4xf32>, %y: memref<4xf32>) attributes {schedule = {}} {
  weft.yield
}

// -----

func.func @operation_in_loop(%n: index, %x: memref<4xf32> {weft.role = "input"}) attributes {weft.symbols = ["n"], weft.arena_bytes = #weft.dim<0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %i step %c1 {
      // expected-error @below {{is not of the buffer level}}
      %y = memref.cast %x : memref<4xf32> to memref<?xf32>
    }
  }
  return
}

// -----

func.func @no_kernel_in_loop(%n: index, %x: memref<4xf32> {weft.role = "output"}) attributes {weft.symbols = ["n"], weft.arena_bytes = #weft.dim<0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{there is no kernel @nowhere}}
    weft.step @nowhere[%i] outs(%x : memref<4xf32>)
  }
  return
}

// -----

func.func @carried(%n: index, %x: memref<4xf32> {weft.role = "output"}) attributes {weft.symbols = ["n"], weft.arena_bytes = #weft.dim<0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{expects a loop that carries nothing}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  return
}
