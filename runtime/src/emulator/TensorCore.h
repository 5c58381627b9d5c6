// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of small matrices that the threads of a warp hold in pieces.

#ifndef WEFT_RUNTIME_EMULATOR_TENSORCORE_H
#define WEFT_RUNTIME_EMULATOR_TENSORCORE_H

#include <cstdint>

namespace weft::runtime {

/// A thread's pieces of two matrices, two elements or four bytes in a word, and of the sums that their
/// product is added to, four of f32 or of int32_t.
struct Fragments {
  const uint32_t *a, *b;
  void *c;
};

/// c += a * b, of 16 x 16 and 16 x 8 elements, for the 32 threads of a warp (PTX ISA, mma.m16n8k16 with .f16
/// and .bf16). A sum is exact until it is rounded once.
void multiplyMatrices(const Fragments (&lanes)[32], bool isBF16);
/// The same of 16 x 8 and 8 x 8 elements of f32, which are rounded to tf32 (mma.m16n8k8 with .tf32; cvt.rna).
void multiplyTF32(const Fragments (&lanes)[32]);
/// The same of 16 x 32 bytes without signs and 32 x 8 with signs (mma.m16n8k32 with .u8 and .s8). Sums wrap.
void multiplyBytes(const Fragments (&lanes)[32]);

/// The words that lane `lane` gets of four matrices of 8 x 8 elements of 16 bits, of which rows[8 m + r] is
/// row r of matrix m (PTX ISA, ldmatrix.x4, and with .trans).
void loadMatrices(const uint16_t *const (&rows)[32], int lane, bool isTransposed, uint32_t (&words)[4]);

/// What a thread of a warpgroup brings to PTX's wgmma.mma_async.m64nNk16: descriptors of matrices in shared
/// memory, of which b is by columns, or by rows if it is transposed; and its sums, n / 2 of them.
struct GroupProduct {
  int64_t a, b;
  float *sums;
  int64_t columns;
  bool keeps, isBF16, isTransposed;
  const uint32_t *words; ///< four of a, where threads have it; otherwise null
};

/// Where a matrix in shared memory lies, as a descriptor says it.
class MatrixDescriptor {
public:
  explicit MatrixDescriptor(int64_t bits) : bits(static_cast<uint64_t>(bits)) {}

  /// Whether it is of the one kind that there is here: with a swizzle of 128 bytes.
  bool isKnown() const { return bits >> 62 == 1; }
  /// The place in bytes of element k of line i, where lines are what is contiguous: of 64 elements of the
  /// depth each, or, if it is transposed, the other way round.
  int64_t placeOf(int64_t line, int64_t k, bool isTransposed) const;

private:
  uint64_t bits;
};

/// Adds the product to the sums of the 128 threads; all bring the same descriptors.
void multiplyMatrices(const GroupProduct (&threads)[128], const char *shared);

} // namespace weft::runtime

#endif // WEFT_RUNTIME_EMULATOR_TENSORCORE_H
