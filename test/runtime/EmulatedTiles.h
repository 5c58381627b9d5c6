// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads of kernels for sm_90a call, a tensor of which they copy tiles, and how these lie in shared
// memory.

#ifndef WEFT_TEST_RUNTIME_EMULATEDTILES_H
#define WEFT_TEST_RUNTIME_EMULATEDTILES_H

#include "EmulatedKernel.h"

#include <initializer_list>

namespace weft::runtime::test {

/// Where barriers lie, behind tiles.
constexpr int64_t barriers = 3072;

// The PTX ISA's figure of the swizzle of 128 bytes: the piece of 16 bytes that lies at each place of a line;
// it repeats after eight lines.
constexpr int64_t pieceAt[8][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
    {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2}, {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}};

/// Where element `column` of a line of 64 is, of those of a tile.
inline int64_t placeOf(int64_t line, int64_t column) {
  int64_t place = 0;
  while (pieceAt[line % 8][place] != column / 8)
    ++place;
  return line * 64 + place * 8 + column % 8;
}

inline void initMbarrier(WeftGpuThread *thread, int64_t offset = barriers, int64_t arrivals = 1) {
  thread->emulator->mbarrier_init(thread, offset, 0, sharedBytes, arrivals, "cta.mbarrier_init");
}
inline void arrive(WeftGpuThread *thread, int64_t offset = barriers, int64_t bytes = 0) {
  thread->emulator->mbarrier_arrive(thread, offset, 0, sharedBytes, bytes, "cta.mbarrier_arrive");
}
inline void waitFor(WeftGpuThread *thread, int64_t offset = barriers, int64_t parity = 0) {
  thread->emulator->mbarrier_wait(thread, offset, 0, sharedBytes, static_cast<int32_t>(parity),
                                  "cta.mbarrier_wait");
}

inline void loadTile(WeftGpuThread *thread, std::initializer_list<int64_t> position, int64_t place,
                     int64_t barrier = barriers) {
  thread->emulator->load_tile(thread, 0, position.begin(), place, 0, barriers, barrier, "cta.load_tile");
}
inline void storeTile(WeftGpuThread *thread, std::initializer_list<int64_t> position, int64_t place) {
  thread->emulator->store_tile(thread, 0, position.begin(), place, 0, barriers, "cta.store_tile");
}
inline void fenceAsync(WeftGpuThread *thread) { thread->emulator->fence_async(thread); }
inline void commitStores(WeftGpuThread *thread) { thread->emulator->commit_stores(thread); }
inline void waitForStores(WeftGpuThread *thread, int64_t pending) {
  thread->emulator->wait_stores(thread, pending);
}

/// Of a tile of 8 lines of 64 elements.
constexpr int64_t tileBytes = 1024, tileElements = 512;

/// A tensor of 5 x 70 elements, whose rows are 72 apart, and its tiles. No element is 0.
class Tensor {
public:
  Tensor() {
    for (size_t i = 0; i < elements.size(); ++i)
      elements[i] = static_cast<uint16_t>(1000 + i);
  }
  WeftTensorMap map() const { return {elements.data(), 2, {70, 5}, {144}, {64, 8}}; }

  std::vector<uint16_t> elements = std::vector<uint16_t>(5 * 72);
};

/// What is said of a block of two warps with such a map.
inline std::string reportOf(const WeftTensorMap &map, WeftKernelFunction kernel, int64_t block = 0,
                            const int64_t *arguments = nullptr) {
  WeftLaunch launch = makeLaunch(kernel, 64, arguments);
  launch.first_block = block;
  launch.end_block = launch.blocks = block + 1;
  launch.map_count = 1;
  launch.maps = &map;
  return reportOf(launch);
}

/// The same of its first thread, which does it alone.
inline std::string reportOfFirst(const WeftTensorMap &map, WeftKernelFunction kernel, int64_t block = 0,
                                 const int64_t *arguments = nullptr) {
  int64_t all[] = {wordOf(reinterpret_cast<void *>(kernel)), wordOf(arguments)};
  WeftKernelFunction first = [](WeftGpuThread *thread, const int64_t *all) {
    if (thread->thread == 0)
      reinterpret_cast<WeftKernelFunction>(all[0])(thread, pointerFrom<const int64_t>(all[1]));
  };
  return reportOf(map, first, block, all);
}
inline std::string reportOfFirst(WeftKernelFunction kernel, int64_t block = 0) {
  Tensor tensor;
  return reportOfFirst(tensor.map(), kernel, block);
}

} // namespace weft::runtime::test

#endif // WEFT_TEST_RUNTIME_EMULATEDTILES_H
