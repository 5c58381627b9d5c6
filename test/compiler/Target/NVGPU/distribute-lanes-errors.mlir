// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What has no form for the threads of a warp.
// RUN: weft-opt --pass-pipeline='builtin.module(cta.kernel(weft-distribute-lanes))' -split-input-file -verify-diagnostics %s

cta.kernel @wide(%n: index, %x: memref<?xf32>) attributes {threads = 32 : i64, tiles = 1 : i64, warp_vectors} {
  // expected-error @below {{expects vectors whose lanes divide 32 or are several times that, got 'vector<48xf32>'}}
  %e = vector.load %x[%n] : memref<?xf32>, vector<48xf32>
  cta.return
}

// -----

cta.kernel @narrow(%n: index, %x: memref<?xf32>) attributes {threads = 32 : i64, tiles = 1 : i64, warp_vectors} {
  %e = arith.constant dense<1.0> : vector<16xf32>
  // expected-error @below {{expects vectors of 32 lanes or several times that, got 'vector<16xf32>'}}
  vector.store %e, %x[%n] : memref<?xf32>, vector<16xf32>
  cta.return
}

// -----

cta.kernel @lanes_differ(%n: index) attributes {threads = 32 : i64, tiles = 1 : i64, warp_vectors} {
  // expected-error @below {{expects constants that are the same in all lanes}}
  %e = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
  cta.return
}

// -----

cta.kernel @floats(%n: index, %x: memref<?xf32>) attributes {threads = 32 : i64, tiles = 1 : i64, warp_vectors} {
  %e = vector.load %x[%n] : memref<?xf32>, vector<32xf32>
  // expected-error @below {{expects a reduction of integers alone}}
  %s = vector.reduction <add>, %e : vector<32xf32> into f32
  cta.return
}

// -----

cta.kernel @shuffled(%n: index) attributes {threads = 32 : i64, tiles = 1 : i64, warp_vectors} {
  %e = arith.constant dense<1.0> : vector<2xf32>
  // expected-error @below {{vector.shuffle has no form for the threads of a warp}}
  %s = vector.shuffle %e, %e [1, 0] : vector<2xf32>, vector<2xf32>
  cta.return
}
