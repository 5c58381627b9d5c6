// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices that the threads of a warp hold.

#include "EmulatedKernel.h"

#include <array>

using namespace weft::runtime;
using namespace weft::runtime::test;

namespace {

/// An element of a lane's fragment, and where it is in its matrix.
struct Element {
  int64_t lane;
  int index, row, column;
};

// From the figures of mma.m16n8k16 and of mma.m16n8k32 with .u8 and .s8 in the PTX ISA.
constexpr Element halvesOfA[] = {{0, 0, 0, 0}, {0, 2, 8, 0},  {0, 4, 0, 8},
                                 {7, 1, 1, 7}, {7, 7, 9, 15}, {31, 5, 7, 15}};
constexpr Element halvesOfB[] = {{0, 0, 0, 0}, {0, 2, 8, 0}, {7, 1, 7, 1}, {31, 0, 6, 7}, {31, 3, 15, 7}};
constexpr Element bytesOfA[] = {{0, 0, 0, 0},   {0, 3, 0, 3},    {0, 4, 8, 0},
                                {0, 8, 0, 16},  {0, 12, 8, 16},  {7, 0, 1, 12},
                                {7, 15, 9, 31}, {31, 5, 15, 13}, {31, 11, 7, 31}};
constexpr Element bytesOfB[] = {{0, 0, 0, 0},  {0, 4, 16, 0},  {0, 3, 3, 0},  {7, 3, 15, 1},
                                {7, 7, 31, 1}, {31, 1, 13, 7}, {31, 7, 31, 7}};

// And of mma.m16n8k8 with .tf32.
constexpr Element wordsOfA[] = {{0, 0, 0, 0}, {0, 1, 8, 0}, {0, 2, 0, 4}, {7, 3, 9, 7}, {31, 0, 7, 3}};
constexpr Element wordsOfB[] = {{0, 0, 0, 0}, {0, 1, 4, 0}, {7, 1, 7, 1}, {31, 0, 3, 7}};

/// Where the four sums of a lane are: in its group's row, and 8 below, two columns for each of its threads.
Element placeOfSum(int64_t lane, int index) {
  int group = static_cast<int>(lane / 4), pair = static_cast<int>(lane % 4 * 2);
  return {lane, index, group + index / 2 * 8, pair + index % 2};
}

struct Lane {
  std::array<uint32_t, 4> a{};
  std::array<uint32_t, 2> b{};
  std::array<uint32_t, 4> c{}; ///< the bits of sums
};
using Lanes = std::array<Lane, 32>;

template <size_t words>
void set(std::array<uint32_t, words> &fragment, int index, int bits, uint32_t element) {
  fragment[static_cast<size_t>(index * bits / 32)] |= element << index * bits % 32;
}

void multiply(Lanes &lanes, int32_t elements) {
  int64_t arguments[] = {wordOf(lanes.data()), elements};
  WeftKernelFunction kernel = [](WeftGpuThread *thread, const int64_t *arguments) {
    Lane &lane = pointerFrom<Lane>(arguments[0])[thread->thread];
    thread->emulator->multiply(thread, lane.a.data(), lane.b.data(), lane.c.data(),
                               static_cast<int32_t>(arguments[1]), "cta.mma");
  };
  EXPECT_EQ(reportOf(makeLaunch(kernel, 32, arguments)), "");
}

/// Sums of matrices of which one element each is there: only where a's row meets b's column there is a
/// product, if a's column is b's row. All sums begin as `before`.
void expectProduct(const Element &a, const Element &b, int32_t elements, uint32_t left, uint32_t right,
                   uint32_t before, uint32_t after) {
  Lanes lanes;
  int bits = elements == WEFT_MATRIX_BYTES ? 8 : elements == WEFT_MATRIX_TF32 ? 32 : 16;
  set(lanes[static_cast<size_t>(a.lane)].a, a.index, bits, left);
  set(lanes[static_cast<size_t>(b.lane)].b, b.index, bits, right);
  for (Lane &lane : lanes)
    lane.c.fill(before);
  multiply(lanes, elements);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      Element sum = placeOfSum(lane, i);
      bool isProduct = a.column == b.row && sum.row == a.row && sum.column == b.column;
      EXPECT_EQ(lanes[static_cast<size_t>(lane)].c[static_cast<size_t>(i)], isProduct ? after : before)
          << "element " << a.index << " of lane " << a.lane << " times " << b.index << " of " << b.lane
          << " in " << i << " of " << lane;
    }
}

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

constexpr uint32_t halfOf1_5 = 0x3E00, halfOfMinus2 = 0xC000, brainOf1_5 = 0x3FC0, brainOfMinus2 = 0xC000;

TEST(EmulatedMma, HalvesAreWhereThePtxIsaHasThem) {
  for (const Element &a : halvesOfA)
    for (const Element &b : halvesOfB) {
      expectProduct(a, b, WEFT_MATRIX_F16, halfOf1_5, halfOfMinus2, bitsOf(10), bitsOf(7));
      expectProduct(a, b, WEFT_MATRIX_BF16, brainOf1_5, brainOfMinus2, bitsOf(10), bitsOf(7));
    }
}

// Those of a have no sign, those of b do: 200 * -3.
TEST(EmulatedMma, BytesAreWhereThePtxIsaHasThem) {
  for (const Element &a : bytesOfA)
    for (const Element &b : bytesOfB)
      expectProduct(a, b, WEFT_MATRIX_BYTES, 200, 0xFD, static_cast<uint32_t>(-7),
                    static_cast<uint32_t>(-607));
}

TEST(EmulatedMma, SumsOfBytesWrap) {
  expectProduct(bytesOfA[0], bytesOfB[0], WEFT_MATRIX_BYTES, 255, 1, 0x7FFFFFFF, 0x800000FE);
}

// The 13 bits that tf32 has less are rounded: up from the middle on, whatever the sign, and an infinity
// stays.
TEST(EmulatedMma, WordsAreRoundedAndWhereThePtxIsaHasThem) {
  for (const Element &a : wordsOfA)
    for (const Element &b : wordsOfB)
      expectProduct(a, b, WEFT_MATRIX_TF32, bitsOf(1.5F), bitsOf(-2), bitsOf(10), bitsOf(7));
  auto expectRounded = [](uint32_t number, uint32_t rounded) {
    expectProduct(wordsOfA[0], wordsOfB[0], WEFT_MATRIX_TF32, number, bitsOf(1), 0, rounded);
  };
  expectRounded(0x3F801000, 0x3F802000);
  expectRounded(0x3F800FFF, 0x3F800000);
  expectRounded(0xBF801000, 0xBF802000);
}

} // namespace
