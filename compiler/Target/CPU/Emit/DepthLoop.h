// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inner loops of matrix products: sums of a register tile over the depth, by how rhs lies in memory.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_DEPTHLOOP_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_DEPTHLOOP_H

#include "compiler/Target/CPU/Emit/Emitter.h"
#include "compiler/Target/CPU/Emit/RowFormat.h"

namespace weft::cpu {

/// Walks over the depth with `vectors` vectors of rhs at each step, as numbers or, of quads, as words, for a
/// register tile of sums.
struct DepthLoop {
  /// Where to prefetch what is multiplied later, and how far to go on for each row of rhs. It lies in rhs,
  /// whose rows come from memory then, or where rhs was unpacked from.
  struct Ahead {
    Index start, step;
    const Buffer *unpackedFrom = nullptr;
    bool bringsRows = true; ///< also asks for rows that are soon to be read
  };
  /// Vectors that lie in several panels, one after another: how many each has, and how far they are apart.
  struct Panels {
    int64_t vectors;
    Index pitch;
    std::optional<Index> last{}; ///< the number of the last one that there is, which is read for others, too
  };
  /// What the sums are after step k, with these weights. It is called where code for the step is emitted.
  using Step = llvm::function_ref<Emitter::Values(Index k, llvm::ArrayRef<mlir::Value> weights,
                                                  mlir::ValueRange sums)>;

  Emitter &e;
  const Buffer &rhs;
  RowFormat format;
  mlir::Type number;        ///< of the sums
  Index rhsStart, rhsPitch; ///< where rhs's part starts, at the tile's first column; and from row to row
  int64_t vectors;
  Index size; ///< of the depth
  Step step;
  mlir::Value mask = {};          ///< for the last vector of rhs
  std::optional<Ahead> ahead{};   ///< of what comes from memory
  WeightGroupsAttr groups{};      ///< of a rhs of such
  std::optional<Panels> panels{}; ///< of numbers, where one does not have all vectors

  int64_t lanes() const { return e.lanes(number); }
  /// The sums, from `sums` on.
  Emitter::Values emit(mlir::ValueRange sums) const;
  /// Asks for what lies behind row number `row`, which is at `at`, before it is read.
  void prefetch(Index row, Index at) const;
  /// Where a vector of the row lies whose first one is at `start`.
  Index vectorAt(Index start, int64_t vector) const;
  /// Vectors of a row whose columns take one element each; prefetches.
  Emitter::Values loadRow(Index row) const;
};

/// Of Int4 and of Groups.
Emitter::Values emitGroupsDepthLoop(const DepthLoop &loop, mlir::ValueRange sums);
Emitter::Values emitInt4QuadsDepthLoop(const DepthLoop &loop, mlir::ValueRange sums);

/// sum + left * right, where each lane of i32 holds four bytes, of the left unsigned and of the right signed,
/// whose products are added up.
mlir::Value addProductsOfBytes(Emitter &emitter, mlir::Value left, mlir::Value right, mlir::Value sum);

/// The even and the odd bytes of each lane of i32 as numbers of 16 bits.
std::array<mlir::Value, 2> splitBytes(Emitter &emitter, mlir::Value words, bool isSigned);

/// The same of signed numbers of 16 bits in pairs, by x86's instructions.
mlir::Value addProductsOfShorts(Emitter &emitter, mlir::Value left, mlir::Value right, mlir::Value sum);

/// The same of numbers of bf16 in pairs, in each lane of f32.
mlir::Value addProductsOfPairs(Emitter &emitter, mlir::Value left, mlir::Value right, mlir::Value sum);

int64_t elementsPerLine(const Buffer &buffer);
/// Elements of a row that a column takes.
int64_t elementsPerColumn(RowFormat format);

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_DEPTHLOOP_H
