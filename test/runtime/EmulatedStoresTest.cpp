// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that a unit copies from shared memory to tensors.

#include "EmulatedTiles.h"

using namespace weft::runtime;
using namespace weft::runtime::test;

namespace {

/// Writes a tile whose element in column i of line l is 100 l + i.
void writeTile(WeftGpuThread *thread, int64_t place = 0) {
  for (int64_t line = 0; line < 8; ++line)
    for (int64_t i = 0; i < 64; ++i)
      store(thread, place / 2 + placeOf(line, i), static_cast<uint16_t>(100 * line + i));
}

TEST(EmulatedStores, LeaveOutWhatIsOutside) {
  std::vector<std::vector<int64_t>> positions{{0, 0}, {8, -2}, {-16, 3}, {64, 1}, {70, 0}, {0, 5}};
  for (const std::vector<int64_t> &position : positions)
    for (int64_t block : {0, 1}) {
      Tensor tensor, before;
      int64_t arguments[] = {wordOf(position.data())};
      WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
        writeTile(thread, 1024);
        fenceAsync(thread);
        auto *position = pointerFrom<int64_t>(arguments[0]);
        storeTile(thread, {position[0], position[1]}, 1024);
        commitStores(thread);
        waitForStores(thread, 0);
      };
      EXPECT_EQ(reportOfFirst(tensor.map(), kernel, block, arguments), "");
      for (int64_t row = 0; row < 5; ++row)
        for (int64_t column = 0; column < 72; ++column) {
          int64_t line = row - position[1], i = column - position[0], at = row * 72 + column;
          bool isStored = column < 70 && line >= 0 && line < 8 && i >= 0 && i < 64;
          EXPECT_EQ(tensor.elements[static_cast<size_t>(at)],
                    isStored ? 100 * line + i : before.elements[static_cast<size_t>(at)])
              << "row " << row << ", column " << column;
        }
    }
}

TEST(EmulatedStores, SeeWhatWasWrittenBeforeAFence) {
  const std::string report = inBlock0 + "cta.store_tile: a unit reads for thread 0 what a thread wrote "
                                        "without a fence: byte 0 of what the block shares";
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              writeTile(thread);
              storeTile(thread, {0, 5}, 0);
            }),
            report);
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              fenceAsync(thread);
              writeTile(thread);
              storeTile(thread, {0, 5}, 0);
            }),
            report);
}

/// Thread 33 writes a tile, and thread 40 stores it; in between they do what the arguments say.
enum Between : int64_t { Nothing, WriterFences, Barrier, StorerFences };
std::string reportOfTwo(std::initializer_list<Between> steps) {
  int64_t arguments[] = {Nothing, Nothing, Nothing};
  std::copy(steps.begin(), steps.end(), arguments);
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    bool isWriter = thread->thread == 33, isStorer = thread->thread == 40;
    if (isWriter)
      writeTile(thread);
    for (int64_t i = 0; i < 3; ++i) {
      if (arguments[i] == Barrier)
        barrier(thread);
      if (arguments[i] == WriterFences ? isWriter : arguments[i] == StorerFences && isStorer)
        fenceAsync(thread);
    }
    if (!isStorer)
      return;
    storeTile(thread, {0, 5}, 0);
    commitStores(thread);
    waitForStores(thread, 0);
  };
  Tensor tensor;
  return reportOf(tensor.map(), kernel, 0, arguments);
}

TEST(EmulatedStores, SeeWhatOthersWroteBehindTheirFenceAndABarrier) {
  EXPECT_EQ(reportOfTwo({WriterFences, Barrier}), "");
  EXPECT_EQ(reportOfTwo({WriterFences}),
            inBlock0 + "cta.store_tile: a unit reads for thread 40 what another thread wrote and it did "
                       "not wait for: byte 0 of what the block shares");
  const std::string unfenced = inBlock0 + "cta.store_tile: a unit reads for thread 40 what a thread wrote "
                                          "without a fence: byte 0 of what the block shares";
  EXPECT_EQ(reportOfTwo({Barrier}), unfenced);
  EXPECT_EQ(reportOfTwo({Barrier, StorerFences}), unfenced);
}

TEST(EmulatedStores, AreOfWhatWasWritten) {
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              writeTile(thread);
              fenceAsync(thread);
              storeTile(thread, {0, 5}, 1024);
            }),
            inBlock0 + "cta.store_tile: a unit reads for thread 0 what nothing has written: byte 1024 of "
                       "what the block shares");
}

TEST(EmulatedStores, AreOfTilesThatWereWaitedFor) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    initMbarrier(thread);
    arrive(thread, barriers, tileBytes);
    loadTile(thread, {0, 0}, 0);
    storeTile(thread, {0, 5}, 0);
  };
  EXPECT_EQ(reportOfFirst(kernel, 0), inBlock0 + "cta.store_tile: a unit reads for thread 0 what a tile is "
                                                 "still to bring: byte 0 of what the block shares");
  EXPECT_EQ(reportOfFirst(kernel, 1), inBlock1 + "cta.store_tile: a unit reads for thread 0 a tile that it "
                                                 "did not wait for: byte 0 of what the block shares");
}

TEST(EmulatedStores, LieInTheirBuffer) {
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) { storeTile(thread, {0, 0}, 3072); }),
            inBlock0 + "cta.store_tile: the tile is not in its buffer");
}

TEST(EmulatedStores, BeginAtMultiplesOf1024Bytes) {
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) { storeTile(thread, {0, 0}, 528); }),
            inBlock0 + "cta.store_tile: the tile is at byte 528, which is no multiple of 1024");
}

const std::string overwritten =
    inBlock0 + "store: thread 0 writes what is still to be read by a unit: byte 0 of a buffer";

TEST(EmulatedStores, AreOverwrittenWhenTheyWereWaitedFor) {
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              writeTile(thread);
              fenceAsync(thread);
              storeTile(thread, {0, 5}, 0);
              commitStores(thread);
              store<uint16_t>(thread, 0, 0);
            }),
            overwritten);
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              writeTile(thread);
              fenceAsync(thread);
              storeTile(thread, {0, 5}, 0);
              commitStores(thread);
              waitForStores(thread, 0);
              store<uint16_t>(thread, 0, 0);
            }),
            "");
}

/// Only the thread that waited knows.
TEST(EmulatedStores, AreOverwrittenBehindThoseWhoWaited) {
  for (bool meets : {false, true}) {
    Tensor tensor;
    int64_t arguments[] = {meets};
    WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
      if (thread->thread == 0) {
        writeTile(thread);
        fenceAsync(thread);
      }
      barrier(thread);
      if (thread->thread == 0) {
        storeTile(thread, {0, 0}, 0);
        commitStores(thread);
        waitForStores(thread, 0);
      }
      if (arguments[0])
        barrier(thread);
      if (thread->thread == 32)
        store<uint16_t>(thread, 3, 0);
    };
    EXPECT_EQ(reportOf(tensor.map(), kernel, /*block=*/0, arguments),
              meets ? ""
                    : inBlock0 + "store: thread 32 writes what other threads read and it did not wait for: "
                                 "byte 6 of a buffer");
  }
}

TEST(EmulatedStores, AreReadGroupByGroup) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    writeTile(thread);
    writeTile(thread, 1024);
    fenceAsync(thread);
    storeTile(thread, {0, 5}, 1024);
    commitStores(thread);
    storeTile(thread, {0, 5}, 0);
    commitStores(thread);
    waitForStores(thread, arguments[0]);
    store<uint16_t>(thread, 512, 0); // the first group's
    waitForStores(thread, arguments[1]);
    store<uint16_t>(thread, 0, 0);
  };
  Tensor tensor;
  int64_t oneByOne[] = {1, 0}, onlyOne[] = {1, 1}, none[] = {2, 0};
  EXPECT_EQ(reportOfFirst(tensor.map(), kernel, 0, oneByOne), "");
  EXPECT_EQ(reportOfFirst(tensor.map(), kernel, 0, onlyOne), overwritten);
  EXPECT_EQ(reportOfFirst(tensor.map(), kernel, 0, none),
            inBlock0 + "store: thread 0 writes what is still to be read by a unit: byte 1024 of a buffer");
}

/// Of what is in no group nobody waits.
TEST(EmulatedStores, AreWaitedForInGroups) {
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              writeTile(thread);
              fenceAsync(thread);
              storeTile(thread, {0, 5}, 0);
              waitForStores(thread, 0);
              store<uint16_t>(thread, 0, 0);
            }),
            overwritten);
}

TEST(EmulatedStores, EndBeforeTheirThread) {
  const std::string report = inBlock0 + "cta.return: copies of the thread are still under way";
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              writeTile(thread);
              fenceAsync(thread);
              storeTile(thread, {0, 5}, 0);
            }),
            report);
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              writeTile(thread);
              fenceAsync(thread);
              storeTile(thread, {0, 5}, 0);
              commitStores(thread);
              waitForStores(thread, 1);
            }),
            report);
}

} // namespace
