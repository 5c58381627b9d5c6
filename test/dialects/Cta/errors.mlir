// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every constraint of the cta dialect, broken.
// RUN: weft-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{kernel-c1: expects an index and then contiguous memrefs of the device or scalars as arguments, and no result}}
cta.kernel @no_count(%x: memref<?xf32>) attributes {threads = 32 : i64, tiles = 1 : i64} {
  cta.return
}

// -----

// expected-error @below {{kernel-c1: expects an index}}
cta.kernel @shared_argument(%n: index, %x: memref<4xf32, 3>) attributes {threads = 32 : i64, tiles = 1 : i64} {
  cta.return
}

// -----

// expected-error @below {{kernel-c1: expects an index}}
cta.kernel @strided(%n: index, %x: memref<4xf32, strided<[2]>>) attributes {threads = 32 : i64, tiles = 1 : i64} {
  cta.return
}

// -----

// expected-error @below {{kernel-c2: expects a multiple of 32 threads, at most 1024, got 33}}
cta.kernel @no_warps(%n: index) attributes {threads = 33 : i64, tiles = 1 : i64} {
  cta.return
}

// -----

// expected-error @below {{kernel-c2: expects a multiple of 32 threads, at most 1024, got 2048}}
cta.kernel @too_many(%n: index) attributes {threads = 2048 : i64, tiles = 1 : i64} {
  cta.return
}

// -----

// expected-error @below {{kernel-c3: expects a number of tiles for a block, got 0}}
cta.kernel @no_tiles(%n: index) attributes {threads = 32 : i64, tiles = 0 : i64} {
  cta.return
}

// -----

// Each begins at a multiple of 128 bytes: 4 bytes take 128.
// expected-error @below {{kernel-c4: expects a block to share at most 166912 bytes, got 167040}}
cta.kernel @shares_too_much(%n: index) attributes {threads = 32 : i64, tiles = 1 : i64} {
  %a = cta.shared : memref<1xf32, 3>
  %b = cta.shared : memref<41700xf32, 3>
  cta.return
}

// -----

cta.kernel @not_shared(%n: index) attributes {threads = 32 : i64, tiles = 1 : i64} {
  // expected-error @below {{shared-c1: expects a contiguous memref of numbers in memory space 3, got 'memref<4xf32>'}}
  %a = cta.shared : memref<4xf32>
  cta.return
}

// -----

func.func @program() {
  // expected-error @below {{address-c1: there is no kernel @nowhere}}
  %f = cta.address @nowhere : !llvm.ptr
  return
}

// -----

cta.kernel @elements(%n: index, %a: f32) attributes {threads = 32 : i64, tiles = 1 : i64} {
  %x = arith.constant dense<0> : vector<4xi32>
  %y = arith.constant dense<0> : vector<2xi32>
  %z = arith.constant dense<0.0> : vector<4xf32>
  // expected-error @below {{mma-c1: expects elements of f16 or bf16, got 'f32'}}
  %d = cta.mma %x, %y, %z of f32 : vector<4xi32>, vector<2xi32>, vector<4xf32> -> vector<4xf32>
  cta.return
}

// -----

cta.kernel @pairs(%n: index, %a: f32) attributes {threads = 32 : i64, tiles = 1 : i64} {
  // expected-error @below {{pack-c1: expects elements of f16 or bf16, got 'f32'}}
  %w = cta.pack %a, %a of f32
  cta.return
}

// -----

cta.kernel @numbers(%n: index, %x: memref<?xf32>, %i1: i1) attributes {threads = 32 : i64, tiles = 1 : i64} {
  %s = cta.shared : memref<64xf16, 3>
  // expected-error @below {{copy-c1: expects contiguous memrefs of one dimension and of the same numbers of 8, 16 or 32 bits, to shared memory, got 'memref<?xf32>' and 'memref<64xf16, 3>'}}
  cta.copy %x[%n] to %s[%n] if %i1 : memref<?xf32> to memref<64xf16, 3>
  cta.return
}

// -----

cta.kernel @groups(%n: index) attributes {threads = 32 : i64, tiles = 1 : i64} {
  // expected-error @below {{wait-copies-c1: expects a number of groups, got -1}}
  cta.wait_copies -1
  cta.return
}

// -----

cta.kernel @matrices(%n: index) attributes {threads = 32 : i64, tiles = 1 : i64} {
  %s = cta.shared : memref<8x8xf16, 3>
  // expected-error @below {{load-matrices-c1: expects a contiguous memref of one dimension, of elements of 16 bits, in shared memory, got 'memref<8x8xf16, 3>'}}
  %m = cta.load_matrices %s[%n] : memref<8x8xf16, 3> -> vector<4xi32>
  cta.return
}
