// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-verify-tile: what the buffer level relies on, of programs that a person wrote.
// RUN: weft-opt --weft-verify-tile --split-input-file --verify-diagnostics %s

// expected-error @below {{expects weft.symbols, and an index argument for each at first}}
func.func @no_symbols(%x: tensor<4xf32>) {
  return
}

// -----

// expected-error @below {{expects weft.symbols, and an index argument for each at first}}
func.func @no_index(%x: tensor<4xf32>) attributes {weft.symbols = ["n"]} {
  return
}

// -----

// expected-error @below {{expects a program of one block that returns}}
func.func @blocks() attributes {weft.symbols = []} {
  cf.br ^next
^next:
  return
}

// -----

// expected-error @below {{uses the symbol "m", which weft.symbols does not name}}
func.func @foreign_symbol(%n: index, %x: tensor<?xf32> {weft.dims = #weft.dims<"m">}) attributes {weft.symbols = ["n"]} {
  return
}

// -----

func.func @foreign_operation(%x: tensor<4xf32>) attributes {weft.symbols = []} {
  // expected-error @below {{is not of the tile level}}
  %y = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  return
}

// -----

// expected-error @below {{expects tensors as arguments after the symbols}}
func.func @scalar(%x: f32) attributes {weft.symbols = []} {
  return
}

// -----

// expected-error @below {{expects each result from a step of its own}}
func.func @returns_input(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weft.symbols = []} {
  return %x : tensor<4xf32>
}

// -----

func.func @no_kernel(%n: index, %x: tensor<4xf32>) -> tensor<4xf32> attributes {weft.symbols = ["n"]} {
  %e = tensor.empty() {weft.dims = #weft.dims<4>} : tensor<4xf32>
  // expected-error @below {{there is no kernel @nowhere}}
  %y = weft.step @nowhere[%n] ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> (tensor<4xf32>)
  return %y : tensor<4xf32>
}

// -----

func.func @unsized(%n: index, %x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {weft.symbols = ["n"]} {
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-error @below {{expects outputs that another step wrote, states, what a loop carries, or tensor.empty with weft.dims}}
  %y = weft.step @softmax[%n] ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> (tensor<4x4xf32>)
  return %y : tensor<4x4xf32>
}
weft.kernel @softmax(%tile: index, %x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {schedule = {rows = 1 : i64}} {
  weft.softmax_tile %x, %y : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  weft.yield
}

// -----

func.func @unwritten(%n: index) -> tensor<4x4xf32> attributes {weft.symbols = ["n"]} {
  %e = tensor.empty() {weft.dims = #weft.dims<4, 4>} : tensor<4x4xf32>
  // expected-error @below {{reads a tensor that nothing wrote}}
  %y = weft.step @softmax[%n] ins(%e : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> (tensor<4x4xf32>)
  return %y : tensor<4x4xf32>
}
weft.kernel @softmax(%tile: index, %x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {schedule = {rows = 1 : i64}} {
  weft.softmax_tile %x, %y : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  weft.yield
}

// -----

// expected-error @below {{expects a kernel that ends with its work and weft.yield}}
weft.kernel @more(%tile: index, %x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {schedule = {rows = 1 : i64}} {
  weft.softmax_tile %x, %y : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  %c0 = arith.constant 0 : index
  weft.yield
}

// -----

// A state may be written where it is, by the one step that uses it.
func.func @state(%n: index, %x: tensor<4x4xf32>, %k: tensor<4x4xf32> {weft.dims = #weft.dims<"n", 4>, weft.state = {axis = 0 : i64, capacity = 4 : i64, next = #weft.dim<4>}})
    -> (tensor<4x4xf32> {weft.state}) attributes {weft.symbols = ["n"]} {
  %y = weft.step @softmax[%n] ins(%x : tensor<4x4xf32>) outs(%k : tensor<4x4xf32>) -> (tensor<4x4xf32>)
  return %y : tensor<4x4xf32>
}
weft.kernel @softmax(%tile: index, %x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {schedule = {rows = 1 : i64}} {
  weft.softmax_tile %x, %y : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  weft.yield
}

// -----

func.func @state_used_twice(%n: index, %k: tensor<4x4xf32> {weft.dims = #weft.dims<"n", 4>, weft.state = {axis = 0 : i64, capacity = 4 : i64, next = #weft.dim<4>}})
    -> (tensor<4x4xf32> {weft.state}) attributes {weft.symbols = ["n"]} {
  // expected-error @below {{expects outputs that another step wrote, states, what a loop carries, or tensor.empty with weft.dims}}
  %y = weft.step @softmax[%n] ins(%k : tensor<4x4xf32>) outs(%k : tensor<4x4xf32>) -> (tensor<4x4xf32>)
  return %y : tensor<4x4xf32>
}
weft.kernel @softmax(%tile: index, %x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {schedule = {rows = 1 : i64}} {
  weft.softmax_tile %x, %y : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  weft.yield
}

// -----

// An argument that is no state is not written.
func.func @input_written(%n: index, %x: tensor<4x4xf32>, %z: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {weft.symbols = ["n"]} {
  // expected-error @below {{expects outputs that another step wrote, states, what a loop carries, or tensor.empty with weft.dims}}
  %y = weft.step @softmax[%n] ins(%x : tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> (tensor<4x4xf32>)
  return %y : tensor<4x4xf32>
}
weft.kernel @softmax(%tile: index, %x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {schedule = {rows = 1 : i64}} {
  weft.softmax_tile %x, %y : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  weft.yield
}

// -----

// A state is a result, marked as such, and no other result is.
// expected-error @below {{expects result 0 to have weft.state if it is what steps made of a state, and only then}}
func.func @unmarked(%n: index, %x: tensor<4x4xf32>, %k: tensor<4x4xf32> {weft.dims = #weft.dims<"n", 4>, weft.state = {axis = 0 : i64, capacity = 4 : i64, next = #weft.dim<4>}})
    -> tensor<4x4xf32> attributes {weft.symbols = ["n"]} {
  %y = weft.step @softmax[%n] ins(%x : tensor<4x4xf32>) outs(%k : tensor<4x4xf32>) -> (tensor<4x4xf32>)
  return %y : tensor<4x4xf32>
}
weft.kernel @softmax(%tile: index, %x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {schedule = {rows = 1 : i64}} {
  weft.softmax_tile %x, %y : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  weft.yield
}

// -----

// expected-error @below {{expects result 0 to have weft.state if it is what steps made of a state, and only then}}
func.func @marked(%n: index, %x: tensor<4x4xf32>) -> (tensor<4x4xf32> {weft.state}) attributes {weft.symbols = ["n"]} {
  %e = tensor.empty() {weft.dims = #weft.dims<4, 4>} : tensor<4x4xf32>
  %y = weft.step @softmax[%n] ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> (tensor<4x4xf32>)
  return %y : tensor<4x4xf32>
}
weft.kernel @softmax(%tile: index, %x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {schedule = {rows = 1 : i64}} {
  weft.softmax_tile %x, %y : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  weft.yield
}

// -----

// expected-error @below {{expects the state that argument 1 is to be a result}}
func.func @lost(%n: index, %k: tensor<4x4xf32> {weft.dims = #weft.dims<"n", 4>, weft.state = {axis = 0 : i64, capacity = 4 : i64, next = #weft.dim<4>}}) attributes {weft.symbols = ["n"]} {
  return
}

// -----

// expected-error @below {{expects argument 1 with weft.state = {axis, capacity, next} to have weft.dims, and the capacity as the dim of that axis}}
func.func @axis(%n: index, %k: tensor<4x4xf32> {weft.dims = #weft.dims<"n", 4>, weft.state = {axis = 2 : i64, capacity = 4 : i64, next = #weft.dim<4>}})
    attributes {weft.symbols = ["n"]} {
  return
}

// -----

// expected-error @below {{expects argument 1 with weft.state = {axis, capacity, next} to have weft.dims, and the capacity as the dim of that axis}}
func.func @unit(%n: index, %k: tensor<4x4xf32> {weft.dims = #weft.dims<"n", 4>, weft.state}) attributes {weft.symbols = ["n"]} {
  return
}

// -----

// What a loop carries is written where it is, by one step or more; it may begin as a tensor that nothing wrote.
func.func @loop(%n: index, %x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {weft.symbols = ["n"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() {weft.dims = #weft.dims<4, 4>} : tensor<4x4xf32>
  %begin = weft.step @softmax[%n] ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> (tensor<4x4xf32>)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %begin, %t = %e) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %y = weft.step @softmax[%n] ins(%s : tensor<4x4xf32>) outs(%t : tensor<4x4xf32>) -> (tensor<4x4xf32>)
    %z = weft.step @softmax[%n] ins(%x : tensor<4x4xf32>) outs(%y : tensor<4x4xf32>) -> (tensor<4x4xf32>)
    %u = weft.step @softmax[%n] ins(%x : tensor<4x4xf32>) outs(%s : tensor<4x4xf32>) -> (tensor<4x4xf32>)
    scf.yield %u, %z : tensor<4x4xf32>, tensor<4x4xf32>
  }
  %y = weft.step @softmax[%n] ins(%r#0 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> (tensor<4x4xf32>)
  return %y : tensor<4x4xf32>
}
weft.kernel @softmax(%tile: index, %x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {schedule = {rows = 1 : i64}} {
  weft.softmax_tile %x, %y : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  weft.yield
}

// -----

// It does not go on with another tensor, where the next iteration would not look for it.
func.func @loop_elsewhere(%n: index, %x: tensor<4x4xf32>) attributes {weft.symbols = ["n"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() {weft.dims = #weft.dims<4, 4>} : tensor<4x4xf32>
  // expected-error @below {{expects to carry on what steps wrote into what it carries}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %e) -> (tensor<4x4xf32>) {
    %y = weft.step @softmax[%n] ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> (tensor<4x4xf32>)
    scf.yield %y : tensor<4x4xf32>
  }
  return
}
weft.kernel @softmax(%tile: index, %x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {schedule = {rows = 1 : i64}} {
  weft.softmax_tile %x, %y : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  weft.yield
}

// -----

// Nor does it swap.
func.func @loop_swaps(%n: index) attributes {weft.symbols = ["n"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() {weft.dims = #weft.dims<4, 4>} : tensor<4x4xf32>
  // expected-error @below {{expects to carry on what steps wrote into what it carries}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %e, %t = %e) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    scf.yield %t, %s : tensor<4x4xf32>, tensor<4x4xf32>
  }
  return
}

// -----

// Its results are no outputs of the program, whose buffers steps write.
// expected-error @below {{expects each result from a step of its own}}
func.func @loop_returned(%n: index, %x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {weft.symbols = ["n"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() {weft.dims = #weft.dims<4, 4>} : tensor<4x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %e) -> (tensor<4x4xf32>) {
    %y = weft.step @softmax[%n] ins(%x : tensor<4x4xf32>) outs(%s : tensor<4x4xf32>) -> (tensor<4x4xf32>)
    scf.yield %y : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}
weft.kernel @softmax(%tile: index, %x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {schedule = {rows = 1 : i64}} {
  weft.softmax_tile %x, %y : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  weft.yield
}

// -----

// What is in a loop is checked as what is around it.
func.func @loop_inside(%n: index, %x: tensor<4xf32>) attributes {weft.symbols = ["n"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      // expected-error @below {{is not of the tile level}}
      %y = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
    }
  }
  return
}

// -----

func.func @carried_number(%n: index) attributes {weft.symbols = ["n"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{expects to carry tensors alone}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  return
}
