// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products whose operands go through shared memory, a block of the depth at a time.
#ifndef WEFT_COMPILER_TARGET_NVGPU_EMIT_STAGEDGEMM_H
#define WEFT_COMPILER_TARGET_NVGPU_EMIT_STAGEDGEMM_H

#include "compiler/Target/NVGPU/Emit/GemmBlock.h"

namespace weft::nvgpu {

/// How a block of the depth lies in shared memory: lhs by rows of the depth, rhs by lines, which may hold
/// several of the depth; with so many elements behind each, that threads find them in different banks.
struct StageLayout {
  mlir::Type left, right;
  int64_t depth, lines, lineElements, leftPadding, rightPadding;
  /// Operands are copied 16 bytes at a time, while others are multiplied; otherwise threads bring them, and
  /// wait.
  bool isCopied;
};

class StagedGemm : public GemmBlock {
protected:
  StagedGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands,
             const StageLayout &layout);

  /// Whether operands are matrices that can be copied 16 bytes at a time.
  static bool canCopy(BlockEmitter &emitter, GemmTileOp op, const GemmOperands &operands);

  /// The sums after a block of the depth that is in a stage.
  virtual Values multiply(Index stage, mlir::ValueRange sums) = 0;
  /// Begins to copy what belongs to this block of rhs from `k` on into a stage; of a matrix.
  virtual void copyRight(Index k, Index stage);

  Values computeSums() override;
  Values addDepth(Index k, mlir::ValueRange sums) override;
  /// How much of the depth there is from `k` on, or that it is enough for a block.
  Index depthLeft(Index k) const;

  const bool isCopied;
  Buffer left, right; ///< [stage, row, depth] and [stage, line, element]

private:
  /// How many blocks of the depth are in shared memory at once, if they are copied.
  static constexpr int64_t kStages = 3;
  void beginCopies(Index k, Index stage);
};

} // namespace weft::nvgpu

#endif // WEFT_COMPILER_TARGET_NVGPU_EMIT_STAGEDGEMM_H
