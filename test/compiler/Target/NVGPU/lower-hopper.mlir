// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only sm_90a has: to calls of the emulator, and to PTX.
// RUN: weft-opt --weft-lower-cta-to-emulator --canonicalize --cse %s | FileCheck %s --check-prefix=EMULATOR --implicit-check-not=pending
// RUN: weft-opt --weft-lower-cta-to-nvvm --canonicalize --cse %s | FileCheck %s --check-prefix=NVVM --implicit-check-not=cta.

!sum = !cta.pending

// Each operation has a text of its own, by which what threads of a warp do at once is found.
// EMULATOR-DAG: @[[INIT:.*]]("cta.mbarrier_init\00")
// EMULATOR-DAG: @[[ARRIVE:.*]]("cta.mbarrier_arrive\00")
// EMULATOR-DAG: @[[WAIT:.*]]("cta.mbarrier_wait\00")
// EMULATOR-DAG: @[[LOAD:.*]]("cta.load_tile\00")
// EMULATOR-DAG: @[[STORE:.*]]("cta.store_tile\00")
// EMULATOR-DAG: @{{.*}}("cta.group_barrier\00")
// EMULATOR-DAG: @{{.*}}("cta.wgmma\00")
// EMULATOR-DAG: @{{.*}}("cta.wgmma\00")
// EMULATOR-DAG: @{{.*}}("cta.wait_products\00")
// EMULATOR-DAG: @{{.*}}("cta.wait_products\00")

// NVVM: llvm.mlir.global external @weft_shared() {addr_space = 3 : i32, alignment = 1024 : i64}

// A kernel for all others says which one runs in its place.
// NVVM-LABEL: llvm.func @others(
// NVVM-SAME: weft.hopper = @hopper
cta.kernel @others(%tile: index, %x: memref<?xf16>) attributes {threads = 64 : i64, tiles = 1 : i64, hopper = @hopper} {
  cta.return
}

// EMULATOR-LABEL: func.func private @hopper(
// EMULATOR-SAME: %[[THREAD:.*]]: !llvm.ptr, %[[WORDS:.*]]: !llvm.ptr)
// EMULATOR-DAG: %[[INIT_TEXT:.*]] = llvm.mlir.addressof @[[INIT]] : !llvm.ptr
// EMULATOR-DAG: %[[ARRIVE_TEXT:.*]] = llvm.mlir.addressof @[[ARRIVE]] : !llvm.ptr
// EMULATOR-DAG: %[[WAIT_TEXT:.*]] = llvm.mlir.addressof @[[WAIT]] : !llvm.ptr
// EMULATOR-DAG: %[[LOAD_TEXT:.*]] = llvm.mlir.addressof @[[LOAD]] : !llvm.ptr
// EMULATOR-DAG: %[[STORE_TEXT:.*]] = llvm.mlir.addressof @[[STORE]] : !llvm.ptr
// EMULATOR-DAG: %[[C0:.*]] = llvm.mlir.constant(0 : i64) : i64
// EMULATOR-DAG: %[[C1:.*]] = llvm.mlir.constant(1 : i64) : i64
// EMULATOR-DAG: %[[C2:.*]] = llvm.mlir.constant(2 : i64) : i64
// EMULATOR-DAG: %[[C8:.*]] = llvm.mlir.constant(8 : i64) : i64
// EMULATOR-DAG: %[[C31:.*]] = llvm.mlir.constant(31 : i64) : i64
// EMULATOR-DAG: %[[SECOND:.*]] = llvm.mlir.constant(8192 : i64) : i64
// EMULATOR-DAG: %[[SECOND_END:.*]] = llvm.mlir.constant(8224 : i64) : i64
// EMULATOR-DAG: %[[NO:.*]] = llvm.mlir.constant(0 : i32) : i32
// EMULATOR-DAG: %[[YES:.*]] = llvm.mlir.constant(1 : i32) : i32
// EMULATOR-DAG: %[[NAN:.*]] = llvm.mlir.constant(0x7FC00000 : f32) : f32
// EMULATOR: cf.cond_br

// The runtime asks which GPUs a kernel is for.
// NVVM-LABEL: llvm.func @hopper(
// NVVM-SAME: %[[WORDS:[^:]*]]: !llvm.ptr<1>)
// NVVM-SAME: nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 384>, weft.gpu = "sm_90a"
// NVVM-DAG: %[[NONE:.*]] = llvm.mlir.poison : f32
// NVVM-DAG: %[[THREADS:.*]] = llvm.mlir.constant(128 : i32) : i32
// NVVM-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i32) : i32
// NVVM-DAG: %[[C256:.*]] = arith.constant 256 : i64
// NVVM-DAG: %[[C128:.*]] = llvm.mlir.constant(128 : i64) : i64
// Eight words are 64 bytes: maps begin at the next multiple of 128.
// NVVM: %[[BASE:.*]] = llvm.ptrtoint %[[WORDS]] : !llvm.ptr<1> to i64
// NVVM: %[[MAP0:.*]] = arith.addi %[[BASE]], %[[C128]] : i64
// NVVM: cf.cond_br
cta.kernel @hopper(%tile: index, %x: memref<?xf16>, %n: index, %keeps: i1, %parity: i32)
    attributes {threads = 384 : i64, tiles = 1 : i64, gpu = "sm_90a", persistent} {
  %s = cta.shared align 1024 : memref<4096xf16, 3>
  %m = cta.shared : memref<4xi64, 3>
  // EMULATOR: llvm.getelementptr %[[THREAD]][1]
  // EMULATOR: %[[I:.*]] = arith.index_cast %{{.*}} : i64 to index
  // NVVM: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x : i32
  %i = cta.thread_id
  // EMULATOR: llvm.getelementptr %[[THREAD]][4]
  // EMULATOR: %[[GRID:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
  // NVVM: nvvm.read.ptx.sreg.nctaid.x : i32
  %g = cta.grid_size

  // Maps are numbers, or places behind the words, of 128 bytes each. What the launch copied there the unit is to see.
  // NVVM: "fence.proxy.tensormap::generic.acquire.sys [$0], 128;", "l,~{memory}" %[[MAP0]] : (i64) -> ()
  // NVVM: %[[MAP1:.*]] = arith.addi %[[BASE]], %[[C256]] : i64
  // NVVM: "fence.proxy.tensormap::generic.acquire.sys [$0], 128;", "l,~{memory}" %[[MAP1]]
  %t = cta.tensor_map %x[%n] sizes(%n, %n) strides(%n) box [64, 64] : memref<?xf16>
  %u = cta.tensor_map %x[%n] sizes(%n, %n, %n) strides(%n, %n) box [1, 8, 64] : memref<?xf16>

  // The buffer of barriers begins behind the tile, and ends four of them later.
  // EMULATOR: %[[AT:.*]] = arith.addi %{{.*}}, %[[SECOND]] : i64
  // EMULATOR: llvm.getelementptr %{{.*}}[15]
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]], %[[AT]], %[[SECOND]], %[[SECOND_END]], %[[C2]], %[[INIT_TEXT]])
  // NVVM: "mbarrier.init.shared::cta.b64 [$0], 2;\0Afence.mbarrier_init.release.cluster;", "r,~{memory}" %[[BARRIER:.*]] : (i32) -> ()
  cta.mbarrier_init %m[%i], 2 : memref<4xi64, 3>
  // Who waits for more registers, and who has fewer, is nothing to the emulator.
  // NVVM: "setmaxnreg.dec.sync.aligned.u32 40;", "~{memory}"
  // NVVM: "setmaxnreg.inc.sync.aligned.u32 232;", "~{memory}"
  cta.set_registers 40
  cta.set_registers 232 more
  // The first of each warp.
  // EMULATOR: %[[LANE:.*]] = arith.andi %{{.*}}, %[[C31]] : i64
  // EMULATOR: %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]], %[[C0]] : i64
  // EMULATOR: scf.if %[[FIRST]]
  // NVVM: %[[FIRST:.*]] = nvvm.elect.sync -> i1
  // NVVM: scf.if %[[FIRST]]
  %first = cta.elect
  scf.if %first {
    // EMULATOR: llvm.getelementptr %{{.*}}[16]
    // EMULATOR: llvm.call %{{.*}}(%[[THREAD]], %[[AT]], %[[SECOND]], %[[SECOND_END]], %[[SECOND]], %{{.*}})
    // NVVM: "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 8192;", "r,~{memory}" %[[BARRIER]] : (i32) -> ()
    cta.mbarrier_arrive %m[%i] expecting 8192 : memref<4xi64, 3>
  }
  // EMULATOR: llvm.getelementptr %{{.*}}[16]
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]], %[[AT]], %[[SECOND]], %[[SECOND_END]], %[[C0]], %{{[0-9]+}})
  // NVVM: "mbarrier.arrive.shared::cta.b64 _, [$0];", "r,~{memory}" %[[BARRIER]] : (i32) -> ()
  cta.mbarrier_arrive %m[%i] : memref<4xi64, 3>

  // The innermost dim's position comes first.
  // EMULATOR: llvm.store %[[GRID]], %[[POSITION:.*]] : i64, !llvm.ptr
  // EMULATOR: llvm.getelementptr %[[POSITION]][1]
  // EMULATOR: llvm.store
  // EMULATOR: llvm.getelementptr %{{.*}}[19]
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]], %[[C0]], %[[POSITION]], %[[PLACE:.*]], %[[C0]], %[[SECOND]], %[[AT]], %{{[0-9]+}})
  // NVVM: "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$3, $4}], [$2];",
  // NVVM-SAME: "r,l,r,r,r,~{memory}" %[[PLACE:.*]], %[[MAP0]], %[[BARRIER]], %[[G:.*]], %[[N:.*]] : (i32, i64, i32, i32, i32) -> ()
  cta.load_tile %t[%n, %g] to %s[%i] signals %m[%i] : memref<4096xf16, 3>, memref<4xi64, 3>
  // EMULATOR: llvm.store %{{.*}}, %[[POSITION:.*]] : i64, !llvm.ptr
  // EMULATOR: llvm.getelementptr %[[POSITION]][1]
  // EMULATOR-NEXT: llvm.store %[[GRID]]
  // EMULATOR: llvm.getelementptr %[[POSITION]][2]
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]], %[[C1]], %[[POSITION]], %[[PLACE]], %[[C0]], %[[SECOND]], %[[AT]], %{{[0-9]+}})
  // NVVM: "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$3, $4, $5}], [$2];",
  // NVVM-SAME: "r,l,r,r,r,r,~{memory}" %[[PLACE]], %[[MAP1]], %[[BARRIER]], %[[I:.*]], %[[G]], %[[N]] :
  cta.load_tile %u[%n, %g, %i] to %s[%i] signals %m[%i] : memref<4096xf16, 3>, memref<4xi64, 3>
  // EMULATOR: llvm.getelementptr %{{.*}}[18]
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]], %[[AT]], %[[SECOND]], %[[SECOND_END]], %{{.*}}, %[[WAIT_TEXT]]) : !llvm.ptr,
  // EMULATOR-SAME: (!llvm.ptr, i64, i64, i64, i32, !llvm.ptr) -> ()
  // NVVM: "{\0A.reg .pred done;\0Aagain:\0Ambarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\0A
  // NVVM-SAME: @done bra ended;\0Abra again;\0Aended:\0A}",
  // NVVM-SAME: "r,r,~{memory}" %[[BARRIER]], %{{.*}} : (i32, i32) -> ()
  cta.mbarrier_wait %m[%i], %parity : memref<4xi64, 3>

  // All that moves sums to their registers comes before the fence. They hold no number at first.
  // NVVM: %[[TIED:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "",
  // NVVM-SAME: "=f,=f,=f,=f,0,1,2,3,~{memory}" %[[NONE]], %[[NONE]], %[[NONE]], %[[NONE]]
  // NVVM: %[[BEGUN0:.*]] = llvm.extractvalue %[[TIED]][0]
  // NVVM: %[[BEGUN3:.*]] = llvm.extractvalue %[[TIED]][3]
  // NVVM-NEXT: "wgmma.fence.sync.aligned;", "~{memory}"
  // EMULATOR: llvm.getelementptr %{{.*}}[24]
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]]) : !llvm.ptr, (!llvm.ptr) -> ()
  %d = cta.shared_address %s[%i] : memref<4096xf16, 3>
  %s0:4 = cta.no_sums : !sum, !sum, !sum, !sum
  %s1:4 = cta.begin_products %s0#0, %s0#1, %s0#2, %s0#3 : !sum, !sum, !sum, !sum -> !sum, !sum, !sum, !sum
  // The emulator's are where sums lie: 8 columns, which are kept if %keeps says so, f16, not transposed.
  // EMULATOR: llvm.store %[[NAN]], %[[SUMS:.*]] : f32, !llvm.ptr
  // EMULATOR: %[[KEEPS:.*]] = arith.extui %{{.*}} : i1 to i32
  // EMULATOR: llvm.getelementptr %{{.*}}[25]
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]], %[[PLACE]], %[[PLACE]], %[[SUMS]], %[[C8]], %[[KEEPS]], %[[NO]], %[[NO]], %{{.*}})
  // EMULATOR: %[[SUM:.*]] = llvm.load %[[SUMS]] : !llvm.ptr -> f32
  // NVVM: %[[KEEPS:.*]] = arith.extui %{{.*}} : i1 to i32
  // NVVM: %[[NEXT:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "{\0A.reg .pred keeps;\0Asetp.ne.b32 keeps, $10, 0;\0A
  // NVVM-SAME: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $8, $9, keeps, 1, 1, 0, 0;\0A}",
  // NVVM-SAME: "=f,=f,=f,=f,0,1,2,3,l,l,r" %[[BEGUN0]], %{{.*}}, %{{.*}}, %[[BEGUN3]], %[[D:.*]], %[[D]], %[[KEEPS]] :
  // NVVM-SAME: (f32, f32, f32, f32, i64, i64, i32) -> !llvm.struct<(f32, f32, f32, f32)>
  // NVVM: %[[NEXT0:.*]] = llvm.extractvalue %[[NEXT]][0]
  %s2:4 = cta.wgmma %d, %d, %s1#0, %s1#1, %s1#2, %s1#3 if %keeps of f16 : !sum, !sum, !sum, !sum
  // EMULATOR: llvm.store %[[SUM]], %[[SUMS:.*]] : f32, !llvm.ptr
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]], %[[PLACE]], %[[PLACE]], %[[SUMS]], %[[C8]], %[[KEEPS]], %[[YES]], %[[YES]], %{{.*}})
  // NVVM: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $8, $9, keeps, 1, 1, 0, 1;\0A}",
  // NVVM-SAME: %[[NEXT0]], %{{.*}}, %{{.*}}, %{{.*}}, %[[D]], %[[D]], %[[KEEPS]] :
  %s3:4 = cta.wgmma %d, %d, %s2#0, %s2#1, %s2#2, %s2#3 if %keeps of bf16 transposed : !sum, !sum, !sum, !sum
  // EMULATOR: llvm.getelementptr %{{.*}}[26]
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]]) : !llvm.ptr, (!llvm.ptr) -> ()
  // NVVM: "wgmma.commit_group.sync.aligned;", "~{memory}"
  cta.commit_products
  // What reads sums behind it reads them behind it.
  // EMULATOR: llvm.getelementptr %{{.*}}[27]
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]], %[[C1]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, i64, !llvm.ptr) -> ()
  // EMULATOR: llvm.getelementptr %{{.*}}[27]
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]], %[[C0]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, i64, !llvm.ptr) -> ()
  // NVVM: %[[WAITED:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.wait_group.sync.aligned 1;",
  // NVVM-SAME: "=f,=f,=f,=f,0,1,2,3,~{memory}"
  // NVVM: %[[WAITED0:.*]] = llvm.extractvalue %[[WAITED]][0]
  // NVVM: %[[ALL:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.wait_group.sync.aligned 0;",
  // NVVM-SAME: "=f,=f,=f,=f,0,1,2,3,~{memory}" %[[WAITED0]]
  // NVVM: %[[ALL0:.*]] = llvm.extractvalue %[[ALL]][0]
  %s4:4 = cta.wait_products 1, %s3#0, %s3#1, %s3#2, %s3#3 : !sum, !sum, !sum, !sum -> !sum, !sum, !sum, !sum
  %s5:4 = cta.wait_products 0, %s4#0, %s4#1, %s4#2, %s4#3 : !sum, !sum, !sum, !sum -> f32, f32, f32, f32
  // NVVM: arith.truncf %[[ALL0]] : f32 to f16
  %half = arith.truncf %s5#0 : f32 to f16
  memref.store %half, %s[%i] : memref<4096xf16, 3>

  // EMULATOR: llvm.getelementptr %{{.*}}[14]
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]]) : !llvm.ptr, (!llvm.ptr) -> ()
  // NVVM: "fence.proxy.async.shared::cta;", "~{memory}"
  cta.fence_async
  // The barrier of number 0 is the block's.
  // EMULATOR: llvm.getelementptr %{{.*}}[12]
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> ()
  // NVVM: %[[GROUP:.*]] = arith.divui %[[THREAD]], %[[THREADS]] : i32
  // NVVM: %[[NUMBER:.*]] = arith.addi %[[GROUP]], %[[ONE]] : i32
  // NVVM: "bar.sync $0, 128;", "r,~{memory}" %[[NUMBER]] : (i32) -> ()
  cta.group_barrier
  // EMULATOR: llvm.store %[[GRID]], %[[POSITION:.*]] : i64, !llvm.ptr
  // EMULATOR: llvm.getelementptr %{{.*}}[21]
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]], %[[C0]], %[[POSITION]], %[[PLACE]], %[[C0]], %[[SECOND]], %[[STORE_TEXT]])
  // NVVM: "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [$1, {$2, $3}], [$0];",
  // NVVM-SAME: "r,l,r,r,~{memory}" %[[PLACE]], %[[MAP0]], %[[G]], %[[N]] : (i32, i64, i32, i32) -> ()
  cta.store_tile %s[%i] to %t[%n, %g] : memref<4096xf16, 3>
  // EMULATOR: llvm.getelementptr %{{.*}}[22]
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]]) : !llvm.ptr, (!llvm.ptr) -> ()
  // NVVM: "cp.async.bulk.commit_group;", "~{memory}"
  cta.commit_stores
  // EMULATOR: llvm.getelementptr %{{.*}}[23]
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]], %[[C1]]) : !llvm.ptr, (!llvm.ptr, i64) -> ()
  // NVVM: "cp.async.bulk.wait_group.read 1;", "~{memory}"
  cta.wait_stores 1
  // EMULATOR: return
  // NVVM: llvm.return
  cta.return
}

// A product where threads have a has four words of it, and always keeps sums.
// EMULATOR-LABEL: func.func private @fragment(
// EMULATOR: llvm.store %{{.*}}, %[[A:.*]] : vector<4xi32>, !llvm.ptr
// EMULATOR: llvm.getelementptr %{{.*}}[28]
// EMULATOR: llvm.call %{{.*}}(%{{.*}}, %[[A]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : !llvm.ptr,
// EMULATOR-SAME: (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, i64, i32, i32, !llvm.ptr) -> ()
// NVVM-LABEL: llvm.func @fragment(
// NVVM: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, keeps, 1, 1, 1;\0A}",
// NVVM-SAME: "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l" %{{.*}} : (f32, f32, f32, f32, i32, i32, i32, i32, i64) ->
cta.kernel @fragment(%tile: index, %d: i64) attributes {threads = 128 : i64, tiles = 1 : i64, gpu = "sm_90a"} {
  %s = cta.shared : memref<4096xf16, 3>
  %i = cta.thread_id
  %a = cta.load_matrices %s[%i] : memref<4096xf16, 3> -> vector<4xi32>
  %a0 = vector.extract %a[0] : i32 from vector<4xi32>
  %a1 = vector.extract %a[1] : i32 from vector<4xi32>
  %a2 = vector.extract %a[2] : i32 from vector<4xi32>
  %a3 = vector.extract %a[3] : i32 from vector<4xi32>
  %s0:4 = cta.no_sums : !sum, !sum, !sum, !sum
  %s1:4 = cta.begin_products %s0#0, %s0#1, %s0#2, %s0#3 : !sum, !sum, !sum, !sum -> !sum, !sum, !sum, !sum
  %s2:4 = cta.wgmma_fragment %a0, %a1, %a2, %a3, %d, %s1#0, %s1#1, %s1#2, %s1#3 of bf16 transposed : !sum, !sum, !sum, !sum
  cta.commit_products
  %s3:4 = cta.wait_products 0, %s2#0, %s2#1, %s2#2, %s2#3 : !sum, !sum, !sum, !sum -> f32, f32, f32, f32
  cta.return
}

// Sixteen words are 128 bytes, behind which maps follow at once; seventeen are more.
// NVVM-LABEL: llvm.func @sixteen_words(
// NVVM: %[[BYTES:.*]] = llvm.mlir.constant(128 : i64) : i64
// NVVM: %[[BASE:.*]] = llvm.ptrtoint
// NVVM: %[[MAP:.*]] = arith.addi %[[BASE]], %[[BYTES]] : i64
// NVVM: "fence.proxy.tensormap::generic.acquire.sys [$0], 128;", "l,~{memory}" %[[MAP]]
cta.kernel @sixteen_words(%tile: index, %x: memref<?xf16>, %a: i64, %b: i64, %c: i64, %d: i64, %e: i64, %f: i64, %g: i64, %h: i64,
                          %i: i64, %j: i64, %n: index) attributes {threads = 32 : i64, tiles = 1 : i64, gpu = "sm_90a"} {
  %t = cta.tensor_map %x[%n] sizes(%n, %n) strides(%n) box [64, 64] : memref<?xf16>
  cta.return
}

// NVVM-LABEL: llvm.func @seventeen_words(
// NVVM: %[[BYTES:.*]] = llvm.mlir.constant(256 : i64) : i64
// NVVM: %[[BASE:.*]] = llvm.ptrtoint
// NVVM: %[[MAP:.*]] = arith.addi %[[BASE]], %[[BYTES]] : i64
// NVVM: "fence.proxy.tensormap::generic.acquire.sys [$0], 128;", "l,~{memory}" %[[MAP]]
cta.kernel @seventeen_words(%tile: index, %x: memref<?xf16>, %a: i64, %b: i64, %c: i64, %d: i64, %e: i64, %f: i64, %g: i64, %h: i64,
                            %i: i64, %j: i64, %k: i64, %n: index) attributes {threads = 32 : i64, tiles = 1 : i64, gpu = "sm_90a"} {
  %t = cta.tensor_map %x[%n] sizes(%n, %n) strides(%n) box [64, 64] : memref<?xf16>
  cta.return
}

// Words that are no vector's become one on the stack.
// EMULATOR-LABEL: func.func private @words(
// EMULATOR: llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr
cta.kernel @words(%n: index, %w: i32, %d: i64) attributes {threads = 128 : i64, tiles = 1 : i64} {
  %s:4 = cta.no_sums : !cta.pending, !cta.pending, !cta.pending, !cta.pending
  %b:4 = cta.begin_products %s#0, %s#1, %s#2, %s#3 : !cta.pending, !cta.pending, !cta.pending, !cta.pending -> !cta.pending, !cta.pending, !cta.pending, !cta.pending
  %p:4 = cta.wgmma_fragment %w, %w, %w, %w, %d, %b#0, %b#1, %b#2, %b#3 of f16 : !cta.pending, !cta.pending, !cta.pending, !cta.pending
  cta.commit_products
  %r:4 = cta.wait_products 0, %p#0, %p#1, %p#2, %p#3 : !cta.pending, !cta.pending, !cta.pending, !cta.pending -> f32, f32, f32, f32
  cta.return
}
