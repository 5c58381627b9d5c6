// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies to shared memory that take their time, and matrices that a warp loads.

#include "EmulatedKernel.h"

#include <array>

using namespace weft::runtime;
using namespace weft::runtime::test;

namespace {

/// What is copied: 16 bytes each.
struct alignas(16) Source {
  uint16_t halves[32];
};

const Source source = [] {
  Source made{};
  for (uint16_t i = 0; i < 32; ++i)
    made.halves[i] = i;
  return made;
}();

void copy(WeftGpuThread *thread, const void *from, int64_t offset) {
  thread->emulator->copy(thread, from, offset, 0, sharedBytes, "cta.copy");
}
void commit(WeftGpuThread *thread) { thread->emulator->commit_copies(thread); }
void waitFor(WeftGpuThread *thread, int64_t pending) { thread->emulator->wait_copies(thread, pending); }
void barrier(WeftGpuThread *thread) { thread->emulator->barrier(thread, "cta.barrier"); }

uint16_t read(WeftGpuThread *thread, int64_t offset) {
  thread->emulator->access(thread, offset, 2, 0, sharedBytes, /*is_write=*/0, "memref.load");
  uint16_t half;
  std::memcpy(&half, thread->shared + offset, sizeof(half));
  return half;
}
void write(WeftGpuThread *thread, int64_t offset, uint16_t half) {
  thread->emulator->access(thread, offset, 2, 0, sharedBytes, /*is_write=*/1, "memref.store");
  std::memcpy(thread->shared + offset, &half, sizeof(half));
}

/// What the emulator says of a block of one warp whose first thread does this alone.
std::string reportOfFirst(WeftKernelFunction kernel, int64_t *seen = nullptr) {
  int64_t arguments[] = {wordOf(reinterpret_cast<void *>(kernel)), wordOf(seen)};
  WeftKernelFunction first = [](WeftGpuThread *thread, const int64_t *arguments) {
    if (thread->thread == 0)
      reinterpret_cast<WeftKernelFunction>(arguments[0])(thread, arguments + 1);
  };
  return reportOf(makeLaunch(first, 32, arguments));
}

TEST(EmulatedCopies, ArriveGroupByGroupWhenTheyAreWaitedFor) {
  int64_t seen[3] = {};
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    auto *seen = pointerFrom<int64_t>(arguments[0]);
    copy(thread, source.halves + 8, 0);
    copy(thread, nullptr, 16);
    commit(thread);
    copy(thread, source.halves + 16, 32);
    commit(thread);
    waitFor(thread, 1);
    seen[0] = read(thread, 14);
    seen[1] = read(thread, 16);
    waitFor(thread, 0);
    seen[2] = read(thread, 32);
  };
  EXPECT_EQ(reportOfFirst(kernel, seen), "");
  EXPECT_EQ(seen[0], 15);
  EXPECT_EQ(seen[1], 0);
  EXPECT_EQ(seen[2], 16);
}

TEST(EmulatedCopies, AreNotThereBefore) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    copy(thread, source.halves, 0);
    commit(thread);
    copy(thread, source.halves, 16);
    commit(thread);
    waitFor(thread, 1);
    read(thread, 16);
  };
  EXPECT_EQ(reportOfFirst(kernel),
            inBlock0 +
                "memref.load: thread 0 reads what a copy of thread 0 is still to bring: byte 16 of a buffer");
}

TEST(EmulatedCopies, AreOverwrittenByNobodyOnTheirWay) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    copy(thread, source.halves, 0);
    write(thread, 2, 1);
  };
  EXPECT_EQ(
      reportOfFirst(kernel),
      inBlock0 +
          "memref.store: thread 0 writes what a copy of thread 0 is still to bring: byte 2 of a buffer");
}

TEST(EmulatedCopies, BeginOnlyWhenOthersHaveReadWhatWasThere) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->thread == 1)
      write(thread, 0, 1);
    barrier(thread);
    if (thread->thread == 1)
      read(thread, 0);
    if (thread->thread == 2)
      copy(thread, source.halves, 0);
  };
  EXPECT_EQ(reportOf(makeLaunch(kernel, 32)),
            inBlock0 + "cta.copy: thread 2 writes what other threads read and it did "
                       "not wait for: byte 0 of a buffer");
}

TEST(EmulatedCopies, AreSeenByOthersBehindABarrier) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->thread == 0) {
      copy(thread, source.halves, 0);
      commit(thread);
      waitFor(thread, 0);
    }
    if (thread->thread == 1)
      read(thread, 0);
  };
  EXPECT_EQ(reportOf(makeLaunch(kernel, 32)),
            inBlock0 + "memref.load: thread 1 reads what thread 0 wrote and it did "
                       "not wait for: byte 0 of a buffer");
}

TEST(EmulatedCopies, ComeFromWhole16Bytes) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    copy(thread, source.halves + 1, 0);
  };
  EXPECT_EQ(reportOfFirst(kernel),
            inBlock0 + "cta.copy: it copies from where memory is not aligned to 16 bytes");
  kernel = [](WeftGpuThread *thread, const int64_t *) { copy(thread, source.halves, 8); };
  EXPECT_EQ(reportOfFirst(kernel),
            inBlock0 + "cta.copy: thread 0 writes 16 bytes at byte 8, which is no multiple of that");
}

TEST(EmulatedAccesses, OfSeveralElementsAreWhereTheySay) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    thread->emulator->wide_access(thread, source.halves + 4, 8, "vector.load");
    thread->emulator->wide_access(thread, source.halves + 4, 16, "vector.load");
  };
  EXPECT_EQ(reportOfFirst(kernel),
            inBlock0 + "vector.load: it moves 16 bytes at once where memory is not aligned to them");
}

TEST(EmulatedCopies, EndBeforeTheirThread) {
  for (WeftKernelFunction kernel :
       {WeftKernelFunction([](WeftGpuThread *thread, const int64_t *) { copy(thread, source.halves, 0); }),
        WeftKernelFunction([](WeftGpuThread *thread, const int64_t *) {
          copy(thread, source.halves, 0);
          commit(thread);
          waitFor(thread, 1);
        })})
    EXPECT_EQ(reportOfFirst(kernel), inBlock0 + "cta.return: copies of the thread are still under way");
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

using LaneWords = std::array<uint32_t, 4>;

/// The words of all lanes of four matrices, of which element (r, c) of matrix m is 100 m + 10 r + c. Rows lie
/// at multiples of 32 bytes, the last one first.
std::array<LaneWords, 32> loadMatrices(bool isTransposed) {
  std::array<LaneWords, 32> words{};
  int64_t arguments[] = {wordOf(words.data()), isTransposed};
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    int64_t lane = thread->thread, row = (31 - lane) * 32;
    for (int64_t c = 0; c < 8; ++c)
      write(thread, row + 2 * c, static_cast<uint16_t>(lane / 8 * 100 + lane % 8 * 10 + c));
    barrier(thread);
    thread->emulator->load_matrices(thread, row, 0, sharedBytes, static_cast<int32_t>(arguments[1]),
                                    pointerFrom<LaneWords>(arguments[0])[lane].data(), "cta.load_matrices");
  };
  EXPECT_EQ(reportOf(makeLaunch(kernel, 32, arguments)), "");
  return words;
}

constexpr uint32_t pairOf(uint32_t low, uint32_t high) { return low | high << 16; }

// From the figures of ldmatrix in the PTX ISA: row i of a matrix is with lanes 4 i to 4 i + 3.
TEST(EmulatedMatrices, AreSpreadAsThePtxIsaHasIt) {
  std::array<LaneWords, 32> words = loadMatrices(false);
  EXPECT_EQ(words[0], (LaneWords{pairOf(0, 1), pairOf(100, 101), pairOf(200, 201), pairOf(300, 301)}));
  EXPECT_EQ(words[1], (LaneWords{pairOf(2, 3), pairOf(102, 103), pairOf(202, 203), pairOf(302, 303)}));
  EXPECT_EQ(words[4], (LaneWords{pairOf(10, 11), pairOf(110, 111), pairOf(210, 211), pairOf(310, 311)}));
  EXPECT_EQ(words[31], (LaneWords{pairOf(76, 77), pairOf(176, 177), pairOf(276, 277), pairOf(376, 377)}));
}

TEST(EmulatedMatrices, AreTransposed) {
  std::array<LaneWords, 32> words = loadMatrices(true);
  EXPECT_EQ(words[0], (LaneWords{pairOf(0, 10), pairOf(100, 110), pairOf(200, 210), pairOf(300, 310)}));
  EXPECT_EQ(words[1], (LaneWords{pairOf(20, 30), pairOf(120, 130), pairOf(220, 230), pairOf(320, 330)}));
  EXPECT_EQ(words[4], (LaneWords{pairOf(1, 11), pairOf(101, 111), pairOf(201, 211), pairOf(301, 311)}));
  EXPECT_EQ(words[31], (LaneWords{pairOf(67, 77), pairOf(167, 177), pairOf(267, 277), pairOf(367, 377)}));
}

// A thread may be at the next load before another has its words of the last one.
TEST(EmulatedMatrices, AreLoadedOneAfterAnother) {
  std::array<LaneWords, 64> words{};
  int64_t arguments[] = {wordOf(words.data())};
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    for (int64_t c = 0; c < 8; ++c) {
      write(thread, thread->thread * 32 + 2 * c, static_cast<uint16_t>(c));
      write(thread, thread->thread * 32 + 16 + 2 * c, static_cast<uint16_t>(c + 8));
    }
    barrier(thread);
    for (int64_t i = 0; i < 2; ++i)
      thread->emulator->load_matrices(thread, thread->thread * 32 + 16 * i, 0, sharedBytes, 0,
                                      pointerFrom<LaneWords>(arguments[0])[thread->thread * 2 + i].data(),
                                      "cta.load_matrices");
  };
  EXPECT_EQ(reportOf(makeLaunch(kernel, 32, arguments)), "");
  for (size_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 2; ++i) {
      uint32_t column = static_cast<uint32_t>(lane) % 4 * 2 + 8 * i, word = pairOf(column, column + 1);
      EXPECT_EQ(words[lane * 2 + i], (LaneWords{word, word, word, word}))
          << "lane " << lane << ", load " << i;
    }
}

} // namespace
