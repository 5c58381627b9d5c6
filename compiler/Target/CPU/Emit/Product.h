// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product of small matrices inside a kernel: register tiles of sums.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_PRODUCT_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_PRODUCT_H

#include "compiler/Target/CPU/Emit/Emitter.h"

namespace weft::cpu {

/// Sums that are held in registers, beside `vectors` vectors of rhs and one element of lhs. Of the 32
/// registers of AVX-512 8x3 takes 28; of the 16 of AVX2 6x2 takes 15.
struct RegisterTile {
  int64_t rows, vectors;
  static RegisterTile fitting(int64_t vectorBits) {
    return vectorBits >= 512 ? RegisterTile{8, 3} : RegisterTile{6, 2};
  }
  /// The tile for rows of so many vectors, or for even parts of them: 4 take 6x4, 5 take 5x5, 7 take 6x4 and
  /// what is left. Nothing means a number known at run time.
  static RegisterTile forVectors(std::optional<int64_t> vectors, int64_t vectorBits);
};

/// A matrix in a buffer of f32 or f64: element (i, j) is at start + i * pitch + j.
struct Matrix {
  const Buffer &buffer;
  Index start, pitch;
};

/// out = lhs * rhs, or where there is `scale`, out = out * scale(row) + lhs * rhs.
struct Product {
  Matrix lhs, rhs, out;
  Index rows, columns, depth;
  llvm::function_ref<mlir::Value(Index row)> scale; ///< a scalar
  bool hasWholeVectors = false;                     ///< `columns` is a multiple of a vector's lanes
};

/// Emits it. The rows and columns of out are written even for a depth of 0.
void emitProduct(Emitter &emitter, const Product &product);

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_PRODUCT_H
