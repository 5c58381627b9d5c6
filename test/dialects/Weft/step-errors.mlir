// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of the Step family reject, constraint by constraint.
// RUN: weft-opt --split-input-file --verify-diagnostics %s

// expected-error @below {{kernel-c1: expects an index and then memrefs or scalars as arguments, and no result}}
weft.kernel @no_index(%x: memref<4xf32>) attributes {schedule = {}} {
  weft.yield
}

// -----

// expected-error @below {{kernel-c1}}
weft.kernel @tensor(%tile: index, %x: tensor<4xf32>) attributes {schedule = {}} {
  weft.yield
}

// -----

weft.kernel @one(%tile: index, %x: memref<4xf32>) attributes {schedule = {}} {
  weft.yield
}
func.func @step_c1_count(%n: index, %x: memref<4xf32>) {
  // expected-error @below {{step-c1: kernel @one takes 1 operands, got 2}}
  weft.step @one[%n] ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  return
}

// -----

weft.kernel @one(%tile: index, %x: memref<4xf32>) attributes {schedule = {}} {
  weft.yield
}
func.func @step_c1_type(%n: index, %x: memref<5xf32>) {
  // expected-error @below {{step-c1: operand 1 of kernel @one is 'memref<4xf32>', got 'memref<5xf32>'}}
  weft.step @one[%n] outs(%x : memref<5xf32>)
  return
}

// -----

weft.kernel @one(%tile: index, %x: memref<4xf32>) attributes {schedule = {}} {
  weft.yield
}
func.func @step_c2_missing(%n: index, %x: tensor<4xf32>) {
  // expected-error @below {{step-c2: expects a result for each tensor output, of its type}}
  weft.step @one[%n] outs(%x : tensor<4xf32>)
  return
}

// -----

weft.kernel @one(%tile: index, %x: memref<4xf32>) attributes {schedule = {}} {
  weft.yield
}
func.func @step_c2_type(%n: index, %x: tensor<4xf32>) {
  // expected-error @below {{step-c2: expects a result for each tensor output, of its type}}
  %0 = weft.step @one[%n] outs(%x : tensor<4xf32>) -> (tensor<?xf32>)
  return
}
