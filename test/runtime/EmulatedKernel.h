// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels for the emulator, written in C++: what their threads call, and what is reported of them.

#ifndef WEFT_TEST_RUNTIME_EMULATEDKERNEL_H
#define WEFT_TEST_RUNTIME_EMULATEDKERNEL_H

#include "runtime/src/Team.h"
#include "runtime/src/emulator/Emulator.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace weft::runtime::test {

/// What a block shares in these tests: one buffer.
constexpr int64_t sharedBytes = 4096;

inline void barrier(WeftGpuThread *thread) { thread->emulator->barrier(thread, "barrier"); }
inline void warpBarrier(WeftGpuThread *thread) { thread->emulator->warp_barrier(thread, "warp_barrier"); }
inline int64_t shuffle(WeftGpuThread *thread, int64_t value, int64_t lane) {
  return thread->emulator->shuffle(thread, value, static_cast<int32_t>(lane), "shuffle");
}

/// Element `index` of the buffer, as if it held nothing but such elements.
template <typename T> T load(WeftGpuThread *thread, int64_t index) {
  constexpr int64_t bytes = sizeof(T);
  thread->emulator->access(thread, index * bytes, bytes, 0, sharedBytes, /*is_write=*/0, "load");
  T value;
  std::memcpy(&value, thread->shared + index * bytes, sizeof(T));
  return value;
}
template <typename T> void store(WeftGpuThread *thread, int64_t index, T value) {
  constexpr int64_t bytes = sizeof(T);
  thread->emulator->access(thread, index * bytes, bytes, 0, sharedBytes, /*is_write=*/1, "store");
  std::memcpy(thread->shared + index * bytes, &value, sizeof(T));
}

inline int64_t wordOf(const void *pointer) { return reinterpret_cast<int64_t>(pointer); }
template <typename T> T *pointerFrom(int64_t word) { return reinterpret_cast<T *>(word); }

/// One block of a kernel "k".
inline WeftLaunch makeLaunch(WeftKernelFunction function, int64_t threads,
                             const int64_t *arguments = nullptr) {
  return {"k",
          function,
          threads,
          sharedBytes,
          /*step=*/7,
          /*first_block=*/0,
          /*end_block=*/1,
          /*argument_count=*/0,
          arguments,
          /*blocks=*/1,
          /*persistent=*/0,
          /*map_count=*/0,
          nullptr,
          nullptr};
}
/// What reports on its blocks begin with.
inline const std::string inBlock0 = "kernel \"k\", block 0: ", inBlock1 = "kernel \"k\", block 1: ";

/// What the emulator says is wrong with a kernel, or nothing.
inline std::string reportOf(const WeftLaunch &launch) {
  WeftTeam team(1, {});
  emulate(&team, &launch);
  const WeftTeam::Failure *failure = team.firstFailure();
  if (!failure)
    return {};
  EXPECT_EQ(failure->kind, WEFT_FAILURE_KERNEL);
  EXPECT_EQ(failure->step, launch.step);
  return failure->text;
}
inline std::string reportOf(int64_t threads, WeftKernelFunction function) {
  return reportOf(makeLaunch(function, threads));
}

} // namespace weft::runtime::test

#endif // WEFT_TEST_RUNTIME_EMULATEDKERNEL_H
