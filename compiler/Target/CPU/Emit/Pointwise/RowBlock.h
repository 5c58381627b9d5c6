// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several rows of a loop nest at once, whose inputs are much the same.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_POINTWISE_ROWBLOCK_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_POINTWISE_ROWBLOCK_H

#include "compiler/Target/CPU/Emit/Pointwise/Access.h"
#include "llvm/ADT/DenseMap.h"

namespace weft::cpu {

/// Rows that lie side by side along the last loop but one. Windows of a convolution that do so see much of
/// the same elements, and all of them the same weights: each is loaded once for a block, and the rows' sums
/// do not wait for each other.
class RowBlock {
public:
  /// `accesses` are those of the body's arguments.
  RowBlock(Emitter &emitter, mlir::Block &body, llvm::ArrayRef<Access> accesses);

  /// How many rows of lines with so many a block has; 1 where it would load as much as its rows do one by
  /// one.
  int64_t rowsFor(Index line) const;

  /// Emits that many rows, of which the first is at `position` in all loops but the last. Emits an error on
  /// an operation that has no vector form.
  mlir::LogicalResult emit(llvm::ArrayRef<Index> position, int64_t rows, Index width, int64_t lanes) const;

private:
  /// An access as the sum of what those of its group begin with, of `base`, if there is one, of a constant
  /// for each row, and of the column.
  struct Row {
    size_t group;
    mlir::Value base;
    int64_t offset, step;
  };
  /// A row's beginning: its group, its base and its constant. Equal ones are the same elements.
  using Place = std::tuple<size_t, mlir::Value, int64_t>;
  using Loaded = llvm::DenseMap<Place, mlir::Value>;

  size_t groupOf(const Access &access) const;
  Place placeOf(size_t input, int64_t row) const;
  size_t loadsOf(int64_t rows) const;
  Index at(llvm::ArrayRef<Index> starts, Place place) const;

  Emitter &e;
  mlir::Block &body;
  llvm::ArrayRef<Access> accesses;
  llvm::SmallVector<Row> rows; ///< of the inputs; none if a row is not where a block could find it
};

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_POINTWISE_ROWBLOCK_H
