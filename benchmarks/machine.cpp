// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the machine can do now, with so many threads: suite.py loads this as a library.
#include "machine.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

namespace {

/// Seconds that `work` takes, called by each thread with its number.
template <typename Work> double timeThreads(int threads, Work work) {
  auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i)
    others.emplace_back(work, i);
  work(0);
  for (std::thread &other : others)
    other.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Reads every vector of the memory once, from so many places at the same time.
template <int kStreams> void readAll(const Vector *begin, const Vector *end) {
  constexpr int kEach = 8 / kStreams;
  Vector sums[8] = {};
  std::ptrdiff_t part = (end - begin) / kStreams / kEach * kEach;
  for (const Vector *at = begin; at < begin + part; at += kEach)
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i)
      sums[i] += at[i % kStreams * part + i / kStreams];
  for (Vector &sum : sums)
    asm volatile("" : : "v"(sum));
}

} // namespace

/// FLOP/s of fused multiply-adds. It takes some milliseconds, of which the start of threads is a hundredth.
extern "C" double machine_peak(int threads) {
  constexpr int kTurns = 2000000;
  double seconds = timeThreads(threads, [](int) { multiplyAdd(kTurns); });
  return threads * countOperations(kTurns) / seconds;
}

/// Bytes per second of reading memory, as one stream for each thread or as four, whichever is faster.
extern "C" double machine_read(int threads, const void *memory, size_t bytes) {
  const Vector *vectors = static_cast<const Vector *>(memory);
  size_t part = bytes / sizeof(Vector) / size_t(threads);
  auto timeReads = [=](auto read) {
    return timeThreads(threads,
                       [=](int i) { read(vectors + part * size_t(i), vectors + part * (size_t(i) + 1)); });
  };
  return double(bytes) / std::min(timeReads(readAll<1>), timeReads(readAll<4>));
}
