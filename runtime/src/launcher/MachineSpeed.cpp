// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that never leaves the registers, and one that reads memory once.

#include "MachineSpeed.h"
#include "../ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <arm_neon.h>
#endif

namespace weft::runtime {

namespace {

constexpr size_t memoryBytes = size_t(512) << 20; ///< More than most caches hold.
constexpr int64_t turns = 1 << 20;
constexpr int chains = 12; ///< More than any processor's latency needs.

/// Multiply-adds, and what they do at once.
struct MultiplyAdd {
  WeftEntryFunction run;
  double lanes;
};

// REGISTER is what inline assembly calls a vector's register.
#define WEFT_MULTIPLY_ADD(VECTOR, REGISTER, SET, FMA)                                                        \
  VECTOR sums[chains], factor = SET(0.999999f);                                                              \
  for (VECTOR &sum : sums)                                                                                   \
    sum = SET(1.0f);                                                                                         \
  for (int64_t turn = 0; turn < turns; ++turn) {                                                             \
    asm volatile("" : "+" REGISTER(factor)); /* so that turns are not folded, nor chains made one */         \
    for (VECTOR &sum : sums) {                                                                               \
      asm volatile("" : "+" REGISTER(sum));                                                                  \
      sum = FMA(sum, factor, factor);                                                                        \
    }                                                                                                        \
  }                                                                                                          \
  for (VECTOR &sum : sums)                                                                                   \
  asm volatile("" : : REGISTER(sum))

// Each thread reads its part of the memory, from so many places at once.
#define WEFT_READ_MEMORY(STREAMS, VECTOR, REGISTER, LOAD, XOR)                                               \
  constexpr size_t each = 8 / STREAMS * sizeof(VECTOR);                                                      \
  size_t units = memoryBytes / STREAMS / each, first = units * thread / threads,                             \
         last = units * (thread + 1) / threads, apart = units * each;                                        \
  const char *at = frame->arena + first * each, *end = frame->arena + last * each;                           \
  VECTOR sums[8] = {};                                                                                       \
  for (; at < end; at += each)                                                                               \
    for (int i = 0; i < 8; ++i)                                                                              \
      sums[i] = XOR(sums[i], LOAD(at + i % STREAMS * apart + i / STREAMS * sizeof(VECTOR)));                 \
  for (VECTOR &sum : sums)                                                                                   \
  asm volatile("" : : REGISTER(sum))

#if defined(__x86_64__)

__attribute__((target("avx512f"))) void multiplyAdd512(const WeftFrame *, int64_t, int64_t) {
  WEFT_MULTIPLY_ADD(__m512, "v", _mm512_set1_ps, _mm512_fmadd_ps);
}

__attribute__((target("avx2,fma"))) void multiplyAdd256(const WeftFrame *, int64_t, int64_t) {
  WEFT_MULTIPLY_ADD(__m256, "v", _mm256_set1_ps, _mm256_fmadd_ps);
}

MultiplyAdd multiplyAddFor(WeftIsa isa) {
  return isa >= WEFT_ISA_X86_64_V4 ? MultiplyAdd{multiplyAdd512, 16} : MultiplyAdd{multiplyAdd256, 8};
}

/// As the widest loads that every x86-64-v3 processor has.
__attribute__((target("avx2"))) inline __m256i load256(const char *at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(at));
}

__attribute__((target("avx2"))) void readStream(const WeftFrame *frame, int64_t thread, int64_t threads) {
  WEFT_READ_MEMORY(1, __m256i, "x", load256, _mm256_xor_si256);
}

__attribute__((target("avx2"))) void readStreams(const WeftFrame *frame, int64_t thread, int64_t threads) {
  WEFT_READ_MEMORY(4, __m256i, "x", load256, _mm256_xor_si256);
}

#else

void multiplyAdd128(const WeftFrame *, int64_t, int64_t) {
  WEFT_MULTIPLY_ADD(float32x4_t, "w", vdupq_n_f32, vfmaq_f32);
}

MultiplyAdd multiplyAddFor(WeftIsa) { return {multiplyAdd128, 4}; }

inline uint8x16_t load128(const char *at) { return vld1q_u8(reinterpret_cast<const uint8_t *>(at)); }

void readStream(const WeftFrame *frame, int64_t thread, int64_t threads) {
  WEFT_READ_MEMORY(1, uint8x16_t, "w", load128, veorq_u8);
}

void readStreams(const WeftFrame *frame, int64_t thread, int64_t threads) {
  WEFT_READ_MEMORY(4, uint8x16_t, "w", load128, veorq_u8);
}

#endif

#undef WEFT_MULTIPLY_ADD
#undef WEFT_READ_MEMORY

} // namespace

double medianOf(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

MachineSpeed::MachineSpeed(Executor &executor, WeftIsa isa)
    : executor(executor), isa(isa), memory(executor.makeMemory("what is timed")) {
  char *data = memory->reserve(memoryBytes);
  if (executor.threadPool())
    std::memset(data, 1, memoryBytes); // pages that nobody wrote are all the same one
}

double MachineSpeed::time(ThreadPool &pool, WeftEntryFunction work) {
  WeftFrame frame{};
  frame.arena = memory->reserve(memoryBytes);
  auto start = std::chrono::steady_clock::now();
  pool.run(work, frame);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void MachineSpeed::measureThreads(ThreadPool &pool) {
  MultiplyAdd multiplyAdd = multiplyAddFor(isa);
  double operations = 2.0 * chains * turns * multiplyAdd.lanes * static_cast<double>(pool.size());
  flopRates.push_back(operations / time(pool, multiplyAdd.run));
  // Processors bring several streams at once faster than one, or not.
  byteRates.push_back(memoryBytes / std::min(time(pool, readStream), time(pool, readStreams)));
}

/// Of one half of the memory to the other.
void MachineSpeed::measureCopies() {
  constexpr int copies = 8;
  char *data = memory->reserve(memoryBytes);
  executor.finish();
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < copies; ++i)
    executor.copy(data, data + memoryBytes / 2, memoryBytes / 2);
  executor.finish();
  std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  byteRates.push_back(double(memoryBytes) * copies / taken.count());
}

void MachineSpeed::measure() {
  if (ThreadPool *pool = executor.threadPool())
    measureThreads(*pool);
  else
    measureCopies();
}

double MachineSpeed::flops() const { return medianOf(flopRates); }
double MachineSpeed::bytes() const { return medianOf(byteRates); }

} // namespace weft::runtime
