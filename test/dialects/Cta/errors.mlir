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
  // expected-error @below {{mma-c1: expects elements of f16, bf16 or tf32 and sums of f32, or i8 and i32, got 'f32' and 'vector<4xf32>'}}
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

cta.kernel @transposed_bytes(%n: index) attributes {threads = 32 : i64, tiles = 1 : i64} {
  %s = cta.shared : memref<512xi8, 3>
  // expected-error @below {{or of 8 or 32 if not transposed, in shared memory, got 'memref<512xi8, 3>'}}
  %m = cta.load_matrices transposed %s[%n] : memref<512xi8, 3> -> vector<4xi32>
  cta.return
}

// -----

cta.kernel @sums_of_bytes(%n: index) attributes {threads = 32 : i64, tiles = 1 : i64} {
  %x = arith.constant dense<0> : vector<4xi32>
  %y = arith.constant dense<0> : vector<2xi32>
  %z = arith.constant dense<0.0> : vector<4xf32>
  // expected-error @below {{mma-c1: expects elements of f16, bf16 or tf32 and sums of f32, or i8 and i32, got 'i8' and 'vector<4xf32>'}}
  %d = cta.mma %x, %y, %z of i8 : vector<4xi32>, vector<2xi32>, vector<4xf32> -> vector<4xf32>
  cta.return
}

// -----

cta.kernel @matrices(%n: index) attributes {threads = 32 : i64, tiles = 1 : i64} {
  %s = cta.shared : memref<8x8xf16, 3>
  // expected-error @below {{load-matrices-c1: expects a contiguous memref of one dimension, of elements of 16 bits, or of 8 or 32 if not transposed, in shared memory, got 'memref<8x8xf16, 3>'}}
  %m = cta.load_matrices %s[%n] : memref<8x8xf16, 3> -> vector<4xi32>
  cta.return
}

// -----

// expected-error @below {{kernel-c5: expects "sm_90a", got "sm_91"}}
cta.kernel @gpu(%n: index) attributes {threads = 32 : i64, tiles = 1 : i64, gpu = "sm_91"} {
  cta.return
}

// -----

// expected-error @below {{kernel-c6: expects a piece of a power of two of lanes, got 3}}
cta.kernel @piece(%n: index) attributes {threads = 32 : i64, tiles = 1 : i64, warp_vectors, piece = 3 : i64} {
  cta.return
}

// -----

// expected-error @below {{kernel-c4: expects a block to share at most 232448 bytes, got 240000}}
cta.kernel @much(%n: index) attributes {threads = 32 : i64, tiles = 1 : i64, gpu = "sm_90a"} {
  %s = cta.shared : memref<60000xf32, 3>
  cta.return
}

// -----

cta.kernel @alignment(%n: index, %x: memref<?xf16>) attributes {threads = 128 : i64, tiles = 1 : i64} {
  // expected-error @below {{shared-c2: expects an alignment that is a power of two of 128 at least, got 96}}
  %s = cta.shared align 96 : memref<64xf16, 3>
  cta.return
}

// -----

cta.kernel @registers(%n: index, %x: memref<?xf16>) attributes {threads = 128 : i64, tiles = 1 : i64} {
  // expected-error @below {{set-registers-c1: expects a multiple of 8 from 24 to 256, got 30}}
  cta.set_registers 30
  cta.return
}

// -----

cta.kernel @barriers(%n: index, %x: memref<?xf16>) attributes {threads = 128 : i64, tiles = 1 : i64} {
  %s = cta.shared : memref<4xi32, 3>
  // expected-error @below {{mbarrier-c1: expects shared memory of one dimension of i64, got 'memref<4xi32, 3>'}}
  cta.mbarrier_arrive %s[%n] : memref<4xi32, 3>
  cta.return
}

// -----

cta.kernel @barriers_of_blocks(%n: index, %x: memref<?xf16>) attributes {threads = 128 : i64, tiles = 1 : i64, gpu = "sm_90a", persistent, cluster = 2 : i64} {
  %s = cta.shared : memref<4xi64, 3>
  // expected-error @below {{mbarrier-c2: expects no bytes where it arrives at the barrier of a block of the cluster}}
  cta.mbarrier_arrive %s[%n] of block %n expecting 64 : memref<4xi64, 3>
  cta.return
}

// -----

// expected-error @below {{kernel-c9: expects blocks of at most 2048 threads for a processor, got 3 of 1024}}
cta.kernel @too_many_blocks(%n: index) attributes {threads = 1024 : i64, tiles = 1 : i64, blocks_per_processor = 3 : i64} {
  cta.return
}

// -----

// expected-error @below {{kernel-c7: expects clusters of 2, 4 or 8 blocks, of a persistent kernel for "sm_90a", got 3}}
cta.kernel @cluster_of_three(%n: index) attributes {threads = 128 : i64, tiles = 1 : i64, gpu = "sm_90a", persistent, cluster = 3 : i64} {
  cta.return
}

// -----

// expected-error @below {{kernel-c7: expects clusters of 2, 4 or 8 blocks, of a persistent kernel for "sm_90a", got 2}}
cta.kernel @cluster_of_blocks_that_end(%n: index) attributes {threads = 128 : i64, tiles = 1 : i64, gpu = "sm_90a", cluster = 2 : i64} {
  cta.return
}

// -----

cta.kernel @no_cluster(%n: index) attributes {threads = 128 : i64, tiles = 1 : i64, gpu = "sm_90a", persistent} {
  // expected-error @below {{kernel-c8: expects to be in a kernel with clusters of blocks}}
  cta.cluster_barrier
  cta.return
}

// -----

cta.kernel @no_block(%n: index) attributes {threads = 128 : i64, tiles = 1 : i64, gpu = "sm_90a", persistent} {
  %s = cta.shared : memref<4xi64, 3>
  // expected-error @below {{kernel-c8: expects to be in a kernel with clusters of blocks}}
  cta.mbarrier_arrive %s[%n] of block %n : memref<4xi64, 3>
  cta.return
}

// -----

cta.kernel @no_cluster_for_tile(%n: index, %x: memref<?xf16>) attributes {threads = 128 : i64, tiles = 1 : i64, gpu = "sm_90a", persistent} {
  %s = cta.shared align 1024 : memref<4096xf16, 3>
  %m = cta.shared : memref<4xi64, 3>
  %t = cta.tensor_map %x[%n] sizes(%n, %n) strides(%n) box [64, 64] : memref<?xf16>
  // expected-error @below {{kernel-c8: expects to be in a kernel with clusters of blocks}}
  cta.load_tile %t[%n, %n] to %s[%n] signals %m[%n] to_cluster : memref<4096xf16, 3>, memref<4xi64, 3>
  cta.return
}

// -----

cta.kernel @map_dims(%n: index, %x: memref<?xf16>) attributes {threads = 128 : i64, tiles = 1 : i64} {
  // expected-error @below {{tensor-map-c1: expects 2 to 5 dims, a size and a box of each and a stride of each but the last}}
  %t = cta.tensor_map %x[%n] sizes(%n, %n) strides(%n, %n) box [64, 64] : memref<?xf16>
  cta.return
}

// -----

cta.kernel @map_box(%n: index, %x: memref<?xf16>) attributes {threads = 128 : i64, tiles = 1 : i64} {
  // expected-error @below {{tensor-map-c2: expects a box of 64 elements of the last dim, and of 1 to 256 of each other, got 300, 64}}
  %t = cta.tensor_map %x[%n] sizes(%n, %n) strides(%n) box [300, 64] : memref<?xf16>
  cta.return
}

// -----

cta.kernel @map_memory(%n: index, %x: memref<?xf16>, %y: memref<?xf32>) attributes {threads = 128 : i64, tiles = 1 : i64} {
  // expected-error @below {{tensor-map-c3: expects the device's memory of one dimension of elements of 16 bits, got 'memref<?xf32>'}}
  %t = cta.tensor_map %y[%n] sizes(%n, %n) strides(%n) box [64, 64] : memref<?xf32>
  cta.return
}

// -----

cta.kernel @tile_memory(%n: index, %x: memref<?xf16>) attributes {threads = 128 : i64, tiles = 1 : i64} {
  %t = cta.tensor_map %x[%n] sizes(%n, %n) strides(%n) box [64, 64] : memref<?xf16>
  %s = cta.shared : memref<4096xf32, 3>
  // expected-error @below {{tile-c1: expects shared memory of one dimension of elements of 16 bits, got 'memref<4096xf32, 3>'}}
  cta.store_tile %s[%n] to %t[%n, %n] : memref<4096xf32, 3>
  cta.return
}

// -----

cta.kernel @tile_places(%n: index, %x: memref<?xf16>) attributes {threads = 128 : i64, tiles = 1 : i64} {
  %t = cta.tensor_map %x[%n] sizes(%n, %n) strides(%n) box [64, 64] : memref<?xf16>
  %s = cta.shared : memref<4096xf16, 3>
  // expected-error @below {{tile-c2: expects a map that cta.tensor_map makes, and as many places as it has dims, got 1}}
  cta.store_tile %s[%n] to %t[%n] : memref<4096xf16, 3>
  cta.return
}

// -----

cta.kernel @stores(%n: index, %x: memref<?xf16>) attributes {threads = 128 : i64, tiles = 1 : i64} {
  // expected-error @below {{wait-stores-c1: expects a number of groups, got -1}}
  cta.wait_stores -1
  cta.return
}

// -----

cta.kernel @columns(%n: index, %x: memref<?xf16>, %d: i64, %b: i1) attributes {threads = 128 : i64, tiles = 1 : i64} {
  %s:2 = cta.no_sums : !cta.pending, !cta.pending
  // expected-error @below {{wgmma-c1: expects sums of a multiple of 8 columns, up to 256, got 4}}
  %t:2 = cta.wgmma %d, %d, %s#0, %s#1 if %b of f16 : !cta.pending, !cta.pending
  cta.return
}

// -----

cta.kernel @elements_of_groups(%n: index, %x: memref<?xf16>, %d: i64, %b: i1) attributes {threads = 128 : i64, tiles = 1 : i64} {
  %s:4 = cta.no_sums : !cta.pending, !cta.pending, !cta.pending, !cta.pending
  // expected-error @below {{wgmma-c2: expects elements of f16 or bf16, got 'f32'}}
  %t:4 = cta.wgmma %d, %d, %s#0, %s#1, %s#2, %s#3 if %b of f32 : !cta.pending, !cta.pending, !cta.pending, !cta.pending
  cta.return
}

// -----

cta.kernel @some_pending(%n: index) attributes {threads = 128 : i64, tiles = 1 : i64} {
  %s:2 = cta.no_sums : !cta.pending, !cta.pending
  // expected-error @below {{wait-products-c1: expects as many results as sums, all pending or all f32}}
  %t:2 = cta.wait_products 1, %s#0, %s#1 : !cta.pending, !cta.pending -> f32, !cta.pending
  cta.return
}

// -----

cta.kernel @read_too_early(%n: index, %d: i64, %b: i1) attributes {threads = 128 : i64, tiles = 1 : i64} {
  %s:4 = cta.no_sums : !cta.pending, !cta.pending, !cta.pending, !cta.pending
  %t:4 = cta.wgmma %d, %d, %s#0, %s#1, %s#2, %s#3 if %b of f16 : !cta.pending, !cta.pending, !cta.pending, !cta.pending
  cta.commit_products
  // expected-error @below {{wait-products-c2: expects sums of a product that is not in the last 1 groups, which are in this block}}
  %u:4 = cta.wait_products 1, %t#0, %t#1, %t#2, %t#3 : !cta.pending, !cta.pending, !cta.pending, !cta.pending -> f32, f32, f32, f32
  cta.return
}

// -----

cta.kernel @fewer_sums(%n: index) attributes {threads = 128 : i64, tiles = 1 : i64} {
  %s = cta.no_sums : !cta.pending
  // expected-error @below {{begin-products-c1: expects as many results as sums}}
  %t:2 = cta.begin_products %s : !cta.pending -> !cta.pending, !cta.pending
  cta.return
}
