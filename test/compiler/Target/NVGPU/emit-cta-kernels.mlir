// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-emit-cta-kernels: rows are warps', products and attention are blocks'.
// RUN: weft-opt --weft-emit-cta-kernels %s | FileCheck %s

// A warp does a tile if there is one for it.
// CHECK-LABEL: cta.kernel @softmax(
// CHECK-SAME: %[[TILES:.*]]: index, %{{.*}}) attributes {piece = 4 : i64, threads = 128 : i64, tiles = 4 : i64, warp_vectors}
// CHECK: %[[THREAD:.*]] = cta.thread_id
// CHECK: %[[WARP:.*]] = arith.divui %[[THREAD]], %{{.*}}
// CHECK: %[[BLOCK:.*]] = cta.block_id
// CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %{{.*}}
// CHECK: %[[TILE:.*]] = arith.addi %[[FIRST]], %[[WARP]]
// CHECK: %[[THERE:.*]] = arith.cmpi ult, %[[TILE]], %[[TILES]]
// CHECK: scf.if %[[THERE]]
// CHECK-NOT: weft.softmax_tile
// CHECK: vector<32xf32>
weft.kernel @softmax(%tile: index, %x: memref<?x8xf32>, %y: memref<?x8xf32>) attributes {schedule = {rows = 4 : i64}} {
  weft.softmax_tile %x, %y : (memref<?x8xf32>, memref<?x8xf32>) -> ()
  weft.yield
}

// Vectors have as many lanes whatever their elements.
// CHECK-LABEL: cta.kernel @reduce(
// CHECK: vector<32xf64>
weft.kernel @reduce(%tile: index, %x: memref<?x8xf64>, %y: memref<?xf64>) attributes {schedule = {rows = 4 : i64}} {
  weft.reduce_tile %x, %y {kind = 0 : i32} : (memref<?x8xf64>, memref<?xf64>) -> ()
  weft.yield
}

// Both operands come into shared memory, a block of the depth at a time, between barriers.
// CHECK-LABEL: cta.kernel @matmul(
// CHECK-SAME: attributes {threads = 256 : i64, tiles = 1 : i64}
// CHECK-DAG: cta.shared : memref<1024xf32, 3>
// CHECK-DAG: cta.shared : memref<1024xf32, 3>
// CHECK: scf.for {{.*}} iter_args
// CHECK: memref.store {{.*}} : memref<1024xf32, 3>
// CHECK: memref.store {{.*}} : memref<1024xf32, 3>
// CHECK: cta.barrier
// CHECK: math.fma {{.*}} : f32
// CHECK: cta.barrier
weft.kernel @matmul(%tile: index, %a: memref<?x30xf32>, %b: memref<30x70xf32>, %c: memref<?x70xf32>) attributes {schedule = {rows = 64 : i64, columns = 64 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<?x30xf32>, memref<30x70xf32>) outs(%c : memref<?x70xf32>)
  weft.yield
}

// Tensor cores multiply f16 and bf16. A warp has 32 x 64 of the sums, which are 2 x 8 pieces; 32 of the depth are two pieces.
// CHECK-LABEL: cta.kernel @matmul_f16(
// CHECK-SAME: attributes {threads = 256 : i64, tiles = 1 : i64}
// CHECK-DAG: cta.shared : memref<5120xf16, 3>
// CHECK-DAG: cta.shared : memref<4352xf16, 3>
// CHECK: scf.for {{.*}} iter_args
// CHECK: cta.barrier
// CHECK-COUNT-2: cta.load_matrices %
// CHECK-COUNT-4: cta.load_matrices transposed %
// CHECK-COUNT-32: cta.mma {{.*}} of f16
// CHECK-NOT: cta.mma
// CHECK: cta.barrier
weft.kernel @matmul_f16(%tile: index, %a: memref<?x30xf16>, %b: memref<30x70xf16>, %c: memref<?x70xf16>) attributes {schedule = {rows = 128 : i64, columns = 128 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<?x30xf16>, memref<30x70xf16>) outs(%c : memref<?x70xf16>)
  weft.yield
}

// Rows of whole pieces of 16 bytes are copied: three blocks of the depth have a place. Two are on their way when the first is waited
// for; a third begins when all are done with what it overwrites.
// CHECK-LABEL: cta.kernel @matmul_copied(
// CHECK-SAME: attributes {blocks_per_processor = 2 : i64, threads = 256 : i64, tiles = 1 : i64}
// CHECK-DAG: cta.shared : memref<15360xf16, 3>
// CHECK-DAG: cta.shared : memref<13056xf16, 3>
// CHECK-COUNT-2: cta.commit_copies
// CHECK: scf.for {{.*}} iter_args
// CHECK-NEXT: cta.wait_copies 1
// CHECK-NEXT: cta.barrier
// CHECK: cta.copy %{{.*}} to %{{.*}} if %{{.*}} : memref<?xf16> to memref<15360xf16, 3>
// CHECK: cta.copy %{{.*}} to %{{.*}} if %{{.*}} : memref<2048xf16> to memref<13056xf16, 3>
// CHECK: cta.commit_copies
// CHECK: cta.mma
// CHECK-NOT: cta.barrier
// CHECK: cta.wait_copies 0
weft.kernel @matmul_copied(%tile: index, %a: memref<?x32xf16>, %b: memref<32x64xf16>, %c: memref<?x64xf16>) attributes {schedule = {rows = 128 : i64, columns = 128 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<?x32xf16>, memref<32x64xf16>) outs(%c : memref<?x64xf16>)
  weft.yield
}

// Of few rows a thread has a column, and each of 16 warps runs of the depth, whose loads all come before the products. In the last
// ones places behind the end are those of the last, and count for nothing.
// CHECK-LABEL: cta.kernel @matmul_few_rows(
// CHECK-SAME: attributes {threads = 512 : i64, tiles = 1 : i64}
// CHECK: cta.shared : memref<1024xf32, 3>
// CHECK: scf.for {{.*}} to %c128{{.*}} step %c128{{.*}} iter_args(%{{.*}}, %{{.*}}) -> (f32, f32)
// CHECK-NOT: arith.select
// CHECK-COUNT-8: memref.load %{{.*}} : memref<14000xf16>
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<400xf16>, vector<8xf16>
// CHECK-COUNT-8: math.fma
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<400xf16>, vector<8xf16>
// CHECK-COUNT-8: math.fma
// CHECK-NOT: math.fma
// CHECK: scf.for {{.*}} to %c200{{.*}} step %c128{{.*}} iter_args(%{{.*}}, %{{.*}}) -> (f32, f32)
// CHECK-COUNT-8: memref.load %{{.*}} : memref<14000xf16>
// CHECK-COUNT-8: arith.select
// CHECK-COUNT-8: memref.load %{{.*}} : memref<400xf16>
// CHECK: cta.barrier
// CHECK-COUNT-16: memref.load %{{.*}} : memref<1024xf32, 3>
weft.kernel @matmul_few_rows(%tile: index, %a: memref<2x200xf16>, %b: memref<200x70xf16>, %c: memref<2x70xf16>) attributes {schedule = {rows = 2 : i64, columns = 32 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<2x200xf16>, memref<200x70xf16>) outs(%c : memref<2x70xf16>)
  weft.yield
}

// CHECK-LABEL: cta.kernel @matmul_bf16(
// CHECK: cta.shared : memref<5120xi16, 3>
// CHECK: cta.shared : memref<4352xi16, 3>
// CHECK: cta.mma {{.*}} of bf16
weft.kernel @matmul_bf16(%tile: index, %a: memref<?x30xi16>, %b: memref<30x70xi16>, %c: memref<?x70xi16>) attributes {schedule = {rows = 128 : i64, columns = 128 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<?x30xi16>, memref<30x70xi16>) outs(%c : memref<?x70xi16>) {weft.bf16}
  weft.yield
}

// Blocks of keys that the region leaves out for all of the queries are skipped.
// CHECK-LABEL: cta.kernel @attention(
// CHECK-SAME: attributes {threads = 128 : i64, tiles = 1 : i64}
// CHECK: cta.shared
// CHECK: scf.for
// CHECK: scf.if
// CHECK: cta.barrier
// CHECK: cta.shuffle xor
// CHECK: math.exp
// CHECK: cta.warp_barrier
weft.kernel @attention(%tile: index, %q: memref<1x2x?x64xf32>, %k: memref<1x2x?x64xf32>, %v: memref<1x2x?x64xf32>, %y: memref<1x2x?x64xf32>)
    attributes {schedule = {rows = 32 : i64, columns = 512 : i64}} {
  weft.attention_tile ins(%q, %k, %v : memref<1x2x?x64xf32>, memref<1x2x?x64xf32>, memref<1x2x?x64xf32>) outs(%y : memref<1x2x?x64xf32>)
    scale(0.125) empty_rows(zero) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    weft.yield %s, %keep : f32, i1
  }
  weft.yield
}

// Of f16 tensor cores multiply: scores stay in registers, and while a block of keys and values is multiplied the next one is copied.
// Scores of blocks that no mask touches are what products are.
// CHECK-LABEL: cta.kernel @tensor_attention(
// CHECK-SAME: attributes {threads = 128 : i64, tiles = 1 : i64}
// CHECK-DAG: cta.shared : memref<4608xf16, 3>
// CHECK-DAG: cta.shared : memref<9216xf16, 3>
// CHECK: cta.copy
// CHECK: cta.commit_copies
// CHECK: cta.copy
// CHECK: cta.commit_copies
// CHECK: cta.wait_copies 1
// CHECK: cta.barrier
// CHECK: cta.load_matrices %
// CHECK: scf.for
// CHECK: cta.wait_copies 0
// CHECK-NEXT: cta.barrier
// CHECK: scf.if
// CHECK: cta.copy
// CHECK: cta.commit_copies
// CHECK: scf.if
// CHECK: cta.mma {{.*}} of f16
// CHECK: scf.if
// CHECK-NOT: arith.cmpi sle
// CHECK: else
// CHECK: arith.cmpi sle
// CHECK: cta.exp2
// CHECK: cta.pack {{.*}} of f16
// CHECK: cta.load_matrices transposed
// CHECK: cta.mma
// CHECK: cta.wait_copies 0
// CHECK-NOT: cta.barrier
// CHECK: vector.store %{{.*}} {alignment = 4 : i64}
weft.kernel @tensor_attention(%tile: index, %q: memref<1x2x?x64xf16>, %k: memref<1x2x?x64xf16>, %v: memref<1x2x?x64xf16>, %y: memref<1x2x?x64xf16>)
    attributes {schedule = {rows = 64 : i64, columns = 512 : i64}} {
  weft.attention_tile ins(%q, %k, %v : memref<1x2x?x64xf16>, memref<1x2x?x64xf16>, memref<1x2x?x64xf16>) outs(%y : memref<1x2x?x64xf16>)
    scale(0.125) empty_rows(zero) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    weft.yield %s, %keep : f32, i1
  }
  weft.yield
}

// Few rows are all warps', which share out the keys, and put together in shared memory what they have. Of a part of the keys the row's
// maximum and sum are left, too.
// CHECK-LABEL: cta.kernel @few_rows(
// CHECK: cta.mma {{.*}} of bf16
// CHECK: cta.shared : memref<64xf32, 3>
// CHECK: cta.shared : memref<64xf32, 3>
// CHECK: cta.shared : memref<4608xf32, 3>
// CHECK: cta.barrier
// CHECK: cta.exp2
// CHECK: memref.store %{{.*}} : memref<?xf32
// CHECK: memref.store %{{.*}} : memref<?xf32
// CHECK: memref.store %{{.*}} : memref<?xf32
weft.kernel @few_rows(%tile: index, %q: memref<1x8x1x64xi16>, %k: memref<1x2x?x64xi16>, %v: memref<1x2x?x64xi16>, %y: memref<?x1x8x1x64xf32>, %s: memref<?x8x2xf32>)
    attributes {schedule = {rows = 16 : i64, columns = 512 : i64}} {
  weft.attention_tile ins(%q, %k, %v : memref<1x8x1x64xi16>, memref<1x2x?x64xi16>, memref<1x2x?x64xi16>) outs(%y : memref<?x1x8x1x64xf32>)
    statistics(%s : memref<?x8x2xf32>) scale(0.125) empty_rows(zero) {weft.bf16}
  weft.yield
}

// How few they are may be known at run time only; one row has code of its own.
// CHECK-LABEL: cta.kernel @some_rows(
// CHECK: arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK: scf.if
// CHECK: scf.for {{.*}} -> (f32) {
// CHECK: else
// CHECK: scf.for {{.*}} -> (f32, f32, f32, f32, f32, f32, f32, f32) {
weft.kernel @some_rows(%tile: index, %a: memref<?x500xf16>, %b: memref<500x70xf16>, %c: memref<?x70xf16>) attributes {schedule = {rows = 8 : i64, columns = 32 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<?x500xf16>, memref<500x70xf16>) outs(%c : memref<?x70xf16>)
  weft.yield
}

// Bytes are multiplied by tensor cores, too: 64 of the depth are two pieces. Quads of weights are words of fragments as they are.
// CHECK-LABEL: cta.kernel @matmul_bytes(
// CHECK-DAG: cta.shared : memref<30720xi8, 3>
// CHECK-DAG: cta.shared : memref<26112xi8, 3>
// CHECK: cta.copy
// CHECK: cta.commit_copies
// CHECK: scf.for {{.*}} iter_args
// CHECK: cta.wait_copies 1
// CHECK: cta.barrier
// CHECK-COUNT-2: cta.load_matrices %
// CHECK-COUNT-16: vector.load {{.*}} {alignment = 4 : i64} : memref<26112xi8, 3>, vector<4xi8>
// CHECK-COUNT-16: cta.mma {{.*}} of i8
weft.kernel @matmul_bytes(%tile: index, %a: memref<?x320xi8>, %b: memref<5x80x48x4xi8>, %c: memref<?x232xf32>) attributes {schedule = {rows = 128 : i64, columns = 128 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<?x320xi8>, memref<5x80x48x4xi8>) outs(%c : memref<?x232xf32>) epilogue {
  ^bb0(%sum: i32):
    %0 = arith.sitofp %sum : i32 to f32
    weft.yield %0 : f32
  } {packed}
  weft.yield
}

// Of one row and weights of few bits a thread reads 8 words of a column, and the scales of two groups; lhs 16 bytes at a time. Numbers
// become floats by their bits, and a group's sum is scaled once.
// CHECK-LABEL: cta.kernel @matmul_groups(
// CHECK: scf.for
// CHECK-COUNT-2: arith.bitcast {{.*}} : i32 to f32
// CHECK-COUNT-8: memref.load {{.*}} : memref<30720xi32>
// CHECK: arith.xori
// CHECK: arith.ori
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<2048xf32>, vector<4xf32>
// CHECK-COUNT-66: math.fma
weft.kernel @matmul_groups(%tile: index, %a: memref<1x2048xf32>, %b: memref<2x64x5x48xi32>, %c: memref<1x96xf32>) attributes {schedule = {rows = 1 : i64, columns = 32 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<1x2048xf32>, memref<2x64x5x48xi32>) outs(%c : memref<1x96xf32>) {packed, groups = #weft.weight_groups<bits = 4, rows = 32, hasOffsets = false>}
  weft.yield
}

// Of tf32 a piece is 8 of the depth, and a block 16; rhs is read word by word, as a fragment has them.
// CHECK-LABEL: cta.kernel @matmul_tf32(
// CHECK-DAG: cta.shared : memref<7680xf32, 3>
// CHECK-DAG: cta.shared : memref<6528xf32, 3>
// CHECK: scf.for {{.*}} iter_args
// CHECK: cta.wait_copies 1
// CHECK-COUNT-2: cta.load_matrices %{{.*}} : memref<7680xf32, 3>
// CHECK-COUNT-16: memref.load %{{.*}} : memref<6528xf32, 3>
// CHECK-COUNT-16: cta.mma {{.*}} of tf32
weft.kernel @matmul_tf32(%tile: index, %a: memref<?x72xf32>, %b: memref<72x232xf32>, %c: memref<?x232xf32>) attributes {schedule = {rows = 128 : i64, columns = 128 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<?x72xf32>, memref<72x232xf32>) outs(%c : memref<?x232xf32>) {tf32}
  weft.yield
}
