// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-verify-tile: what does not belong to the tile level.
// RUN: weft-opt --weft-verify-tile --split-input-file --verify-diagnostics %s

// What belongs there passes.
func.func @fine(%n: index, %x: tensor<?xf32>) -> tensor<?xf32> attributes {weft.symbols = ["n"]} {
  %e = tensor.empty(%n) {weft.dims = #weft.dims<"n">} : tensor<?xf32>
  %v = weft.view %x[%n] : tensor<?xf32> to tensor<?xf32>
  %y = weft.step @softmax[%n] ins(%v : tensor<?xf32>) outs(%e : tensor<?xf32>) -> (tensor<?xf32>)
  return %y : tensor<?xf32>
}
weft.kernel @softmax(%tile: index, %x: memref<?xf32>, %y: memref<?xf32>) attributes {schedule = {rows = 1 : i64}} {
  weft.softmax_tile %x, %y : (memref<?xf32>, memref<?xf32>) -> ()
  weft.yield
}

// -----

func.func @graph_operation(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weft.symbols = []} {
  // expected-error @below {{is not of the tile level}}
  %y = weft.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @encoding(%n: index) -> tensor<?xf32> attributes {weft.symbols = ["n"]} {
  // expected-error @below {{an encoded tensor type at the tile level}}
  %e = tensor.empty(%n) : tensor<?xf32, #weft.dims<"n">>
  %y = tensor.cast %e : tensor<?xf32, #weft.dims<"n">> to tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// expected-error @below {{expects one operation of work in a kernel}}
weft.kernel @idle(%tile: index, %x: memref<4xf32>) attributes {schedule = {}} {
  weft.yield
}

// -----

// expected-error @below {{expects one operation of work in a kernel}}
weft.kernel @busy(%tile: index, %x: memref<?x4xf32>, %y: memref<?x4xf32>) attributes {schedule = {rows = 1 : i64}} {
  weft.softmax_tile %x, %y : (memref<?x4xf32>, memref<?x4xf32>) -> ()
  weft.softmax_tile %x, %y : (memref<?x4xf32>, memref<?x4xf32>) -> ()
  weft.yield
}
