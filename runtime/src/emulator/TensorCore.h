// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of small matrices that the threads of a warp hold in pieces.

#ifndef WEFT_RUNTIME_EMULATOR_TENSORCORE_H
#define WEFT_RUNTIME_EMULATOR_TENSORCORE_H

#include <cstdint>

namespace weft::runtime {

/// A thread's pieces of two matrices, two elements in a word, and of the sums that their product is added to.
struct Fragments {
  const uint32_t *a, *b;
  float *c;
};

/// c += a * b, of 16 x 16 and 16 x 8 elements, for the 32 threads of a warp (PTX ISA, mma.m16n8k16 with .f16
/// and .bf16). A sum is exact until it is rounded once.
void multiplyMatrices(const Fragments (&lanes)[32], bool isBF16);

/// The words that lane `lane` gets of four matrices of 8 x 8 elements of 16 bits, of which rows[8 m + r] is
/// row r of matrix m (PTX ISA, ldmatrix.x4, and with .trans).
void loadMatrices(const uint16_t *const (&rows)[32], int lane, bool isTransposed, uint32_t (&words)[4]);

} // namespace weft::runtime

#endif // WEFT_RUNTIME_EMULATOR_TENSORCORE_H
