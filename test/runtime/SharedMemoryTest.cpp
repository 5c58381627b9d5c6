// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads of a block may do with the memory that they share, and what is said where they do something
// else.

#include "EmulatedKernel.h"

using namespace weft::runtime;
using namespace weft::runtime::test;

namespace {

//===----------------------------------------------------------------------===//
// What it holds at first
//===----------------------------------------------------------------------===//

TEST(SharedMemoryTest, IsNaNWhereverABlockBegins) {
  int64_t wrong = 0, arguments[] = {wordOf(&wrong), sharedBytes};
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    for (int64_t i = 0; thread->thread == 0 && i < arguments[1]; ++i)
      if (static_cast<unsigned char>(thread->shared[i]) != 0xFF)
        ++*pointerFrom<int64_t>(arguments[0]);
    barrier(thread);
    for (int64_t i = thread->thread; i < arguments[1]; i += 64)
      thread->shared[i] = 0;
  };
  for (int64_t bytes : {0, 4096, 100, 40000, 4096}) {
    arguments[1] = bytes;
    WeftLaunch launch = makeLaunch(kernel, 64, arguments);
    launch.shared_bytes = bytes;
    launch.end_block = launch.blocks = 3;
    EXPECT_EQ(reportOf(launch), "");
    EXPECT_EQ(wrong, 0) << bytes;
  }
}

TEST(SharedMemoryTest, IsAlignedAsSwizzledTilesHaveToBe) {
  int64_t bits = 0, arguments[] = {wordOf(&bits)};
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    *pointerFrom<int64_t>(arguments[0]) |= wordOf(thread->shared);
  };
  for (int64_t bytes : {1, 5000, 166912}) {
    WeftLaunch launch = makeLaunch(kernel, 32, arguments);
    launch.shared_bytes = bytes;
    EXPECT_EQ(reportOf(launch), "");
    EXPECT_EQ(bits % 1024, 0) << bytes;
  }
}

TEST(SharedMemoryTest, ReportsAReadOfWhatNothingHasWritten) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    store<int16_t>(thread, 2 * thread->thread, 0);
    load<int32_t>(thread, thread->thread);
  };
  EXPECT_EQ(reportOf(32, kernel),
            inBlock0 + "load: thread 0 reads byte 2 of a buffer, which nothing has written");
}

/// What another block, or another kernel, left there is nobody's.
TEST(SharedMemoryTest, ReportsAReadOfWhatOnlyABlockBeforeHasWritten) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->block == 0)
      store<int32_t>(thread, thread->thread, 0);
    load<int32_t>(thread, thread->thread);
  };
  WeftLaunch launch = makeLaunch(kernel, 32);
  launch.end_block = launch.blocks = 2;
  std::string unwritten = "load: thread 31 reads byte 124 of a buffer, which nothing has written";
  EXPECT_EQ(reportOf(launch), inBlock1 + unwritten);
  launch.first_block = 1;
  EXPECT_EQ(reportOf(launch), inBlock1 + unwritten);
}

/// Blocks share nothing: they cannot race.
TEST(SharedMemoryTest, BlocksMayTouchTheSameBytes) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    store<int32_t>(thread, (thread->thread + 17 * thread->block) % 64, 0);
    load<int32_t>(thread, (thread->thread + 17 * thread->block) % 64);
  };
  WeftLaunch launch = makeLaunch(kernel, 64);
  launch.end_block = launch.blocks = 4;
  EXPECT_EQ(reportOf(launch), "");
}

//===----------------------------------------------------------------------===//
// Races: of a pair of accesses by two threads one writes, and they do not meet in between
//===----------------------------------------------------------------------===//

/// How the two threads meet.
enum Between : int64_t { Nothing, Shuffle, WarpBarrier, Barrier };
/// The first access and the second.
enum Accesses : int64_t { WriteWrite, WriteRead, ReadWrite, ReadRead };

/// Thread arguments[2] makes the first access to a byte, thread arguments[3] the second.
void touchTwice(WeftGpuThread *thread, const int64_t *arguments) {
  bool isWrite[] = {arguments[0] == WriteWrite || arguments[0] == WriteRead,
                    arguments[0] == WriteWrite || arguments[0] == ReadWrite};
  auto touch = [&](bool write) { write ? store<int8_t>(thread, 9, 0) : void(load<int8_t>(thread, 9)); };
  if (thread->thread == 0)
    store<int8_t>(thread, 9, 0);
  barrier(thread);
  if (thread->thread == arguments[2])
    touch(isWrite[0]);
  if (arguments[1] == Shuffle)
    shuffle(thread, 0, 0);
  else if (arguments[1] == WarpBarrier)
    warpBarrier(thread);
  else if (arguments[1] == Barrier)
    barrier(thread);
  if (thread->thread == arguments[3])
    touch(isWrite[1]);
}

std::string reportOfTwo(Accesses accesses, Between between, int64_t first, int64_t second) {
  int64_t arguments[] = {accesses, between, first, second};
  return reportOf(makeLaunch(touchTwice, 96, arguments));
}

/// Threads of one warp, and of two.
constexpr int64_t pairs[][2] = {{1, 2}, {4, 70}};

TEST(SharedMemoryTest, ReportsAReadOfWhatAnotherThreadWrote) {
  EXPECT_EQ(reportOfTwo(WriteRead, Nothing, 1, 2),
            inBlock0 +
                "load: thread 2 reads what thread 1 wrote and it did not wait for: byte 9 of a buffer");
  EXPECT_EQ(reportOfTwo(WriteRead, Nothing, 4, 70),
            inBlock0 +
                "load: thread 70 reads what thread 4 wrote and it did not wait for: byte 9 of a buffer");
}

TEST(SharedMemoryTest, ReportsAWriteOfWhatAnotherThreadWrote) {
  EXPECT_EQ(reportOfTwo(WriteWrite, Nothing, 1, 2),
            inBlock0 +
                "store: thread 2 writes what thread 1 wrote and it did not wait for: byte 9 of a buffer");
  EXPECT_EQ(reportOfTwo(WriteWrite, Nothing, 4, 70),
            inBlock0 +
                "store: thread 70 writes what thread 4 wrote and it did not wait for: byte 9 of a buffer");
}

TEST(SharedMemoryTest, ReportsAWriteOfWhatAnotherThreadRead) {
  for (auto [first, second] : pairs)
    EXPECT_EQ(reportOfTwo(ReadWrite, Nothing, first, second),
              inBlock0 + "store: thread " + std::to_string(second) +
                  " writes what other threads read and it did not wait for: byte 9 of a buffer");
}

TEST(SharedMemoryTest, ReadsDoNotRace) {
  for (auto [first, second] : pairs)
    EXPECT_EQ(reportOfTwo(ReadRead, Nothing, first, second), "");
}

TEST(SharedMemoryTest, AThreadDoesNotRaceWithItself) {
  for (Accesses accesses : {WriteWrite, WriteRead, ReadWrite})
    EXPECT_EQ(reportOfTwo(accesses, Nothing, 40, 40), "");
}

TEST(SharedMemoryTest, ABarrierOrdersAllThreads) {
  for (Accesses accesses : {WriteWrite, WriteRead, ReadWrite})
    for (auto [first, second] : pairs)
      EXPECT_EQ(reportOfTwo(accesses, Barrier, first, second), "");
}

TEST(SharedMemoryTest, AWarpBarrierOrdersThreadsOfTheWarpOnly) {
  for (Accesses accesses : {WriteWrite, WriteRead, ReadWrite}) {
    EXPECT_EQ(reportOfTwo(accesses, WarpBarrier, 1, 2), "");
    EXPECT_NE(reportOfTwo(accesses, WarpBarrier, 4, 70), "");
  }
}

/// It hands over values, and says nothing about memory.
TEST(SharedMemoryTest, AShuffleOrdersNothing) {
  for (Accesses accesses : {WriteWrite, WriteRead, ReadWrite})
    for (auto [first, second] : pairs)
      EXPECT_NE(reportOfTwo(accesses, Shuffle, first, second), "");
}

/// The thread that runs first in a block of an odd number is the last one.
TEST(SharedMemoryTest, ReportsRacesInBothOrdersOfThreads) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->thread == 5 || thread->thread == 45)
      store<int32_t>(thread, 0, 0);
  };
  WeftLaunch launch = makeLaunch(kernel, 64);
  EXPECT_EQ(reportOf(launch),
            inBlock0 +
                "store: thread 45 writes what thread 5 wrote and it did not wait for: byte 0 of a buffer");
  launch.first_block = 1;
  launch.end_block = launch.blocks = 2;
  EXPECT_EQ(reportOf(launch),
            inBlock1 +
                "store: thread 5 writes what thread 45 wrote and it did not wait for: byte 0 of a buffer");
}

TEST(SharedMemoryTest, ReportsRacesOnPartsOfANumber) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->thread == 0)
      store<int64_t>(thread, 1, 0);
    if (thread->thread == 32)
      store<int8_t>(thread, 13, 0);
  };
  EXPECT_EQ(reportOf(64, kernel),
            inBlock0 +
                "store: thread 32 writes what thread 0 wrote and it did not wait for: byte 13 of a buffer");
}

TEST(SharedMemoryTest, NeighboursDoNotRace) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    store<int8_t>(thread, thread->thread, 1);
    load<int8_t>(thread, thread->thread);
  };
  EXPECT_EQ(reportOf(64, kernel), "");
}

/// Somebody wrote that a thread did wait for, and somebody wrote later that it did not.
TEST(SharedMemoryTest, ReportsARaceAfterOrderedAccesses) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    for (int64_t writer = 0; writer < 40; ++writer) {
      if (thread->thread == writer)
        store<int32_t>(thread, 3, 0);
      if (writer != 38)
        barrier(thread);
    }
  };
  EXPECT_EQ(reportOf(64, kernel),
            inBlock0 +
                "store: thread 39 writes what thread 38 wrote and it did not wait for: byte 12 of a buffer");
}

//===----------------------------------------------------------------------===//
// Many readers
//===----------------------------------------------------------------------===//

/// All threads read a byte that thread 0 wrote. Then the last one writes it, when arguments[0] says that they
/// wait.
void readAllWriteOnce(WeftGpuThread *thread, const int64_t *arguments) {
  int64_t writer = arguments[1];
  if (thread->thread == 0)
    store<int32_t>(thread, 5, 0);
  barrier(thread);
  load<int32_t>(thread, 5);
  if (arguments[0] == WarpBarrier)
    warpBarrier(thread);
  else if (arguments[0] == Barrier)
    barrier(thread);
  if (thread->thread == writer)
    store<int32_t>(thread, 5, 0);
}

std::string reportOfReaders(int64_t threads, Between between, int64_t writer) {
  int64_t arguments[] = {between, writer};
  return reportOf(makeLaunch(readAllWriteOnce, threads, arguments));
}

std::string writesWhatOthersRead(int64_t writer) {
  return inBlock0 + "store: thread " + std::to_string(writer) +
         " writes what other threads read and it did not wait for: byte 20 of a buffer";
}

constexpr int64_t nobody = -1;

TEST(SharedMemoryTest, ManyMayReadAByte) {
  EXPECT_EQ(reportOfReaders(32, Nothing, nobody), "");
  EXPECT_EQ(reportOfReaders(96, Nothing, nobody), "");
}

/// By the last one of them that reads. (The last one that comes to a barrier is the first to go on.)
TEST(SharedMemoryTest, ReportsAWriteOfWhatManyRead) {
  EXPECT_EQ(reportOfReaders(32, Nothing, 30), writesWhatOthersRead(30));
  EXPECT_EQ(reportOfReaders(96, Nothing, 94), writesWhatOthersRead(94));
}

TEST(SharedMemoryTest, ReadersOfAWarpAreOrderedByAWarpBarrier) {
  EXPECT_EQ(reportOfReaders(32, WarpBarrier, 31), "");
  EXPECT_EQ(reportOfReaders(32, WarpBarrier, 12), "");
}

TEST(SharedMemoryTest, ReadersOfOtherWarpsAreNotOrderedByAWarpBarrier) {
  EXPECT_EQ(reportOfReaders(96, WarpBarrier, 95), writesWhatOthersRead(95));
  EXPECT_EQ(reportOfReaders(96, WarpBarrier, 70), writesWhatOthersRead(70));
}

TEST(SharedMemoryTest, ManyReadersAreOrderedByABarrier) {
  for (int64_t writer : {0, 40, 95})
    EXPECT_EQ(reportOfReaders(96, Barrier, writer), "");
}

/// The writer read it itself after the warp barrier, and is the only one who did.
TEST(SharedMemoryTest, ForgetsReadersThatTheWarpHasMetSince) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->thread == 0)
      store<int32_t>(thread, 5, 0);
    warpBarrier(thread);
    load<int32_t>(thread, 5);
    warpBarrier(thread);
    if (thread->thread == 7) {
      load<int32_t>(thread, 5);
      store<int32_t>(thread, 5, 0);
    }
  };
  EXPECT_EQ(reportOf(32, kernel), "");
}

/// A thread of one warp reads, and later one of another: the first must not be forgotten.
TEST(SharedMemoryTest, RemembersReadersThatOtherReadersFollow) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->thread == 0)
      store<int32_t>(thread, 5, 0);
    barrier(thread);
    if (thread->thread == 3 || thread->thread == 62)
      load<int32_t>(thread, 5);
    warpBarrier(thread);
    if (thread->thread == 62)
      store<int32_t>(thread, 5, 0);
  };
  EXPECT_EQ(reportOf(64, kernel), writesWhatOthersRead(62));
}

/// Who has read before the last barrier does not count any more.
TEST(SharedMemoryTest, ForgetsReadersThatTheBlockHasMetSince) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    for (int64_t round = 0; round < 5; ++round) {
      if (thread->thread == 20 * round)
        store<int32_t>(thread, 5, 0);
      barrier(thread);
      load<int32_t>(thread, 5);
      barrier(thread);
    }
  };
  EXPECT_EQ(reportOf(96, kernel), "");
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Thread 3 of a block says that it touches `bytes` bytes at `offset`, of a buffer in [256, 512).
std::string reportOfAccess(int64_t offset, int64_t bytes, bool isWrite = true) {
  int64_t arguments[] = {offset, bytes, isWrite};
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    if (thread->thread == 3)
      thread->emulator->access(thread, arguments[0], arguments[1], 256, 512, int32_t(arguments[2]), "access");
  };
  return reportOf(makeLaunch(kernel, 32, arguments));
}

TEST(SharedMemoryTest, ABufferMayBeTouchedToItsEnds) {
  EXPECT_EQ(reportOfAccess(256, 8), "");
  EXPECT_EQ(reportOfAccess(496, 16), "");
  EXPECT_EQ(reportOfAccess(511, 1), "");
}

TEST(SharedMemoryTest, ReportsAnAccessBehindTheBuffer) {
  EXPECT_EQ(reportOfAccess(512, 4), inBlock0 + "access: thread 3 writes byte 256 of a buffer of 256 bytes");
  EXPECT_EQ(reportOfAccess(512, 4, false),
            inBlock0 + "access: thread 3 reads byte 256 of a buffer of 256 bytes");
  EXPECT_EQ(reportOfAccess(4096, 4), inBlock0 + "access: thread 3 writes byte 3840 of a buffer of 256 bytes");
}

TEST(SharedMemoryTest, ReportsAnAccessThatReachesBehindTheBuffer) {
  EXPECT_EQ(reportOfAccess(508, 8), inBlock0 + "access: thread 3 writes byte 252 of a buffer of 256 bytes");
}

TEST(SharedMemoryTest, ReportsAnAccessBeforeTheBuffer) {
  EXPECT_EQ(reportOfAccess(252, 4), inBlock0 + "access: thread 3 writes byte -4 of a buffer of 256 bytes");
  EXPECT_EQ(reportOfAccess(252, 8), inBlock0 + "access: thread 3 writes byte -4 of a buffer of 256 bytes");
  EXPECT_EQ(reportOfAccess(-4, 4), inBlock0 + "access: thread 3 writes byte -260 of a buffer of 256 bytes");
}

/// As an index that was computed from what nobody wrote is.
TEST(SharedMemoryTest, ReportsAccessesFarAway) {
  std::string behind = inBlock0 + "access: thread 3 writes byte " + std::to_string(INT64_MAX - 7 - 256);
  EXPECT_EQ(reportOfAccess(INT64_MAX - 7, 8), behind + " of a buffer of 256 bytes");
  std::string before = inBlock0 + "access: thread 3 writes byte ";
  EXPECT_EQ(reportOfAccess(INT64_MIN + 256, 8),
            before + std::to_string(INT64_MIN) + " of a buffer of 256 bytes");
}

TEST(SharedMemoryTest, ReportsAnAccessThatIsNotAlignedToItsSize) {
  auto misaligned = [](std::string bytes, std::string at) {
    return inBlock0 + "access: thread 3 writes " + bytes + " bytes at byte " + at +
           ", which is no multiple of that";
  };
  EXPECT_EQ(reportOfAccess(258, 4), misaligned("4", "258"));
  EXPECT_EQ(reportOfAccess(264, 16), misaligned("16", "264"));
  EXPECT_EQ(reportOfAccess(257, 2), misaligned("2", "257"));
}

} // namespace
