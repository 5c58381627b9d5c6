// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/BlockPool.h"
#include "weft/runtime.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

using namespace weft::runtime;

namespace {

constexpr size_t megabyte = size_t(1) << 20;

TEST(BlockPoolTest, GivesReleasedMemoryAgain) {
  auto pool = std::make_shared<BlockPool>();
  pool->limit(2 * megabyte);
  Block first = pool->take(megabyte - 1000);
  void *memory = first.data();
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % WEFT_BUFFER_ALIGNMENT, 0u);
  Block second = pool->take(megabyte);
  EXPECT_NE(second.data(), memory);
  first = Block();
  EXPECT_EQ(pool->take(megabyte).data(), memory) << "a little more fits, too";
  EXPECT_NE(pool->take(megabyte / 2).data(), memory);
}

TEST(BlockPoolTest, HasRoomForEveryByte) {
  auto pool = std::make_shared<BlockPool>();
  pool->limit(megabyte);
  for (size_t bytes : {size_t(0), size_t(1), size_t(65535), size_t(65536), size_t(65537), megabyte - 1})
    for (int turn = 0; turn < 2; ++turn) {
      Block block = pool->take(bytes);
      ASSERT_GE(block.capacity(), bytes);
      std::memset(block.data(), 1, bytes); // the sanitizer looks
    }
}

TEST(BlockPoolTest, KeepsNoMoreThanItsLimit) {
  auto pool = std::make_shared<BlockPool>();
  pool->limit(megabyte);
  Block large = pool->take(4 * megabyte), small = pool->take(megabyte);
  void *kept = small.data();
  large = Block(); // too large to be kept
  small = Block();
  EXPECT_EQ(pool->take(megabyte).data(), kept);
  pool->limit(0);
  Block other = pool->take(megabyte); // whatever malloc gives
  other = Block();
  EXPECT_EQ(pool.use_count(), 1);
}

TEST(BlockPoolTest, BlocksOutliveIt) {
  auto pool = std::make_shared<BlockPool>();
  pool->limit(megabyte);
  Block block = pool->take(megabyte);
  std::weak_ptr<BlockPool> watched = pool;
  pool.reset();
  EXPECT_FALSE(watched.expired());
  std::memset(block.data(), 1, megabyte);
  block = Block();
  EXPECT_TRUE(watched.expired());
}

TEST(BlockPoolTest, SaysWhenThereIsNoMemory) {
  auto pool = std::make_shared<BlockPool>();
  for (size_t bytes : {SIZE_MAX, SIZE_MAX - 63, SIZE_MAX / 2})
    EXPECT_EQ(pool->take(bytes).data(), nullptr);
}

TEST(BlockPoolTest, IsSharedByThreads) {
  auto pool = std::make_shared<BlockPool>();
  pool->limit(megabyte);
  auto work = [&] {
    for (size_t i = 0; i < 200; ++i) {
      Block block = pool->take(65536 + 4096 * (i % 5));
      std::memset(block.data(), int(i), 65536);
      if (i % 50 == 0)
        pool->limit(megabyte / (1 + i % 3));
    }
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
}

} // namespace
