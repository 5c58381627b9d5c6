// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads of kernels for sm_90a wait at: barriers in shared memory, which count arrivals and bytes, and
// barriers of a warpgroup.

#include "EmulatedTiles.h"

using namespace weft::runtime;
using namespace weft::runtime::test;

namespace {

std::string reportOfBlock(WeftLaunch launch, int64_t block) {
  launch.first_block = block;
  launch.end_block = launch.blocks = block + 1;
  return reportOf(launch);
}

//===----------------------------------------------------------------------===//
// Barriers in shared memory
//===----------------------------------------------------------------------===//

const std::string neverEnds = inBlock0 + "cta.mbarrier_wait: thread 0 waits for a phase that does not end";

/// Who came when.
struct Events {
  int64_t count = 0, threads[12] = {};
  void add(const WeftGpuThread *thread) { threads[count++] = thread->thread; }
};

/// Thread 0 takes what threads 1 and 40 bring, four times; they bring the next when it has taken the last.
void takeTurns(WeftGpuThread *thread, const int64_t *arguments) {
  constexpr int64_t full = 0, empty = 8;
  auto *events = pointerFrom<Events>(arguments[0]);
  if (thread->thread == 0) {
    initMbarrier(thread, full, 2);
    initMbarrier(thread, empty, 1);
  }
  barrier(thread);
  for (int64_t round = 0; round < 4; ++round) {
    if (thread->thread == 0) {
      waitFor(thread, full, round % 2);
      events->add(thread);
      arrive(thread, empty);
    }
    if (thread->thread == 1 || thread->thread == 40) {
      waitFor(thread, empty, (round + 1) % 2);
      events->add(thread);
      arrive(thread, full);
    }
  }
}

TEST(EmulatedMbarriers, HavePhasesOfOneParityAfterTheOther) {
  for (int64_t block : {0, 1}) {
    Events events;
    int64_t arguments[] = {wordOf(&events)};
    EXPECT_EQ(reportOfBlock(makeLaunch(takeTurns, 64, arguments), block), "");
    ASSERT_EQ(events.count, 12);
    for (int64_t round = 0; round < 4; ++round) {
      const int64_t *three = events.threads + 3 * round;
      EXPECT_EQ(three[0] + three[1], 41) << "round " << round;
      EXPECT_EQ(three[2], 0) << "round " << round;
    }
  }
}

TEST(EmulatedMbarriers, HavePassedThePhaseBeforeTheFirst) {
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              initMbarrier(thread, 0, 1);
              waitFor(thread, 0, 1);
            }),
            "");
}

TEST(EmulatedMbarriers, DoNotPassThePhaseThatRuns) {
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              initMbarrier(thread, 0, 1);
              waitFor(thread, 0, 0);
            }),
            neverEnds);
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              initMbarrier(thread, 0, 1);
              arrive(thread, 0);
              waitFor(thread, 0, 0);
              waitFor(thread, 0, 1);
            }),
            neverEnds);
}

TEST(EmulatedMbarriers, WaitForAllArrivals) {
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              initMbarrier(thread, 0, 3);
              arrive(thread, 0);
              arrive(thread, 0);
              waitFor(thread, 0, 0);
            }),
            neverEnds);
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              initMbarrier(thread, 0, 3);
              for (int64_t i = 0; i < 3; ++i)
                arrive(thread, 0);
              waitFor(thread, 0, 0);
            }),
            "");
}

TEST(EmulatedMbarriers, WaitForBytes) {
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              initMbarrier(thread, 0, 1);
              arrive(thread, 0, 1024);
              waitFor(thread, 0, 0);
            }),
            neverEnds);
}

TEST(EmulatedMbarriers, TakeNoMoreArrivalsThanTheyAreFor) {
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              initMbarrier(thread, 0, 1);
              arrive(thread, 0, 1024); // the phase goes on
              arrive(thread, 0);
            }),
            inBlock0 + "cta.mbarrier_arrive: more threads arrive than the barrier is for");
}

TEST(EmulatedMbarriers, DoNotMixWithTheirNeighbours) {
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              initMbarrier(thread, 0, 1);
              initMbarrier(thread, 8, 1);
              arrive(thread, 8);
              waitFor(thread, 8, 0);
              waitFor(thread, 0, 0);
            }),
            neverEnds);
}

TEST(EmulatedMbarriers, AreMadeFirst) {
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) { arrive(thread, 16); }),
            inBlock0 + "cta.mbarrier_arrive: thread 0 reads byte 16 of a buffer, which nothing has written");
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) { waitFor(thread, 16, 0); }),
            inBlock0 + "cta.mbarrier_wait: thread 0 reads byte 16 of a buffer, which nothing has written");
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              store<int64_t>(thread, 2, 0);
              waitFor(thread, 16, 0);
            }),
            inBlock0 + "cta.mbarrier_wait: there is no barrier");
}

/// Those of the block before are not there any more.
TEST(EmulatedMbarriers, AreMadeOnce) {
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) {
              initMbarrier(thread, 0, 1);
              initMbarrier(thread, 0, 2);
            }),
            inBlock0 + "cta.mbarrier_init: there is a barrier already");
}

TEST(EmulatedMbarriers, AreMadeInEachBlock) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->thread != 0)
      return;
    if (thread->block == 0)
      initMbarrier(thread, 16, 1);
    else
      store<int64_t>(thread, 2, 0);
    waitFor(thread, 16, 1);
  };
  WeftLaunch launch = makeLaunch(kernel, 32);
  launch.end_block = launch.blocks = 2;
  EXPECT_EQ(reportOf(launch), inBlock1 + "cta.mbarrier_wait: there is no barrier");
}

TEST(EmulatedMbarriers, AreUsedByOthersBehindABarrier) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    if (thread->thread == 0)
      initMbarrier(thread, 0, 1);
    if (arguments[0])
      barrier(thread);
    if (thread->thread == 33)
      arrive(thread, 0);
  };
  int64_t waits[] = {0};
  EXPECT_EQ(reportOf(makeLaunch(kernel, 64, waits)),
            inBlock0 + "cta.mbarrier_arrive: thread 33 reads what thread 0 wrote and it did "
                       "not wait for: byte 0 of a buffer");
  waits[0] = 1;
  EXPECT_EQ(reportOf(makeLaunch(kernel, 64, waits)), "");
}

TEST(EmulatedMbarriers, LieAtMultiplesOf8BytesOfTheirBuffer) {
  EXPECT_EQ(reportOfFirst([](WeftGpuThread *thread, const int64_t *) { initMbarrier(thread, 12, 1); }),
            inBlock0 + "cta.mbarrier_init: thread 0 writes 8 bytes at byte 12, which is no multiple of that");
  EXPECT_EQ(
      reportOfFirst([](WeftGpuThread *thread, const int64_t *) { initMbarrier(thread, sharedBytes, 1); }),
      inBlock0 + "cta.mbarrier_init: thread 0 writes byte 4096 of a buffer of 4096 bytes");
}

//===----------------------------------------------------------------------===//
// Barriers of a warpgroup
//===----------------------------------------------------------------------===//

void groupBarrier(WeftGpuThread *thread, const char *op = "cta.group_barrier") {
  thread->emulator->group_barrier(thread, op);
}

/// Thread arguments[0] writes a byte, and thread arguments[1] reads it or, if arguments[2] says so, writes
/// it; all of both warpgroups meet in between.
std::string reportOfTwo(int64_t first, int64_t second, bool writes = false) {
  int64_t arguments[] = {first, second, writes};
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    if (thread->thread == arguments[0])
      store<int8_t>(thread, 9, 0);
    groupBarrier(thread);
    if (thread->thread == arguments[1])
      arguments[2] ? store<int8_t>(thread, 9, 0) : void(load<int8_t>(thread, 9));
  };
  return reportOf(makeLaunch(kernel, 256, arguments));
}

TEST(EmulatedGroupBarriers, OrderThreadsOfTheWarpgroup) {
  EXPECT_EQ(reportOfTwo(1, 2), "");
  EXPECT_EQ(reportOfTwo(0, 127), "");
  EXPECT_EQ(reportOfTwo(255, 128), "");
  EXPECT_EQ(reportOfTwo(0, 127, /*writes=*/true), "");
}

TEST(EmulatedGroupBarriers, DoNotOrderThreadsOfOthers) {
  EXPECT_EQ(reportOfTwo(127, 128),
            inBlock0 +
                "load: thread 128 reads what thread 127 wrote and it did not wait for: byte 9 of a buffer");
  EXPECT_EQ(reportOfTwo(1, 200, /*writes=*/true),
            inBlock0 +
                "store: thread 200 writes what thread 1 wrote and it did not wait for: byte 9 of a buffer");
}

TEST(EmulatedGroupBarriers, OrderAReaderAndAWriter) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->thread == 0)
      store<int8_t>(thread, 9, 0);
    barrier(thread);
    if (thread->thread == 3)
      load<int8_t>(thread, 9);
    groupBarrier(thread);
    if (thread->thread == 100)
      store<int8_t>(thread, 9, 0);
  };
  EXPECT_EQ(reportOf(128, kernel), "");
}

TEST(EmulatedGroupBarriers, OrderReadersOfSeveralWarpsAndAWriter) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->thread == 0)
      store<char>(thread, 9, 1);
    barrier(thread);
    if (thread->thread == 3 || thread->thread == 40)
      load<char>(thread, 9);
    thread->emulator->group_barrier(thread, "cta.group_barrier");
    if (thread->thread == 3)
      store<char>(thread, 9, 2);
  };
  EXPECT_EQ(reportOf(makeLaunch(kernel, 128)), "");
}

TEST(EmulatedGroupBarriers, WaitForTheWholeWarpgroup) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->thread != 5)
      groupBarrier(thread);
  };
  EXPECT_EQ(reportOf(128, kernel), inBlock0 + "cta.group_barrier: thread 0 and 126 others wait for threads "
                                              "that have ended, or wait elsewhere");
}

TEST(EmulatedGroupBarriers, DoNotWaitForOthers) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->thread >= 128)
      groupBarrier(thread);
    barrier(thread);
  };
  EXPECT_EQ(reportOf(256, kernel), "");
}

TEST(EmulatedGroupBarriers, AreOneAndTheSame) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    groupBarrier(thread, thread->thread == 37 ? "the other one" : "the one");
  };
  EXPECT_EQ(reportOf(128, kernel), inBlock0 + "the one: thread 37 is at the other one");
}

TEST(EmulatedGroupBarriers, AreOfWholeWarpgroups) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) { groupBarrier(thread); };
  const std::string isNone = inBlock0 + "cta.group_barrier: the threads are no whole warpgroup";
  EXPECT_EQ(reportOf(32, kernel), isNone);
  EXPECT_EQ(reportOf(160, kernel), isNone);
  EXPECT_EQ(reportOf(384, kernel), "");
}

} // namespace
