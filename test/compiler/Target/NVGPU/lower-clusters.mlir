// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What blocks of a cluster do: to calls of the emulator, and to PTX.
// RUN: weft-opt --weft-lower-cta-to-emulator --canonicalize --cse %s | FileCheck %s --check-prefix=EMULATOR
// RUN: weft-opt --weft-lower-cta-to-nvvm --canonicalize --cse %s | FileCheck %s --check-prefix=NVVM --implicit-check-not=cta.

// What is launched is whole ones, of which all blocks stay or all leave.
// EMULATOR-LABEL: func.func private @cluster(
// EMULATOR: %[[FIRST_BLOCK:.*]] = arith.andi %{{.*}}, %{{.*}} : index
// EMULATOR: arith.cmpi uge, %[[FIRST_BLOCK]], %{{.*}} : index
// NVVM-LABEL: llvm.func @cluster(
// NVVM-SAME: nvvm.cluster_dim = array<i32: 2>
// NVVM: %[[FIRST_BLOCK:.*]] = arith.andi %{{.*}}, %{{.*}} : index
// NVVM: arith.cmpi uge, %[[FIRST_BLOCK]], %{{.*}} : index
cta.kernel @cluster(%n: index, %x: memref<?xf16>) attributes {threads = 128 : i64, tiles = 1 : i64, gpu = "sm_90a", persistent, cluster = 2 : i64} {
  %s = cta.shared align 1024 : memref<4096xf16, 3>
  %m = cta.shared : memref<4xi64, 3>
  %i = cta.block_id
  %t = cta.tensor_map %x[%n] sizes(%n, %n) strides(%n) box [64, 64] : memref<?xf16>
  // EMULATOR: llvm.getelementptr %{{.*}}[13]
  // EMULATOR: llvm.call %{{.*}}(%{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> ()
  // NVVM: "barrier.cluster.arrive.release;\0Abarrier.cluster.wait.acquire;", "~{memory}"
  cta.cluster_barrier
  // EMULATOR: llvm.getelementptr %{{.*}}[17]
  // NVVM: "{\0A.reg .b32 there;\0Amapa.shared::cluster.u32 there, $0, $1;\0A
  // NVVM-SAME: mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\0A}", "r,r,~{memory}"
  cta.mbarrier_arrive %m[%i] of block %i : memref<4xi64, 3>
  // EMULATOR: llvm.getelementptr %{{.*}}[20]
  // NVVM: "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [$0], [$1, {$3, $4}], [$2], $5;",
  // NVVM-SAME: "r,l,r,r,r,h,~{memory}"
  cta.load_tile %t[%n, %n] to %s[%i] signals %m[%i] to_cluster : memref<4096xf16, 3>, memref<4xi64, 3>
  cta.return
}
