// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small kernels as GPUs run them, right and with mistakes: each barrier that one needs is left out once, and
// missed.

#include "EmulatedKernel.h"

using namespace weft::runtime;
using namespace weft::runtime::test;

namespace {

/// What a kernel gets: which of its barriers is left out, where it reads and where it writes.
struct Arguments {
  int64_t leftOut;
  const float *input;
  float *output;
};
Arguments argumentsFrom(const int64_t *words) {
  return {words[0], pointerFrom<const float>(words[1]), pointerFrom<float>(words[2])};
}
constexpr int64_t nothing = 0, first = 1, second = 2;

/// Runs one block, so that each order of threads has its own report.
std::string reportOfBlock(WeftKernelFunction kernel, int64_t threads, int64_t block, int64_t leftOut,
                          const std::vector<float> &input, std::vector<float> &output) {
  int64_t words[] = {leftOut, wordOf(input.data()), wordOf(output.data())};
  WeftLaunch launch = makeLaunch(kernel, threads, words);
  launch.first_block = block;
  launch.end_block = launch.blocks = block + 1;
  return reportOf(launch);
}

std::vector<float> numbers(size_t count) {
  std::vector<float> result(count);
  for (size_t i = 0; i < count; ++i)
    result[i] = float(i * 7 % 101);
  return result;
}

//===----------------------------------------------------------------------===//
// Transposing
//===----------------------------------------------------------------------===//

/// A block transposes two tiles of 32 x 32 of its own row of a matrix of two rows of tiles. Each of its eight
/// warps reads four rows of a tile, and writes four of its columns.
constexpr int64_t tile = 32, rows = 2 * tile, columns = 2 * tile, warps = 8;

void transpose(WeftGpuThread *thread, const int64_t *words) {
  Arguments arguments = argumentsFrom(words);
  int64_t lane = thread->thread % tile, warp = thread->thread / tile, top = thread->block * tile;
  for (int64_t left = 0; left < columns; left += tile) {
    for (int64_t y = warp; y < tile; y += warps)
      store(thread, y * tile + lane, arguments.input[(top + y) * columns + left + lane]);
    if (arguments.leftOut != first)
      barrier(thread);
    for (int64_t y = warp; y < tile; y += warps)
      arguments.output[(left + y) * rows + top + lane] = load<float>(thread, lane * tile + y);
    if (arguments.leftOut != second)
      barrier(thread);
  }
}

class TransposeTest : public testing::Test {
protected:
  std::string report(int64_t block, int64_t leftOut) {
    return reportOfBlock(transpose, warps * tile, block, leftOut, input, output);
  }
  std::vector<float> input = numbers(rows * columns), output = std::vector<float>(rows * columns, -1);
};

TEST_F(TransposeTest, IsRight) {
  EXPECT_EQ(report(0, nothing), "");
  EXPECT_EQ(report(1, nothing), "");
  for (int64_t y = 0; y < rows; ++y)
    for (int64_t x = 0; x < columns; ++x)
      EXPECT_EQ(output[x * rows + y], input[y * columns + x]) << y << ", " << x;
}

TEST_F(TransposeTest, NeedsABarrierBeforeATileIsRead) {
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "which nothing has written", report(0, first));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "which nothing has written", report(1, first));
}

TEST_F(TransposeTest, NeedsABarrierBeforeTheNextTileIsWritten) {
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "reads what thread 0 wrote and it did not wait for",
                      report(0, second));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "reads what thread 255 wrote and it did not wait for",
                      report(1, second));
}

//===----------------------------------------------------------------------===//
// Sums of a block
//===----------------------------------------------------------------------===//

/// A block sums three rows of as many numbers as it has threads: each warp by shuffles, then all over the
/// sums of warps.
constexpr int64_t rowsOfBlock = 3, rowLength = 256;

void sumRows(WeftGpuThread *thread, const int64_t *words) {
  Arguments arguments = argumentsFrom(words);
  int64_t lane = thread->thread % 32, warp = thread->thread / 32;
  for (int64_t row = thread->block * rowsOfBlock; row < (thread->block + 1) * rowsOfBlock; ++row) {
    int64_t sum = int64_t(arguments.input[row * rowLength + thread->thread]);
    for (int64_t distance = 16; distance > 0; distance /= 2)
      sum += shuffle(thread, sum, lane ^ distance);
    if (lane == 0)
      store(thread, warp, float(sum));
    if (arguments.leftOut != first)
      barrier(thread);
    float total = 0;
    for (int64_t i = 0; i < rowLength / 32; ++i)
      total += load<float>(thread, i);
    if (thread->thread == 0)
      arguments.output[row] = total;
    if (arguments.leftOut != second)
      barrier(thread);
  }
}

class SumRowsTest : public testing::Test {
protected:
  std::string report(int64_t block, int64_t leftOut) {
    return reportOfBlock(sumRows, rowLength, block, leftOut, input, output);
  }
  std::vector<float> input = numbers(2 * rowsOfBlock * rowLength),
                     output = std::vector<float>(2 * rowsOfBlock, -1);
};

TEST_F(SumRowsTest, IsRight) {
  EXPECT_EQ(report(0, nothing), "");
  EXPECT_EQ(report(1, nothing), "");
  for (int64_t row = 0; row < 2 * rowsOfBlock; ++row) {
    float expected = 0;
    for (int64_t i = 0; i < rowLength; ++i)
      expected += input[row * rowLength + i];
    EXPECT_EQ(output[row], expected) << row;
  }
}

TEST_F(SumRowsTest, NeedsABarrierBeforeTheSumsOfWarpsAreRead) {
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "byte 0 of a buffer, which nothing has written",
                      report(0, first));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "byte 0 of a buffer, which nothing has written",
                      report(1, first));
}

TEST_F(SumRowsTest, NeedsABarrierBeforeTheNextRow) {
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "writes what other threads read and it did not wait for",
                      report(0, second));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "writes what other threads read and it did not wait for",
                      report(1, second));
}

//===----------------------------------------------------------------------===//
// Running sums of a warp
//===----------------------------------------------------------------------===//

/// Each warp makes running sums of 32 numbers, in its own part of what the block shares.
constexpr int64_t scanThreads = 64;

void scan(WeftGpuThread *thread, const int64_t *words) {
  Arguments arguments = argumentsFrom(words);
  int64_t lane = thread->thread % 32, place = thread->block * scanThreads + thread->thread;
  float sum = arguments.input[place];
  store(thread, thread->thread, sum);
  warpBarrier(thread);
  for (int64_t distance = 1; distance < 32; distance *= 2) {
    if (lane >= distance)
      sum += load<float>(thread, thread->thread - distance);
    if (arguments.leftOut != first)
      warpBarrier(thread);
    store(thread, thread->thread, sum);
    if (arguments.leftOut != second)
      warpBarrier(thread);
  }
  arguments.output[place] = sum;
}

class ScanTest : public testing::Test {
protected:
  std::string report(int64_t block, int64_t leftOut) {
    return reportOfBlock(scan, scanThreads, block, leftOut, input, output);
  }
  std::vector<float> input = numbers(2 * scanThreads), output = std::vector<float>(2 * scanThreads, -1);
};

TEST_F(ScanTest, IsRight) {
  EXPECT_EQ(report(0, nothing), "");
  EXPECT_EQ(report(1, nothing), "");
  float expected = 0;
  for (size_t i = 0; i < output.size(); ++i) {
    expected = (i % 32 == 0 ? 0 : expected) + input[i];
    EXPECT_EQ(output[i], expected) << i;
  }
}

TEST_F(ScanTest, NeedsAWarpBarrierBeforeWhatWasReadIsWritten) {
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "reads what thread 0 wrote and it did not wait for",
                      report(0, first));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "writes what other threads read and it did not wait for",
                      report(1, first));
}

TEST_F(ScanTest, NeedsAWarpBarrierBeforeWhatWasWrittenIsRead) {
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "reads what thread 0 wrote and it did not wait for",
                      report(0, second));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "writes what other threads read and it did not wait for",
                      report(1, second));
}

} // namespace
