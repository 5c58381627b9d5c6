// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a processor can do: a loop of fused multiply-adds that never leaves the registers.
#ifndef WEFT_BENCHMARKS_MACHINE_H
#define WEFT_BENCHMARKS_MACHINE_H

#ifdef __AVX512F__
constexpr int kLanes = 16;
#else
constexpr int kLanes = 8;
#endif
typedef float Vector __attribute__((vector_size(kLanes * sizeof(float))));

constexpr int kChains = 12; // more than any processor's latency needs

/// Floating-point operations of so many turns.
inline double countOperations(int turns) { return 2.0 * kLanes * kChains * turns; }

/// A turn is one fused multiply-add of a vector in each chain.
inline void multiplyAdd(int turns) {
  Vector sums[kChains], factor = Vector{} + 0.999999f;
#pragma GCC unroll 12
  for (Vector &sum : sums) {
    sum = Vector{} + 1.0f;
    asm volatile("" : "+v"(sum)); // or the chains would be one
  }
  for (int turn = 0; turn < turns; ++turn) {
    asm volatile("" : "+v"(factor)); // so that the turns are not folded
#pragma GCC unroll 12
    for (Vector &sum : sums)
      sum = sum * factor + factor;
  }
#pragma GCC unroll 12
  for (Vector &sum : sums)
    asm volatile("" : : "v"(sum));
}

#endif
