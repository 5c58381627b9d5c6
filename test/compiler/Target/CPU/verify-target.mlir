// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-verify-target: generated code calls nothing but the table of callbacks.
// RUN: weft-opt --weft-verify-target --split-input-file --verify-diagnostics %s

// What the processor does itself, kernels of our own, and a call through a pointer pass.
llvm.func @fine(%x: vector<8xf32>, %callback: !llvm.ptr) -> vector<8xf32> {
  %0 = llvm.intr.sqrt(%x) : (vector<8xf32>) -> vector<8xf32>
  %1 = llvm.intr.fma(%0, %x, %x) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
  %2 = llvm.intr.roundeven(%1) : (vector<8xf32>) -> vector<8xf32>
  llvm.call %callback() : !llvm.ptr, () -> ()
  llvm.call @kernel() : () -> ()
  llvm.return %2 : vector<8xf32>
}
llvm.func @kernel() {
  llvm.return
}

// -----

// expected-error @below {{an undefined function at the target level}}
llvm.func @expf(f32) -> f32

// -----

llvm.func @calls(%x: f32, %v: vector<8xf32>, %n: i32) {
  // expected-error @below {{would call the C library, which generated code does not have}}
  %0 = llvm.intr.exp(%x) : (f32) -> f32
  // expected-error @below {{would call the C library}}
  %1 = llvm.intr.log(%v) : (vector<8xf32>) -> vector<8xf32>
  // expected-error @below {{would call the C library}}
  %2 = llvm.intr.pow(%x, %x) : (f32, f32) -> f32
  // expected-error @below {{would call the C library}}
  %3 = llvm.intr.powi(%x, %n) : (f32, i32) -> f32
  // expected-error @below {{would call the C library}}
  %4 = llvm.intr.sin(%x) : (f32) -> f32
  // expected-error @below {{would call the C library}}
  %5 = llvm.frem %x, %x : f32
  // expected-error @below {{would call the C library}}
  %6 = llvm.intr.round(%x) : (f32) -> f32
  llvm.return
}

// -----

llvm.func @memory(%p: !llvm.ptr, %n: i64, %byte: i8) {
  // expected-error @below {{would call the C library}}
  "llvm.intr.memcpy"(%p, %p, %n) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  // expected-error @below {{would call the C library}}
  "llvm.intr.memset"(%p, %byte, %n) <{isVolatile = false}> : (!llvm.ptr, i8, i64) -> ()
  llvm.return
}

// -----

// expected-error @below {{is not of the target level}}
func.func @function() {
  // expected-error @below {{is not of the target level}}
  return
}

// -----

llvm.func @arith(%x: i64) -> i64 {
  // expected-error @below {{is not of the target level}}
  %0 = arith.addi %x, %x : i64
  llvm.return %0 : i64
}
