// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products by tensor cores, whatever they multiply.
#ifndef WEFT_COMPILER_TARGET_NVGPU_EMIT_TENSORGEMM_H
#define WEFT_COMPILER_TARGET_NVGPU_EMIT_TENSORGEMM_H

#include "compiler/Target/NVGPU/Emit/GemmBlock.h"

namespace weft::nvgpu {

/// A warp has a rectangle of the block's sums, made of pieces of 16 x 8, and takes fragments of the operands
/// out of shared memory (cta.mma). Blocks of the depth may be copied there while others are multiplied.
class TensorGemm : public GemmBlock {
protected:
  TensorGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands,
             mlir::Type element, bool isCopied);

  /// Rows and columns of a piece.
  static constexpr int64_t kRows = 16, kColumns = 8;
  /// How many blocks of the depth are in shared memory at once, if they are copied.
  static constexpr int64_t kStages = 3;
  int64_t stages() const { return isCopied ? kStages : 1; }
  int64_t piecesAcross() const;

  /// Fragments of all of this warp's columns, where the depth of a stage goes on from `k`.
  virtual Values loadColumns(Index stage, int64_t k) = 0;
  /// The same out of `right`, [stage, line, column], where what a line has of a column is a word.
  Values loadWords(const Buffer &right, Index stage, int64_t k);
  /// Begins to copy what belongs to this block of the operands from `k` on into a stage.
  virtual void copyOperands(Index k, Index stage) = 0;

  Values makeSums() override;
  Values computeSums() override;
  void storeSums(mlir::ValueRange sums) override;
  /// How much of the depth there is from `k` on, or that it is enough for a block.
  Index depthLeft(Index k) const;
  /// The sums after a block of the depth that is in shared memory.
  Values multiply(Index stage, mlir::ValueRange sums);

  const bool isCopied;                     ///< operands are, 16 bytes at a time, while others are multiplied
  mlir::Type element;                      ///< what cta.mma multiplies
  Index warpRow{e, {}}, warpColumn{e, {}}; ///< where this warp's sums begin in the block
  Index group, pair;                       ///< this thread's place in a fragment
  Buffer left;                             ///< blocks of lhs, [stage, row, depth]

private:
  int64_t piecesDown() const;
  /// 32 bytes of what is in memory.
  int64_t pieceDepth() const { return 32 * 8 / operands.lhs.element.getIntOrFloatBitWidth(); }
  void beginCopies(Index k, Index stage);
};

} // namespace weft::nvgpu

#endif // WEFT_COMPILER_TARGET_NVGPU_EMIT_TENSORGEMM_H
