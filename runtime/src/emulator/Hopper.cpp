// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads of a block do on sm_90a only: barriers in shared memory, tiles that a unit copies, products of
// warpgroups.

#include "../Error.h"
#include "BlockCluster.h"
#include "ThreadBlock.h"

#include <algorithm>
#include <cstring>

namespace weft::runtime {

namespace {

/// Of an element, and what a swizzled tile begins at a multiple of.
constexpr int64_t elementBytes = 2, tileAlignment = 1024;

int64_t bytesOf(const WeftTensorMap &map) {
  int64_t bytes = elementBytes;
  for (int64_t i = 0; i < map.rank; ++i)
    bytes *= map.box[i];
  return bytes;
}

/// Copies a tile between a tensor and shared memory. An element of the innermost dim has the next place; with
/// a swizzle of 128 bytes bits 4 to 6 of the place are xor bits 7 to 9 (PTX ISA, "Swizzling Modes").
void copyTile(const ThreadBlock::Tile &tile, char *shared, bool isLoad) {
  const WeftTensorMap &map = *tile.map;
  for (int64_t number = 0; number < bytesOf(map) / elementBytes; ++number) {
    int64_t rest = number, offset = 0;
    bool isInside = true;
    for (int64_t i = 0; i < map.rank; ++i) {
      int64_t place = tile.position[i] + rest % map.box[i];
      rest /= map.box[i];
      isInside &= place >= 0 && place < map.sizes[i];
      offset += place * (i == 0 ? elementBytes : map.strides[i - 1]);
    }
    int64_t place = tile.place.offset + number * elementBytes;
    place ^= (place >> 7 & 7) << 4;
    char *element = const_cast<char *>(static_cast<const char *>(map.address)) + offset;
    if (!isLoad && isInside)
      std::memcpy(element, shared + place, elementBytes);
    else if (isLoad && isInside)
      std::memcpy(shared + place, element, elementBytes);
    else if (isLoad)
      std::memset(shared + place, 0, elementBytes);
  }
}

} // namespace

bool ThreadBlock::isAnythingLeft(const Thread &thread) const {
  return !thread.begun.empty() || !thread.groups.empty() || !thread.begunStores.empty() ||
         !thread.storeGroups.empty() || !products[thread.group()].begun.empty() ||
         !products[thread.group()].groups.empty();
}

bool ThreadBlock::meetGroup(Thread &thread, const char *op) {
  uint32_t first = thread.group() * groupThreads;
  if (first + groupThreads > threads.size())
    report(thread, op, "the threads are no whole warpgroup");
  endIfWrong(thread);
  if (!meet(thread, groups[thread.group()], first, groupThreads, Thread::AtGroup, op))
    return false;
  expectSameOp(thread, first, groupThreads, op);
  return true;
}

void ThreadBlock::waitForGroup(Thread &thread, const char *op) {
  if (meetGroup(thread, op))
    ++groups[thread.group()].barriers;
}

void ThreadBlock::waitForCluster(Thread &thread, const char *op) {
  if (where.cluster->meet())
    return;
  thread.state = Thread::AtCluster;
  thread.waitsAt = op;
  pause(thread);
}

void ThreadBlock::meetOthers() {
  ++meetings;
  for (Thread &thread : threads)
    thread.state = Thread::Ready;
}

/// To say where a barrier is touches its memory.
ThreadBlock::Mbarrier *ThreadBlock::findMbarrier(Thread &thread, const SharedAccess &place, const char *op) {
  report(thread, op, shared.touch(place, toucher(thread)));
  auto found = mbarriers.find(place.offset);
  if (found == mbarriers.end())
    report(thread, op, "there is no barrier");
  endIfWrong(thread);
  return &found->second;
}

void ThreadBlock::initMbarrier(Thread &thread, const SharedAccess &place, int64_t arrivals, const char *op) {
  SharedAccess write = place;
  write.isWrite = true;
  report(thread, op, shared.touch(write, toucher(thread)));
  if (mbarriers.count(place.offset) > 0)
    report(thread, op, "there is a barrier already");
  endIfWrong(thread);
  mbarriers[place.offset] = {arrivals, arrivals, 0, 0, where.cluster->meetings()};
}

ThreadBlock::Mbarrier *ThreadBlock::findMbarrierOf(ThreadBlock &other, Thread &thread,
                                                   const SharedAccess &place, const char *op) {
  if (&other == this)
    return findMbarrier(thread, place, op);
  auto found = other.mbarriers.find(place.offset);
  if (other.hasEnded())
    report(thread, op, concat("block ", other.where.number, " of the cluster has ended"));
  else if (found == other.mbarriers.end())
    report(thread, op, concat("block ", other.where.number, " of the cluster has no barrier there"));
  else if (found->second.made == where.cluster->meetings())
    report(thread, op,
           concat("thread ", thread.index(), " did not wait for block ", other.where.number,
                  " of the cluster to make its barrier"));
  endIfWrong(thread);
  found->second.reached = {true, where.cluster->meetings(), found->second.phase};
  return &found->second;
}

/// What others do at a barrier it has waited for, or all blocks have met since.
std::string ThreadBlock::findEarlyEnd() const {
  if (!arriving.empty())
    return concat("block ", where.number, ": cta.load_tile: a tile is still on its way when the block ends");
  for (const auto &[place, mbarrier] : mbarriers) {
    auto number = static_cast<size_t>(place) / sizeof(int64_t);
    bool hasWaited =
        std::any_of(threads.begin(), threads.end(), [&, &reached = mbarrier.reached](const Thread &thread) {
          return number < thread.seen.size() && thread.seen[number] > reached.phase;
        });
    if (mbarrier.reached.isThere && mbarrier.reached.meetings == where.cluster->meetings() && !hasWaited)
      return concat("block ", where.number,
                    ": cta.return: it does not wait for what other blocks of the cluster do "
                    "at its barrier");
  }
  return {};
}

void ThreadBlock::endPhaseIfDone(int64_t place, Mbarrier &mbarrier) {
  if (mbarrier.pending != 0 || mbarrier.bytes != 0)
    return;
  mbarrier.pending = mbarrier.arrivals;
  ++mbarrier.phase;
  for (Thread &thread : threads)
    if (thread.state == Thread::AtMbarrier && thread.mbarrier == place)
      thread.state = Thread::Ready;
}

void ThreadBlock::arriveAtMbarrier(Thread &thread, const SharedAccess &place, int64_t bytes, const char *op) {
  arriveAt(*this, *findMbarrier(thread, place, op), thread, place.offset, bytes, op);
}

void ThreadBlock::arriveOfBlock(Thread &thread, const SharedAccess &place, int64_t rank, const char *op) {
  if (rank < 0 || rank >= static_cast<int64_t>(where.cluster->size()))
    report(thread, op, concat("the cluster has no block ", rank));
  endIfWrong(thread);
  ThreadBlock &other = where.cluster->block(static_cast<size_t>(rank));
  arriveAt(other, *findMbarrierOf(other, thread, place, op), thread, place.offset, /*bytes=*/0, op);
}

void ThreadBlock::arriveAt(ThreadBlock &other, Mbarrier &mbarrier, Thread &thread, int64_t place,
                           int64_t bytes, const char *op) {
  if (mbarrier.pending == 0)
    report(thread, op, "more threads arrive than the barrier is for");
  endIfWrong(thread);
  --mbarrier.pending;
  mbarrier.bytes += bytes;
  other.endPhaseIfDone(place, mbarrier);
}

void ThreadBlock::waitForMbarrier(Thread &thread, const SharedAccess &place, int32_t parity, const char *op) {
  Mbarrier *mbarrier = findMbarrier(thread, place, op);
  while (static_cast<int32_t>(mbarrier->phase % 2) == parity) {
    thread.state = Thread::AtMbarrier;
    thread.mbarrier = place.offset;
    thread.waitsAt = op;
    pause(thread);
  }
  auto number = static_cast<size_t>(place.offset) / sizeof(int64_t);
  if (thread.seen.size() <= number)
    thread.seen.resize(number + 1);
  thread.seen[number] = mbarrier->phase;
}

SharedAccess ThreadBlock::barrierAt(int64_t offset) const {
  return {offset, sizeof(int64_t), 0, launch->shared_bytes, false};
}

ThreadBlock::Tile ThreadBlock::makeTile(int64_t map, const int64_t *position, const SharedAccess &place,
                                        int64_t barrier) const {
  Tile tile{launch->maps + map, {}, place, barrier};
  tile.place.bytes = bytesOf(*tile.map);
  std::copy(position, position + tile.map->rank, tile.position);
  return tile;
}

/// Of a thread of another block it counts when that block's threads met last.
std::string ThreadBlock::beginTile(const Tile &tile, const Mbarrier &mbarrier, Toucher by) {
  TileSignal signal{static_cast<uint32_t>(static_cast<size_t>(tile.barrier) / sizeof(int64_t)),
                    mbarrier.phase};
  by.blockMeetings = meetings;
  std::string wrong = shared.beginTile(tile.place, signal, by);
  if (!wrong.empty())
    return wrong;
  if (where.isEarly)
    deliver(tile);
  else
    arriving.push_back(tile);
  return {};
}

void ThreadBlock::loadTile(Thread &thread, int64_t map, const int64_t *position, const SharedAccess &to,
                           int64_t barrier, const char *op) {
  Mbarrier *mbarrier = findMbarrier(thread, barrierAt(barrier), op);
  report(thread, op, beginTile(makeTile(map, position, to, barrier), *mbarrier, toucher(thread)));
  endIfWrong(thread);
}

void ThreadBlock::loadTileToCluster(Thread &thread, int64_t map, const int64_t *position,
                                    const SharedAccess &to, int64_t barrier, const char *op) {
  for (size_t rank = 0; rank < where.cluster->size(); ++rank) {
    ThreadBlock &other = where.cluster->block(rank);
    Mbarrier *mbarrier = findMbarrierOf(other, thread, barrierAt(barrier), op);
    report(thread, op, other.beginTile(makeTile(map, position, to, barrier), *mbarrier, toucher(thread)));
    endIfWrong(thread);
  }
}

void ThreadBlock::deliver(const Tile &tile) {
  copyTile(tile, shared.data(), /*isLoad=*/true);
  shared.endTile(tile.place);
  Mbarrier &mbarrier = mbarriers[tile.barrier];
  mbarrier.bytes -= tile.place.bytes;
  endPhaseIfDone(tile.barrier, mbarrier);
}

bool ThreadBlock::deliverAll() {
  std::vector<Tile> tiles;
  tiles.swap(arriving);
  for (const Tile &tile : tiles)
    deliver(tile);
  return !tiles.empty();
}

/// It is read as late as it can be: when the thread waits for it.
void ThreadBlock::storeTile(Thread &thread, int64_t map, const int64_t *position, const SharedAccess &from,
                            const char *op) {
  Tile tile = makeTile(map, position, from, 0);
  if (from.offset < from.begin || from.offset > from.end - tile.place.bytes)
    report(thread, op, "the tile is not in its buffer");
  else if (from.offset % tileAlignment != 0)
    report(thread, op,
           concat("the tile is at byte ", from.offset, ", which is no multiple of ", tileAlignment));
  else
    report(thread, op, shared.beginRead(from.offset, tile.place.bytes, {toucher(thread)}, fences));
  endIfWrong(thread);
  thread.begunStores.push_back(tile);
}

void ThreadBlock::commitStores(Thread &thread) {
  thread.storeGroups.push_back(std::move(thread.begunStores));
}

void ThreadBlock::waitForStores(Thread &thread, int64_t pending) {
  size_t kept = std::min(static_cast<size_t>(pending), thread.storeGroups.size()),
         done = thread.storeGroups.size() - kept;
  for (size_t i = 0; i < done; ++i)
    for (const Tile &tile : thread.storeGroups[i]) {
      copyTile(tile, shared.data(), /*isLoad=*/false);
      shared.endRead(tile.place.offset, tile.place.bytes, toucher(thread));
    }
  thread.storeGroups.erase(thread.storeGroups.begin(),
                           thread.storeGroups.begin() + static_cast<ptrdiff_t>(done));
}

/// Marks what the matrices hold as being read, by all threads of the warpgroup.
bool ThreadBlock::readForProduct(Thread &thread, const GroupProduct &product, const char *op) {
  constexpr int64_t depth = 16, rows = 64;
  uint32_t first = thread.group() * groupThreads;
  std::vector<Toucher> readers;
  for (uint32_t i = first; i < first + groupThreads; ++i)
    readers.push_back(toucher(threads[i]));
  auto read = [&](int64_t bits, int64_t lines, bool isTransposed) {
    MatrixDescriptor descriptor(bits);
    if (!descriptor.isKnown())
      return report(thread, op, "a descriptor of a matrix has no swizzle of 128 bytes");
    for (int64_t line = 0; line < lines && problem.empty(); ++line)
      for (int64_t k = 0; k < depth && problem.empty(); ++k) {
        int64_t place = descriptor.placeOf(line, k, isTransposed);
        if (place + elementBytes > launch->shared_bytes)
          return report(thread, op, "a matrix is not in shared memory");
        report(thread, op, shared.beginRead(place, elementBytes, readers, fences));
        products[thread.group()].begun.push_back({place, elementBytes});
      }
  };
  if (!product.words)
    read(product.a, rows, false);
  read(product.b, product.columns, product.isTransposed);
  return problem.empty();
}

void ThreadBlock::multiplyTiles(Thread &thread, const GroupProduct &product, const char *op) {
  if (!thread.hasBegun)
    report(thread, op, "no cta.begin_products came before");
  endIfWrong(thread);
  thread.product = product;
  if (!meetGroup(thread, op))
    return;
  GroupProduct all[groupThreads];
  for (uint32_t i = 0; i < groupThreads; ++i) {
    all[i] = threads[thread.group() * groupThreads + i].product;
    if (all[i].a != product.a || all[i].b != product.b || all[i].keeps != product.keeps)
      report(thread, op, "the threads of the warpgroup say different matrices");
  }
  if (problem.empty() && readForProduct(thread, product, op))
    multiplyMatrices(all, shared.data());
}

/// The threads have met at the product, so that the first one can speak for all.
void ThreadBlock::commitProducts(Thread &thread) {
  thread.hasBegun = false;
  Products &of = products[thread.group()];
  if (thread.index() % groupThreads == 0)
    of.groups.push_back(std::move(of.begun));
}

void ThreadBlock::waitForProducts(Thread &thread, int64_t pending, const char *op) {
  if (!meetGroup(thread, op))
    return;
  Products &of = products[thread.group()];
  size_t kept = std::min(static_cast<size_t>(pending), of.groups.size()), done = of.groups.size() - kept;
  for (size_t i = 0; i < done; ++i)
    for (const Reading &reading : of.groups[i])
      shared.endRead(reading.offset, reading.bytes);
  of.groups.erase(of.groups.begin(), of.groups.begin() + static_cast<ptrdiff_t>(done));
}

} // namespace weft::runtime
