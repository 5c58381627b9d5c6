// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block of a kernel of a GPU on one thread of the system: each of its threads is a fiber, which runs
// until it has to wait for others.

#ifndef WEFT_RUNTIME_EMULATOR_THREADBLOCK_H
#define WEFT_RUNTIME_EMULATOR_THREADBLOCK_H

#include "BankUse.h"
#include "Fiber.h"
#include "SharedMemory.h"
#include "TensorCore.h"
#include "weft/abi.h"

#include <map>
#include <string>
#include <vector>

namespace weft::runtime {

class BlockCluster;

class ThreadBlock {
public:
  static constexpr uint32_t warpThreads = 32, groupThreads = 128;

  /// Which block of the grid it is, and those that run with it. In one that is early its threads go the
  /// other way round, and tiles are there at once; otherwise they are as late as they can be.
  struct Place {
    BlockCluster *cluster;
    int64_t number, grid;
    bool isEarly;
  };
  /// Begins with all threads at the kernel's start. What its warps do at banks is noted unless `banks` is
  /// null.
  void begin(const WeftLaunch &launch, const Place &place, WeftTeam *team, BankUse *banks);
  /// Each thread that may goes on until it has to wait. Whether there were any.
  bool step();
  /// All tiles that are on their way arrive; whether there were any.
  bool deliverAll();
  /// What the kernel did wrong, or nothing.
  const std::string &end();
  bool isAnythingWrong() const { return !problem.empty(); }
  bool hasEnded() const { return done == threads.size(); }
  bool hasAnyEnded() const { return done > 0; }
  uint32_t threadCount() const { return static_cast<uint32_t>(threads.size()); }
  /// Some threads wait, and nobody is left for whom.
  void reportStall();
  /// All threads of the cluster have met.
  void meetOthers();

  // What a thread calls.
  struct Thread;
  void waitForBlock(Thread &thread, const char *op);
  void waitForWarp(Thread &thread, const char *op);
  int64_t shuffle(Thread &thread, int64_t value, int32_t lane, const char *op);
  void multiply(Thread &thread, const Fragments &fragments, WeftMatrixElement elements, const char *op);
  void touch(Thread &thread, const SharedAccess &access, const char *op);
  void fail(int64_t value, int64_t bound);
  void checkPlace(Thread &thread, const void *at, int64_t alignment, const char *op);
  void beginCopy(Thread &thread, const void *from, const SharedAccess &to, const char *op);
  void commitCopies(Thread &thread);
  void waitForCopies(Thread &thread, int64_t pending);
  void loadMatrices(Thread &thread, const SharedAccess &row, bool isTransposed, uint32_t *words,
                    const char *op);

  // Of kernels for sm_90a (Hopper.cpp).
  void waitForGroup(Thread &thread, const char *op);
  void waitForCluster(Thread &thread, const char *op);
  void fenceAsync(Thread &thread) { ++fences[thread.index()]; }
  void initMbarrier(Thread &thread, const SharedAccess &place, int64_t arrivals, const char *op);
  void arriveAtMbarrier(Thread &thread, const SharedAccess &place, int64_t bytes, const char *op);
  void arriveOfBlock(Thread &thread, const SharedAccess &place, int64_t rank, const char *op);
  void waitForMbarrier(Thread &thread, const SharedAccess &place, int32_t parity, const char *op);
  void loadTile(Thread &thread, int64_t map, const int64_t *position, const SharedAccess &to, int64_t barrier,
                const char *op);
  void loadTileToCluster(Thread &thread, int64_t map, const int64_t *position, const SharedAccess &to,
                         int64_t barrier, const char *op);
  void storeTile(Thread &thread, int64_t map, const int64_t *position, const SharedAccess &from,
                 const char *op);
  void commitStores(Thread &thread);
  void waitForStores(Thread &thread, int64_t pending);
  void beginProducts(Thread &thread) { thread.hasBegun = true; }
  void multiplyTiles(Thread &thread, const GroupProduct &product, const char *op);
  void commitProducts(Thread &thread);
  void waitForProducts(Thread &thread, int64_t pending, const char *op);

  /// A tile that is copied to or from shared memory.
  struct Tile {
    const WeftTensorMap *map;
    int64_t position[WEFT_TENSOR_MAP_DIMS];
    SharedAccess place;
    int64_t barrier; ///< of one that is loaded
  };
  /// Bytes of shared memory that a unit reads.
  struct Reading {
    int64_t offset, bytes;
  };
  /// A copy that has begun. It takes effect when the thread waits for it: as late as it can.
  struct Copy {
    const void *from;
    SharedAccess to;
  };
  struct Thread : WeftGpuThread {
    ThreadBlock *owner = nullptr;
    Context context;
    enum State { Ready, AtBlock, AtGroup, AtWarp, AtCluster, AtMbarrier, Done } state = Ready;
    const char *waitsAt = ""; ///< which operation
    int64_t given = 0;        ///< to the other threads of its warp
    Fragments fragments{};
    int64_t row = 0;                       ///< of a matrix, in shared memory
    uint32_t loaded[4] = {};               ///< words of matrices
    std::vector<Copy> begun;               ///< since the last group
    std::vector<std::vector<Copy>> groups; ///< that are not done
    SeenPhases seen;                       ///< of barriers in shared memory
    int64_t mbarrier = 0;                  ///< that it waits for
    std::vector<Tile> begunStores;
    std::vector<std::vector<Tile>> storeGroups;
    bool hasBegun = false; ///< products, since the last group of them
    GroupProduct product{};
    uint32_t index() const { return static_cast<uint32_t>(thread); }
    uint32_t warp() const { return index() / warpThreads; }
    uint32_t group() const { return index() / groupThreads; }
  };

private:
  /// How many threads wait, and how often a barrier has ordered what they do in memory: a shuffle does not.
  struct Meeting {
    uint32_t waiting = 0, barriers = 0;
  };
  /// A barrier in shared memory, and what of its phase is still to come.
  struct Mbarrier {
    int64_t arrivals, pending, bytes;
    uint32_t phase;
    uint32_t made; ///< how often the threads of the cluster had met by then
    /// When another block arrived at it or brought it a tile, last: by that count, and in which phase.
    struct {
      bool isThere = false;
      uint32_t meetings = 0, phase = 0;
    } reached = {};
  };
  /// What a warpgroup multiplies: what was read since the last group of products, and the groups.
  struct Products {
    std::vector<Reading> begun;
    std::vector<std::vector<Reading>> groups;
  };
  static void runThread(void *thread);
  bool isAnythingLeft(const Thread &thread) const;
  Mbarrier *findMbarrier(Thread &thread, const SharedAccess &place, const char *op);
  /// The same of a block of the cluster, which it reaches into.
  Mbarrier *findMbarrierOf(ThreadBlock &other, Thread &thread, const SharedAccess &place, const char *op);
  void arriveAt(ThreadBlock &other, Mbarrier &mbarrier, Thread &thread, int64_t place, int64_t bytes,
                const char *op);
  void endPhaseIfDone(int64_t place, Mbarrier &mbarrier);
  /// What was still to come when the block ended, or nothing.
  std::string findEarlyEnd() const;
  SharedAccess barrierAt(int64_t offset) const;
  Tile makeTile(int64_t map, const int64_t *position, const SharedAccess &place, int64_t barrier) const;
  /// What is wrong with a tile that a thread, perhaps of another block, begins to load, or nothing.
  std::string beginTile(const Tile &tile, const Mbarrier &mbarrier, Toucher by);
  void deliver(const Tile &tile);
  bool readForProduct(Thread &thread, const GroupProduct &product, const char *op);
  void resume(Thread &thread);
  void pause(Thread &thread);
  /// True for the thread that the others waited for.
  bool meet(Thread &thread, Meeting &meeting, uint32_t first, uint32_t count, Thread::State state,
            const char *op);
  /// The same for a warp, whose threads must all have come to the same operation.
  bool meetWarp(Thread &thread, const char *op);
  bool meetGroup(Thread &thread, const char *op);
  void expectSameOp(Thread &thread, uint32_t first, uint32_t count, const char *op);
  Toucher toucher(const Thread &thread) const;
  /// Notes what a thread does wrong, unless that is nothing.
  void report(Thread &thread, const char *op, const std::string &what);
  /// Does not return if anything was reported. What the thread holds is never freed then: call it without
  /// strings.
  void endIfWrong(Thread &thread);

  WeftTeam *team = nullptr;
  BankUse *banks = nullptr;
  const WeftLaunch *launch = nullptr;
  Place where{};
  FiberStacks stacks;
  SharedMemory shared;
  std::vector<Thread> threads;
  std::vector<Meeting> warps, groups;
  std::vector<uint32_t> fences;          ///< that each thread has made
  std::map<int64_t, Mbarrier> mbarriers; ///< by where they are
  std::vector<Tile> arriving;
  std::vector<Products> products; ///< of each warpgroup
  std::vector<int64_t> received;  ///< by thread: what the threads of a warp gave when they met last
  Meeting whole;
  uint32_t meetings = 1; ///< of all blocks so far, so that no two have a number in common
  size_t done = 0;
  Context scheduler;
  std::string problem;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_EMULATOR_THREADBLOCK_H
