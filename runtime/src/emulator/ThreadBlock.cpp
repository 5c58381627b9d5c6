// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fibers that wait for each other, and what is wrong where they never meet.

#include "ThreadBlock.h"
#include "../Error.h"
#include "../Team.h"
#include "BlockCluster.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace weft::runtime {

namespace {

ThreadBlock::Thread &self(WeftGpuThread *thread) { return *static_cast<ThreadBlock::Thread *>(thread); }

/// Of a copy, too.
constexpr int64_t matrixRowBytes = 16;
SharedAccess mbarrierAt(int64_t offset, int64_t begin, int64_t end) {
  return {offset, sizeof(int64_t), begin, end, false};
}

/// Of normal numbers.
constexpr float leastExponent = -126;

constexpr WeftEmulator emulator = {
    [](WeftGpuThread *thread, const char *op) { self(thread).owner->waitForBlock(self(thread), op); },
    [](WeftGpuThread *thread, const char *op) { self(thread).owner->waitForWarp(self(thread), op); },
    [](WeftGpuThread *thread, int64_t value, int32_t lane, const char *op) {
      return self(thread).owner->shuffle(self(thread), value, lane, op);
    },
    [](WeftGpuThread *thread, int64_t offset, int64_t bytes, int64_t begin, int64_t end, int32_t isWrite,
       const char *op) {
      self(thread).owner->touch(self(thread), {offset, bytes, begin, end, isWrite != 0}, op);
    },
    [](WeftGpuThread *thread, const void *at, int64_t alignment, const char *op) {
      self(thread).owner->checkPlace(self(thread), at, alignment, op);
    },
    [](WeftGpuThread *thread, int64_t value, int64_t bound) { self(thread).owner->fail(value, bound); },
    [](WeftGpuThread *thread, const uint32_t *a, const uint32_t *b, void *c, int32_t elements,
       const char *op) {
      self(thread).owner->multiply(self(thread), {a, b, c}, static_cast<WeftMatrixElement>(elements), op);
    },
    [](WeftGpuThread *thread, const void *from, int64_t offset, int64_t begin, int64_t end, const char *op) {
      self(thread).owner->beginCopy(self(thread), from, {offset, matrixRowBytes, begin, end, true}, op);
    },
    [](WeftGpuThread *thread) { self(thread).owner->commitCopies(self(thread)); },
    [](WeftGpuThread *thread, int64_t pending) { self(thread).owner->waitForCopies(self(thread), pending); },
    [](WeftGpuThread *thread, int64_t offset, int64_t begin, int64_t end, int32_t isTransposed,
       uint32_t *words, const char *op) {
      self(thread).owner->loadMatrices(self(thread), {offset, matrixRowBytes, begin, end, false},
                                       isTransposed != 0, words, op);
    },
    [](WeftGpuThread *, float exponent) { return exponent < leastExponent ? 0 : std::exp2(exponent); },
    [](WeftGpuThread *thread, const char *op) { self(thread).owner->waitForGroup(self(thread), op); },
    [](WeftGpuThread *thread, const char *op) { self(thread).owner->waitForCluster(self(thread), op); },
    [](WeftGpuThread *thread) { self(thread).owner->fenceAsync(self(thread)); },
    [](WeftGpuThread *thread, int64_t offset, int64_t begin, int64_t end, int64_t arrivals, const char *op) {
      self(thread).owner->initMbarrier(self(thread), mbarrierAt(offset, begin, end), arrivals, op);
    },
    [](WeftGpuThread *thread, int64_t offset, int64_t begin, int64_t end, int64_t bytes, const char *op) {
      self(thread).owner->arriveAtMbarrier(self(thread), mbarrierAt(offset, begin, end), bytes, op);
    },
    [](WeftGpuThread *thread, int64_t offset, int64_t begin, int64_t end, int64_t block, const char *op) {
      self(thread).owner->arriveOfBlock(self(thread), mbarrierAt(offset, begin, end), block, op);
    },
    [](WeftGpuThread *thread, int64_t offset, int64_t begin, int64_t end, int32_t parity, const char *op) {
      self(thread).owner->waitForMbarrier(self(thread), mbarrierAt(offset, begin, end), parity, op);
    },
    [](WeftGpuThread *thread, int64_t map, const int64_t *position, int64_t offset, int64_t begin,
       int64_t end, int64_t barrier, const char *op) {
      self(thread).owner->loadTile(self(thread), map, position, {offset, 0, begin, end, true}, barrier, op);
    },
    [](WeftGpuThread *thread, int64_t map, const int64_t *position, int64_t offset, int64_t begin,
       int64_t end, int64_t barrier, const char *op) {
      self(thread).owner->loadTileToCluster(self(thread), map, position, {offset, 0, begin, end, true},
                                            barrier, op);
    },
    [](WeftGpuThread *thread, int64_t map, const int64_t *position, int64_t offset, int64_t begin,
       int64_t end, const char *op) {
      self(thread).owner->storeTile(self(thread), map, position, {offset, 0, begin, end, false}, op);
    },
    [](WeftGpuThread *thread) { self(thread).owner->commitStores(self(thread)); },
    [](WeftGpuThread *thread, int64_t pending) { self(thread).owner->waitForStores(self(thread), pending); },
    [](WeftGpuThread *thread) { self(thread).owner->beginProducts(self(thread)); },
    [](WeftGpuThread *thread, int64_t a, int64_t b, float *sums, int64_t columns, int32_t keeps,
       int32_t isBF16, int32_t isTransposed, const char *op) {
      self(thread).owner->multiplyTiles(
          self(thread), {a, b, sums, columns, keeps != 0, isBF16 != 0, isTransposed != 0, nullptr}, op);
    },
    [](WeftGpuThread *thread) { self(thread).owner->commitProducts(self(thread)); },
    [](WeftGpuThread *thread, int64_t pending, const char *op) {
      self(thread).owner->waitForProducts(self(thread), pending, op);
    },
    [](WeftGpuThread *thread, const uint32_t *a, int64_t b, float *sums, int64_t columns, int32_t isBF16,
       int32_t isTransposed, const char *op) {
      self(thread).owner->multiplyTiles(self(thread),
                                        {0, b, sums, columns, true, isBF16 != 0, isTransposed != 0, a}, op);
    },
};

} // namespace

void ThreadBlock::begin(const WeftLaunch &launched, const Place &place, WeftTeam *ofTeam, BankUse *noted) {
  team = ofTeam;
  banks = noted;
  launch = &launched;
  where = place;
  problem.clear();
  size_t count = static_cast<size_t>(launch->threads);
  stacks.reserve(count);
  shared.begin(launch->shared_bytes, meetings++);
  threads.assign(count, {});
  warps.assign(count / warpThreads, {});
  groups.assign((count + groupThreads - 1) / groupThreads, {});
  products.assign(groups.size(), {});
  fences.assign(count, 0);
  mbarriers.clear();
  arriving.clear();
  received.resize(count);
  whole = {};
  done = 0;
  for (size_t i = 0; i < count; ++i) {
    Thread &thread = threads[i];
    thread.emulator = &emulator;
    thread.thread = static_cast<int64_t>(i);
    thread.block = where.number;
    thread.shared = shared.data();
    thread.grid = where.grid;
    thread.owner = this;
    thread.context = stacks.start(i, runThread, &thread);
  }
}

bool ThreadBlock::step() {
  bool hasMoved = false;
  for (size_t i = 0, count = threads.size(); i < count && problem.empty(); ++i) {
    Thread &thread = threads[where.isEarly ? count - 1 - i : i];
    if (thread.state != Thread::Ready)
      continue;
    hasMoved = true;
    resume(thread);
  }
  if (hasMoved && problem.empty() && hasEnded())
    problem = findEarlyEnd();
  return hasMoved;
}

const std::string &ThreadBlock::end() {
  if (banks)
    banks->endBlock();
  return problem;
}

void ThreadBlock::runThread(void *argument) {
  Thread &thread = *static_cast<Thread *>(argument);
  ThreadBlock &block = *thread.owner;
  arriveFrom(block.scheduler);
  block.launch->function(&thread, block.launch->arguments);
  if (block.isAnythingLeft(thread))
    block.report(thread, "cta.return", "copies of the thread are still under way");
  thread.state = Thread::Done;
  ++block.done;
  switchContext(thread.context, block.scheduler, /*forGood=*/true);
}

void ThreadBlock::resume(Thread &thread) { switchContext(scheduler, thread.context); }
void ThreadBlock::pause(Thread &thread) { switchContext(thread.context, scheduler); }

bool ThreadBlock::meet(Thread &thread, Meeting &meeting, uint32_t first, uint32_t count, Thread::State state,
                       const char *op) {
  if (++meeting.waiting < count) {
    thread.state = state;
    thread.waitsAt = op;
    pause(thread);
    return false;
  }
  meeting.waiting = 0;
  for (uint32_t i = first; i < first + count; ++i)
    threads[i].state = Thread::Ready;
  return true;
}

void ThreadBlock::waitForBlock(Thread &thread, const char *op) {
  if (meet(thread, whole, 0, static_cast<uint32_t>(threads.size()), Thread::AtBlock, op))
    ++meetings;
}

bool ThreadBlock::meetWarp(Thread &thread, const char *op) {
  uint32_t first = thread.warp() * warpThreads;
  if (!meet(thread, warps[thread.warp()], first, warpThreads, Thread::AtWarp, op))
    return false;
  expectSameOp(thread, first, warpThreads, op);
  return true;
}

void ThreadBlock::expectSameOp(Thread &thread, uint32_t first, uint32_t count, const char *op) {
  for (uint32_t i = first; i < first + count; ++i)
    if (i != thread.index() && threads[i].waitsAt != op)
      report(thread, op, concat("thread ", i, " is at ", threads[i].waitsAt));
  endIfWrong(thread);
}

void ThreadBlock::waitForWarp(Thread &thread, const char *op) {
  if (meetWarp(thread, op))
    ++warps[thread.warp()].barriers;
}

int64_t ThreadBlock::shuffle(Thread &thread, int64_t value, int32_t lane, const char *op) {
  uint32_t first = thread.warp() * warpThreads;
  thread.given = value;
  if (meetWarp(thread, op))
    for (uint32_t i = first; i < first + warpThreads; ++i)
      received[i] = threads[i].given;
  return received[first + static_cast<uint32_t>(lane) % warpThreads];
}

void ThreadBlock::multiply(Thread &thread, const Fragments &fragments, WeftMatrixElement elements,
                           const char *op) {
  uint32_t first = thread.warp() * warpThreads;
  thread.fragments = fragments;
  if (!meetWarp(thread, op))
    return;
  Fragments all[warpThreads];
  for (uint32_t i = 0; i < warpThreads; ++i)
    all[i] = threads[first + i].fragments;
  if (elements == WEFT_MATRIX_BYTES)
    multiplyBytes(all);
  else if (elements == WEFT_MATRIX_TF32)
    multiplyTF32(all);
  else
    multiplyMatrices(all, elements == WEFT_MATRIX_BF16);
}

void ThreadBlock::touch(Thread &thread, const SharedAccess &access, const char *op) {
  if (banks)
    banks->note(thread.index(), access, op);
  report(thread, op, shared.touch(access, toucher(thread)));
  endIfWrong(thread);
}

Toucher ThreadBlock::toucher(const Thread &thread) const {
  return {thread.index(),
          thread.warp(),
          meetings,
          groups[thread.group()].barriers,
          warps[thread.warp()].barriers,
          &thread.seen,
          fences[thread.index()]};
}

void ThreadBlock::checkPlace(Thread &thread, const void *at, int64_t alignment, const char *op) {
  if (reinterpret_cast<uintptr_t>(at) % static_cast<uintptr_t>(alignment) != 0)
    report(thread, op, concat("it moves ", alignment, " bytes at once where memory is not aligned to them"));
  endIfWrong(thread);
}

void ThreadBlock::beginCopy(Thread &thread, const void *from, const SharedAccess &to, const char *op) {
  if (banks)
    banks->note(thread.index(), to, op);
  report(thread, op, shared.beginCopy(to, toucher(thread)));
  if (reinterpret_cast<uintptr_t>(from) % static_cast<uintptr_t>(to.bytes) != 0)
    report(thread, op, "it copies from where memory is not aligned to 16 bytes");
  endIfWrong(thread);
  thread.begun.push_back({from, to});
}

void ThreadBlock::commitCopies(Thread &thread) { thread.groups.push_back(std::move(thread.begun)); }

void ThreadBlock::waitForCopies(Thread &thread, int64_t pending) {
  size_t kept = std::min(static_cast<size_t>(pending), thread.groups.size()),
         done = thread.groups.size() - kept;
  for (size_t i = 0; i < done; ++i)
    for (const Copy &copy : thread.groups[i]) {
      char *to = shared.data() + copy.to.offset;
      if (copy.from)
        std::memcpy(to, copy.from, static_cast<size_t>(copy.to.bytes));
      else
        std::memset(to, 0, static_cast<size_t>(copy.to.bytes));
      shared.endCopy(copy.to, toucher(thread));
    }
  thread.groups.erase(thread.groups.begin(), thread.groups.begin() + static_cast<ptrdiff_t>(done));
}

void ThreadBlock::loadMatrices(Thread &thread, const SharedAccess &row, bool isTransposed, uint32_t *words,
                               const char *op) {
  touch(thread, row, op);
  uint32_t first = thread.warp() * warpThreads;
  thread.row = row.offset;
  if (meetWarp(thread, op)) { // for all of them: each may go on to the next before another has begun
    const uint16_t *rows[warpThreads];
    for (uint32_t i = 0; i < warpThreads; ++i)
      rows[i] = reinterpret_cast<const uint16_t *>(shared.data() + threads[first + i].row);
    for (uint32_t i = 0; i < warpThreads; ++i)
      runtime::loadMatrices(rows, static_cast<int>(i), isTransposed, threads[first + i].loaded);
  }
  std::memcpy(words, thread.loaded, sizeof(thread.loaded));
}

void ThreadBlock::fail(int64_t value, int64_t bound) {
  team->fail({WEFT_FAILURE_INDEX, launch->step, value, bound, {}});
}

void ThreadBlock::report(Thread &thread, const char *op, const std::string &what) {
  if (!what.empty() && problem.empty())
    problem = concat("block ", thread.block, ": ", op, ": ", what);
}

void ThreadBlock::endIfWrong(Thread &thread) {
  if (!problem.empty())
    pause(thread);
}

void ThreadBlock::reportStall() {
  for (const Thread &thread : threads) {
    if (thread.state == Thread::Done)
      continue;
    if (thread.state == Thread::AtMbarrier) {
      problem = concat("block ", thread.block, ": ", thread.waitsAt, ": thread ", thread.index(),
                       " waits for a phase that does not end");
      return;
    }
    uint32_t there = thread.state == Thread::AtCluster ? where.cluster->waitingThreads()
                     : thread.state == Thread::AtBlock ? whole.waiting
                     : thread.state == Thread::AtGroup ? groups[thread.group()].waiting
                                                       : warps[thread.warp()].waiting;
    problem = concat("block ", thread.block, ": ", thread.waitsAt, ": thread ", thread.index(), " and ",
                     there - 1, " others wait for threads that ",
                     where.cluster->hasAnyEnded() ? "have ended, or " : "", "wait elsewhere");
    return;
  }
}

} // namespace weft::runtime
