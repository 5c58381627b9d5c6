// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-plan-arena declines sizes that no 64-bit formula holds.
// RUN: weft-opt --weft-plan-arena --split-input-file --verify-diagnostics %s

func.func @buffer(%n: index, %x: memref<?x4611686018427387904xf32>) attributes {weft.symbols = ["n"]} {
  // expected-error @below {{the size of this buffer is no formula of at most 64 bits}}
  %a = memref.alloc(%n) {weft.dims = #weft.dims<"n", 4611686018427387904>} : memref<?x4611686018427387904xf32>
  weft.step @k[%n] ins(%x : memref<?x4611686018427387904xf32>) outs(%a : memref<?x4611686018427387904xf32>)
  return
}

// -----

// expected-error @below {{the arena's size is no formula of at most 64 bits}}
func.func @sum(%x: memref<4611686018427387904xi8>) attributes {weft.symbols = []} {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() {weft.dims = #weft.dims<4611686018427387904>} : memref<4611686018427387904xi8>
  %b = memref.alloc() {weft.dims = #weft.dims<4611686018427387904>} : memref<4611686018427387904xi8>
  weft.step @k[%c1] ins(%x : memref<4611686018427387904xi8>)
    outs(%a, %b : memref<4611686018427387904xi8>, memref<4611686018427387904xi8>)
  return
}
