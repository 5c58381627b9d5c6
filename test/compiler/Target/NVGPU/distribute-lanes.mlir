// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-distribute-lanes: each lane of a vector becomes a thread's number.
// RUN: weft-opt --pass-pipeline='builtin.module(cta.kernel(weft-distribute-lanes))' %s | FileCheck %s --implicit-check-not=vector

// Whole vectors and masks: a thread has its lane's element, or none.
// CHECK-LABEL: cta.kernel @copy(
// CHECK-SAME: %{{.*}}: index, %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>, %[[AT:.*]]: index)
cta.kernel @copy(%n: index, %x: memref<?xf32>, %y: memref<?xf32>, %at: index) attributes {threads = 32 : i64, tiles = 1 : i64, warp_vectors} {
  // CHECK: %[[THREAD:.*]] = cta.thread_id
  // CHECK: %[[C32:.*]] = arith.constant 32 : index
  // CHECK: %[[LANE:.*]] = arith.remui %[[THREAD]], %[[C32]]
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]], %[[C0]]
  %ones = arith.constant dense<1.0> : vector<32xf32>
  // CHECK: %[[ONES:.*]] = arith.constant 1.000000e+00 : f32
  // CHECK: %[[PLACE:.*]] = arith.addi %[[AT]], %[[LANE]]
  // CHECK: %[[E:.*]] = memref.load %[[X]][%[[PLACE]]]
  %e = vector.load %x[%at] : memref<?xf32>, vector<32xf32>
  // CHECK: arith.cmpi slt, %[[LANE]], %[[AT]]
  %mask = vector.create_mask %at : vector<32xi1>
  // CHECK: %[[M:.*]] = scf.if {{.*}} -> (f32) {
  // CHECK-NEXT: memref.load
  // CHECK: } else {
  // CHECK-NEXT: scf.yield %[[ONES]]
  %m = vector.maskedload %x[%at], %mask, %ones : memref<?xf32>, vector<32xi1>, vector<32xf32> into vector<32xf32>
  // CHECK: %[[SUM:.*]] = arith.addf %[[E]], %[[M]] : f32
  %s = arith.addf %e, %m : vector<32xf32>
  // CHECK: memref.store %[[SUM]], %[[Y]]
  // CHECK-NOT: cta.warp_barrier
  vector.store %s, %y[%at] : memref<?xf32>, vector<32xf32>
  // CHECK: scf.if
  // CHECK-NEXT: memref.store %[[SUM]], %[[Y]]
  vector.maskedstore %y[%at], %mask, %s : memref<?xf32>, vector<32xi1>, vector<32xf32>
  // What is no vector is stored by one thread.
  // CHECK: scf.if %[[FIRST]]
  // CHECK-NEXT: memref.store %{{.*}}, %[[Y]][%[[AT]]]
  %one = arith.constant 1.0 : f32
  memref.store %one, %y[%at] : memref<?xf32>
  // CHECK: cta.return
  cta.return
}

// Places that each thread computes, and those outside.
// CHECK-LABEL: cta.kernel @gather(
cta.kernel @gather(%n: index, %x: memref<?xi8>, %at: index, %size: index) attributes {threads = 32 : i64, tiles = 1 : i64, warp_vectors} {
  %zeros = arith.constant dense<0> : vector<32xi8>
  // CHECK: %[[LANE:.*]] = arith.remui
  // CHECK: %[[PLACE:.*]] = arith.muli %[[LANE]], %{{.*}} : index
  %steps = vector.step : vector<32xindex>
  %stride = vector.broadcast %size : index to vector<32xindex>
  %places = arith.muli %steps, %stride : vector<32xindex>
  // CHECK: %[[INSIDE:.*]] = arith.cmpi ult
  %inside = arith.cmpi ult, %places, %stride : vector<32xindex>
  // CHECK: arith.addi %{{.*}}, %[[PLACE]]
  // CHECK: scf.if %[[INSIDE]] -> (i8)
  %g = vector.gather %x[%at][%places], %inside, %zeros : memref<?xi8>, vector<32xindex>, vector<32xi1>, vector<32xi8> into vector<32xi8>
  %bits = arith.cmpi ne, %g, %zeros : vector<32xi8>
  // All threads get what all lanes are together.
  // CHECK: cta.shuffle xor %{{.*}}, %{{.*}} : i1
  // CHECK-NEXT: arith.ori
  // CHECK-COUNT-4: cta.shuffle xor
  %any = vector.reduction <or>, %bits : vector<32xi1> into i1
  scf.if %any {
    // CHECK: scf.if
    // CHECK: cta.fail
    // CHECK-NOT: weft.fail
    %c = arith.constant 7 : i64
    weft.fail %c, %c
  }
  cta.return
}

// A sum by halves: lane i of 16 is lane i modulo 16 of all threads.
// CHECK-LABEL: cta.kernel @halves(
cta.kernel @halves(%n: index, %x: memref<?xf32>, %y: memref<?xf32>, %at: index) attributes {threads = 32 : i64, tiles = 1 : i64, warp_vectors} {
  // CHECK: %[[E:.*]] = memref.load
  %e = vector.load %x[%at] : memref<?xf32>, vector<32xf32>
  // CHECK: %[[C16:.*]] = arith.constant 16 : index
  // CHECK: %[[HALF:.*]] = arith.remui %{{.*}}, %[[C16]]
  // CHECK: cta.shuffle from %[[E]]
  %low = vector.extract_strided_slice %e {offsets = [0], sizes = [16], strides = [1]} : vector<32xf32> to vector<16xf32>
  // CHECK: arith.addi %{{.*}}, %{{.*}} : index
  // CHECK: cta.shuffle from %[[E]]
  %high = vector.extract_strided_slice %e {offsets = [16], sizes = [16], strides = [1]} : vector<32xf32> to vector<16xf32>
  %sum = arith.addf %low, %high : vector<16xf32>
  // CHECK: cta.shuffle from
  %first = vector.extract %sum[0] : f32 from vector<16xf32>
  memref.store %first, %y[%at] : memref<?xf32>
  cta.return
}

// Threads wait for each other where the kernel reads what it writes.
// CHECK-LABEL: cta.kernel @in_place(
cta.kernel @in_place(%n: index, %x: memref<?xf32>, %at: index) attributes {threads = 32 : i64, tiles = 1 : i64, warp_vectors} {
  %e = vector.load %x[%at] : memref<?xf32>, vector<32xf32>
  // CHECK: cta.warp_barrier
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: cta.warp_barrier
  vector.store %e, %x[%at] : memref<?xf32>, vector<32xf32>
  %one = arith.constant 1.0 : f32
  // CHECK: cta.warp_barrier
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: }
  // CHECK-NEXT: cta.warp_barrier
  memref.store %one, %x[%at] : memref<?xf32>
  cta.return
}

// A kernel whose threads are what they are stays as it is.
// CHECK-LABEL: cta.kernel @threads(
// CHECK-NEXT: memref.store
cta.kernel @threads(%n: index, %x: memref<?xf32>, %v: f32) attributes {threads = 32 : i64, tiles = 1 : i64} {
  memref.store %v, %x[%n] : memref<?xf32>
  cta.return
}
