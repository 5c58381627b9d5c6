// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a block: how they run, wait for each other, and what is said where they never meet.

#include "EmulatedKernel.h"
#include "runtime/src/ThreadPool.h"

using namespace weft::runtime;
using namespace weft::runtime::test;

namespace {

//===----------------------------------------------------------------------===//
// Threads and blocks
//===----------------------------------------------------------------------===//

TEST(EmulatorTest, RunsEveryThreadOfItsBlocksOnce) {
  std::vector<int64_t> runs(10 * 96, 0), expected(10 * 96, 0);
  std::fill(expected.begin() + 3 * 96, expected.begin() + 7 * 96, 1);
  int64_t arguments[] = {wordOf(runs.data())};
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    ++pointerFrom<int64_t>(arguments[0])[thread->block * 96 + thread->thread];
  };
  WeftLaunch launch = makeLaunch(kernel, 96, arguments);
  launch.first_block = 3;
  launch.end_block = launch.blocks = 7;
  EXPECT_EQ(reportOf(launch), "");
  EXPECT_EQ(runs, expected);
}

TEST(EmulatorTest, PassesArgumentsToEveryThread) {
  int64_t wrong = 0, arguments[] = {wordOf(&wrong), INT64_MIN, -1};
  WeftKernelFunction kernel = [](WeftGpuThread *, const int64_t *arguments) {
    if (arguments[1] != INT64_MIN || arguments[2] != -1)
      ++*pointerFrom<int64_t>(arguments[0]);
  };
  EXPECT_EQ(reportOf(makeLaunch(kernel, 64, arguments)), "");
  EXPECT_EQ(wrong, 0);
}

TEST(EmulatorTest, OddBlocksRunFromTheLastThreadToTheFirst) {
  std::vector<int64_t> order, expected;
  for (int64_t i = 0; i < 32; ++i)
    expected.push_back(i);
  for (int64_t i = 0; i < 32; ++i)
    expected.push_back(100 + 31 - i);
  int64_t arguments[] = {wordOf(&order)};
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    pointerFrom<std::vector<int64_t>>(arguments[0])->push_back(100 * thread->block + thread->thread);
  };
  WeftLaunch launch = makeLaunch(kernel, 32, arguments);
  launch.end_block = launch.blocks = 2;
  EXPECT_EQ(reportOf(launch), "");
  EXPECT_EQ(order, expected);
}

TEST(EmulatorTest, WithoutBlocksDoesNothing) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    thread->emulator->fail(thread, 0, 0);
  };
  WeftLaunch launch = makeLaunch(kernel, 32);
  launch.first_block = 5;
  for (int64_t end : {5, 4}) {
    launch.end_block = launch.blocks = end;
    WeftTeam team(1, {});
    emulate(&team, &launch);
    EXPECT_EQ(team.firstFailure(), nullptr);
  }
}

/// What a function keeps in registers is there again when it goes on, numbers of both kinds.
TEST(EmulatorTest, KeepsWhatThreadsHoldInRegisters) {
  int64_t wrong = 0, arguments[] = {wordOf(&wrong)};
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    volatile int64_t source = thread->thread; // The compiler does not know the sums.
    int64_t a = source, b = source + 1, c = source + 2, d = source + 3, e = source + 4;
    double p = double(source), q = p + 1, r = p + 2, s = p + 3;
    for (int round = 0; round < 3; ++round) {
      barrier(thread);
      a += b, b += c, c += d, d += e, e += a;
      p += q, q += r, r += s, s += p;
    }
    int64_t first = thread->thread;
    if (a != 8 * first + 12 || p != 8.0 * double(first) + 12)
      ++*pointerFrom<int64_t>(arguments[0]);
  };
  EXPECT_EQ(reportOf(makeLaunch(kernel, 64, arguments)), "");
  EXPECT_EQ(wrong, 0);
}

/// A call expects the stack at a multiple of 16, and a function's frame then is at one, too.
TEST(EmulatorTest, StacksAreAlignedAsCallsExpect) {
  int64_t bits = 0, arguments[] = {wordOf(&bits)};
  WeftKernelFunction kernel = [](WeftGpuThread *, const int64_t *arguments) {
    *pointerFrom<int64_t>(arguments[0]) |= wordOf(__builtin_frame_address(0));
  };
  EXPECT_EQ(reportOf(makeLaunch(kernel, 64, arguments)), "");
  EXPECT_EQ(bits % 16, 0);
}

/// Blocks of one system thread share its stacks and its memory, whatever their size.
TEST(EmulatorTest, BlocksOfEverySizeFollowEachOther) {
  for (int64_t threads : {32, 1024, 64, 992, 1024}) {
    int64_t sum = 0, arguments[] = {wordOf(&sum)};
    WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
      store<int32_t>(thread, thread->thread, 1);
      barrier(thread);
      *pointerFrom<int64_t>(arguments[0]) += load<int32_t>(thread, thread->thread ^ 31);
    };
    EXPECT_EQ(reportOf(makeLaunch(kernel, threads, arguments)), "");
    EXPECT_EQ(sum, threads);
  }
}

TEST(EmulatorTest, SaysThatThereIsNoMemoryForStacks) {
  WeftKernelFunction kernel = [](WeftGpuThread *, const int64_t *) {};
  EXPECT_EQ(reportOf(int64_t(1) << 40, kernel),
            "no memory for the stacks of 1099511627776 threads of a block: Cannot allocate memory");
  EXPECT_EQ(reportOf(64, kernel), "");
}

/// Each thread of a team runs its own blocks, at the same time.
TEST(EmulatorTest, RunsOnSeveralThreadsOfTheSystem) {
  static constexpr int64_t blocks = 200;
  std::vector<int64_t> sums(4 * blocks, 0);
  WeftFrame frame{};
  frame.arena = reinterpret_cast<char *>(sums.data());
  ThreadPool pool(4, std::chrono::microseconds(0));
  frame.callbacks = &teamCallbacks;
  frame.team = pool.team();
  WeftEntryFunction entry = [](const WeftFrame *frame, int64_t thread, int64_t) {
    WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
      store<int64_t>(thread, thread->thread, thread->thread);
      barrier(thread);
      pointerFrom<int64_t>(arguments[0])[thread->block] += load<int64_t>(thread, thread->thread ^ 63);
    };
    int64_t arguments[] = {wordOf(frame->arena)};
    WeftLaunch launch = makeLaunch(kernel, 64, arguments);
    launch.first_block = thread * blocks;
    launch.end_block = launch.blocks = launch.first_block + blocks;
    frame->callbacks->barrier(frame->team, 0); // so that they begin together
    frame->callbacks->launch(frame->team, &launch);
    frame->callbacks->barrier(frame->team, 0);
  };
  EXPECT_EQ(pool.run(entry, frame), nullptr);
  EXPECT_EQ(sums, std::vector<int64_t>(4 * blocks, 63 * 64 / 2));
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

TEST(EmulatorTest, ABarrierShowsWhatTheWholeBlockWrote) {
  int64_t wrong = 0, arguments[] = {wordOf(&wrong)};
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    for (int64_t round = 0; round < 10; ++round) {
      store<int64_t>(thread, thread->thread, 1000 * round + thread->thread);
      barrier(thread);
      int64_t other = (thread->thread + 33) % 96;
      if (load<int64_t>(thread, other) != 1000 * round + other)
        ++*pointerFrom<int64_t>(arguments[0]);
      barrier(thread);
    }
  };
  WeftLaunch launch = makeLaunch(kernel, 96, arguments);
  launch.end_block = launch.blocks = 2; // both orders
  EXPECT_EQ(reportOf(launch), "");
  EXPECT_EQ(wrong, 0);
}

TEST(EmulatorTest, AWarpBarrierShowsWhatTheWarpWrote) {
  int64_t wrong = 0, arguments[] = {wordOf(&wrong)};
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    for (int64_t round = 0; round < 10; ++round) {
      store<int64_t>(thread, thread->thread, 1000 * round + thread->thread);
      warpBarrier(thread);
      int64_t other = thread->thread ^ 5;
      if (load<int64_t>(thread, other) != 1000 * round + other)
        ++*pointerFrom<int64_t>(arguments[0]);
      warpBarrier(thread);
    }
  };
  WeftLaunch launch = makeLaunch(kernel, 96, arguments);
  launch.end_block = launch.blocks = 2;
  EXPECT_EQ(reportOf(launch), "");
  EXPECT_EQ(wrong, 0);
}

TEST(EmulatorTest, WarpsDoNotWaitForEachOtherAtAWarpBarrier) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    for (int64_t round = 0; round < thread->thread / 32; ++round)
      warpBarrier(thread);
  };
  EXPECT_EQ(reportOf(96, kernel), "");
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// All 64 bits of a value, different in each thread.
int64_t wideValue(int64_t thread) { return thread * 0x0123456789abcdef + INT64_MIN; }

/// What each of 64 threads gets.
std::vector<int64_t> resultsOf(WeftKernelFunction kernel) {
  std::vector<int64_t> results(64, -1);
  int64_t arguments[] = {wordOf(results.data())};
  EXPECT_EQ(reportOf(makeLaunch(kernel, 64, arguments)), "");
  return results;
}

TEST(EmulatorTest, AShuffleGivesTheValueOfALaneOfTheWarp) {
  std::vector<int64_t> results = resultsOf([](WeftGpuThread *thread, const int64_t *arguments) {
    int64_t lane = 7 * thread->thread % 32; // each thread's another
    pointerFrom<int64_t>(arguments[0])[thread->thread] = shuffle(thread, wideValue(thread->thread), lane);
  });
  for (int64_t i = 0; i < 64; ++i)
    EXPECT_EQ(results[i], wideValue(i / 32 * 32 + 7 * i % 32)) << i;
}

TEST(EmulatorTest, AShuffleByXorExchangesValues) {
  std::vector<int64_t> results = resultsOf([](WeftGpuThread *thread, const int64_t *arguments) {
    int64_t value = shuffle(thread, wideValue(thread->thread), thread->thread ^ 5);
    pointerFrom<int64_t>(arguments[0])[thread->thread] = value;
  });
  for (int64_t i = 0; i < 64; ++i)
    EXPECT_EQ(results[i], wideValue(i ^ 5)) << i;
}

TEST(EmulatorTest, AButterflySumsAWarp) {
  std::vector<int64_t> results = resultsOf([](WeftGpuThread *thread, const int64_t *arguments) {
    int64_t sum = thread->thread;
    for (int64_t distance = 16; distance > 0; distance /= 2)
      sum += shuffle(thread, sum, thread->thread ^ distance);
    pointerFrom<int64_t>(arguments[0])[thread->thread] = sum;
  });
  for (int64_t i = 0; i < 64; ++i)
    EXPECT_EQ(results[i], i < 32 ? 31 * 32 / 2 : 31 * 32 / 2 + 32 * 32) << i;
}

TEST(EmulatorTest, LanesAreNumbersModulo32) {
  std::vector<int64_t> results = resultsOf([](WeftGpuThread *thread, const int64_t *arguments) {
    int64_t digits = 0; // two for each of lanes 31, 0, 1 and 2
    for (int64_t lane : {-1, 32, 65, INT32_MIN + 2})
      digits = 100 * digits + shuffle(thread, thread->thread, lane);
    pointerFrom<int64_t>(arguments[0])[thread->thread] = digits;
  });
  EXPECT_EQ(results[0], 31000102);
  EXPECT_EQ(results[31], 31000102);
  EXPECT_EQ(results[32], 63323334);
}

//===----------------------------------------------------------------------===//
// Threads that never meet
//===----------------------------------------------------------------------===//

TEST(EmulatorTest, ReportsABarrierThatEndedThreadsNeverReach) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->thread != 5)
      barrier(thread);
  };
  EXPECT_EQ(reportOf(64, kernel),
            inBlock0 + "barrier: thread 0 and 62 others wait for threads that have ended, or wait elsewhere");
}

TEST(EmulatorTest, ReportsAWarpBarrierThatEndedThreadsNeverReach) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->thread < 63)
      warpBarrier(thread);
  };
  EXPECT_EQ(reportOf(64, kernel),
            inBlock0 +
                "warp_barrier: thread 32 and 30 others wait for threads that have ended, or wait elsewhere");
}

TEST(EmulatorTest, ReportsAShuffleThatEndedThreadsNeverReach) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->thread == 9)
      shuffle(thread, 0, 0);
  };
  EXPECT_EQ(reportOf(32, kernel),
            inBlock0 + "shuffle: thread 9 and 0 others wait for threads that have ended, or wait elsewhere");
}

TEST(EmulatorTest, ReportsThreadsAtABarrierWhileOthersAreAtAWarpBarrier) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->thread % 2 == 0)
      barrier(thread);
    else
      warpBarrier(thread);
  };
  EXPECT_EQ(reportOf(64, kernel),
            inBlock0 + "barrier: thread 0 and 31 others wait for threads that wait elsewhere");
}

TEST(EmulatorTest, ReportsThreadsAtAShuffleWhileOthersAreAtABarrier) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->thread < 16)
      shuffle(thread, 0, 0);
    barrier(thread);
  };
  EXPECT_EQ(reportOf(64, kernel),
            inBlock0 + "shuffle: thread 0 and 15 others wait for threads that wait elsewhere");
}

TEST(EmulatorTest, ReportsAShuffleWhileAThreadOfTheWarpIsAtAWarpBarrier) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->thread == 40)
      warpBarrier(thread);
    else
      shuffle(thread, 0, 0);
  };
  EXPECT_EQ(reportOf(64, kernel), inBlock0 + "shuffle: thread 40 is at warp_barrier");
}

/// The same, but the one that comes last is at the barrier.
TEST(EmulatorTest, ReportsAWarpBarrierWhileThreadsOfTheWarpAreAtAShuffle) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->thread == 63)
      warpBarrier(thread);
    else
      shuffle(thread, 0, 0);
  };
  EXPECT_EQ(reportOf(64, kernel), inBlock0 + "warp_barrier: thread 32 is at shuffle");
}

TEST(EmulatorTest, ReportsTwoShufflesAtOnce) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    const char *op = thread->thread < 16 ? "this shuffle" : "that shuffle";
    thread->emulator->shuffle(thread, 0, 0, op);
  };
  EXPECT_EQ(reportOf(32, kernel), inBlock0 + "that shuffle: thread 0 is at this shuffle");
}

/// What was reported must not happen: behind the end of a buffer is anything.
TEST(EmulatorTest, NoThreadOfTheBlockGoesOnAfterAReport) {
  int64_t steps = 0, arguments[] = {wordOf(&steps)};
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    barrier(thread);
    store<int32_t>(thread, sharedBytes / 4, 0);
    ++*pointerFrom<int64_t>(arguments[0]);
  };
  EXPECT_EQ(reportOf(makeLaunch(kernel, 64, arguments)),
            inBlock0 + "store: thread 63 writes byte 4096 of a buffer of 4096 bytes");
  EXPECT_EQ(steps, 0);
}

TEST(EmulatorTest, NoBlockRunsAfterAReport) {
  std::vector<int64_t> blocks;
  int64_t arguments[] = {wordOf(&blocks)};
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    if (thread->thread == 0)
      pointerFrom<std::vector<int64_t>>(arguments[0])->push_back(thread->block);
    else if (thread->block == 1)
      barrier(thread);
  };
  WeftLaunch launch = makeLaunch(kernel, 32, arguments);
  launch.end_block = launch.blocks = 4;
  EXPECT_EQ(reportOf(launch),
            inBlock1 + "barrier: thread 1 and 30 others wait for threads that have ended, or wait elsewhere");
  EXPECT_EQ(blocks, (std::vector<int64_t>{0, 1}));
}

/// Threads that were left where they stood do not disturb those that come after them on their stacks.
TEST(EmulatorTest, LaunchesWorkAfterAReport) {
  WeftKernelFunction good = [](WeftGpuThread *thread, const int64_t *) {
    store<int32_t>(thread, thread->thread, 1);
    warpBarrier(thread);
    load<int32_t>(thread, thread->thread ^ 1);
    barrier(thread);
    load<int32_t>(thread, thread->thread ^ 32);
  };
  WeftKernelFunction stalls = [](WeftGpuThread *thread, const int64_t *) {
    store<int32_t>(thread, thread->thread, 1);
    thread->thread % 2 ? barrier(thread) : warpBarrier(thread);
  };
  WeftKernelFunction races = [](WeftGpuThread *thread, const int64_t *) {
    warpBarrier(thread);
    store<int32_t>(thread, 0, 1);
  };
  for (int turn = 0; turn < 3; ++turn)
    for (WeftKernelFunction bad : {stalls, races}) {
      EXPECT_NE(reportOf(64, bad), "");
      EXPECT_EQ(reportOf(64, good), "");
    }
}

//===----------------------------------------------------------------------===//
// Errors in the data
//===----------------------------------------------------------------------===//

TEST(EmulatorTest, AThreadThatReportsAnIndexGoesOnAndTheFirstReportWins) {
  int64_t ends = 0, arguments[] = {wordOf(&ends)};
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    if (thread->thread % 2 == 1)
      thread->emulator->fail(thread, 100 + thread->thread, 50);
    barrier(thread);
    ++*pointerFrom<int64_t>(arguments[0]);
  };
  WeftLaunch launch = makeLaunch(kernel, 64, arguments);
  WeftTeam team(1, {});
  emulate(&team, &launch);
  const WeftTeam::Failure *failure = team.firstFailure();
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->kind, WEFT_FAILURE_INDEX);
  EXPECT_EQ(failure->step, 7);
  EXPECT_EQ(failure->value, 101);
  EXPECT_EQ(failure->bound, 50);
  EXPECT_EQ(failure->text, "");
  EXPECT_EQ(ends, 64);
}

} // namespace
