// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two lowerings of the cta dialect: to calls of the emulator, and to the nvvm dialect.
// RUN: weft-opt --weft-lower-cta-to-emulator %s | FileCheck %s --check-prefix=EMULATOR --implicit-check-not="= cta." --implicit-check-not="  cta."
// RUN: weft-opt --weft-lower-cta-to-nvvm %s | FileCheck %s --check-prefix=NVVM --implicit-check-not="= cta." --implicit-check-not="  cta."

// A program names a kernel: the emulator calls it, a device finds it.
// EMULATOR-LABEL: func.func @program
// EMULATOR: %[[F:.*]] = constant @sum : (!llvm.ptr, !llvm.ptr) -> ()
// EMULATOR: builtin.unrealized_conversion_cast %[[F]]
// NVVM-LABEL: func.func @program
// NVVM: llvm.mlir.zero : !llvm.ptr
func.func @program() -> !llvm.ptr {
  %f = cta.address @sum : !llvm.ptr
  return %f : !llvm.ptr
}

// EMULATOR-LABEL: func.func private @sum(
// EMULATOR-SAME: %[[THREAD:.*]]: !llvm.ptr, %[[WORDS:.*]]: !llvm.ptr)
// EMULATOR: %[[AT1:.*]] = llvm.getelementptr %[[WORDS]][1]
// EMULATOR: %[[WORD1:.*]] = llvm.load %[[AT1]] : !llvm.ptr -> i64
// EMULATOR: llvm.inttoptr %[[WORD1]] : i64 to !llvm.ptr
// Blocks behind the last tile return: two tiles are this block's.
// EMULATOR: %[[FIRST:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// EMULATOR: %[[BEHIND:.*]] = arith.cmpi uge, %[[FIRST]], %{{.*}} : index
// EMULATOR: cf.cond_br %[[BEHIND]], ^[[RETURN:.*]], ^

// NVVM-LABEL: module @device
// NVVM: llvm.mlir.global external @weft_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// NVVM: llvm.func @sum(
// NVVM-SAME: %[[WORDS:[^:]*]]: !llvm.ptr<1>)
// NVVM-SAME: nvvm.kernel, nvvm.minctasm = 4 : i32, nvvm.reqntid = array<i32: 64>
// Two words are the runtime's, then come the arguments': n, where x is, its size, v.
// NVVM: %[[AT2:.*]] = llvm.getelementptr %[[WORDS]][2]
// NVVM: llvm.load %[[AT2]] invariant : !llvm.ptr<1> -> i64
// NVVM: %[[AT3:.*]] = llvm.getelementptr %[[WORDS]][3]
// NVVM: %[[X:.*]] = llvm.load %[[AT3]] invariant : !llvm.ptr<1> -> !llvm.ptr<1>
// NVVM: llvm.addrspacecast %[[X]] : !llvm.ptr<1> to !llvm.ptr
// NVVM: llvm.getelementptr %[[WORDS]][5]
// NVVM: nvvm.read.ptx.sreg.ctaid.x : i32
// NVVM: %[[FIRST:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// NVVM: %[[BEHIND:.*]] = arith.cmpi uge, %[[FIRST]], %{{.*}} : index
// NVVM: cf.cond_br %[[BEHIND]], ^[[RETURN:.*]], ^
cta.kernel @sum(%n: index, %x: memref<?xf64>, %v: f32, %h: memref<?xf16>, %there: i1) attributes {threads = 64 : i64, blocks_per_processor = 4 : i64, tiles = 2 : i64} {
  // The second begins behind the first, at the next multiple of 128 bytes.
  // EMULATOR: %[[SHARED_AT:.*]] = llvm.getelementptr %[[THREAD]][3]
  // EMULATOR: %[[SHARED:.*]] = llvm.load %[[SHARED_AT]]
  // EMULATOR: llvm.getelementptr %{{.*}}[128] : (!llvm.ptr) -> !llvm.ptr, i8
  // NVVM: llvm.mlir.addressof @weft_shared : !llvm.ptr<3>
  // NVVM: llvm.getelementptr %{{.*}}[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %a = cta.shared : memref<4xf32, 3>
  %b = cta.shared : memref<4x8xf32, 3>
  // EMULATOR: llvm.getelementptr %[[THREAD]][1]
  // NVVM: nvvm.read.ptx.sreg.tid.x : i32
  %thread = cta.thread_id
  // EMULATOR: llvm.getelementptr %[[THREAD]][2]
  // NVVM: nvvm.read.ptx.sreg.ctaid.x : i32
  %block = cta.block_id
  // An access is reported first: where, how much, of which buffer, by which operation.
  // EMULATOR: %[[TEXT:.*]] = llvm.mlir.addressof @weft_text_
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]], %{{.*}}, %[[TEXT]]) : !llvm.ptr, (!llvm.ptr, i64, i64, i64, i64, i32, !llvm.ptr) -> ()
  // EMULATOR-NEXT: memref.store
  memref.store %v, %b[%block, %thread] : memref<4x8xf32, 3>
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> ()
  // NVVM: nvvm.barrier0
  cta.barrier
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> ()
  // NVVM: nvvm.bar.warp.sync
  cta.warp_barrier
  // Memory of the device is not the emulator's to watch.
  // EMULATOR-NEXT: memref.load
  %e = memref.load %x[%thread] : memref<?xf64>
  %lane = arith.constant 1 : i32
  // EMULATOR: arith.xori
  // EMULATOR: llvm.call {{.*}} (!llvm.ptr, i64, i32, !llvm.ptr) -> i64
  // 64 bits are two words.
  // NVVM: nvvm.shfl.sync bfly
  // NVVM: nvvm.shfl.sync bfly
  %o = cta.shuffle xor %e, %lane : f64
  // NVVM: nvvm.shfl.sync idx
  // NVVM-NOT: nvvm.shfl.sync
  %p = cta.shuffle from %v, %lane : f32
  %l = arith.constant dense<1> : vector<4xi32>
  %r = arith.constant dense<2> : vector<2xi32>
  %z = arith.constant dense<0.0> : vector<4xf32>
  // Fragments are passed where they lie, and the sums come back there.
  // EMULATOR: llvm.store %{{.*}}, %[[SUMS:.*]] : vector<4xf32>, !llvm.ptr
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]], %{{.*}}, %{{.*}}, %[[SUMS]], %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32, !llvm.ptr) -> ()
  // EMULATOR: llvm.load %[[SUMS]] : !llvm.ptr -> vector<4xf32>
  // NVVM: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {{.*}} : (i32, i32, f32)
  %d = cta.mma %l, %r, %z of bf16 : vector<4xi32>, vector<2xi32>, vector<4xf32> -> vector<4xf32>
  // NVVM: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {{.*}} : (vector<2xf16>, vector<2xf16>, f32)
  %g = cta.mma %l, %r, %d of f16 : vector<4xi32>, vector<2xi32>, vector<4xf32> -> vector<4xf32>
  // EMULATOR: llvm.mlir.constant(3 : i32)
  // NVVM-COUNT-6: llvm.nvvm.f2tf32.rna
  // NVVM: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (i32, i32, f32)
  %words = cta.mma %l, %r, %g of tf32 : vector<4xi32>, vector<2xi32>, vector<4xf32> -> vector<4xf32>
  %i = arith.constant dense<0> : vector<4xi32>
  // EMULATOR: llvm.mlir.constant(2 : i32)
  // NVVM: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, {{.*}}multiplicandAPtxType = #nvvm.mma_type<u8>, multiplicandBPtxType = #nvvm.mma_type<s8>, shape = #nvvm.shape<m = 16, n = 8, k = 32>} : (i32, i32, i32)
  %q = cta.mma %l, %r, %i of i8 : vector<4xi32>, vector<2xi32>, vector<4xi32> -> vector<4xi32>
  %number = vector.extract %q[0] : i32 from vector<4xi32>
  %bits = arith.bitcast %number : i32 to f32
  memref.store %bits, %a[%thread] : memref<4xf32, 3>
  %first = vector.extract %words[0] : f32 from vector<4xf32>
  memref.store %first, %a[%thread] : memref<4xf32, 3>
  %halves = cta.shared : memref<512xf16, 3>
  // Null is what is not there: zeros. On a device it has no bytes.
  // EMULATOR: %[[FROM:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i64
  // EMULATOR: %[[SOURCE:.*]] = llvm.inttoptr %[[FROM]] : i64 to !llvm.ptr
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]], %[[SOURCE]], {{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, i64, i64, i64, !llvm.ptr) -> ()
  // NVVM: llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<1>
  // NVVM: llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<3>
  // NVVM: %[[BYTES:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
  // NVVM: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %[[BYTES]]
  cta.copy %h[%block] to %halves[%thread] if %there : memref<?xf16> to memref<512xf16, 3>
  // EMULATOR: llvm.getelementptr %{{.*}}[8]
  // NVVM: nvvm.cp.async.commit.group
  cta.commit_copies
  // EMULATOR: llvm.getelementptr %{{.*}}[9]
  // NVVM: nvvm.cp.async.wait.group 2
  cta.wait_copies 2
  // EMULATOR: llvm.call %{{.*}}(%[[THREAD]], {{.*}}) : !llvm.ptr, (!llvm.ptr, i64, i64, i64, i32, !llvm.ptr, !llvm.ptr) -> ()
  // NVVM: nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32, shape = {{.*}}} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
  %m = cta.load_matrices %halves[%thread] : memref<512xf16, 3> -> vector<4xi32>
  // NVVM: nvvm.ldmatrix %{{.*}} {{.*}} layout = #nvvm.mma_layout<col>
  %t = cta.load_matrices transposed %halves[%thread] : memref<512xf16, 3> -> vector<4xi32>
  %bound = arith.constant 5 : i64
  // EMULATOR: llvm.call {{.*}} (!llvm.ptr, i64, i64) -> ()
  // The first to report is the one that counts.
  // NVVM: %[[AT0:.*]] = llvm.getelementptr %[[WORDS]][0]
  // NVVM: %[[FAILURE:.*]] = llvm.load %[[AT0]] invariant
  // NVVM: llvm.cmpxchg %[[FAILURE]]
  // NVVM: scf.if
  // NVVM: llvm.getelementptr %[[WORDS]][1]
  // NVVM: llvm.getelementptr %[[FAILURE]][1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  // NVVM: llvm.getelementptr %[[FAILURE]][1]
  // NVVM: llvm.getelementptr %[[FAILURE]][2]
  cta.fail %bound, %bound
  memref.store %o, %x[%thread] : memref<?xf64>
  memref.store %p, %a[%thread] : memref<4xf32, 3>
  // EMULATOR: return
  // NVVM: llvm.return
  cta.return
}

// What tensor cores' operands are made of.
// EMULATOR-LABEL: func.func private @halves(
// EMULATOR: llvm.call %{{.*}}(%{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, f32) -> f32
// EMULATOR: arith.truncf %{{.*}} : f32 to bf16
// EMULATOR: arith.shli
// NVVM: llvm.func @halves(
// NVVM: %[[Y:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%[[X:.*]]) : (f32) -> f32
// NVVM: %[[PAIR:.*]] = llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%[[Y]], %[[X]]) : (f32, f32) -> vector<2xbf16>
// NVVM: llvm.bitcast %[[PAIR]] : vector<2xbf16> to i32
// NVVM: llvm.call_intrinsic "llvm.nvvm.ff2f16x2.rn"(%[[X]], %[[Y]]) : (f32, f32) -> vector<2xf16>
// EMULATOR: %[[LEFT:.*]] = arith.extui %{{.*}} : vector<4xi8> to vector<4xi32>
// EMULATOR: %[[RIGHT:.*]] = arith.extsi %{{.*}} : vector<4xi8> to vector<4xi32>
// EMULATOR: arith.muli %[[LEFT]], %[[RIGHT]]
// EMULATOR: vector.reduction <add>
// NVVM: llvm.call_intrinsic "llvm.nvvm.idp4a.u.s"(%{{.*}}, %{{.*}}, %{{.*}}) : (i32, i32, i32) -> i32
cta.kernel @halves(%n: index, %x: f32, %out: memref<?xi32>) attributes {threads = 32 : i64, tiles = 1 : i64} {
  %y = cta.exp2 %x
  %a = cta.pack %x, %y of bf16
  %b = cta.pack %y, %x of f16
  %c = arith.addi %a, %b : i32
  %d = cta.dot4 %a, %b, %c
  memref.store %d, %out[%n] : memref<?xi32>
  cta.return
}
