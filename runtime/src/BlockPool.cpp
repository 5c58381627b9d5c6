// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BlockPool.h"
#include "weft/runtime.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace weft::runtime {

namespace {

/// Smaller blocks are as well kept by malloc.
constexpr size_t leastPooled = size_t(64) << 10;

/// A capacity up to an eighth above `bytes`, so that a cache of one token more fits into the same blocks.
size_t roomy(size_t bytes) {
  size_t unit = WEFT_BUFFER_ALIGNMENT;
  while (unit <= bytes / 16)
    unit *= 2;
  return bytes <= SIZE_MAX - unit ? (bytes + unit - 1) / unit * unit : bytes;
}

} // namespace

Block::Block(size_t size) {
  if (size > SIZE_MAX - WEFT_BUFFER_ALIGNMENT)
    return;
  // An empty tensor has an address too; aligned_alloc wants a multiple of the alignment.
  size_t allocated = (size / WEFT_BUFFER_ALIGNMENT + 1) * WEFT_BUFFER_ALIGNMENT;
  memory = std::aligned_alloc(WEFT_BUFFER_ALIGNMENT, allocated);
  bytes = size;
}

Block::~Block() {
  if (home)
    std::exchange(home, nullptr)->giveBack(std::move(*this));
  else
    std::free(memory);
}

Block BlockPool::take(size_t bytes) {
  if (bytes < leastPooled)
    return Block(bytes);
  size_t capacity = roomy(bytes);
  Block block;
  {
    std::lock_guard lock(mutex);
    auto found = std::find_if(kept.begin(), kept.end(),
                              [&](const Block &candidate) { return candidate.capacity() == capacity; });
    if (found != kept.end()) {
      block = std::move(*found);
      kept.erase(found);
      keptBytes -= capacity;
    }
  }
  if (!block.data())
    block = Block(capacity);
  if (!block.data()) { // Perhaps there is memory without the blocks of other sizes.
    limit(0);
    block = Block(capacity);
  }
  block.home = shared_from_this();
  return block;
}

void BlockPool::limit(size_t bytes) {
  std::lock_guard lock(mutex);
  mostBytes = bytes <= SIZE_MAX - bytes / 8 ? bytes + bytes / 8 : bytes; // blocks are roomy
  shrink();
}

void BlockPool::giveBack(Block block) noexcept {
  std::lock_guard lock(mutex);
  if (!block.data() || block.capacity() > mostBytes)
    return;
  try {
    size_t capacity = block.capacity();
    kept.push_back(std::move(block));
    keptBytes += capacity;
    shrink();
  } catch (const std::bad_alloc &) {
    // The block is freed instead.
  }
}

/// Frees those that were kept the longest.
void BlockPool::shrink() {
  auto end = kept.begin();
  for (; end != kept.end() && keptBytes > mostBytes; ++end)
    keptBytes -= end->capacity();
  kept.erase(kept.begin(), end);
}

} // namespace weft::runtime
