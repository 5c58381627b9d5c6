// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a cluster: barriers of all of them, arrivals at each other's barriers in shared memory, tiles
// that go to each of them.

#include "EmulatedTiles.h"

using namespace weft::runtime;
using namespace weft::runtime::test;

namespace {

constexpr int64_t blocksOfCluster = 2;

void clusterBarrier(WeftGpuThread *thread) {
  thread->emulator->cluster_barrier(thread, "cta.cluster_barrier");
}
void arriveOfBlock(WeftGpuThread *thread, int64_t rank, int64_t offset = barriers) {
  thread->emulator->mbarrier_arrive_of_block(thread, offset, 0, sharedBytes, rank, "cta.mbarrier_arrive");
}
void loadTileToCluster(WeftGpuThread *thread, std::initializer_list<int64_t> position) {
  thread->emulator->load_tile_to_cluster(thread, 0, position.begin(), /*offset=*/0, 0, barriers, barriers,
                                         "cta.load_tile");
}
int64_t rankOf(const WeftGpuThread *thread) { return thread->block % blocksOfCluster; }
bool isFirst(const WeftGpuThread *thread) { return thread->thread == 0; }

/// Of cluster number `cluster`, whose blocks have two warps each. Every other one goes the other way round,
/// and has its tiles at once.
std::string reportOfCluster(WeftKernelFunction kernel, int64_t cluster = 0,
                            const int64_t *arguments = nullptr) {
  Tensor tensor;
  WeftTensorMap map = tensor.map();
  WeftLaunch launch = makeLaunch(kernel, 64, arguments);
  launch.first_block = cluster * blocksOfCluster;
  launch.end_block = launch.blocks = launch.first_block + blocksOfCluster;
  launch.persistent = blocksOfCluster;
  launch.map_count = 1;
  launch.maps = &map;
  return reportOf(launch);
}

/// Makes a barrier of so many arrivals in each block.
void prepare(WeftGpuThread *thread, int64_t arrivals) {
  if (isFirst(thread))
    initMbarrier(thread, barriers, arrivals);
  clusterBarrier(thread);
}

/// Each block brings a number to memory, which the other one may read behind the cluster's barrier.
TEST(EmulatedClusters, MeetAtABarrier) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    auto *sums = pointerFrom<int64_t>(arguments[0]);
    for (int64_t round = 1; round <= 3; ++round) {
      if (isFirst(thread))
        sums[rankOf(thread)] += round;
      clusterBarrier(thread);
      if (thread->thread == 63 && sums[1 - rankOf(thread)] != round * (round + 1) / 2)
        sums[2] = -1;
      clusterBarrier(thread);
    }
  };
  for (int64_t cluster : {0, 1}) {
    int64_t sums[3] = {}, arguments[] = {wordOf(sums)};
    EXPECT_EQ(reportOfCluster(kernel, cluster, arguments), "");
    EXPECT_EQ(sums[0], 6);
    EXPECT_EQ(sums[2], 0);
  }
}

TEST(EmulatedClusters, SayWhoDoesNotMeet) {
  EXPECT_EQ(reportOfCluster([](WeftGpuThread *thread, const int64_t *) {
              if (rankOf(thread) == 0)
                clusterBarrier(thread);
            }),
            inBlock0 +
                "cta.cluster_barrier: thread 0 and 63 others wait for threads that have ended, or wait "
                "elsewhere");
}

/// What a thread wrote to what its block shares others read behind it.
TEST(EmulatedClusters, OrderWhatBlocksShare) {
  EXPECT_EQ(reportOfCluster([](WeftGpuThread *thread, const int64_t *) {
              if (isFirst(thread))
                store<int64_t>(thread, 0, 5);
              clusterBarrier(thread);
              load<int64_t>(thread, 0);
            }),
            "");
}

/// Block 0 goes on when both have arrived at its barrier, four times; block 1 hears of it at its own.
TEST(EmulatedClusters, ArriveAtEachOthersBarriers) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    auto *turns = pointerFrom<int64_t>(arguments[0]);
    prepare(thread, rankOf(thread) == 0 ? 2 : 1);
    for (int64_t round = 0; isFirst(thread) && round < 4; ++round) {
      if (rankOf(thread) == 1) {
        turns[1] += turns[0] == round;
        arriveOfBlock(thread, 0);
        waitFor(thread, barriers, round % 2);
        continue;
      }
      arriveOfBlock(thread, 0);
      waitFor(thread, barriers, round % 2);
      ++turns[0];
      arriveOfBlock(thread, 1);
    }
    clusterBarrier(thread);
  };
  for (int64_t cluster : {0, 1}) {
    int64_t turns[2] = {}, arguments[] = {wordOf(turns)};
    EXPECT_EQ(reportOfCluster(kernel, cluster, arguments), "");
    EXPECT_EQ(turns[0], 4);
    EXPECT_EQ(turns[1], 4);
  }
}

TEST(EmulatedClusters, ArriveWhereThereIsABarrier) {
  EXPECT_EQ(reportOfCluster([](WeftGpuThread *thread, const int64_t *) {
              prepare(thread, 1);
              if (isFirst(thread))
                arriveOfBlock(thread, 2);
            }),
            inBlock0 + "cta.mbarrier_arrive: the cluster has no block 2");
  EXPECT_EQ(reportOfCluster([](WeftGpuThread *thread, const int64_t *) {
              prepare(thread, 1);
              if (isFirst(thread))
                arriveOfBlock(thread, 1, barriers + 8);
            }),
            inBlock0 + "cta.mbarrier_arrive: block 1 of the cluster has no barrier there");
  EXPECT_EQ(reportOfCluster([](WeftGpuThread *thread, const int64_t *) {
              prepare(thread, 1);
              for (int64_t i = 0; isFirst(thread) && rankOf(thread) == 0 && i < 2; ++i)
                arriveOfBlock(thread, 1);
              clusterBarrier(thread);
            }),
            "");
}

/// The other block may have made it, and nobody has waited for that.
TEST(EmulatedClusters, ArriveBehindABarrierOfAllBlocks) {
  EXPECT_EQ(reportOfCluster([](WeftGpuThread *thread, const int64_t *) {
              if (isFirst(thread))
                initMbarrier(thread);
              barrier(thread);
              if (isFirst(thread))
                arriveOfBlock(thread, 1 - rankOf(thread));
              clusterBarrier(thread);
            }),
            inBlock0 + "cta.mbarrier_arrive: thread 0 did not wait for block 1 of the cluster to make its "
                       "barrier");
}

TEST(EmulatedClusters, ReachNoBlockThatHasEnded) {
  EXPECT_EQ(reportOfCluster([](WeftGpuThread *thread, const int64_t *) {
              prepare(thread, 1);
              if (rankOf(thread) == 1)
                return;
              barrier(thread);
              barrier(thread);
              if (isFirst(thread))
                arriveOfBlock(thread, 1);
            }),
            inBlock0 + "cta.mbarrier_arrive: block 1 of the cluster has ended");
  // It is on its way for as long as can be.
  EXPECT_EQ(reportOfCluster([](WeftGpuThread *thread, const int64_t *) {
              prepare(thread, 1);
              if (isFirst(thread) && rankOf(thread) == 0) {
                loadTileToCluster(thread, {0, 0});
                arrive(thread, barriers, tileBytes);
                waitFor(thread);
              }
            }),
            inBlock1 + "cta.load_tile: a tile is still on its way when the block ends");
}

/// Who comes first is chance: a block has to wait for all that others do there, whether it was done in time
/// or not.
TEST(EmulatedClusters, EndWhenNobodyReachesIntoThem) {
  const std::string tooEarly =
      "cta.return: it does not wait for what other blocks of the cluster do at its barrier";
  for (int64_t cluster : {0, 1})
    EXPECT_EQ(reportOfCluster(
                  [](WeftGpuThread *thread, const int64_t *) {
                    prepare(thread, 2);
                    if (isFirst(thread))
                      arriveOfBlock(thread, 1 - rankOf(thread));
                    barrier(thread);
                    barrier(thread);
                  },
                  cluster),
              cluster == 0 ? inBlock0 + tooEarly : "kernel \"k\", block 3: " + tooEarly);
  EXPECT_EQ(reportOfCluster([](WeftGpuThread *thread, const int64_t *) {
              prepare(thread, 1);
              if (isFirst(thread)) {
                arriveOfBlock(thread, 1 - rankOf(thread));
                waitFor(thread);
              }
            }),
            "");
}

/// Block 0 brings the tile, and each block's own barrier counts the bytes that come to it.
TEST(EmulatedClusters, GetTilesFromEachOther) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    auto *seen = pointerFrom<uint16_t>(arguments[0]);
    prepare(thread, 1);
    if (isFirst(thread)) {
      arrive(thread, barriers, tileBytes);
      if (rankOf(thread) == 0)
        loadTileToCluster(thread, {3, 1});
      waitFor(thread);
      for (int64_t line = 0; line < 2; ++line)
        seen[rankOf(thread) * 2 + line] = load<uint16_t>(thread, placeOf(line, 9));
    }
    clusterBarrier(thread);
  };
  for (int64_t cluster : {0, 1}) {
    uint16_t seen[4] = {};
    int64_t arguments[] = {wordOf(seen)};
    EXPECT_EQ(reportOfCluster(kernel, cluster, arguments), "");
    for (int64_t i = 0; i < 4; ++i)
      EXPECT_EQ(seen[i], 1000 + (1 + i % 2) * 72 + 3 + 9) << "tile " << i;
  }
}

TEST(EmulatedClusters, ReadTilesThatTheyHaveWaitedFor) {
  for (int64_t cluster : {0, 1})
    EXPECT_EQ(reportOfCluster(
                  [](WeftGpuThread *thread, const int64_t *) {
                    prepare(thread, 1);
                    if (isFirst(thread) && rankOf(thread) == 0)
                      loadTileToCluster(thread, {0, 0});
                    clusterBarrier(thread);
                    if (isFirst(thread) && rankOf(thread) == 1)
                      load<uint16_t>(thread, 0);
                    clusterBarrier(thread);
                  },
                  cluster),
              cluster == 0
                  ? inBlock1 + "load: thread 0 reads what a copy of thread 0 is still to bring: byte 0 "
                               "of a buffer"
                  : "kernel \"k\", block 3: load: thread 0 reads a tile that it did not wait for: byte "
                    "0 of a buffer");
}

/// Threads of the system have shares of the blocks, which need be no whole clusters: each is run once, with
/// the blocks that it takes to be whole.
TEST(EmulatedClusters, AreWholeWhoeverRunsThem) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    clusterBarrier(thread);
    if (isFirst(thread))
      ++pointerFrom<int64_t>(arguments[0])[thread->block];
  };
  int64_t runs[8] = {}, arguments[] = {wordOf(runs)};
  WeftLaunch launch = makeLaunch(kernel, 64, arguments);
  launch.blocks = 5;
  launch.persistent = blocksOfCluster;
  const int64_t shares[] = {0, 1, 3, 3, 5};
  for (size_t i = 0; i + 1 < std::size(shares); ++i) {
    launch.first_block = shares[i];
    launch.end_block = shares[i + 1];
    EXPECT_EQ(reportOf(launch), "");
  }
  for (int64_t block = 0; block < 8; ++block)
    EXPECT_EQ(runs[block], block < 6 ? 1 : 0) << "block " << block;
}

} // namespace
