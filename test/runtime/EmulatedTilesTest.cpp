// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of tensors that a unit copies to shared memory and back.

#include "EmulatedTiles.h"

using namespace weft::runtime;
using namespace weft::runtime::test;

namespace {

//===----------------------------------------------------------------------===//
// What is where
//===----------------------------------------------------------------------===//

/// What a tile at a position holds, as it lies in shared memory from `place` on.
std::vector<uint16_t> loadedTile(const WeftTensorMap &map, const std::vector<int64_t> &position,
                                 int64_t lines = 8, int64_t place = 0) {
  std::vector<uint16_t> tile(static_cast<size_t>(lines * 64));
  int64_t arguments[] = {wordOf(position.data()), lines * 64, place, wordOf(tile.data())};
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    int64_t count = arguments[1], place = arguments[2];
    initMbarrier(thread);
    arrive(thread, barriers, count * 2);
    thread->emulator->load_tile(thread, 0, pointerFrom<int64_t>(arguments[0]), place, 0, barriers, barriers,
                                "cta.load_tile");
    waitFor(thread);
    for (int64_t i = 0; i < count; ++i)
      pointerFrom<uint16_t>(arguments[3])[i] = load<uint16_t>(thread, place / 2 + i);
  };
  EXPECT_EQ(reportOfFirst(map, kernel, 0, arguments), "");
  return tile;
}
uint16_t elementOf(const std::vector<uint16_t> &tile, int64_t line, int64_t column) {
  return tile[static_cast<size_t>(placeOf(line, column))];
}

TEST(EmulatedTiles, LieSwizzledAsThePtxIsaHasIt) {
  std::vector<uint16_t> elements(16 * 64);
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = static_cast<uint16_t>(i);
  WeftTensorMap map{elements.data(), 2, {64, 16}, {128}, {64, 16}};
  for (int64_t place : {0, 1024}) {
    std::vector<uint16_t> tile = loadedTile(map, {0, 0}, 16, place);
    for (int64_t line = 0; line < 16; ++line)
      for (int64_t piece = 0; piece < 8; ++piece)
        for (int64_t i = 0; i < 8; ++i)
          EXPECT_EQ(tile[static_cast<size_t>(line * 64 + piece * 8 + i)],
                    line * 64 + pieceAt[line % 8][piece] * 8 + i)
              << "line " << line << ", place " << piece << ", element " << i;
  }
}

TEST(EmulatedTiles, AreZeroOutsideOfTheTensor) {
  Tensor tensor;
  std::vector<std::vector<int64_t>> positions{{0, 0}, {8, -2}, {-16, 3}, {64, 1}, {70, 0}, {-64, 0}, {0, 5}};
  for (const std::vector<int64_t> &position : positions) {
    std::vector<uint16_t> tile = loadedTile(tensor.map(), position);
    for (int64_t line = 0; line < 8; ++line)
      for (int64_t i = 0; i < 64; ++i) {
        int64_t column = position[0] + i, row = position[1] + line;
        bool isInside = column >= 0 && column < 70 && row >= 0 && row < 5;
        EXPECT_EQ(elementOf(tile, line, i), isInside ? 1000 + row * 72 + column : 0)
            << "row " << row << ", column " << column;
      }
  }
}

/// Rows lie 72 elements apart, and planes of three of them 240.
TEST(EmulatedTiles, HaveThreeDims) {
  std::vector<uint16_t> elements(2 * 240);
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = static_cast<uint16_t>(1000 + i);
  WeftTensorMap map{elements.data(), 3, {64, 3, 2}, {144, 480}, {64, 4, 2}};
  // Where each line begins, or nowhere.
  constexpr int64_t none = -1;
  struct {
    std::vector<int64_t> position;
    int64_t lines[8];
  } cases[] = {{{0, -1, 0}, {none, 0, 72, 144, none, 240, 312, 384}},
               {{0, 0, 1}, {240, 312, 384, none, none, none, none, none}},
               {{0, 1, -1}, {none, none, none, none, 72, 144, none, none}}};
  for (const auto &[position, lines] : cases) {
    std::vector<uint16_t> tile = loadedTile(map, position);
    for (int64_t line = 0; line < 8; ++line)
      for (int64_t i = 0; i < 64; ++i)
        EXPECT_EQ(elementOf(tile, line, i), lines[line] == none ? 0 : 1000 + lines[line] + i)
            << "line " << line << ", column " << i;
  }
}

/// One thread has tiles copied to two places in turn, another takes a number of each. They are there at once
/// in odd blocks, and late in the others.
void takeTiles(WeftGpuThread *thread, const int64_t *arguments) {
  constexpr int64_t full[] = {barriers, barriers + 8}, empty[] = {barriers + 16, barriers + 24};
  if (thread->thread == 0)
    for (int64_t stage : {0, 1}) {
      initMbarrier(thread, full[stage]);
      initMbarrier(thread, empty[stage]);
    }
  barrier(thread);
  for (int64_t i = 0; i < 6; ++i) {
    int64_t stage = i % 2, parity = i / 2 % 2;
    if (thread->thread == 0) {
      waitFor(thread, empty[stage], 1 - parity);
      arrive(thread, full[stage], tileBytes);
      loadTile(thread, {8 * i, 0}, stage * tileBytes, full[stage]);
    }
    if (thread->thread == 32) {
      waitFor(thread, full[stage], parity);
      // Of line 1, where piece 1 comes first.
      pointerFrom<int64_t>(arguments[0])[i] = load<uint16_t>(thread, stage * tileElements + 64);
      arrive(thread, empty[stage]);
    }
  }
}

TEST(EmulatedTiles, AreTheSameEarlyAndLate) {
  Tensor tensor;
  for (int64_t block : {0, 1}) {
    int64_t taken[6] = {}, arguments[] = {wordOf(taken)};
    EXPECT_EQ(reportOf(tensor.map(), takeTiles, block, arguments), "");
    for (int64_t i = 0; i < 6; ++i)
      EXPECT_EQ(taken[i], 1000 + 72 + 8 * i + 8) << "block " << block << ", tile " << i;
  }
}

//===----------------------------------------------------------------------===//
// Where they may begin
//===----------------------------------------------------------------------===//

TEST(EmulatedTiles, BeginAtMultiplesOf1024Bytes) {
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              initMbarrier(thread);
              loadTile(thread, {0, 0}, 512);
            }),
            inBlock0 + "cta.load_tile: thread 0 begins a tile at byte 512, which is no multiple of 1024");
}

TEST(EmulatedTiles, LieInTheirBuffer) {
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              initMbarrier(thread);
              loadTile(thread, {0, 0}, 3072);
            }),
            inBlock0 + "cta.load_tile: thread 0 begins a tile at byte 3072 of a buffer of 3072 bytes");
}

TEST(EmulatedTiles, DoNotBeginWhereAnotherIsOnItsWay) {
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              initMbarrier(thread);
              loadTile(thread, {0, 0}, 1024);
              loadTile(thread, {0, 1}, 0);
              loadTile(thread, {0, 2}, 1024);
            }),
            inBlock0 +
                "cta.load_tile: thread 0 begins a tile where another is on its way: byte 1024 of a buffer");
}

TEST(EmulatedTiles, DoNotBeginWhereAUnitStillReads) {
  for (int64_t block : {0, 1})
    EXPECT_EQ(reportOfFirst(
                  [](WeftGpuThread *thread, const int64_t *) {
                    initMbarrier(thread);
                    arrive(thread, barriers, tileBytes);
                    loadTile(thread, {0, 0}, 1024);
                    waitFor(thread);
                    storeTile(thread, {0, 5}, 1024);
                    commitStores(thread);
                    loadTile(thread, {0, 0}, 1024);
                  },
                  block),
              (block == 0 ? inBlock0 : inBlock1) +
                  "cta.load_tile: thread 0 begins a tile where a unit still reads: byte 1024 of a buffer");
}

TEST(EmulatedTiles, AreThereBeforeTheirBlockEnds) {
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              initMbarrier(thread);
              arrive(thread, barriers, tileBytes);
              loadTile(thread, {0, 0}, 0);
            }),
            "kernel \"k\", block 0: cta.load_tile: a tile is still on its way when the block ends");
}

TEST(EmulatedTiles, SignalABarrierThatIsThere) {
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) { loadTile(thread, {0, 0}, 0); }),
            inBlock0 + "cta.load_tile: thread 0 reads byte 3072 of a buffer, which nothing has written");
}

TEST(EmulatedTiles, AreOfAsManyBytesAsTheBarrierExpects) {
  const std::string ends = "cta.mbarrier_wait: thread 0 waits for a phase that does not end";
  WeftKernelFunction tooFew = [](WeftGpuThread *thread, const int64_t *) {
    initMbarrier(thread);
    arrive(thread, barriers, tileBytes - 16);
    loadTile(thread, {0, 0}, 0);
    waitFor(thread);
  };
  WeftKernelFunction tooMany = [](WeftGpuThread *thread, const int64_t *) {
    initMbarrier(thread);
    arrive(thread, barriers, tileBytes + 16);
    loadTile(thread, {0, 0}, 0);
    waitFor(thread);
  };
  for (WeftKernelFunction kernel : {tooFew, tooMany}) {
    EXPECT_EQ(reportOfFirst(kernel, 0), inBlock0 + ends);
    EXPECT_EQ(reportOfFirst(kernel, 1), inBlock1 + ends);
  }
}

//===----------------------------------------------------------------------===//
// Who sees them
//===----------------------------------------------------------------------===//

TEST(EmulatedTiles, AreNotThereBeforeTheyAreWaitedFor) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    initMbarrier(thread);
    arrive(thread, barriers, tileBytes);
    loadTile(thread, {0, 0}, 0);
    load<uint16_t>(thread, 3);
  };
  EXPECT_EQ(reportOfFirst(kernel, 0),
            inBlock0 + "load: thread 0 reads what a copy of thread 0 is still to bring: byte 6 of a buffer");
  EXPECT_EQ(reportOfFirst(kernel, 1),
            inBlock1 + "load: thread 0 reads a tile that it did not wait for: byte 6 of a buffer");
}

TEST(EmulatedTiles, AreNotWrittenBeforeTheyAreWaitedFor) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    initMbarrier(thread);
    arrive(thread, barriers, tileBytes);
    loadTile(thread, {0, 0}, 0);
    store<uint16_t>(thread, 511, 0);
  };
  EXPECT_EQ(reportOfFirst(kernel, 0),
            inBlock0 +
                "store: thread 0 writes what a copy of thread 0 is still to bring: byte 1022 of a buffer");
  EXPECT_EQ(reportOfFirst(kernel, 1),
            inBlock1 + "store: thread 0 writes a tile that it did not wait for: byte 1022 of a buffer");
}

TEST(EmulatedTiles, AreSeenByEachThreadThatWaits) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    if (thread->thread == 0)
      initMbarrier(thread);
    barrier(thread);
    if (thread->thread == 0) {
      arrive(thread, barriers, tileBytes);
      loadTile(thread, {0, 0}, 0);
    }
    if (thread->thread == 0 || arguments[0])
      waitFor(thread);
    barrier(thread);
    if (thread->thread == 40)
      load<uint16_t>(thread, 0);
  };
  Tensor tensor;
  for (int64_t block : {0, 1}) {
    int64_t allWait[] = {0};
    EXPECT_EQ(reportOf(tensor.map(), kernel, block, allWait),
              (block == 0 ? inBlock0 : inBlock1) +
                  "load: thread 40 reads a tile that it did not wait for: byte 0 of a buffer");
    allWait[0] = 1;
    EXPECT_EQ(reportOf(tensor.map(), kernel, block, allWait), "");
  }
}

TEST(EmulatedTiles, AreSeenByThoseWhoWaitForTheirBarrier) {
  EXPECT_EQ(reportOfFirst(
                [](WeftGpuThread *thread, const int64_t *) {
                  initMbarrier(thread);
                  initMbarrier(thread, barriers + 8);
                  arrive(thread, barriers + 8, tileBytes);
                  loadTile(thread, {0, 0}, 0, barriers + 8);
                  arrive(thread);
                  waitFor(thread);
                  load<uint16_t>(thread, 0);
                },
                1),
            inBlock1 + "load: thread 0 reads a tile that it did not wait for: byte 0 of a buffer");
}

TEST(EmulatedTiles, AreSeenByThoseWhoWaitForTheirPhase) {
  EXPECT_EQ(reportOfFirst(
                [](WeftGpuThread *thread, const int64_t *) {
                  initMbarrier(thread);
                  arrive(thread, barriers, tileBytes);
                  loadTile(thread, {0, 0}, 0);
                  waitFor(thread);
                  arrive(thread, barriers, tileBytes);
                  loadTile(thread, {0, 1}, 0);
                  load<uint16_t>(thread, 0);
                },
                1),
            inBlock1 + "load: thread 0 reads a tile that it did not wait for: byte 0 of a buffer");
}

} // namespace
