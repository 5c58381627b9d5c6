// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-distribute-lanes with a piece: a thread has lanes side by side, and moves them at once where they begin at
// multiples of their size.
// RUN: weft-opt --pass-pipeline='builtin.module(cta.kernel(weft-distribute-lanes))' %s | FileCheck %s '--implicit-check-not=vector<128x' '--implicit-check-not=vector<256x'

// Rows of 512 begin at multiples of 4: a thread loads its four lanes at once.
// CHECK-LABEL: cta.kernel @copy(
// CHECK-SAME: %{{.*}}: index, %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>, %[[ROW:.*]]: index)
cta.kernel @copy(%n: index, %x: memref<?xf32>, %y: memref<?xf32>, %row: index) attributes {threads = 32 : i64, tiles = 1 : i64, warp_vectors, piece = 4 : i64} {
  // CHECK: %[[LANE:.*]] = arith.remui
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  // CHECK: %[[AT:.*]] = arith.muli %[[ROW]], %{{.*}}
  %at = arith.muli %row, %c512 : index
  // CHECK: scf.for %[[COLUMN:.*]] =
  scf.for %column = %c0 to %c512 step %c128 {
    // CHECK: %[[PLACE:.*]] = arith.addi %[[AT]], %[[COLUMN]]
    %place = arith.addi %at, %column : index
    // CHECK: %[[C4:.*]] = arith.constant 4 : index
    // CHECK: %[[FIRST:.*]] = arith.muli %[[LANE]], %[[C4]]
    // CHECK: %[[MINE:.*]] = arith.addi %[[PLACE]], %[[FIRST]]
    // CHECK: vector.load %[[X]][%[[MINE]]] {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
    %e = vector.load %x[%place] : memref<?xf32>, vector<128xf32>
    // CHECK: vector.store %{{.*}}, %[[Y]][%{{.*}}] {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
    vector.store %e, %y[%place] : memref<?xf32>, vector<128xf32>
  }
  cta.return
}

// Where rows begin is not known: one by one, but the same lanes.
// CHECK-LABEL: cta.kernel @unknown(
cta.kernel @unknown(%n: index, %x: memref<?xf32>, %y: memref<?xf32>, %at: index) attributes {threads = 32 : i64, tiles = 1 : i64, warp_vectors, piece = 4 : i64} {
  // CHECK-NOT: vector.load
  // CHECK-COUNT-4: memref.load
  %e = vector.load %x[%at] : memref<?xf32>, vector<128xf32>
  // CHECK-COUNT-4: memref.store
  vector.store %e, %y[%at] : memref<?xf32>, vector<128xf32>
  cta.return
}

// Lanes that are there in fours are asked for once; others each.
// CHECK-LABEL: cta.kernel @masked(
// CHECK-SAME: %{{.*}}: index, %[[X:[a-z0-9]+]]: memref<?xf32>
cta.kernel @masked(%count: index, %x: memref<?xf32>, %y: memref<?xf32>) attributes {threads = 32 : i64, tiles = 1 : i64, warp_vectors, piece = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : vector<128xf32>
  %fours = arith.muli %count, %c4 : index
  %mask = vector.create_mask %fours : vector<128xi1>
  // CHECK: scf.if
  // CHECK: vector.load %[[X]][%{{.*}}] {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
  // CHECK-NOT: memref.load
  %e = vector.maskedload %x[%c0], %mask, %zero : memref<?xf32>, vector<128xi1>, vector<128xf32> into vector<128xf32>
  // CHECK-COUNT-4: memref.store
  %any = vector.create_mask %count : vector<128xi1>
  vector.maskedstore %y[%c0], %any, %e : memref<?xf32>, vector<128xi1>, vector<128xf32>
  cta.return
}

// Sixteen bytes at most at once; a lane in the second piece of thread 1; neighbours; a piece of all threads.
// CHECK-LABEL: cta.kernel @lanes(
cta.kernel @lanes(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) attributes {threads = 32 : i64, tiles = 1 : i64, warp_vectors, piece = 8 : i64} {
  %c0 = arith.constant 0 : index
  // CHECK: vector.load {{.*}} vector<4xf32>
  // CHECK: vector.load {{.*}} vector<4xf32>
  // CHECK: vector.load {{.*}} vector<4xf32>
  // CHECK: vector.load {{.*}} vector<4xf32>
  // CHECK: %[[E:.*]] = vector.from_elements {{.*}} : vector<16xf32>
  %e = vector.load %x[%c0] : memref<?xf32>, vector<512xf32>
  // CHECK: %[[IT:.*]] = vector.extract %[[E]][11]
  // CHECK: %[[C1:.*]] = arith.constant 1 : index
  // CHECK: %[[FROM:.*]] = arith.index_cast %[[C1]]
  // CHECK: cta.shuffle from %[[IT]], %[[FROM]]
  %one = vector.extract %e[267] : f32 from vector<512xf32>
  // CHECK: %[[E8:.*]] = vector.extract %[[E]][8]
  %second = vector.extract_strided_slice %e {offsets = [256], sizes = [256], strides = [1]} : vector<512xf32> to vector<256xf32>
  // CHECK: %[[S:.*]] = vector.from_elements %[[E8]], {{.*}} : vector<8xf32>
  // CHECK: %[[S1:.*]] = vector.extract %[[S]][1]
  // CHECK: %[[S3:.*]] = vector.extract %[[S]][3]
  // CHECK: vector.from_elements %[[S1]], %[[S3]], {{.*}} : vector<4xf32>
  %even, %odd = vector.deinterleave %second : vector<256xf32> -> vector<128xf32>
  // CHECK: cta.shuffle from
  %two = vector.extract %odd[0] : f32 from vector<128xf32>
  %sum = arith.addf %one, %two : f32
  memref.store %sum, %y[%c0] : memref<?xf32>
  cta.return
}

// Of a mask that a loop carries nothing is known.
// CHECK-LABEL: cta.kernel @carried(
cta.kernel @carried(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) attributes {threads = 32 : i64, tiles = 1 : i64, warp_vectors, piece = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = vector.load %x[%c0] : memref<?xf32>, vector<128xf32>
  %first = vector.create_mask %n : vector<128xi1>
  // CHECK: scf.for
  // CHECK-COUNT-4: memref.store
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%mask = %first) -> vector<128xi1> {
    vector.maskedstore %y[%c0], %mask, %e : memref<?xf32>, vector<128xi1>, vector<128xf32>
    scf.yield %mask : vector<128xi1>
  }
  cta.return
}
