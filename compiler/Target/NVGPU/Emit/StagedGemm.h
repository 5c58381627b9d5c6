// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products whose operands go through shared memory, a block of the depth at a time.
#ifndef WEFT_COMPILER_TARGET_NVGPU_EMIT_STAGEDGEMM_H
#define WEFT_COMPILER_TARGET_NVGPU_EMIT_STAGEDGEMM_H

#include "compiler/Target/NVGPU/Emit/GemmBlock.h"
#include "compiler/Target/NVGPU/Emit/PackedLines.h"

namespace weft::nvgpu {

/// How a block of the depth lies in shared memory: lhs by rows of the depth, rhs by lines, which may hold
/// several of the depth; with so many elements behind each, that threads find them in different banks.
struct StageLayout {
  mlir::Type left, right;
  int64_t depth, lines, lineElements, leftPadding, rightPadding;
  /// Operands are copied 16 bytes at a time, while others are multiplied; otherwise threads bring them, and
  /// wait. What a packed rhs has is copied as it is stored, and unpacked when it is there.
  bool isCopied;
};

class StagedGemm : public GemmBlock {
protected:
  StagedGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands,
             const StageLayout &layout);

  /// Whether operands can be copied 16 bytes at a time.
  static bool canCopy(BlockEmitter &emitter, GemmTileOp op, const GemmOperands &operands);

  /// The sums after a block of the depth that is in a stage of either.
  virtual Values multiply(Index leftStage, Index rightStage, mlir::ValueRange sums) = 0;
  /// Whether rhs is made of what is stored, when that is there.
  bool isUnpacked() const { return packed && !packed->areQuads(); }

  Values computeSums() override;
  Values addDepth(Index k, mlir::ValueRange sums) override;
  /// How much of the depth there is from `k` on, or that it is enough for a block.
  Index depthLeft(Index k) const;

  const bool isCopied;
  const std::optional<PackedLines> packed; ///< if rhs is copied as it is stored
  Buffer left, right;                      ///< [stage, row, depth] and [stage, line, element]

private:
  /// How many blocks of the depth are in shared memory at once. One that is unpacked is there as both.
  int64_t stages() const { return !isCopied ? 1 : isUnpacked() ? 4 : 3; }
  int64_t rightStages() const { return isUnpacked() ? 2 : stages(); }
  /// Where rhs of the block from `k` on is multiplied, whose stage of lhs is given.
  Index rightStage(Index k, Index leftStage) const {
    return isUnpacked() ? k / depthOfBlock % rightStages() : leftStage;
  }
  void beginCopies(Index k, Index stage);
  void copyRight(Index k, Index stage);
  void copyPacked(Index k, const Buffer &to, Index stage);
  void unpack(Index k, Index stage);
  void unpackWord(Index k, const Weights::Run &word, Index line, Index column, Index start);

  std::optional<Buffer> stored; ///< [stage, line, word], where it is unpacked
};

} // namespace weft::nvgpu

#endif // WEFT_COMPILER_TARGET_NVGPU_EMIT_STAGEDGEMM_H
