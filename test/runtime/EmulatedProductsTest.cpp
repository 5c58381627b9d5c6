// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices in shared memory by a warpgroup.

#include "EmulatedTiles.h"
#include "runtime/src/Float16.h"

#include <tuple>

using namespace weft::runtime;
using namespace weft::runtime::test;

namespace {

/// What a block shares here: the left matrix, and the right one behind it.
constexpr int64_t productBytes = 81920, leftStart = 0, rightStart = 8192;
/// Bytes from a block of 8 lines to the next one, and, of the right matrix by rows, from 64 columns to the
/// next ones.
constexpr int64_t leftStride = 1024, rightStride = 2048, rightLeading = 3072;

/// The PTX ISA's matrix descriptor with a swizzle of 128 bytes.
constexpr int64_t descriptor(int64_t start, int64_t leading, int64_t stride) {
  return start / 16 | leading / 16 << 16 | stride / 16 << 32 | int64_t(1) << 62;
}
constexpr int64_t leftDescriptor = descriptor(leftStart, 16, leftStride);
constexpr int64_t rightDescriptor(bool isTransposed) {
  return isTransposed ? descriptor(rightStart, rightLeading, rightStride)
                      : descriptor(rightStart, 16, rightStride);
}

/// Where elements lie: by lines of 128 bytes along the depth or, transposed, along the columns.
int64_t placeOfLeft(int64_t row, int64_t k) {
  return leftStart + row / 8 * leftStride + placeOf(row % 8, k) * 2;
}
int64_t placeOfRight(int64_t k, int64_t column, bool isTransposed) {
  if (isTransposed)
    return rightStart + column / 64 * rightLeading + k / 8 * rightStride + placeOf(k % 8, column % 64) * 2;
  return rightStart + column / 8 * rightStride + placeOf(column % 8, k) * 2;
}

void write(WeftGpuThread *thread, int64_t offset, uint16_t half = 0) {
  thread->emulator->access(thread, offset, 2, 0, productBytes, /*is_write=*/1, "memref.store");
  std::memcpy(thread->shared + offset, &half, sizeof(half));
}
void begin(WeftGpuThread *thread) { thread->emulator->begin_products(thread); }
void commit(WeftGpuThread *thread) { thread->emulator->commit_products(thread); }
void waitForProducts(WeftGpuThread *thread, int64_t pending) {
  thread->emulator->wait_products(thread, pending, "cta.wait_products");
}
/// Of 8 columns, by columns, of f16.
void multiply(WeftGpuThread *thread, int64_t left = leftDescriptor, int64_t right = rightDescriptor(false),
              bool keeps = false) {
  float sums[4] = {};
  thread->emulator->wgmma(thread, left, right, sums, 8, keeps, /*is_bf16=*/0, /*is_transposed=*/0,
                          "cta.wgmma");
}

WeftLaunch launchOf(WeftKernelFunction kernel, int64_t threads, const int64_t *arguments = nullptr) {
  WeftLaunch launch = makeLaunch(kernel, threads, arguments);
  launch.shared_bytes = productBytes;
  return launch;
}
std::string reportOfGroup(WeftKernelFunction kernel, const int64_t *arguments = nullptr) {
  return reportOf(launchOf(kernel, 128, arguments));
}

//===----------------------------------------------------------------------===//
// What comes out
//===----------------------------------------------------------------------===//

/// The product of each warpgroup of a block, all of the same matrices.
struct Product {
  int64_t columns, depth;
  bool isBF16, isTransposed, keeps;
  float (*left)(int64_t row, int64_t k);
  float (*right)(int64_t k, int64_t column);
  std::vector<float> sums; ///< of one thread after the other

  uint16_t halfOf(float number) const { return isBF16 ? bf16OfFloat(number) : f16OfFloat(number); }
  void fill(WeftGpuThread *thread) const;
  std::string report(int64_t block = 0, int64_t threads = 128);
};

void Product::fill(WeftGpuThread *thread) const {
  for (int64_t i = thread->thread; i < 64 * depth; i += 128) {
    int64_t row = i / depth, k = i % depth;
    write(thread, placeOfLeft(row, k), halfOf(left(row, k)));
  }
  for (int64_t i = thread->thread; i < columns * depth; i += 128) {
    int64_t column = i / depth, k = i % depth;
    write(thread, placeOfRight(k, column, isTransposed), halfOf(right(k, column)));
  }
}

std::string Product::report(int64_t block, int64_t threads) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    auto *product = pointerFrom<Product>(arguments[0]);
    if (thread->thread < 128)
      product->fill(thread);
    fenceAsync(thread);
    barrier(thread);
    begin(thread);
    int64_t left = leftDescriptor, right = rightDescriptor(product->isTransposed);
    for (int64_t k = 0; k < product->depth; k += 16) {
      thread->emulator->wgmma(thread, left, right,
                              product->sums.data() + thread->thread * product->columns / 2, product->columns,
                              product->keeps || k > 0, product->isBF16, product->isTransposed, "cta.wgmma");
      left += 2; // 16 elements, in units of 16 bytes
      right += product->isTransposed ? 2 * rightStride / 16 : 2;
    }
    commit(thread);
    waitForProducts(thread, 0);
  };
  sums.resize(static_cast<size_t>(threads * columns / 2));
  int64_t arguments[] = {wordOf(this)};
  WeftLaunch launch = launchOf(kernel, threads, arguments);
  launch.first_block = block;
  launch.end_block = launch.blocks = block + 1;
  return reportOf(launch);
}

float leftNumber(int64_t row, int64_t k) { return float((row * 5 + k * 3) % 11 - 5); }
float rightNumber(int64_t k, int64_t column) { return float((column * 7 + k * 2) % 13 - 6); }

float sumOf(const Product &product, int64_t row, int64_t column) {
  float sum = 0;
  for (int64_t k = 0; k < product.depth; ++k)
    sum += product.left(row, k) * product.right(k, column);
  return sum;
}

/// Sums of thread t of a warpgroup: 16 rows are a warp's, of which its lane has two, 8 apart, and of each 8
/// columns two.
void expectSums(const Product &product, float before) {
  for (int64_t thread = 0; thread < 128; ++thread)
    for (int64_t i = 0; i < product.columns / 2; ++i) {
      int64_t row = thread / 32 * 16 + i / 2 % 2 * 8 + thread % 32 / 4;
      int64_t column = i / 4 * 8 + thread % 4 * 2 + i % 2;
      EXPECT_EQ(product.sums[static_cast<size_t>(thread * product.columns / 2 + i)],
                before + sumOf(product, row, column))
          << "row " << row << ", column " << column;
    }
}

/// Columns; whether they are bf16, transposed, and added to what was there.
class EmulatedProductsTest : public testing::TestWithParam<std::tuple<int64_t, bool, bool, bool>> {};

TEST_P(EmulatedProductsTest, AreThoseOfAPlainLoop) {
  auto [columns, isBF16, isTransposed, keeps] = GetParam();
  for (int64_t block : {0, 1}) {
    constexpr float before = 1000;
    Product product{columns, 16, isBF16, isTransposed, keeps, leftNumber, rightNumber, {}};
    product.sums.assign(static_cast<size_t>(64 * columns), before);
    EXPECT_EQ(product.report(block), "");
    expectSums(product, keeps ? before : 0);
  }
}

INSTANTIATE_TEST_SUITE_P(OfAllKinds, EmulatedProductsTest,
                         testing::Combine(testing::Values(8, 64, 256), testing::Bool(), testing::Bool(),
                                          testing::Bool()));

// Descriptors go on along the depth.
TEST(EmulatedProducts, AddUpAlongTheDepth) {
  for (bool isTransposed : {false, true}) {
    Product product{64, 64, false, isTransposed, false, leftNumber, rightNumber, {}};
    EXPECT_EQ(product.report(), "");
    expectSums(product, 0);
  }
}

// From the figure of D of wgmma.m64nNk16 in the PTX ISA.
TEST(EmulatedProducts, AreSpreadAsThePtxIsaHasIt) {
  // Of row r and column c the sum is r + 64 c.
  Product product{24,
                  16,
                  false,
                  false,
                  false,
                  [](int64_t row, int64_t k) { return k == 0 ? float(row) : float(k == 1); },
                  [](int64_t k, int64_t column) { return k == 1 ? float(64 * column) : float(k == 0); },
                  {}};
  EXPECT_EQ(product.report(), "");
  struct {
    size_t thread, sum;
    int row, column;
  } const cases[] = {{0, 0, 0, 0},     {0, 1, 0, 1},     {0, 2, 8, 0},     {0, 3, 8, 1},    {0, 4, 0, 8},
                     {0, 5, 0, 9},     {0, 6, 8, 8},     {0, 7, 8, 9},     {0, 8, 0, 16},   {0, 11, 8, 17},
                     {1, 0, 0, 2},     {3, 1, 0, 7},     {3, 7, 8, 15},    {4, 0, 1, 0},    {28, 0, 7, 0},
                     {31, 0, 7, 6},    {31, 3, 15, 7},   {31, 11, 15, 23}, {32, 0, 16, 0},  {35, 2, 24, 6},
                     {64, 0, 32, 0},   {96, 0, 48, 0},   {96, 2, 56, 0},   {127, 0, 55, 6}, {127, 3, 63, 7},
                     {127, 7, 63, 15}, {127, 11, 63, 23}};
  for (const auto &[thread, sum, row, column] : cases)
    EXPECT_EQ(product.sums[thread * 12 + sum], float(row + 64 * column))
        << "thread " << thread << ", " << sum;
}

TEST(EmulatedProducts, AreOfEachWarpgroup) {
  Product product{64, 16, true, true, false, leftNumber, rightNumber, {}};
  EXPECT_EQ(product.report(0, 256), "");
  expectSums(product, 0);
  product.sums.erase(product.sums.begin(), product.sums.begin() + 128 * 32);
  expectSums(product, 0);
}

//===----------------------------------------------------------------------===//
// What they are of
//===----------------------------------------------------------------------===//

/// Thread 0 writes both matrices of a product of 8 columns.
void writeMatrices(WeftGpuThread *thread) {
  if (thread->thread != 0)
    return;
  for (int64_t row = 0; row < 64; ++row)
    for (int64_t k = 0; k < 16; ++k)
      write(thread, placeOfLeft(row, k));
  for (int64_t column = 0; column < 8; ++column)
    for (int64_t k = 0; k < 16; ++k)
      write(thread, placeOfRight(k, column, false));
}

TEST(EmulatedProducts, HaveDescriptorsWithASwizzleOf128Bytes) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    writeMatrices(thread);
    fenceAsync(thread);
    barrier(thread);
    begin(thread);
    multiply(thread, arguments[0], arguments[1]);
    commit(thread);
    waitForProducts(thread, 0);
  };
  constexpr int64_t left = 0x4000'0040'0001'0000, right = 0x4000'0080'0001'0200;
  int64_t known[] = {left, right};
  EXPECT_EQ(reportOfGroup(kernel, known), "");
  const std::string unknown = inBlock0 + "cta.wgmma: a descriptor of a matrix has no swizzle of 128 bytes";
  // None, 64 bytes and 32 bytes.
  for (int64_t swizzle : {int64_t(0), int64_t(2), int64_t(3)}) {
    constexpr int64_t others = ~(int64_t(3) << 62);
    int64_t ofLeft[] = {(left & others) | swizzle << 62, right};
    EXPECT_EQ(reportOfGroup(kernel, ofLeft), unknown);
    int64_t ofRight[] = {left, (right & others) | swizzle << 62};
    EXPECT_EQ(reportOfGroup(kernel, ofRight), unknown);
  }
}

TEST(EmulatedProducts, AreOfWhatTheBlockShares) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    writeMatrices(thread);
    fenceAsync(thread);
    barrier(thread);
    begin(thread);
    multiply(thread, leftDescriptor, descriptor(productBytes, 16, 1024));
  };
  EXPECT_EQ(reportOfGroup(kernel), inBlock0 + "cta.wgmma: a matrix is not in shared memory");
}

TEST(EmulatedProducts, AreOfWhatWasWritten) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    writeMatrices(thread);
    fenceAsync(thread);
    barrier(thread);
    begin(thread);
    multiply(thread, leftDescriptor, descriptor(16384, 16, 1024));
  };
  EXPECT_EQ(reportOfGroup(kernel), inBlock0 +
                                       "cta.wgmma: a unit reads for thread 0 what nothing has written: "
                                       "byte 16384 of what the block shares");
}

TEST(EmulatedProducts, AreOfTheSameMatricesForAllThreads) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    writeMatrices(thread);
    fenceAsync(thread);
    barrier(thread);
    begin(thread);
    bool isOther = thread->thread == 77;
    multiply(thread, isOther ? arguments[0] : leftDescriptor, isOther ? arguments[1] : rightDescriptor(false),
             isOther && arguments[2]);
  };
  constexpr int64_t other = descriptor(0, 16, 2048), right = rightDescriptor(false);
  for (auto [left, ofRight, keeps] : {std::tuple(other, right, 0), std::tuple(leftDescriptor, other, 0),
                                      std::tuple(leftDescriptor, right, 1)}) {
    int64_t arguments[] = {left, ofRight, keeps};
    EXPECT_EQ(reportOfGroup(kernel, arguments),
              inBlock0 + "cta.wgmma: the threads of the warpgroup say different matrices");
  }
}

TEST(EmulatedProducts, SeeWhatWasWrittenBehindAFenceAndABarrier) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    writeMatrices(thread);
    if (arguments[0])
      fenceAsync(thread);
    if (arguments[1])
      barrier(thread);
    begin(thread);
    multiply(thread);
  };
  int64_t noFence[] = {0, 1}, noBarrier[] = {1, 0};
  EXPECT_EQ(reportOfGroup(kernel, noFence), inBlock0 +
                                                "cta.wgmma: a unit reads for thread 0 what a thread wrote "
                                                "without a fence: byte 0 of what the block shares");
  EXPECT_EQ(reportOfGroup(kernel, noBarrier),
            inBlock0 + "cta.wgmma: a unit reads for thread 1 what another thread wrote and it did "
                       "not wait for: byte 0 of what the block shares");
}

/// Of both matrices, of which thread 70 does not wait for the right one.
TEST(EmulatedProducts, SeeTilesThatAllThreadsWaitedFor) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    constexpr int64_t ofLeft = productBytes - 16, ofRight = productBytes - 8;
    auto waitFor = [&](int64_t offset) {
      thread->emulator->mbarrier_wait(thread, offset, 0, productBytes, 0, "cta.mbarrier_wait");
    };
    if (thread->thread == 0) {
      constexpr int64_t position[] = {0, 0};
      for (int64_t map : {0, 1}) {
        int64_t offset = map == 0 ? ofLeft : ofRight, bytes = map == 0 ? 8192 : 1024;
        thread->emulator->mbarrier_init(thread, offset, 0, productBytes, 1, "cta.mbarrier_init");
        thread->emulator->mbarrier_arrive(thread, offset, 0, productBytes, bytes, "cta.mbarrier_arrive");
        thread->emulator->load_tile(thread, map, position, map == 0 ? leftStart : rightStart, 0, productBytes,
                                    offset, "cta.load_tile");
      }
    }
    barrier(thread);
    waitFor(ofLeft);
    if (arguments[0] || thread->thread != 70)
      waitFor(ofRight);
    begin(thread);
    multiply(thread);
    commit(thread);
    waitForProducts(thread, 0);
  };
  std::vector<uint16_t> elements(64 * 64);
  WeftTensorMap maps[] = {{elements.data(), 2, {64, 64}, {128}, {64, 64}},
                          {elements.data(), 2, {64, 64}, {128}, {64, 8}}};
  int64_t all[] = {0};
  WeftLaunch launch = launchOf(kernel, 128, all);
  launch.map_count = 2;
  launch.maps = maps;
  EXPECT_EQ(reportOf(launch), inBlock0 + "cta.wgmma: a unit reads for thread 70 a tile that it did not wait "
                                         "for: byte 8192 of what the block shares");
  all[0] = 1;
  EXPECT_EQ(reportOf(launch), "");
}

//===----------------------------------------------------------------------===//
// Who takes part, and when
//===----------------------------------------------------------------------===//

TEST(EmulatedProducts, Begin) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    writeMatrices(thread);
    fenceAsync(thread);
    barrier(thread);
    if (arguments[0])
      begin(thread);
    multiply(thread);
    commit(thread);
    multiply(thread);
  };
  const std::string report = inBlock0 + "cta.wgmma: no cta.begin_products came before";
  for (int64_t isFirstRight : {0, 1})
    EXPECT_EQ(reportOfGroup(kernel, &isFirstRight), report);
}

TEST(EmulatedProducts, AreOfWholeWarpgroups) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    begin(thread);
    multiply(thread);
  };
  EXPECT_EQ(reportOf(launchOf(kernel, 64)), inBlock0 + "cta.wgmma: the threads are no whole warpgroup");
}

TEST(EmulatedProducts, AreWaitedForByAllThreads) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *) {
    if (thread->thread < 96)
      waitForProducts(thread, 0);
  };
  EXPECT_EQ(reportOfGroup(kernel), inBlock0 +
                                       "cta.wait_products: thread 0 and 95 others wait for threads that "
                                       "have ended, or wait elsewhere");
}

/// Two groups of one product, whose right matrices are two. Then thread 0 writes the first one, waits on, and
/// writes the second.
void overwriteBoth(WeftGpuThread *thread, const int64_t *arguments) {
  constexpr int64_t second = 1024; // bytes behind the first
  writeMatrices(thread);
  for (int64_t i = 0; thread->thread == 0 && i < 512; ++i)
    write(thread, rightStart + second + 2 * i);
  fenceAsync(thread);
  barrier(thread);
  for (int64_t group : {0, 1}) {
    begin(thread);
    multiply(thread, leftDescriptor, descriptor(rightStart + group * second, 16, 1024));
    commit(thread);
  }
  for (int64_t group : {0, 1}) {
    waitForProducts(thread, arguments[group]);
    if (thread->thread == 0)
      write(thread, rightStart + group * second);
  }
  waitForProducts(thread, 0);
}

TEST(EmulatedProducts, LetGoOfWhatWasWaitedFor) {
  auto stillRead = [](const char *byte) {
    return inBlock0 + "memref.store: thread 0 writes what is still to be read by a unit: byte " + byte +
           " of a buffer";
  };
  int64_t oneByOne[] = {1, 0}, atOnce[] = {0, 0}, onlyOne[] = {1, 1}, none[] = {2, 0};
  EXPECT_EQ(reportOfGroup(overwriteBoth, oneByOne), "");
  EXPECT_EQ(reportOfGroup(overwriteBoth, atOnce), "");
  EXPECT_EQ(reportOfGroup(overwriteBoth, onlyOne), stillRead("9216"));
  EXPECT_EQ(reportOfGroup(overwriteBoth, none), stillRead("8192"));
}

/// What both groups read is free when both have been waited for.
TEST(EmulatedProducts, ShareWhatTheyRead) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    writeMatrices(thread);
    fenceAsync(thread);
    barrier(thread);
    for (int64_t group = 0; group < 2; ++group) {
      begin(thread);
      multiply(thread);
      commit(thread);
    }
    waitForProducts(thread, arguments[0]);
    if (thread->thread == 0)
      write(thread, leftStart);
    waitForProducts(thread, 0);
  };
  int64_t pending = 1;
  EXPECT_EQ(reportOfGroup(kernel, &pending),
            inBlock0 +
                "memref.store: thread 0 writes what is still to be read by a unit: byte 0 of a buffer");
  pending = 0;
  EXPECT_EQ(reportOfGroup(kernel, &pending), "");
}

TEST(EmulatedProducts, EndBeforeTheirThreads) {
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    writeMatrices(thread);
    fenceAsync(thread);
    barrier(thread);
    begin(thread);
    multiply(thread);
    if (arguments[0])
      commit(thread);
    waitForProducts(thread, arguments[1]);
  };
  const std::string report = inBlock0 + "cta.return: copies of the thread are still under way";
  int64_t notCommitted[] = {0, 0}, notWaited[] = {1, 1};
  EXPECT_EQ(reportOfGroup(kernel, notCommitted), report);
  EXPECT_EQ(reportOfGroup(kernel, notWaited), report);
}

} // namespace
