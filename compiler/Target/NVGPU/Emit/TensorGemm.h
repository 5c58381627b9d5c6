// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products by tensor cores, whatever they multiply.
#ifndef WEFT_COMPILER_TARGET_NVGPU_EMIT_TENSORGEMM_H
#define WEFT_COMPILER_TARGET_NVGPU_EMIT_TENSORGEMM_H

#include "compiler/Target/NVGPU/Emit/StagedGemm.h"

namespace weft::nvgpu {

/// A warp has a rectangle of the block's sums, made of pieces of 16 x 8, and takes fragments of the operands
/// out of shared memory (cta.mma).
class TensorGemm : public StagedGemm {
protected:
  TensorGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands,
             mlir::Type element, const StageLayout &layout);

  /// Of the depth in a block: small tiles have twice as much of it on its way, as there are few of them.
  static int64_t depthOf(mlir::Type lhs, cpu::TileSizes sizes);
  /// Elements behind each line of lhs, so that the eight lines of a matrix begin in different banks.
  static int64_t paddingOf(mlir::Type lhs);

  /// Rows and columns of a piece.
  static constexpr int64_t kRows = 16, kColumns = 8;
  int64_t piecesAcross() const;

  /// Fragments of all of this warp's columns, where the depth of a stage goes on from `k`.
  virtual Values loadColumns(Index stage, int64_t k) = 0;
  /// The same where what a line has of a column is a word.
  Values loadWords(Index stage, int64_t k);

  Values makeSums() override;
  Values multiply(Index leftStage, Index rightStage, mlir::ValueRange sums) override;
  void storeSums(mlir::ValueRange sums) override;

  mlir::Type element;                      ///< what cta.mma multiplies
  Index warpRow{e, {}}, warpColumn{e, {}}; ///< where this warp's sums begin in the block
  Index group, pair;                       ///< this thread's place in a fragment

private:
  int64_t piecesDown() const;
  /// 32 bytes of what is in memory.
  int64_t pieceDepth() const { return 32 * 8 / operands.lhs.element.getIntOrFloatBitWidth(); }
};

} // namespace weft::nvgpu

#endif // WEFT_COMPILER_TARGET_NVGPU_EMIT_TENSORGEMM_H
