// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What emitters for GPUs do not take.
// RUN: weft-opt --weft-emit-cta-kernels -split-input-file -verify-diagnostics %s

weft.kernel @packed(%tile: index, %a: memref<?x30xf32>, %b: memref<2x30x48xf32>, %c: memref<?x70xf32>) attributes {schedule = {rows = 64 : i64, columns = 64 : i64}} {
  // expected-error @below {{expects matrices of one type of numbers, which are not packed}}
  weft.gemm_tile ins(%a, %b : memref<?x30xf32>, memref<2x30x48xf32>) outs(%c : memref<?x70xf32>) {packed}
  weft.yield
}

// -----

weft.kernel @rows(%tile: index, %a: memref<?x30xf32>, %b: memref<30x70xf32>, %c: memref<?x70xf32>) attributes {schedule = {rows = 10 : i64, columns = 64 : i64}} {
  // expected-error @below {{expects a schedule of rows and columns that are multiples of 16, got 10 and 64}}
  weft.gemm_tile ins(%a, %b : memref<?x30xf32>, memref<30x70xf32>) outs(%c : memref<?x70xf32>)
  weft.yield
}

// -----

weft.kernel @columns_of_few_rows(%tile: index, %a: memref<2x30xf32>, %b: memref<30x70xf32>, %c: memref<2x70xf32>) attributes {schedule = {rows = 2 : i64, columns = 64 : i64}} {
  // expected-error @below {{expects a schedule of 32 columns for so few rows, got 64}}
  weft.gemm_tile ins(%a, %b : memref<2x30xf32>, memref<30x70xf32>) outs(%c : memref<2x70xf32>)
  weft.yield
}

// -----

weft.kernel @rows_of_pieces(%tile: index, %a: memref<?x30xf16>, %b: memref<30x70xf16>, %c: memref<?x70xf16>) attributes {schedule = {rows = 128 : i64, columns = 96 : i64}} {
  // expected-error @below {{expects a schedule of rows and columns that are multiples of 64, got 128 and 96}}
  weft.gemm_tile ins(%a, %b : memref<?x30xf16>, memref<30x70xf16>) outs(%c : memref<?x70xf16>)
  weft.yield
}

// -----

weft.kernel @wide(%tile: index, %q: memref<1x2x?x512xf64>, %k: memref<1x2x?x512xf64>, %v: memref<1x2x?x64xf64>, %y: memref<1x2x?x64xf64>)
    attributes {schedule = {rows = 32 : i64, columns = 512 : i64}} {
  // expected-error @below {{kernels for GPUs expect heads of a known width that fit into the memory of a block}}
  weft.attention_tile ins(%q, %k, %v : memref<1x2x?x512xf64>, memref<1x2x?x512xf64>, memref<1x2x?x64xf64>) outs(%y : memref<1x2x?x64xf64>)
    scale(0.125) empty_rows(zero)
  weft.yield
}
