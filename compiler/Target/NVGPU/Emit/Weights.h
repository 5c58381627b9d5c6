// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The right-hand side of a matrix product, in whatever form it is stored.
#ifndef WEFT_COMPILER_TARGET_NVGPU_EMIT_WEIGHTS_H
#define WEFT_COMPILER_TARGET_NVGPU_EMIT_WEIGHTS_H

#include "compiler/Target/CPU/Emit/RowFormat.h"
#include "compiler/Target/NVGPU/Emit/BlockEmitter.h"

namespace weft::nvgpu {

/// A thread takes numbers of one column, a run of the depth at a time: matrices, panels of them, bytes in
/// quads, of 4 bits if need be, and numbers of few bits in groups.
class Weights {
public:
  using Values = BlockEmitter::Values;

  /// Numbers will be of the type `number`: a float, or an integer of 32 bits.
  Weights(BlockEmitter &emitter, GemmTileOp op, const Buffer &rhs, mlir::Type number);

  /// How many numbers of a column one load gives. Runs are whole loads.
  static int64_t perLoad(GemmTileOp op);
  int64_t perLoad() const { return eachLoad; }
  /// How many of the depth share a float that scales them, or 0 if there are none. A run of groups is some of
  /// them, or divides one.
  int64_t perScale() const { return groups ? groups.getRows() : 0; }

  /// Numbers of a run as they were loaded, and what belongs to its groups, one each.
  struct Run {
    Values loaded, scales, offsets;
    mlir::Value factors; ///< of Int4Quads: integers of 4 bits, one for each load
  };
  /// The run of `count` from `k` on, a multiple of that, of the matrix that begins at `start`. With `depth`
  /// it may go beyond the end, and then has anything there. A run of Int4Quads lies in a block.
  Run load(Index start, Index k, int64_t count, Index column, std::optional<Index> depth = {});
  /// `count` numbers of it from `first` on, whole loads, not yet multiplied by scales.
  Values numbers(const Run &run, int64_t first, int64_t count);
  /// The same of bytes, four in a word.
  Values quads(const Run &run, int64_t first, int64_t count);
  /// All of its numbers, multiplied by scales.
  Values scaledNumbers(const Run &run);

private:
  Index rowOf(Index k) const;
  int64_t rowsTo(int64_t step) const;
  mlir::Value unpackQuad(mlir::Value word, bool isSecond, mlir::Value factor);
  mlir::Value loadFactors(Index column, Index pitch, Index k);
  void appendNumbers(mlir::Value word, int64_t count, Values &numbers);

  BlockEmitter &e;
  const Buffer &rhs;
  mlir::Type number;
  WeightGroupsAttr groups; ///< null if there are none
  cpu::RowFormat format;
  bool isPacked;
  int64_t eachLoad;
};

} // namespace weft::nvgpu

#endif // WEFT_COMPILER_TARGET_NVGPU_EMIT_WEIGHTS_H
