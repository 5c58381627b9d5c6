// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that never leaves the registers, and one that reads memory once.

#include "MachineSpeed.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <immintrin.h>

namespace weft::runtime {

namespace {

constexpr size_t memoryBytes = size_t(512) << 20; ///< More than most caches hold.
constexpr int64_t turns = 1 << 20;
constexpr int chains = 12; ///< More than any processor's latency needs.

#define WEFT_MULTIPLY_ADD(VECTOR, SET, FMA)                                                                  \
  VECTOR sums[chains], factor = SET(0.999999f);                                                              \
  for (VECTOR &sum : sums)                                                                                   \
    sum = SET(1.0f);                                                                                         \
  for (int64_t turn = 0; turn < turns; ++turn) {                                                             \
    asm volatile("" : "+v"(factor)); /* so that turns are not folded, nor chains made one */                 \
    for (VECTOR &sum : sums) {                                                                               \
      asm volatile("" : "+v"(sum));                                                                          \
      sum = FMA(sum, factor, factor);                                                                        \
    }                                                                                                        \
  }                                                                                                          \
  for (VECTOR &sum : sums)                                                                                   \
  asm volatile("" : : "v"(sum))

__attribute__((target("avx512f"))) void multiplyAdd512(const WeftFrame *, int64_t, int64_t) {
  WEFT_MULTIPLY_ADD(__m512, _mm512_set1_ps, _mm512_fmadd_ps);
}

__attribute__((target("avx2,fma"))) void multiplyAdd256(const WeftFrame *, int64_t, int64_t) {
  WEFT_MULTIPLY_ADD(__m256, _mm256_set1_ps, _mm256_fmadd_ps);
}

#undef WEFT_MULTIPLY_ADD

/// Each thread reads its part of the memory, as the widest loads that every x86-64-v3 processor has.
__attribute__((target("avx2"))) void readMemory(const WeftFrame *frame, int64_t thread, int64_t threads) {
  constexpr size_t unit = 8 * sizeof(__m256i);
  size_t units = memoryBytes / unit, first = units * thread / threads, last = units * (thread + 1) / threads;
  const char *at = frame->arena + first * unit, *end = frame->arena + last * unit;
  __m256i sums[8] = {};
  for (; at < end; at += unit)
    for (int i = 0; i < 8; ++i)
      sums[i] = _mm256_xor_si256(
          sums[i], _mm256_loadu_si256(reinterpret_cast<const __m256i *>(at + i * sizeof(__m256i))));
  for (__m256i &sum : sums)
    asm volatile("" : : "x"(sum));
}

} // namespace

double medianOf(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

MachineSpeed::MachineSpeed(ThreadPool &pool, WeftIsa isa) : pool(pool), isWide(isa >= WEFT_ISA_X86_64_V4) {
  std::memset(memory.reserve(memoryBytes), 1, memoryBytes); // pages that nobody wrote are all the same one
}

double MachineSpeed::time(WeftEntryFunction work) {
  WeftFrame frame{};
  frame.arena = memory.reserve(memoryBytes);
  auto start = std::chrono::steady_clock::now();
  pool.run(work, frame);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void MachineSpeed::measure() {
  double lanes = isWide ? 16 : 8;
  double operations = 2.0 * chains * turns * lanes * static_cast<double>(pool.size());
  flopRates.push_back(operations / time(isWide ? multiplyAdd512 : multiplyAdd256));
  byteRates.push_back(memoryBytes / time(readMemory));
}

double MachineSpeed::flops() const { return medianOf(flopRates); }
double MachineSpeed::bytes() const { return medianOf(byteRates); }

} // namespace weft::runtime
