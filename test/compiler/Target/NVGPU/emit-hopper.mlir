// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of f16 and bf16 for sm_90a: one warpgroup has tiles copied, two multiply them, and blocks go on from tile to tile.
// RUN: weft-opt --weft-emit-cta-kernels=gpus=sm_90a --canonicalize --cse --split-input-file %s | FileCheck %s --check-prefix=HOPPER
// RUN: weft-opt --weft-emit-cta-kernels=gpus=all --canonicalize --cse --split-input-file %s | FileCheck %s --check-prefix=ALL
// RUN: weft-opt --weft-emit-cta-kernels=gpus=sm_80 --split-input-file %s | FileCheck %s --check-prefix=OTHERS
// RUN: not weft-opt --weft-emit-cta-kernels=gpus=sm_70 %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: weft-opt --weft-lower-steps-to-launches=machine=x86-64-v4 --canonicalize --cse --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=LAUNCH

// UNKNOWN: weft-emit-cta-kernels: gpus are sm_80, sm_90a or all, not 'sm_70'

// The kernel for all others says which one sm_90a runs in its place.
// ALL-LABEL: cta.kernel @narrow_sm_90a(
// ALL-SAME: attributes {gpu = "sm_90a", persistent, threads = 384 : i64, tiles = 1 : i64}
// ALL: cta.wgmma
// ALL-LABEL: cta.kernel @narrow(
// ALL-SAME: attributes {blocks_per_processor = 2 : i64, hopper = @narrow_sm_90a, threads = 256 : i64, tiles = 1 : i64}
// ALL: cta.mma
// ALL-NOT: cta.wgmma
// OTHERS-NOT: cta.kernel
// OTHERS: cta.kernel @narrow(
// OTHERS-SAME: attributes {blocks_per_processor = 2 : i64, threads = 256 : i64, tiles = 1 : i64}
// OTHERS-NOT: cta.wgmma
// OTHERS-NOT: cta.kernel
// OTHERS: cta.kernel @wide(

// Tiles of 128 x 128 are two of columns; six stages of 64 of the depth have a place.
// HOPPER-LABEL: cta.kernel @narrow(
// HOPPER-SAME: %[[A:[^ ]*]]: memref<?x328xf16>
// HOPPER-SAME: attributes {gpu = "sm_90a", persistent, threads = 384 : i64, tiles = 1 : i64}
// HOPPER-DAG: %[[C0:.*]] = arith.constant 0 : index
// HOPPER-DAG: %[[C1:.*]] = arith.constant 1 : index
// HOPPER-DAG: %[[C2:.*]] = arith.constant 2 : index
// HOPPER-DAG: %[[C4:.*]] = arith.constant 4 : index
// HOPPER-DAG: %[[C5:.*]] = arith.constant 5 : index
// HOPPER-DAG: %[[C6:.*]] = arith.constant 6 : index
// HOPPER-DAG: %[[C64:.*]] = arith.constant 64 : index
// HOPPER-DAG: %[[C200:.*]] = arith.constant 200 : index
// HOPPER-DAG: %[[C328:.*]] = arith.constant 328 : index
// HOPPER-DAG: %[[C4096:.*]] = arith.constant 4096 : index
// HOPPER-DAG: %[[C8192:.*]] = arith.constant 8192 : index
// HOPPER-DAG: %[[I0:.*]] = arith.constant 0 : i32
// HOPPER-DAG: %[[I1:.*]] = arith.constant 1 : i32
// HOPPER-DAG: %[[TRUE:.*]] = arith.constant true
// HOPPER-DAG: %[[THREAD:.*]] = cta.thread_id
// HOPPER-DAG: %[[BLOCK:.*]] = cta.block_id
// HOPPER-DAG: %[[ROWS:.*]] = memref.dim %[[A]], %[[C0]]
// HOPPER-DAG: %[[LHS:.*]] = cta.tensor_map %{{.*}}[%[[C0]]] sizes(%[[ROWS]], %[[C328]]) strides(%[[C328]]) box [128, 64]
// HOPPER-DAG: %[[RHS:.*]] = cta.tensor_map %{{.*}}[%[[C0]]] sizes(%[[C328]], %[[C200]]) strides(%[[C200]]) box [64, 64]
// HOPPER-DAG: %[[OUT:.*]] = cta.tensor_map %{{.*}}[%[[C0]]] sizes(%[[OUT_ROWS:.*]], %[[C200]]) strides(%[[C200]]) box [64, 64]
// HOPPER-DAG: %[[LEFT:.*]] = cta.shared align 1024 : memref<49152xf16, 3>
// HOPPER-DAG: %[[RIGHT:.*]] = cta.shared align 1024 : memref<49152xf16, 3>
// HOPPER-DAG: %[[STAGING:.*]] = cta.shared align 1024 : memref<8192xf16, 3>
// HOPPER-DAG: %[[FULL:.*]] = cta.shared : memref<6xi64, 3>
// HOPPER-DAG: %[[EMPTY:.*]] = cta.shared : memref<6xi64, 3>
// All threads of a warp have its number from one.
// HOPPER-DAG: %[[SHUFFLED:.*]] = cta.shuffle from %{{.*}}, %[[I0]] : i32
// HOPPER-DAG: %[[WARP:.*]] = arith.index_castui %[[SHUFFLED]] : i32 to index
// HOPPER-DAG: %[[GROUP:.*]] = arith.divui %[[WARP]], %[[C4]] : index
// HOPPER-DAG: %[[IN_GROUP:.*]] = arith.remui %[[WARP]], %[[C4]] : index
// HOPPER-DAG: %[[IS_FIRST_WARP:.*]] = arith.cmpi eq, %[[IN_GROUP]], %[[C0]] : index
// HOPPER-DAG: %[[TILES:.*]] = arith.muli %{{.*}}, %[[C2]] : index

// One thread makes the barriers: the producer arrives at one, and both consumers at the other.
// HOPPER: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[THREAD]], %[[C0]] : index
// HOPPER: scf.if %[[IS_FIRST]]
// HOPPER-DAG: cta.mbarrier_init %[[FULL]][%[[C0]]], 1
// HOPPER-DAG: cta.mbarrier_init %[[EMPTY]][%[[C0]]], 2
// HOPPER-DAG: cta.mbarrier_init %[[FULL]][%[[C5]]], 1
// HOPPER-DAG: cta.mbarrier_init %[[EMPTY]][%[[C5]]], 2
// HOPPER: cta.barrier
// HOPPER-NOT: cta.mbarrier_init

// One thread of the first warpgroup has everything copied. All stages are empty at first: it waits for the phase before the first.
// HOPPER: %[[PRODUCES:.*]] = arith.cmpi eq, %[[GROUP]], %[[C0]] : index
// HOPPER: scf.if %[[PRODUCES]]
// HOPPER-NEXT: cta.set_registers 40{{$}}
// HOPPER-NEXT: scf.if %[[IS_FIRST_WARP]]
// HOPPER-NEXT: %[[ELECTED:.*]] = cta.elect
// HOPPER-NEXT: scf.if %[[ELECTED]]
// HOPPER: %[[GRID:.*]] = cta.grid_size
// HOPPER: scf.for %{{.*}} = %[[BLOCK]] to %[[TILES]] step %[[GRID]] iter_args(%[[STAGE:.*]] = %[[C0]], %[[PARITY:.*]] = %[[I1]])
// HOPPER: scf.for %[[K:.*]] = %[[C0]] to %[[C328]] step %[[C64]] iter_args(%[[AT:.*]] = %[[STAGE]], %[[PHASE:.*]] = %[[PARITY]])
// HOPPER-NEXT: cta.mbarrier_wait %[[EMPTY]][%[[AT]]], %[[PHASE]]
// HOPPER-NEXT: cta.mbarrier_arrive %[[FULL]][%[[AT]]] expecting 32768
// HOPPER: %[[PLACE:.*]] = arith.muli %[[AT]], %[[C8192]] : index
// HOPPER: cta.load_tile %[[LHS]][%{{.*}}, %[[K]]] to %[[LEFT]][%[[PLACE]]] signals %[[FULL]][%[[AT]]]
// HOPPER: cta.load_tile %[[RHS]][%[[K]], %[[COLUMN:.*]]] to %[[RIGHT]][%[[PLACE]]] signals %[[FULL]][%[[AT]]]
// HOPPER: %[[NEXT_COLUMN:.*]] = arith.addi %[[COLUMN]], %[[C64]] : index
// HOPPER: %[[NEXT_PLACE:.*]] = arith.addi %[[PLACE]], %[[C4096]] : index
// HOPPER: cta.load_tile %[[RHS]][%[[K]], %[[NEXT_COLUMN]]] to %[[RIGHT]][%[[NEXT_PLACE]]] signals %[[FULL]][%[[AT]]]
// The ring's next place: behind the last stage comes the first one, in the other phase.
// HOPPER: %[[BEHIND:.*]] = arith.addi %[[AT]], %[[C1]] : index
// HOPPER: %[[IS_LAST:.*]] = arith.cmpi eq, %[[BEHIND]], %[[C6]] : index
// HOPPER: %[[FLIPPED:.*]] = arith.xori %[[PHASE]], %[[I1]] : i32
// HOPPER: %[[NEXT_AT:.*]] = arith.select %[[IS_LAST]], %[[C0]], %[[BEHIND]] : index
// HOPPER: %[[NEXT_PHASE:.*]] = arith.select %[[IS_LAST]], %[[FLIPPED]], %[[PHASE]] : i32
// HOPPER: scf.yield %[[NEXT_AT]], %[[NEXT_PHASE]] : index, i32

// The others multiply. A stage is given back when the product after its own has begun, and its own has ended.
// HOPPER: cta.set_registers 232 more
// HOPPER: %[[GRID:.*]] = cta.grid_size
// HOPPER: scf.for %{{.*}} = %[[BLOCK]] to %[[TILES]] step %[[GRID]] iter_args(%[[STAGE:.*]] = %[[C0]], %[[PARITY:.*]] = %[[I0]])
// HOPPER: cta.no_sums
// HOPPER: scf.for %[[K:.*]] = %[[C0]] to %[[C328]] step %[[C64]]
// HOPPER-SAME: iter_args(%[[AT:[^ ]*]] = %[[STAGE]], %[[PHASE:[^ ]*]] = %[[PARITY]], %[[BEFORE:[^ ]*]] = %[[C0]],
// HOPPER: %[[IS_LATER:.*]] = arith.cmpi ne, %[[K]], %[[C0]] : index
// HOPPER-NEXT: cta.mbarrier_wait %[[FULL]][%[[AT]]], %[[PHASE]]
// HOPPER: cta.begin_products
// HOPPER: cta.shared_address %[[LEFT]]
// HOPPER: cta.shared_address %[[RIGHT]]
// HOPPER: cta.wgmma {{.*}} if %[[IS_LATER]] of f16 transposed
// HOPPER-COUNT-3: cta.wgmma {{.*}} if %[[TRUE]] of f16 transposed
// HOPPER-NOT: cta.wgmma
// HOPPER: cta.commit_products
// HOPPER: cta.wait_products 1,
// HOPPER-NEXT: scf.if %[[IS_LATER]]
// HOPPER: cta.elect
// HOPPER: cta.mbarrier_arrive %[[EMPTY]][%[[BEFORE]]] :
// HOPPER: scf.yield %{{.*}}, %{{.*}}, %[[AT]],
// HOPPER: cta.wait_products 0,
// HOPPER: cta.elect
// HOPPER: cta.mbarrier_arrive %[[EMPTY]]

// Sums go through shared memory, 64 columns at a time, of which each thread has 32.
// HOPPER: cta.wait_stores 0
// HOPPER: cta.group_barrier
// HOPPER-COUNT-16: vector.store %{{.*}}, %[[STAGING]][%{{.*}}] {alignment = 4 : i64} : memref<8192xf16, 3>, vector<2xf16>
// HOPPER-NOT: vector.store
// HOPPER: cta.fence_async
// HOPPER-NEXT: cta.group_barrier
// HOPPER: cta.store_tile %[[STAGING]][%{{.*}}] to %[[OUT]]
// HOPPER-NEXT: cta.commit_stores
// HOPPER: cta.wait_stores 0
// HOPPER: cta.group_barrier
// HOPPER-COUNT-16: vector.store %{{.*}}, %[[STAGING]]
// HOPPER: cta.store_tile %[[STAGING]]
// HOPPER-NEXT: cta.commit_stores
// HOPPER: scf.yield
// A thread waits for its stores before it ends.
// HOPPER: cta.elect
// HOPPER: cta.wait_stores 0
// HOPPER: cta.return
weft.kernel @narrow(%tile: index, %a: memref<?x328xf16>, %b: memref<328x200xf16>, %c: memref<?x200xf16>)
    attributes {schedule = {rows = 128 : i64, columns = 128 : i64, hopper_cluster = 1 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<?x328xf16>, memref<328x200xf16>) outs(%c : memref<?x200xf16>)
  weft.yield
}

// -----

// Many columns: 256 of a tile, of which four stages have a place.
// ALL-LABEL: cta.kernel @wide_sm_90a(
// ALL-LABEL: cta.kernel @wide(
// ALL-SAME: attributes {blocks_per_processor = 2 : i64, hopper = @wide_sm_90a, threads = 256 : i64, tiles = 1 : i64}
// HOPPER-LABEL: cta.kernel @wide(
// HOPPER: cta.shared align 1024 : memref<32768xi16, 3>
// HOPPER: cta.shared align 1024 : memref<65536xi16, 3>
// HOPPER: cta.shared align 1024 : memref<8192xi16, 3>
// HOPPER: cta.shared : memref<4xi64, 3>
// HOPPER: cta.mbarrier_arrive {{.*}} expecting 49152
// HOPPER-COUNT-5: cta.load_tile
// HOPPER-NOT: cta.load_tile
// HOPPER: cta.wgmma {{.*}} of bf16 transposed
// HOPPER-COUNT-4: cta.store_tile
// HOPPER-NOT: cta.store_tile
// HOPPER: cta.return
weft.kernel @wide(%tile: index, %a: memref<?x64xi16>, %b: memref<64x1032xi16>, %c: memref<?x1032xi16>)
    attributes {schedule = {rows = 128 : i64, columns = 128 : i64, hopper_cluster = 1 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<?x64xi16>, memref<64x1032xi16>) outs(%c : memref<?x1032xi16>) {weft.bf16}
  weft.yield
}

// -----

// Two blocks of a cluster. Where the number of tiles one below the other is even, or eight or more, theirs are, and each brings half of
// the columns of rhs to both; otherwise they are beside each other, and each brings half of the rows of lhs.
// ALL-LABEL: cta.kernel @pair_sm_90a(
// ALL-SAME: cluster = 2 : i64
// ALL-LABEL: cta.kernel @pair(
// HOPPER-LABEL: cta.kernel @pair(
// HOPPER-SAME: %[[A:[^ ]*]]: memref<?x328xf16>
// HOPPER-SAME: attributes {cluster = 2 : i64, gpu = "sm_90a", persistent,
// HOPPER-DAG: %[[C0:.*]] = arith.constant 0 : index
// HOPPER-DAG: %[[C1:.*]] = arith.constant 1 : index
// HOPPER-DAG: %[[C2:.*]] = arith.constant 2 : index
// HOPPER-DAG: %[[C8:.*]] = arith.constant 8 : index
// HOPPER-DAG: %[[C64:.*]] = arith.constant 64 : index
// HOPPER-DAG: %[[BLOCK:.*]] = cta.block_id
// HOPPER-DAG: %[[RANK:.*]] = arith.remui %[[BLOCK]], %[[C2]] : index
// HOPPER-DAG: cta.tensor_map {{.*}} strides(%{{.*}}) box [64, 64]
// HOPPER-DAG: %[[ODD:.*]] = arith.remui %[[TILES:.*]], %[[C2]] : index
// HOPPER-DAG: %[[IS_EVEN:.*]] = arith.cmpi eq, %[[ODD]], %[[C0]] : index
// HOPPER-DAG: %[[ARE_MANY:.*]] = arith.cmpi uge, %[[TILES]], %[[C8]] : index
// HOPPER-DAG: %[[IS_TALL:.*]] = arith.ori %[[IS_EVEN]], %[[ARE_MANY]] : i1
// Both consumers of both blocks have multiplied what was brought to both.
// HOPPER: cta.mbarrier_init %[[EMPTY:.*]][%{{.*}}], 4
// HOPPER: cta.cluster_barrier
// HOPPER: cta.mbarrier_arrive {{.*}} expecting 32768
// HOPPER: scf.if %[[IS_TALL]]
// HOPPER: cta.load_tile {{.*}} : memref<49152xf16, 3>
// HOPPER-NOT: to_cluster
// HOPPER: cta.load_tile
// HOPPER: cta.load_tile {{.*}} to_cluster
// HOPPER-NOT: cta.load_tile
// HOPPER: } else {
// HOPPER: cta.load_tile {{.*}} to_cluster
// HOPPER: cta.load_tile
// HOPPER-NOT: to_cluster
// HOPPER: cta.load_tile
// HOPPER-NOT: cta.load_tile
// HOPPER: cta.wait_products 1,
// HOPPER: cta.elect
// HOPPER: cta.mbarrier_arrive %[[EMPTY]][%[[STAGE:.*]]] of block %[[C0]]
// HOPPER-NEXT: cta.mbarrier_arrive %[[EMPTY]][%[[STAGE]]] of block %[[C1]]
// A block stays until nobody brings anything to it or arrives.
// HOPPER: cta.cluster_barrier
// HOPPER-NEXT: cta.return
weft.kernel @pair(%tile: index, %a: memref<?x328xf16>, %b: memref<328x200xf16>, %c: memref<?x200xf16>)
    attributes {schedule = {rows = 128 : i64, columns = 128 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<?x328xf16>, memref<328x200xf16>) outs(%c : memref<?x200xf16>)
  weft.yield
}

// -----

// Of a known number of rows the kernel knows which it is: here one tile below the other, and no choice is left.
// HOPPER-LABEL: cta.kernel @known(
// HOPPER: cta.mbarrier_arrive {{.*}} expecting 32768
// HOPPER-COUNT-3: cta.load_tile
// HOPPER-NOT: cta.load_tile
// HOPPER: cta.return
weft.kernel @known(%tile: index, %a: memref<512x328xf16>, %b: memref<328x200xf16>, %c: memref<512x200xf16>)
    attributes {schedule = {rows = 128 : i64, columns = 128 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<512x328xf16>, memref<328x200xf16>) outs(%c : memref<512x200xf16>)
  weft.yield
}

// -----

// What has no kernel of its own: f32; few rows; several products; columns, or a depth, that are no whole pieces of 16 bytes; few columns.
// ALL-LABEL: cta.kernel @floats(
// ALL-SAME: attributes {threads = 256 : i64, tiles = 1 : i64}
// HOPPER-LABEL: cta.kernel @floats(
// HOPPER-SAME: attributes {threads = 256 : i64, tiles = 1 : i64}
weft.kernel @floats(%tile: index, %a: memref<?x64xf32>, %b: memref<64x128xf32>, %c: memref<?x128xf32>)
    attributes {schedule = {rows = 64 : i64, columns = 64 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<?x64xf32>, memref<64x128xf32>) outs(%c : memref<?x128xf32>)
  weft.yield
}
// ALL-LABEL: cta.kernel @few_rows(
// ALL-SAME: attributes {threads = 512 : i64, tiles = 1 : i64}
// HOPPER-LABEL: cta.kernel @few_rows(
// HOPPER-SAME: attributes {threads = 512 : i64, tiles = 1 : i64}
weft.kernel @few_rows(%tile: index, %a: memref<?x64xf16>, %b: memref<64x128xf16>, %c: memref<?x128xf16>)
    attributes {schedule = {rows = 8 : i64, columns = 32 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<?x64xf16>, memref<64x128xf16>) outs(%c : memref<?x128xf16>)
  weft.yield
}
// ALL-LABEL: cta.kernel @batches(
// ALL-SAME: attributes {blocks_per_processor = 2 : i64, threads = 256 : i64, tiles = 1 : i64}
// HOPPER-LABEL: cta.kernel @batches(
// HOPPER-SAME: attributes {blocks_per_processor = 2 : i64, threads = 256 : i64, tiles = 1 : i64}
weft.kernel @batches(%tile: index, %a: memref<2x?x64xf16>, %b: memref<2x64x128xf16>, %c: memref<2x?x128xf16>)
    attributes {schedule = {rows = 128 : i64, columns = 128 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<2x?x64xf16>, memref<2x64x128xf16>) outs(%c : memref<2x?x128xf16>)
  weft.yield
}
// ALL-LABEL: cta.kernel @columns(
// ALL-SAME: attributes {threads = 256 : i64, tiles = 1 : i64}
// HOPPER-LABEL: cta.kernel @columns(
// HOPPER-SAME: attributes {threads = 256 : i64, tiles = 1 : i64}
weft.kernel @columns(%tile: index, %a: memref<?x64xf16>, %b: memref<64x132xf16>, %c: memref<?x132xf16>)
    attributes {schedule = {rows = 128 : i64, columns = 128 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<?x64xf16>, memref<64x132xf16>) outs(%c : memref<?x132xf16>)
  weft.yield
}
// ALL-LABEL: cta.kernel @depth(
// ALL-SAME: attributes {threads = 256 : i64, tiles = 1 : i64}
// HOPPER-LABEL: cta.kernel @depth(
// HOPPER-SAME: attributes {threads = 256 : i64, tiles = 1 : i64}
weft.kernel @depth(%tile: index, %a: memref<?x68xf16>, %b: memref<68x128xf16>, %c: memref<?x128xf16>)
    attributes {schedule = {rows = 128 : i64, columns = 128 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<?x68xf16>, memref<68x128xf16>) outs(%c : memref<?x128xf16>)
  weft.yield
}
// ALL-LABEL: cta.kernel @few_columns(
// ALL-SAME: attributes {blocks_per_processor = 2 : i64, threads = 256 : i64, tiles = 1 : i64}
// HOPPER-LABEL: cta.kernel @few_columns(
// HOPPER-SAME: attributes {blocks_per_processor = 2 : i64, threads = 256 : i64, tiles = 1 : i64}
weft.kernel @few_columns(%tile: index, %a: memref<?x64xf16>, %b: memref<64x56xf16>, %c: memref<?x56xf16>)
    attributes {schedule = {rows = 128 : i64, columns = 128 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<?x64xf16>, memref<64x56xf16>) outs(%c : memref<?x56xf16>)
  weft.yield
}

// -----

// A step has the launch for all others, and of that the one for sm_90a: by the same name, of the same arguments, with its own threads,
// shared bytes and blocks, and with two maps of sixteen words each.
// LAUNCH-LABEL: func.func @weft_entry_0(
// LAUNCH-DAG: %[[NONE:.*]] = llvm.mlir.zero : !llvm.ptr
// LAUNCH-DAG: %[[NAME:.*]] = llvm.mlir.addressof @weft_name_of_copy
// LAUNCH-DAG: %[[C0:.*]] = llvm.mlir.constant(0 : i64) : i64
// LAUNCH-DAG: %[[C1:.*]] = llvm.mlir.constant(1 : i64) : i64
// LAUNCH-DAG: %[[C2:.*]] = llvm.mlir.constant(2 : i64) : i64
// LAUNCH-DAG: %[[C3:.*]] = llvm.mlir.constant(3 : i64) : i64
// LAUNCH-DAG: %[[C5:.*]] = llvm.mlir.constant(5 : i64) : i64
// LAUNCH-DAG: %[[C8:.*]] = llvm.mlir.constant(8 : i64) : i64
// LAUNCH-DAG: %[[C32:.*]] = llvm.mlir.constant(32 : i64) : i64
// LAUNCH-DAG: %[[C64:.*]] = llvm.mlir.constant(64 : i64) : i64
// LAUNCH-DAG: %[[C128:.*]] = llvm.mlir.constant(128 : i64) : i64
// LAUNCH-DAG: %[[C8192:.*]] = llvm.mlir.constant(8192 : i64) : i64
// LAUNCH-DAG: %[[COLUMNS:.*]] = arith.constant 64 : i64
// LAUNCH-DAG: %[[ROW_BYTES:.*]] = arith.constant 128 : i64
// LAUNCH-DAG: %[[PLANES:.*]] = arith.constant 3 : i64
// LAUNCH-DAG: %[[AT:.*]] = arith.constant 6 : index

// Three elements, of two bytes each, behind where x is; and x itself.
// LAUNCH: %[[ROWS:.*]] = arith.index_cast %{{.*}} : index to i64
// LAUNCH: %[[X:.*]] = memref.extract_aligned_pointer_as_index %{{.*}} : memref<?xf16> -> index
// LAUNCH: %[[BEHIND_X:.*]] = arith.addi %[[X]], %[[AT]] : index
// LAUNCH: %[[WORD:.*]] = arith.index_cast %[[BEHIND_X]] : index to i64
// LAUNCH: %[[FIRST:.*]] = llvm.inttoptr %[[WORD]]
// LAUNCH: %[[WORD:.*]] = arith.index_cast %[[X]] : index to i64
// LAUNCH: %[[SECOND:.*]] = llvm.inttoptr %[[WORD]]
// LAUNCH: %[[PLANE_BYTES:.*]] = arith.muli %{{.*}}, %[[C2]] : i64
// LAUNCH: %[[OTHER_KERNEL:.*]] = cta.address @copy_sm_90a

// The innermost dim's come first: of two dims, in memory of five.
// LAUNCH: llvm.store %[[FIRST]], %[[MAPS:.*]] : !llvm.ptr, !llvm.ptr
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][1]
// LAUNCH-NEXT: llvm.store %[[C2]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][2]
// LAUNCH-NEXT: llvm.store %[[COLUMNS]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][3]
// LAUNCH-NEXT: llvm.store %[[ROWS:.*]], %
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][4]
// LAUNCH-NEXT: llvm.store %[[C0]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][5]
// LAUNCH-NEXT: llvm.store %[[C0]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][6]
// LAUNCH-NEXT: llvm.store %[[C0]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][7]
// LAUNCH-NEXT: llvm.store %[[ROW_BYTES]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][8]
// LAUNCH-NEXT: llvm.store %[[C0]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][9]
// LAUNCH-NEXT: llvm.store %[[C0]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][10]
// LAUNCH-NEXT: llvm.store %[[C0]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][11]
// LAUNCH-NEXT: llvm.store %[[C64]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][12]
// LAUNCH-NEXT: llvm.store %[[C32]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][13]
// LAUNCH-NEXT: llvm.store %[[C0]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][14]
// LAUNCH-NEXT: llvm.store %[[C0]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][15]
// LAUNCH-NEXT: llvm.store %[[C0]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][16]
// LAUNCH-NEXT: llvm.store %[[SECOND]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][17]
// LAUNCH-NEXT: llvm.store %[[C3]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][18]
// LAUNCH-NEXT: llvm.store %[[COLUMNS]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][19]
// LAUNCH-NEXT: llvm.store %[[ROWS]], %
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][20]
// LAUNCH-NEXT: llvm.store %[[PLANES]]
// LAUNCH: llvm.getelementptr %[[MAPS]][23]
// LAUNCH-NEXT: llvm.store %[[ROW_BYTES]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][24]
// LAUNCH-NEXT: llvm.store %[[PLANE_BYTES]]
// LAUNCH: llvm.getelementptr %[[MAPS]][27]
// LAUNCH-NEXT: llvm.store %[[C64]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][28]
// LAUNCH-NEXT: llvm.store %[[C8]]
// LAUNCH-NEXT: llvm.getelementptr %[[MAPS]][29]
// LAUNCH-NEXT: llvm.store %[[C1]]

// LAUNCH: llvm.store %[[NAME]], %[[OTHER:.*]] : !llvm.ptr, !llvm.ptr
// LAUNCH-NEXT: llvm.getelementptr %[[OTHER]][1]
// LAUNCH-NEXT: llvm.store %[[OTHER_KERNEL]]
// LAUNCH-NEXT: llvm.getelementptr %[[OTHER]][2]
// LAUNCH-NEXT: llvm.store %[[C128]]
// LAUNCH-NEXT: llvm.getelementptr %[[OTHER]][3]
// LAUNCH-NEXT: llvm.store %[[C8192]]
// LAUNCH: llvm.getelementptr %[[OTHER]][7]
// LAUNCH-NEXT: llvm.store %[[C5]]
// LAUNCH: llvm.getelementptr %[[OTHER]][9]
// LAUNCH-NEXT: llvm.store %[[TILES:.*]], %
// LAUNCH-NEXT: llvm.getelementptr %[[OTHER]][10]
// LAUNCH-NEXT: llvm.store %[[C1]]
// LAUNCH-NEXT: llvm.getelementptr %[[OTHER]][11]
// LAUNCH-NEXT: llvm.store %[[C2]]
// LAUNCH-NEXT: llvm.getelementptr %[[OTHER]][12]
// LAUNCH-NEXT: llvm.store %[[MAPS]]
// LAUNCH-NEXT: llvm.getelementptr %[[OTHER]][13]
// LAUNCH-NEXT: llvm.store %[[NONE]]

// LAUNCH: %[[KERNEL:.*]] = cta.address @copy :
// LAUNCH: llvm.store %[[NAME]], %[[STEP:.*]] : !llvm.ptr, !llvm.ptr
// LAUNCH-NEXT: llvm.getelementptr %[[STEP]][1]
// LAUNCH-NEXT: llvm.store %[[KERNEL]]
// LAUNCH-NEXT: llvm.getelementptr %[[STEP]][2]
// LAUNCH-NEXT: llvm.store %[[C64]]
// LAUNCH-NEXT: llvm.getelementptr %[[STEP]][3]
// LAUNCH-NEXT: llvm.store %[[C0]]
// LAUNCH: llvm.getelementptr %[[STEP]][10]
// LAUNCH-NEXT: llvm.store %[[C0]]
// LAUNCH-NEXT: llvm.getelementptr %[[STEP]][11]
// LAUNCH-NEXT: llvm.store %[[C0]]
// LAUNCH-NEXT: llvm.getelementptr %[[STEP]][12]
// LAUNCH-NEXT: llvm.store %[[NONE]]
// LAUNCH-NEXT: llvm.getelementptr %[[STEP]][13]
// LAUNCH-NEXT: llvm.store %[[OTHER]]
// LAUNCH: llvm.call %{{.*}}(%{{.*}}, %[[STEP]])
// LAUNCH-NOT: @weft_name_of_copy_sm_90a
// LAUNCH: cta.kernel @copy_sm_90a
func.func @main(%n: index,
                %x: memref<?x64xf16> {weft.dims = #weft.dims<"n", 64>, weft.element = f16, weft.name = "x", weft.role = "input"},
                %y: memref<?x64xf16> {weft.dims = #weft.dims<"n", 64>, weft.element = f16, weft.name = "y", weft.role = "output"})
    attributes {weft.arena_bytes = #weft.dim<0>, weft.symbols = ["n"]} {
  weft.step @copy[%n] ins(%x : memref<?x64xf16>) outs(%y : memref<?x64xf16>) loc("/Identity")
  return
}
cta.kernel @copy(%tiles: index, %x: memref<?x64xf16>, %y: memref<?x64xf16>)
    attributes {threads = 64 : i64, tiles = 2 : i64, hopper = @copy_sm_90a} {
  cta.return
}
cta.kernel @copy_sm_90a(%tiles: index, %x: memref<?x64xf16>, %y: memref<?x64xf16>)
    attributes {threads = 128 : i64, tiles = 1 : i64, gpu = "sm_90a", persistent} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c3 = arith.constant 3 : index
  %n = memref.dim %x, %c0 : memref<?x64xf16>
  %all = arith.muli %n, %c64 : index
  %flat = memref.reinterpret_cast %x to offset: [0], sizes: [%all], strides: [1] : memref<?x64xf16> to memref<?xf16>
  %s = cta.shared align 1024 : memref<4096xf16, 3>
  %t = cta.tensor_map %flat[%c3] sizes(%n, %c64) strides(%c64) box [32, 64] : memref<?xf16>
  %u = cta.tensor_map %flat[%c0] sizes(%c3, %n, %c64) strides(%all, %c64) box [1, 8, 64] : memref<?xf16>
  cta.return
}
