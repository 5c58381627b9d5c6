// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every operation of the cta dialect, and every example of its documentation, as text and back.
// RUN: weft-opt %s | weft-opt | FileCheck %s
// RUN: weft-opt --mlir-print-op-generic %s | weft-opt | FileCheck %s

// CHECK-LABEL: cta.kernel @double(
// CHECK-SAME: attributes {threads = 32 : i64, tiles = 1 : i64}
// CHECK: cta.block_id
// CHECK: cta.thread_id
cta.kernel @double(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) attributes {threads = 32 : i64, tiles = 1 : i64} {
  %block = cta.block_id
  %thread = cta.thread_id
  %c32 = arith.constant 32 : index
  %first = arith.muli %block, %c32 : index
  %i = arith.addi %first, %thread : index
  %e = memref.load %x[%i] : memref<?xf32>
  %d = arith.addf %e, %e : f32
  memref.store %d, %y[%i] : memref<?xf32>
  cta.return
}

// CHECK-LABEL: func.func @program
func.func @program() -> !llvm.ptr {
  // CHECK: cta.address @double : !llvm.ptr
  %f = cta.address @double : !llvm.ptr
  return %f : !llvm.ptr
}

// CHECK-LABEL: cta.kernel @together(
// CHECK-SAME: warp_vectors
cta.kernel @together(%n: index, %v: f32, %at: i64) attributes {threads = 64 : i64, tiles = 2 : i64, warp_vectors} {
  // CHECK: cta.shared : memref<64x64xf32, 3>
  %s = cta.shared : memref<64x64xf32, 3>
  // CHECK-NEXT: cta.barrier
  cta.barrier
  // CHECK-NEXT: cta.warp_barrier
  cta.warp_barrier
  %lane = arith.constant 1 : i32
  // CHECK: cta.shuffle xor %{{.*}}, %{{.*}} : f32
  %o = cta.shuffle xor %v, %lane : f32
  // CHECK-NEXT: cta.shuffle from %{{.*}}, %{{.*}} : f32
  %p = cta.shuffle from %o, %lane : f32
  %a = arith.constant dense<0> : vector<4xi32>
  %b = arith.constant dense<0> : vector<2xi32>
  %c = arith.constant dense<0.0> : vector<4xf32>
  %f = arith.constant dense<0> : vector<4xi32>
  // CHECK: cta.mma %{{.*}}, %{{.*}}, %{{.*}} of bf16 : vector<4xi32>, vector<2xi32>, vector<4xf32> -> vector<4xf32>
  // CHECK-NEXT: cta.mma %{{.*}}, %{{.*}}, %{{.*}} of tf32 : vector<4xi32>, vector<2xi32>, vector<4xf32> -> vector<4xf32>
  // CHECK-NEXT: cta.mma %{{.*}}, %{{.*}}, %{{.*}} of i8 : vector<4xi32>, vector<2xi32>, vector<4xi32> -> vector<4xi32>
  %d = cta.mma %a, %b, %c of bf16 : vector<4xi32>, vector<2xi32>, vector<4xf32> -> vector<4xf32>
  %t = cta.mma %a, %b, %c of tf32 : vector<4xi32>, vector<2xi32>, vector<4xf32> -> vector<4xf32>
  %e = cta.mma %a, %b, %f of i8 : vector<4xi32>, vector<2xi32>, vector<4xi32> -> vector<4xi32>
  // CHECK-NEXT: cta.exp2 %{{.*}}
  %y = cta.exp2 %v
  // CHECK-NEXT: cta.pack %{{.*}}, %{{.*}} of bf16
  %w = cta.pack %v, %y of bf16
  // CHECK-NEXT: cta.dot4 %{{.*}}, %{{.*}}, %{{.*}}
  %sum = cta.dot4 %w, %w, %lane
  // CHECK-NEXT: cta.fail
  cta.fail %at, %at
  cta.return
}

// CHECK-LABEL: cta.kernel @copies(
cta.kernel @copies(%n: index, %x: memref<?xf16>, %is_there: i1) attributes {threads = 32 : i64, tiles = 1 : i64} {
  %s = cta.shared : memref<512xf16, 3>
  %i = cta.thread_id
  %j = cta.block_id
  // CHECK: cta.copy %{{.*}}[%{{.*}}] to %{{.*}}[%{{.*}}] if %{{.*}} : memref<?xf16> to memref<512xf16, 3>
  // CHECK-NEXT: cta.commit_copies
  // CHECK-NEXT: cta.wait_copies 0
  // CHECK-NEXT: cta.barrier
  cta.copy %x[%i] to %s[%j] if %is_there : memref<?xf16> to memref<512xf16, 3>
  cta.commit_copies
  cta.wait_copies 0
  cta.barrier
  // CHECK-NEXT: cta.load_matrices %{{.*}}[%{{.*}}] : memref<512xf16, 3> -> vector<4xi32>
  // CHECK-NEXT: cta.load_matrices transposed %{{.*}}[%{{.*}}] : memref<512xf16, 3> -> vector<4xi32>
  %a = cta.load_matrices %s[%i] : memref<512xf16, 3> -> vector<4xi32>
  %b = cta.load_matrices transposed %s[%i] : memref<512xf16, 3> -> vector<4xi32>
  cta.return
}

// CHECK-LABEL: cta.kernel @hopper(
// CHECK-SAME: gpu = "sm_90a"
// CHECK-SAME: persistent
cta.kernel @hopper(%n: index, %x: memref<?xf16>, %is_there: i1, %parity: i32) attributes {threads = 384 : i64, tiles = 1 : i64, gpu = "sm_90a", persistent} {
  // CHECK: cta.shared align 1024 : memref<4096xf16, 3>
  %s = cta.shared align 1024 : memref<4096xf16, 3>
  %m = cta.shared : memref<4xi64, 3>
  %i = cta.thread_id
  // CHECK: cta.grid_size
  %j = cta.grid_size
  %k = cta.block_id
  // CHECK: cta.tensor_map %{{.*}}[%{{.*}}] sizes(%{{.*}}, %{{.*}}) strides(%{{.*}}) box [64, 64] : memref<?xf16>
  %t = cta.tensor_map %x[%j] sizes(%n, %n) strides(%n) box [64, 64] : memref<?xf16>
  // CHECK: cta.mbarrier_init %{{.*}}[%{{.*}}], 2 : memref<4xi64, 3>
  cta.mbarrier_init %m[%k], 2 : memref<4xi64, 3>
  cta.barrier
  // CHECK: cta.set_registers 40{{$}}
  // CHECK-NEXT: cta.set_registers 232 more
  cta.set_registers 40
  cta.set_registers 232 more
  // CHECK-NEXT: cta.elect
  %first = cta.elect
  // CHECK: cta.mbarrier_arrive %{{.*}}[%{{.*}}] expecting 8192 : memref<4xi64, 3>
  cta.mbarrier_arrive %m[%k] expecting 8192 : memref<4xi64, 3>
  // CHECK-NEXT: cta.mbarrier_arrive %{{.*}}[%{{[^ ]*}}] : memref<4xi64, 3>
  cta.mbarrier_arrive %m[%k] : memref<4xi64, 3>
  // CHECK-NEXT: cta.load_tile %{{.*}}[%{{.*}}, %{{.*}}] to %{{.*}}[%{{.*}}] signals %{{.*}}[%{{.*}}] : memref<4096xf16, 3>, memref<4xi64, 3>
  cta.load_tile %t[%j, %j] to %s[%i] signals %m[%k] : memref<4096xf16, 3>, memref<4xi64, 3>
  // CHECK-NEXT: cta.mbarrier_wait %{{.*}}[%{{.*}}], %{{.*}} : memref<4xi64, 3>
  cta.mbarrier_wait %m[%k], %parity : memref<4xi64, 3>
  // CHECK-NEXT: cta.shared_address %{{.*}}[%{{.*}}] : memref<4096xf16, 3>
  %d = cta.shared_address %s[%i] : memref<4096xf16, 3>
  // CHECK-NEXT: cta.no_sums
  // CHECK-NEXT: cta.begin_products
  // CHECK-NEXT: cta.wgmma %{{.*}}, %{{.*}}, %{{.*}} if %{{.*}} of f16 :
  // CHECK-NEXT: cta.commit_products
  // CHECK-NEXT: cta.wait_products 0, %{{.*}} -> f32, f32, f32, f32
  %s0:4 = cta.no_sums : !cta.pending, !cta.pending, !cta.pending, !cta.pending
  %s1:4 = cta.begin_products %s0#0, %s0#1, %s0#2, %s0#3 : !cta.pending, !cta.pending, !cta.pending, !cta.pending -> !cta.pending, !cta.pending, !cta.pending, !cta.pending
  %s2:4 = cta.wgmma %d, %d, %s1#0, %s1#1, %s1#2, %s1#3 if %is_there of f16 : !cta.pending, !cta.pending, !cta.pending, !cta.pending
  cta.commit_products
  %s3:4 = cta.wait_products 0, %s2#0, %s2#1, %s2#2, %s2#3 : !cta.pending, !cta.pending, !cta.pending, !cta.pending -> f32, f32, f32, f32
  %w = arith.constant 0 : i32
  // CHECK: cta.wgmma_fragment %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} of f16 transposed :
  %s4:4 = cta.wgmma_fragment %w, %w, %w, %w, %d, %s1#0, %s1#1, %s1#2, %s1#3 of f16 transposed : !cta.pending, !cta.pending, !cta.pending, !cta.pending
  // CHECK-NEXT: cta.fence_async
  cta.fence_async
  // CHECK-NEXT: cta.group_barrier
  cta.group_barrier
  // CHECK-NEXT: cta.store_tile %{{.*}}[%{{.*}}] to %{{.*}}[%{{.*}}, %{{.*}}] : memref<4096xf16, 3>
  // CHECK-NEXT: cta.commit_stores
  // CHECK-NEXT: cta.wait_stores 0
  cta.store_tile %s[%i] to %t[%j, %j] : memref<4096xf16, 3>
  cta.commit_stores
  cta.wait_stores 0
  cta.return
}

// CHECK-LABEL: cta.kernel @cluster(
// CHECK-SAME: cluster = 2
cta.kernel @cluster(%n: index, %x: memref<?xf16>) attributes {threads = 384 : i64, tiles = 1 : i64, gpu = "sm_90a", persistent, cluster = 2 : i64} {
  %s = cta.shared align 1024 : memref<4096xf16, 3>
  %m = cta.shared : memref<4xi64, 3>
  %i = cta.thread_id
  %j = cta.block_id
  %k = cta.block_id
  %t = cta.tensor_map %x[%n] sizes(%n, %n) strides(%n) box [64, 64] : memref<?xf16>
  // CHECK: cta.cluster_barrier
  cta.cluster_barrier
  // CHECK-NEXT: cta.mbarrier_arrive %{{.*}}[%{{.*}}] expecting 8192
  // CHECK-NEXT: cta.mbarrier_arrive %{{.*}}[%{{.*}}] of block %{{.*}} : memref<4xi64, 3>
  cta.mbarrier_arrive %m[%k] expecting 8192 : memref<4xi64, 3>
  cta.mbarrier_arrive %m[%k] of block %j : memref<4xi64, 3>
  // CHECK-NEXT: cta.load_tile {{.*}} signals %{{.*}}[%{{[^ ]*}}] : memref<4096xf16, 3>, memref<4xi64, 3>
  // CHECK-NEXT: cta.load_tile {{.*}} signals %{{.*}}[%{{.*}}] to_cluster : memref<4096xf16, 3>, memref<4xi64, 3>
  cta.load_tile %t[%j, %j] to %s[%i] signals %m[%k] : memref<4096xf16, 3>, memref<4xi64, 3>
  cta.load_tile %t[%j, %j] to %s[%i] signals %m[%k] to_cluster : memref<4096xf16, 3>, memref<4xi64, 3>
  cta.return
}
