// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-distribute-lanes on vectors of several warps: a thread has an element of each, 32 lanes apart.
// RUN: weft-opt --pass-pipeline='builtin.module(cta.kernel(weft-distribute-lanes))' %s | FileCheck %s '--implicit-check-not=vector<64x' '--implicit-check-not=vector<128x'

// All loads come before the first store.
// CHECK-LABEL: cta.kernel @copy(
// CHECK-SAME: %{{.*}}: index, %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>, %[[AT:.*]]: index)
cta.kernel @copy(%n: index, %x: memref<?xf32>, %y: memref<?xf32>, %at: index) attributes {threads = 32 : i64, tiles = 1 : i64, warp_vectors} {
  // CHECK: %[[LANE:.*]] = arith.remui
  // CHECK: %[[ONES:.*]] = arith.constant dense<1.000000e+00> : vector<2xf32>
  %ones = arith.constant dense<1.0> : vector<64xf32>
  // CHECK: %[[FIRST:.*]] = arith.addi %[[AT]], %[[LANE]]
  // CHECK: %[[A:.*]] = memref.load %[[X]][%[[FIRST]]]
  // CHECK: %[[C32:.*]] = arith.constant 32 : index
  // CHECK: %[[FURTHER:.*]] = arith.addi %[[LANE]], %[[C32]]
  // CHECK: %[[SECOND:.*]] = arith.addi %[[AT]], %[[FURTHER]]
  // CHECK: %[[B:.*]] = memref.load %[[X]][%[[SECOND]]]
  // CHECK: %[[E:.*]] = vector.from_elements %[[A]], %[[B]] : vector<2xf32>
  %e = vector.load %x[%at] : memref<?xf32>, vector<64xf32>
  // CHECK: arith.cmpi slt, %[[LANE]], %[[AT]]
  // CHECK: arith.cmpi slt, %{{.*}}, %[[AT]]
  // CHECK: %[[MASK:.*]] = vector.from_elements %{{.*}}, %{{.*}} : vector<2xi1>
  %mask = vector.create_mask %at : vector<64xi1>
  // CHECK: %[[SUM:.*]] = arith.addf %[[E]], %[[ONES]] : vector<2xf32>
  %sum = arith.addf %e, %ones : vector<64xf32>
  // CHECK: %[[V0:.*]] = vector.extract %[[SUM]][0]
  // CHECK: %[[M0:.*]] = vector.extract %[[MASK]][0]
  // CHECK: scf.if %[[M0]] {
  // CHECK-NEXT: memref.store %[[V0]], %[[Y]]
  // CHECK: %[[V1:.*]] = vector.extract %[[SUM]][1]
  // CHECK: scf.if
  // CHECK-NEXT: memref.store %[[V1]], %[[Y]]
  vector.maskedstore %y[%at], %mask, %sum : memref<?xf32>, vector<64xi1>, vector<64xf32>
  cta.return
}

// Halves of whole warps are elements of all threads; a lane is one thread's.
// CHECK-LABEL: cta.kernel @halves(
cta.kernel @halves(%n: index, %x: memref<?xf32>, %y: memref<?xf32>, %at: index) attributes {threads = 32 : i64, tiles = 1 : i64, warp_vectors} {
  // CHECK: %[[E:.*]] = vector.from_elements {{.*}} : vector<4xf32>
  %e = vector.load %x[%at] : memref<?xf32>, vector<128xf32>
  // CHECK: %[[E0:.*]] = vector.extract %[[E]][0]
  // CHECK: %[[E1:.*]] = vector.extract %[[E]][1]
  // CHECK: %[[LOW:.*]] = vector.from_elements %[[E0]], %[[E1]] : vector<2xf32>
  %low = vector.extract_strided_slice %e {offsets = [0], sizes = [64], strides = [1]} : vector<128xf32> to vector<64xf32>
  // CHECK: %[[E2:.*]] = vector.extract %[[E]][2]
  // CHECK: %[[E3:.*]] = vector.extract %[[E]][3]
  // CHECK: vector.from_elements %[[E2]], %[[E3]] : vector<2xf32>
  %high = vector.extract_strided_slice %e {offsets = [64], sizes = [64], strides = [1]} : vector<128xf32> to vector<64xf32>
  // CHECK: %[[SUM:.*]] = arith.addf {{.*}} : vector<2xf32>
  %sum = arith.addf %low, %high : vector<64xf32>
  // CHECK: %[[S1:.*]] = vector.extract %[[SUM]][1]
  // CHECK: %[[C8:.*]] = arith.constant 8 : index
  // CHECK: %[[FROM:.*]] = arith.index_cast %[[C8]] : index to i32
  // CHECK: cta.shuffle from %[[S1]], %[[FROM]]
  %one = vector.extract %sum[40] : f32 from vector<64xf32>
  memref.store %one, %y[%at] : memref<?xf32>
  cta.return
}

// A reduction begins with each thread's own elements.
// CHECK-LABEL: cta.kernel @reduction(
cta.kernel @reduction(%n: index, %x: memref<?xi32>, %y: memref<?xi32>, %at: index) attributes {threads = 32 : i64, tiles = 1 : i64, warp_vectors} {
  // CHECK: %[[E:.*]] = vector.from_elements {{.*}} : vector<2xi32>
  %e = vector.load %x[%at] : memref<?xi32>, vector<64xi32>
  // CHECK: %[[E0:.*]] = vector.extract %[[E]][0]
  // CHECK: %[[E1:.*]] = vector.extract %[[E]][1]
  // CHECK: %[[OWN:.*]] = arith.addi %[[E0]], %[[E1]] : i32
  // CHECK: cta.shuffle xor %[[OWN]]
  %sum = vector.reduction <add>, %e : vector<64xi32> into i32
  memref.store %sum, %y[%at] : memref<?xi32>
  cta.return
}
