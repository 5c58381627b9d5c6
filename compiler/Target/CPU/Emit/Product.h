// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product of small matrices inside a kernel: register tiles of sums.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_PRODUCT_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_PRODUCT_H

#include "compiler/Target/CPU/Emit/Emitter.h"

namespace weft::cpu {

/// Sums that are held in registers, beside `vectors` vectors of rhs and one element of lhs. Of the 32
/// registers of AVX-512 8x3 takes 28, and of NEON's as many 6x4 takes 29; of the 16 of AVX2 6x2 takes 15.
struct RegisterTile {
  int64_t rows, vectors;
  static RegisterTile fitting(const Features &features) {
    if (!features.isX86())
      return {6, 4};
    return features.registers() == 32 ? RegisterTile{8, 3} : RegisterTile{6, 2};
  }
  /// The most rows for so many vectors, if each row's element of lhs waits in a register and rhs passes by, a
  /// vector at a time.
  static RegisterTile ofVectors(int64_t vectors, int64_t registers) {
    return {(registers - 1) / (vectors + 1), vectors};
  }
  /// The tile for rows of so many vectors, or for even parts of them: 4 take 6x4, 5 take 5x5, 7 take 6x4 and
  /// what is left. Nothing means a number known at run time. Rows that lie a number of elements apart that is
  /// known now can be more.
  static RegisterTile forVectors(std::optional<int64_t> vectors, int64_t registers, bool hasStaticPitch);
};

/// A matrix in a buffer of f32 or f64: element (i, j) is at start + i * pitch + j.
struct Matrix {
  const Buffer &buffer;
  Index start, pitch;
};

/// out = lhs * rhs, or where there is `scale`, out = out * scale(row) + lhs * rhs; that times `factor`, which
/// is a scalar.
struct Product {
  Matrix lhs, rhs, out;
  Index rows, columns, depth;
  llvm::function_ref<mlir::Value(Index row)> scale; ///< a scalar
  bool hasWholeVectors = false;                     ///< `columns` is a multiple of a vector's lanes
  mlir::Value factor = {};
  /// Called with the vectors of one row after another, from `row` on, while they are in registers.
  llvm::function_ref<void(Index row, llvm::ArrayRef<Emitter::Values> vectors)> finish = nullptr;
};

/// Emits it. The rows and columns of out are written even for a depth of 0.
void emitProduct(Emitter &emitter, const Product &product);

/// Elements of the depth that lie side by side in quads.
constexpr int64_t kQuad = 4;

/// Whether quads waste less of vectors than columns side by side do.
bool fillsQuads(Index columns, int64_t lanes);
/// A matrix [depth, columns] in quads, [depth / 4, columns, 4]: its size, with what fills the last vector and
/// the last quad; and what makes it, with zeros behind the depth.
int64_t quadElements(int64_t columns, int64_t depth, int64_t lanes);
void emitQuads(Emitter &emitter, const Matrix &in, const Buffer &out, int64_t columns, Index depth);

/// out = out * scale(row) + lhs * rhs.
struct QuadProduct {
  Matrix lhs, out;   ///< behind the depth lhs is 0 until a quad is full
  const Buffer &rhs; ///< in quads
  Index rows, depth;
  int64_t columns;
  llvm::function_ref<mlir::Value(Index row)> scale; ///< a scalar
};
void emitQuadProduct(Emitter &emitter, const QuadProduct &product);

/// Runs body(first, number) for groups of at most `most`, as even as can be.
void overGroups(Emitter &emitter, Index count, int64_t most,
                llvm::function_ref<void(Index first, int64_t number)> body);

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_PRODUCT_H
