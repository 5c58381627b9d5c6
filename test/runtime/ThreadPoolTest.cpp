// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers and failures under every number of threads, with and without spinning.

#include "runtime/src/ThreadPool.h"
#include "ModelBuilder.h"

using namespace weft::runtime;

namespace {

constexpr int64_t rounds = 50;

struct Shared {
  std::vector<int64_t> slots;
  std::vector<int64_t> roundsDone;
  int64_t failAtRound = -1, failingThread = 0;
  std::atomic<int64_t> wrong{0};
};

Shared &sharedOf(const WeftFrame *frame) { return *reinterpret_cast<Shared *>(frame->arena); }

/// Each round, a thread writes its slot; after a barrier it reads its neighbour's.
void ring(const WeftFrame *frame, int64_t thread, int64_t threads) {
  Shared &shared = sharedOf(frame);
  for (int64_t round = 0; round < rounds; ++round) {
    shared.slots[thread] = round;
    if (round == shared.failAtRound && thread == shared.failingThread % threads)
      frame->callbacks->fail(frame->team, WEFT_FAILURE_INDEX, round, thread, 8);
    if (frame->callbacks->barrier(frame->team, 0))
      return;
    if (shared.slots[(thread + 1) % threads] != round)
      ++shared.wrong;
    if (frame->callbacks->barrier(frame->team, 0))
      return;
    shared.roundsDone[thread] = round + 1;
  }
}

class ThreadPoolTest : public testing::TestWithParam<std::tuple<int, int>> {
protected:
  size_t threads() const { return std::get<0>(GetParam()); }
  WaitWord::Duration spin() const { return std::chrono::microseconds(std::get<1>(GetParam())); }

  const WeftTeam::Failure *run(ThreadPool &pool, Shared &shared) {
    shared.slots.assign(threads(), -1);
    shared.roundsDone.assign(threads(), 0);
    WeftFrame frame{&teamCallbacks, pool.team(), nullptr, nullptr, nullptr, reinterpret_cast<char *>(&shared),
                    nullptr,        nullptr};
    return pool.run(ring, frame);
  }
};

TEST_P(ThreadPoolTest, BarriersOrderRepeatedRuns) {
  ThreadPool pool(threads(), spin());
  ASSERT_EQ(pool.size(), threads());
  for (int repeat = 0; repeat < 10; ++repeat) {
    Shared shared;
    EXPECT_EQ(run(pool, shared), nullptr);
    EXPECT_EQ(shared.wrong, 0);
    EXPECT_EQ(shared.roundsDone, std::vector<int64_t>(threads(), rounds));
  }
}

TEST_P(ThreadPoolTest, FailureEndsTheRunForAllAtTheSameBarrier) {
  ThreadPool pool(threads(), spin());
  for (int repeat = 0; repeat < 10; ++repeat) {
    Shared shared;
    shared.failAtRound = repeat;
    shared.failingThread = repeat;
    const WeftTeam::Failure *failure = run(pool, shared);
    ASSERT_NE(failure, nullptr);
    EXPECT_EQ(failure->step, repeat);
    EXPECT_EQ(failure->value, repeat % static_cast<int64_t>(threads()));
    EXPECT_EQ(failure->bound, 8);
    EXPECT_EQ(shared.roundsDone, std::vector<int64_t>(threads(), repeat));
    // The pool is as good as new.
    Shared next;
    EXPECT_EQ(run(pool, next), nullptr);
    EXPECT_EQ(next.roundsDone, std::vector<int64_t>(threads(), rounds));
  }
}

TEST_P(ThreadPoolTest, SleepingWorkersWakeUp) {
  ThreadPool pool(threads(), spin());
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    Shared shared;
    EXPECT_EQ(run(pool, shared), nullptr);
  }
}

TEST_P(ThreadPoolTest, EndsWithoutARun) { ThreadPool pool(threads(), spin()); }

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolTest,
                         testing::Combine(testing::Range(1, 9), testing::Values(0, 20)));

void failAtTheEnd(const WeftFrame *frame, int64_t thread, int64_t) {
  if (thread == 0)
    frame->callbacks->fail(frame->team, WEFT_FAILURE_INDEX, 3, 9, 4);
}

TEST(ThreadPool, FailureAfterTheLastBarrierIsSeen) {
  ThreadPool pool(2, std::chrono::microseconds(10));
  WeftFrame frame{&teamCallbacks, pool.team(), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
  const WeftTeam::Failure *failure = pool.run(failAtTheEnd, frame);
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->value, 9);
}

} // namespace
