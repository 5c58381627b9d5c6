// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What emitters for GPUs do not take.
// RUN: weft-opt --weft-emit-cta-kernels -split-input-file -verify-diagnostics %s

weft.kernel @blocks(%tile: index, %a: memref<?x30xf32>, %b: memref<2x1x9x48xi32>, %c: memref<?x70xf32>) attributes {schedule = {rows = 64 : i64, columns = 64 : i64}} {
  // expected-error @below {{expects matrices of one type of numbers, or sums of f32, or weights as bytes, in quads or in groups, got 'memref<?x30xf32>', 'memref<2x1x9x48xi32>'}}
  weft.gemm_tile ins(%a, %b : memref<?x30xf32>, memref<2x1x9x48xi32>) outs(%c : memref<?x70xf32>) {packed}
  weft.yield
}

// -----

weft.kernel @rows(%tile: index, %a: memref<?x30xf32>, %b: memref<30x70xf32>, %c: memref<?x70xf32>) attributes {schedule = {rows = 10 : i64, columns = 64 : i64}} {
  // expected-error @below {{expects a schedule of rows and columns that are multiples of 16, got 10 and 64}}
  weft.gemm_tile ins(%a, %b : memref<?x30xf32>, memref<30x70xf32>) outs(%c : memref<?x70xf32>)
  weft.yield
}

// -----

weft.kernel @narrow(%tile: index, %a: memref<?x30xf32>, %b: memref<5x30x16xf32>, %c: memref<?x70xf32>) attributes {schedule = {rows = 64 : i64, columns = 64 : i64}} {
  // expected-error @below {{expects packed panels of 48 columns, got 'memref<5x30x16xf32>'}}
  weft.gemm_tile ins(%a, %b : memref<?x30xf32>, memref<5x30x16xf32>) outs(%c : memref<?x70xf32>) {packed}
  weft.yield
}

// -----

weft.kernel @windows(%tile: index, %a: memref<?x3x96xf32>, %b: memref<288x70xf32>, %c: memref<?x70xf32>) attributes {schedule = {rows = 64 : i64, columns = 64 : i64}} {
  // expected-error @below {{has experts, and rows in pieces, on CPUs alone}}
  weft.gemm_tile ins(%a, %b : memref<?x3x96xf32>, memref<288x70xf32>) outs(%c : memref<?x70xf32>) {row_dims = 1 : i64}
  weft.yield
}

// -----

weft.kernel @columns_of_few_rows(%tile: index, %a: memref<2x30xf32>, %b: memref<30x70xf32>, %c: memref<2x70xf32>) attributes {schedule = {rows = 2 : i64, columns = 64 : i64}} {
  // expected-error @below {{expects a schedule of 8, 16 or 32 columns for so few rows, got 64}}
  weft.gemm_tile ins(%a, %b : memref<2x30xf32>, memref<30x70xf32>) outs(%c : memref<2x70xf32>)
  weft.yield
}

// -----

weft.kernel @parts_of_few_rows(%tile: index, %a: memref<2x300xf32>, %b: memref<300x70xf32>, %c: memref<3x2x70xf32>) attributes {schedule = {rows = 2 : i64, columns = 32 : i64}} {
  // expected-error @below {{has no parts of the depth for so few rows}}
  weft.gemm_tile ins(%a, %b : memref<2x300xf32>, memref<300x70xf32>) outs(%c : memref<3x2x70xf32>) {parts}
  weft.yield
}

// -----

weft.kernel @parts_without_a_dim(%tile: index, %a: memref<?x300xf32>, %b: memref<300x70xf32>, %c: memref<?x70xf32>) attributes {schedule = {rows = 64 : i64, columns = 64 : i64}} {
  // expected-error @below {{expects parts without an epilogue in a dim of their own, got 'memref<?x70xf32>'}}
  weft.gemm_tile ins(%a, %b : memref<?x300xf32>, memref<300x70xf32>) outs(%c : memref<?x70xf32>) {parts}
  weft.yield
}

// -----

weft.kernel @parts_of_nothing(%tile: index, %a: memref<?x300xf32>, %b: memref<300x70xf32>, %c: memref<6x?x70xf32>) attributes {schedule = {rows = 64 : i64, columns = 64 : i64}} {
  // expected-error @below {{expects at most a part for every 64 of the depth of 300, got 6}}
  weft.gemm_tile ins(%a, %b : memref<?x300xf32>, memref<300x70xf32>) outs(%c : memref<6x?x70xf32>) {parts}
  weft.yield
}

// -----

weft.kernel @rows_of_pieces(%tile: index, %a: memref<?x30xf16>, %b: memref<30x70xf16>, %c: memref<?x70xf16>) attributes {schedule = {rows = 128 : i64, columns = 96 : i64}} {
  // expected-error @below {{expects a schedule of rows and columns that are multiples of 64, got 128 and 96}}
  weft.gemm_tile ins(%a, %b : memref<?x30xf16>, memref<30x70xf16>) outs(%c : memref<?x70xf16>)
  weft.yield
}

// -----

weft.kernel @unknown_width(%tile: index, %q: memref<1x2x?x?xf16>, %k: memref<1x2x?x?xf16>, %v: memref<1x2x?x64xf16>, %y: memref<1x2x?x64xf16>) attributes {schedule = {rows = 64 : i64, columns = 512 : i64}} {
  // expected-error @below {{expects heads whose width is known, a multiple of 16, and at most 256, got 'memref<1x2x?x?xf16>' and}}
  weft.attention_tile ins(%q, %k, %v : memref<1x2x?x?xf16>, memref<1x2x?x?xf16>, memref<1x2x?x64xf16>) outs(%y : memref<1x2x?x64xf16>)
    scale(0.125) empty_rows(zero)
  weft.yield
}

// -----

weft.kernel @odd_width(%tile: index, %q: memref<1x2x?x40xf16>, %k: memref<1x2x?x40xf16>, %v: memref<1x2x?x64xf16>, %y: memref<1x2x?x64xf16>) attributes {schedule = {rows = 64 : i64, columns = 512 : i64}} {
  // expected-error @below {{expects heads whose width is known, a multiple of 16, and at most 256, got 'memref<1x2x?x40xf16>' and}}
  weft.attention_tile ins(%q, %k, %v : memref<1x2x?x40xf16>, memref<1x2x?x40xf16>, memref<1x2x?x64xf16>) outs(%y : memref<1x2x?x64xf16>)
    scale(0.125) empty_rows(zero)
  weft.yield
}

// -----

weft.kernel @rows_of_warps(%tile: index, %q: memref<1x2x?x64xf16>, %k: memref<1x2x?x64xf16>, %v: memref<1x2x?x64xf16>, %y: memref<1x2x?x64xf16>) attributes {schedule = {rows = 32 : i64, columns = 512 : i64}} {
  // expected-error @below {{expects a schedule of 64 rows, or of 16 where heads are no wider than 128, got 32}}
  weft.attention_tile ins(%q, %k, %v : memref<1x2x?x64xf16>, memref<1x2x?x64xf16>, memref<1x2x?x64xf16>) outs(%y : memref<1x2x?x64xf16>)
    scale(0.125) empty_rows(zero)
  weft.yield
}

// -----

weft.kernel @few_wide_rows(%tile: index, %q: memref<1x2x?x192xf16>, %k: memref<1x2x?x192xf16>, %v: memref<1x2x?x192xf16>, %y: memref<1x2x?x192xf16>) attributes {schedule = {rows = 16 : i64, columns = 512 : i64}} {
  // expected-error @below {{expects a schedule of 64 rows, or of 16 where heads are no wider than 128, got 16}}
  weft.attention_tile ins(%q, %k, %v : memref<1x2x?x192xf16>, memref<1x2x?x192xf16>, memref<1x2x?x192xf16>) outs(%y : memref<1x2x?x192xf16>)
    scale(0.125) empty_rows(zero)
  weft.yield
}

// -----

weft.kernel @parts_of_many(%tile: index, %q: memref<1x2x?x64xf16>, %k: memref<1x2x?x64xf16>, %v: memref<1x2x?x64xf16>, %y: memref<?x1x2x?x64xf32>, %s: memref<?x?x2xf32>) attributes {schedule = {rows = 64 : i64, columns = 512 : i64}} {
  // expected-error @below {{expects a schedule of 16 rows for parts of the keys, got 64}}
  weft.attention_tile ins(%q, %k, %v : memref<1x2x?x64xf16>, memref<1x2x?x64xf16>, memref<1x2x?x64xf16>) outs(%y : memref<?x1x2x?x64xf32>) statistics(%s : memref<?x?x2xf32>)
    scale(0.125) empty_rows(zero)
  weft.yield
}

// -----

weft.kernel @half_weights(%tile: index, %q: memref<1x2x?x64xf16>, %k: memref<1x2x?x64xf16>, %v: memref<1x2x?x64xf16>, %y: memref<1x2x?x64xf16>, %w: memref<1x2x?x?xf16>) attributes {schedule = {rows = 64 : i64, columns = 512 : i64}} {
  // expected-error @below {{expects that probabilities are not asked for}}
  weft.attention_tile ins(%q, %k, %v : memref<1x2x?x64xf16>, memref<1x2x?x64xf16>, memref<1x2x?x64xf16>) outs(%y : memref<1x2x?x64xf16>) weights(%w : memref<1x2x?x?xf16>)
    scale(0.125) empty_rows(zero)
  weft.yield
}

// -----

weft.kernel @mixed_halves(%tile: index, %q: memref<1x2x?x64xf16>, %k: memref<1x2x?x64xf16>, %v: memref<1x2x?x64xf32>, %y: memref<1x2x?x64xf16>) attributes {schedule = {rows = 64 : i64, columns = 512 : i64}} {
  // expected-error @below {{expects keys and values of 'f16', got 'f32'}}
  weft.attention_tile ins(%q, %k, %v : memref<1x2x?x64xf16>, memref<1x2x?x64xf16>, memref<1x2x?x64xf32>) outs(%y : memref<1x2x?x64xf16>)
    scale(0.125) empty_rows(zero)
  weft.yield
}
