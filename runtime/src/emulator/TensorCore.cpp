// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread holds which element, as the figures of the PTX ISA have it (Matrix Fragments for mma.m16n8k16
// with floating point type).

#include "TensorCore.h"
#include "../Float16.h"

#include <cstring>
#include <vector>

namespace weft::runtime {

namespace {

/// A place in a matrix.
struct Place {
  uint8_t row, column;
};

// Of lanes 0 and 1 and 4 as the figures show them; lane l is 2 (l % 4) columns (of b rows) and l / 4 rows (of
// b columns) from lane 0.
constexpr Place ofA[8] = {{0, 0}, {0, 1}, {8, 0}, {8, 1}, {0, 8}, {0, 9}, {8, 8}, {8, 9}};
constexpr Place ofB[4] = {{0, 0}, {1, 0}, {8, 0}, {9, 0}};
constexpr Place ofC[4] = {{0, 0}, {0, 1}, {8, 0}, {8, 1}};

float elementOf(const uint32_t *words, int index, bool isBF16) {
  auto bits = static_cast<uint16_t>(words[index / 2] >> (index % 2 * 16));
  return isBF16 ? floatOfBf16(bits) : floatOfF16(bits);
}

/// Adds the product to the lanes' sums, each of which is taken in `Sum`.
template <typename Sum, typename Stored, typename Element, size_t depth>
void addProduct(const Fragments (&lanes)[32], const Element (&a)[16][depth], const Element (&b)[depth][8]) {
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      int row = ofC[i].row + lane / 4, column = ofC[i].column + lane % 4 * 2;
      Stored &c = static_cast<Stored *>(lanes[lane].c)[i];
      auto sum = static_cast<Sum>(c);
      for (size_t k = 0; k < depth; ++k)
        sum += static_cast<Sum>(a[row][k]) * static_cast<Sum>(b[k][column]);
      c = static_cast<Stored>(sum);
    }
}

} // namespace

void multiplyMatrices(const Fragments (&lanes)[32], bool isBF16) {
  float a[16][16], b[16][8];
  for (int lane = 0; lane < 32; ++lane) {
    int group = lane / 4, pair = lane % 4 * 2;
    for (int i = 0; i < 8; ++i)
      a[ofA[i].row + group][ofA[i].column + pair] = elementOf(lanes[lane].a, i, isBF16);
    for (int i = 0; i < 4; ++i)
      b[ofB[i].row + pair][ofB[i].column + group] = elementOf(lanes[lane].b, i, isBF16);
  }
  addProduct<double, float>(lanes, a, b);
}

// The figures for mma.m16n8k8 with .tf32: element i of a is in row group, or 8 more for odd i, and in column
// (thread in group), or 4 more from 2 on; of b the row is that, 4 more for 1, and the column is the group.
void multiplyTF32(const Fragments (&lanes)[32]) {
  // A tf32 has the upper 19 bits of an f32.
  auto rounded = [](uint32_t bits) {
    bool isFinite = (bits >> 23 & 0xFF) != 0xFF;
    bits = isFinite ? (bits + 0x1000) & ~uint32_t(0x1FFF) : bits;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  };
  float a[16][8], b[8][8];
  for (int lane = 0; lane < 32; ++lane) {
    int group = lane / 4, place = lane % 4;
    for (int i = 0; i < 4; ++i)
      a[group + i % 2 * 8][place + i / 2 * 4] = rounded(lanes[lane].a[i]);
    for (int i = 0; i < 2; ++i)
      b[place + i * 4][group] = rounded(lanes[lane].b[i]);
  }
  addProduct<double, float>(lanes, a, b);
}

// The figures for mma.m16n8k32 with .u8 and .s8: element i of a is in row group, or 8 more for i of 4 to 7
// and from 12 on, and in column (thread in group * 4) + i mod 4, or 16 more from 8 on; of b the row is that,
// 16 more from 4 on, and the column is the group.
void multiplyBytes(const Fragments (&lanes)[32]) {
  int32_t a[16][32], b[32][8];
  auto byteOf = [](const uint32_t *words, int i) {
    return static_cast<uint8_t>(words[i / 4] >> (i % 4 * 8));
  };
  for (int lane = 0; lane < 32; ++lane) {
    int group = lane / 4, quad = lane % 4 * 4;
    for (int i = 0; i < 16; ++i)
      a[group + (i / 4 % 2) * 8][quad + i % 4 + (i / 8) * 16] = byteOf(lanes[lane].a, i);
    for (int i = 0; i < 8; ++i)
      b[quad + i % 4 + (i / 4) * 16][group] = (byteOf(lanes[lane].b, i) ^ 0x80) - 0x80; // its sign, spread
  }
  addProduct<uint32_t, int32_t>(lanes, a, b);
}

void loadMatrices(const uint16_t *const (&rows)[32], int lane, bool isTransposed, uint32_t (&words)[4]) {
  // Lane l has elements 2 (l % 4) and the one behind it, of row l / 4, as the figure of ldmatrix has it.
  int row = lane / 4, column = lane % 4 * 2;
  for (int matrix = 0; matrix < 4; ++matrix) {
    const uint16_t *const *of = rows + matrix * 8;
    uint32_t low = isTransposed ? of[column][row] : of[row][column];
    uint32_t high = isTransposed ? of[column + 1][row] : of[row][column + 1];
    words[matrix] = low | high << 16;
  }
}

// The PTX ISA's "Matrix Descriptor Format": addresses are in units of 16 bytes, in 14 bits each; the leading
// offset is from bit 16 on, the stride offset from bit 32 on. With a swizzle of 128 bytes matrices are made
// of blocks of 8 lines of 128 bytes.
int64_t MatrixDescriptor::placeOf(int64_t line, int64_t k, bool isTransposed) const {
  auto field = [&](int first) { return static_cast<int64_t>(bits >> first & 0x3FFF) << 4; };
  int64_t start = field(0), leading = field(16), stride = field(32);
  // By k: blocks of 8 lines are a stride apart. Transposed: blocks of 8 k are, and of 64 lines a leading
  // offset.
  int64_t place = isTransposed ? start + line / 64 * leading + k / 8 * stride + k % 8 * 128 + line % 64 * 2
                               : start + line / 8 * stride + line % 8 * 128 + k * 2;
  // The piece of 16 bytes is that number xor the line's, as bits of the address.
  return place ^ (place >> 7 & 7) << 4;
}

void multiplyMatrices(const GroupProduct (&threads)[128], const char *shared) {
  constexpr int64_t depth = 16;
  const GroupProduct &any = threads[0];
  auto bring = [&](int64_t descriptor, int64_t lines, bool isTransposed) {
    std::vector<float> matrix(static_cast<size_t>(lines * depth));
    for (int64_t line = 0; line < lines; ++line)
      for (int64_t k = 0; k < depth; ++k) {
        uint16_t bits;
        std::memcpy(&bits, shared + MatrixDescriptor(descriptor).placeOf(line, k, isTransposed),
                    sizeof(bits));
        matrix[static_cast<size_t>(line * depth + k)] = any.isBF16 ? floatOfBf16(bits) : floatOfF16(bits);
      }
    return matrix;
  };
  constexpr int64_t rows = 64;
  std::vector<float> a = any.words ? std::vector<float>(rows * depth) : bring(any.a, rows, false);
  for (size_t thread = 0; any.words && thread < 128; ++thread)
    for (int i = 0; i < 8; ++i) {
      size_t row = thread / 32 * 16 + thread % 32 / 4 + ofA[i].row, k = thread % 4 * 2 + ofA[i].column;
      a[row * depth + k] = elementOf(threads[thread].words, i, any.isBF16);
    }
  std::vector<float> b = bring(any.b, any.columns, any.isTransposed);
  for (int64_t thread = 0; thread < 128; ++thread)
    for (int64_t i = 0; i < any.columns / 2; ++i) {
      // Of each 8 columns four, as mma.m16n8k16 has them, and each warp has 16 rows.
      int64_t row = thread / 32 * 16 + thread % 32 / 4 + ofC[i % 4].row;
      int64_t column = i / 4 * 8 + thread % 4 * 2 + ofC[i % 4].column;
      double sum = any.keeps ? threads[thread].sums[i] : 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += static_cast<double>(a[static_cast<size_t>(row * depth + k)]) *
               b[static_cast<size_t>(column * depth + k)];
      threads[thread].sums[i] = static_cast<float>(sum);
    }
}

} // namespace weft::runtime
