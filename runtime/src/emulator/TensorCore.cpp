// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread holds which element, as the figures of the PTX ISA have it (Matrix Fragments for mma.m16n8k16
// with floating point type).

#include "TensorCore.h"
#include "../Float16.h"

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
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      int row = ofC[i].row + lane / 4, column = ofC[i].column + lane % 4 * 2;
      double sum = lanes[lane].c[i];
      for (int k = 0; k < 16; ++k)
        sum += static_cast<double>(a[row][k]) * b[k][column];
      lanes[lane].c[i] = static_cast<float>(sum);
    }
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

} // namespace weft::runtime
