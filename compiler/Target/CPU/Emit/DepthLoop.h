// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inner loops of matrix products: sums of a register tile over the depth, by how rhs lies in memory.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_DEPTHLOOP_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_DEPTHLOOP_H

#include "compiler/Target/CPU/Emit/Emitter.h"

namespace weft::cpu {

/// One register tile and what it reads: an element of each row of lhs, and `vectors` vectors of rhs.
struct DepthLoop {
  /// Where to prefetch what is multiplied after this loop, and how far to go on for each row of rhs.
  struct Ahead {
    Index start, step;
  };

  Emitter &e;
  const Buffer &lhs, &rhs;
  mlir::Type number;                ///< of the sums
  llvm::SmallVector<Index> lhsRows; ///< where each row's part of the depth starts
  Index rhsStart, rhsPitch;         ///< where rhs's part starts, at the tile's first column; and from row to row
  int64_t vectors;
  Index size;                   ///< of the depth
  mlir::Value mask = {};        ///< for the last vector of rhs
  std::optional<Ahead> ahead{}; ///< of a packed rhs

  int64_t lanes() const { return e.lanes(number); }
  /// Asks for elements of a packed rhs before row number `row`, at `at`, is read.
  void prefetch(Index row, Index at) const;
  /// next[r][v] = sums[r][v] + lhs[r] * weights[v], with the element of each row of lhs that lies `k` behind
  /// its start.
  Emitter::Values multiply(Index k, llvm::ArrayRef<mlir::Value> weights, mlir::ValueRange sums) const;
};

/// The sums, rows before vectors, of numbers and of blocks of 4-bit numbers (Int4Block); from `sums` on.
Emitter::Values emitDepthLoop(const DepthLoop &loop, mlir::ValueRange sums);
Emitter::Values emitInt4DepthLoop(const DepthLoop &loop, mlir::ValueRange sums);

int64_t elementsPerLine(const Buffer &buffer);

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_DEPTHLOOP_H
