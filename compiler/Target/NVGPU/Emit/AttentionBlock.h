// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a block's part of an attention is, however its scores and sums are made.
#ifndef WEFT_COMPILER_TARGET_NVGPU_EMIT_ATTENTIONBLOCK_H
#define WEFT_COMPILER_TARGET_NVGPU_EMIT_ATTENTIONBLOCK_H

#include "compiler/Target/CPU/Emit/Attention/AttentionEmitter.h"
#include "compiler/Target/NVGPU/Emit/Kernels.h"

namespace weft::nvgpu {

struct AttentionOperands {
  Buffer query, key, value, out;
  std::optional<Buffer> sink, weights, statistics;
  llvm::SmallVector<Buffer> captures;
};

/// Some of the query rows that share a key head, against all keys or a part of them: tile number
/// ((part * batch + b) * keyHeads + head) * rowBlocks + rowBlock. The last rows come first: masks leave out
/// the most keys for the first ones.
class AttentionBlock {
public:
  AttentionBlock(BlockEmitter &emitter, AttentionTileOp op, cpu::TileSizes sizes,
                 const AttentionOperands &operands);
  virtual ~AttentionBlock() = default;

  mlir::LogicalResult emit();

protected:
  using Values = BlockEmitter::Values;
  virtual void emitWork() = 0;

  /// A row of the tile; the last one stands for those behind it.
  struct Row {
    Index row; ///< of the rows that share a key head
    mlir::Value isThere;
    Index head, query;
  };
  Row rowAt(Index inTile);

  /// Whether the score region leaves out all of these keys for all rows of the tile; null if that never is
  /// known.
  mlir::Value isEmpty(Index first, Index count);
  /// Whether it leaves out none of so many keys, and changes nothing of their scores but what
  /// `applyOpenRegion` does; null if that never is known.
  mlir::Value isFull(Index first, int64_t count);
  /// What the region makes of a score; minus infinity of what it excludes, and behind the last key.
  mlir::Value applyRegion(mlir::Value score, const Row &row, Index key);
  mlir::Value applyOpenRegion(mlir::Value score, const Row &row, Index key);

  /// What a row's maximum is before any key: its sink, if it has one. The sum that belongs to it is there
  /// where `isCounted`, unless it is another part's.
  struct Start {
    mlir::Value maximum, sum;
  };
  Start startOf(const Row &row, mlir::Value isCounted);

  /// Where the tile's queries, and keys or values from `first` on, begin; and a row of the result.
  Index queryStart();
  Index keyStart(const Buffer &buffer, Index first);
  Index outStart(const Row &row);
  Index weightsStart(const Row &row);
  /// What a row's sums are multiplied by; of a part they stay as they are.
  cpu::RowFactor factorOf(mlir::Value sum);
  /// One of those sums, multiplied so.
  mlir::Value apply(const cpu::RowFactor &factor, mlir::Value sum);
  /// Leaves a row's maximum, as scores are, and its sum to the step that puts parts together. Where there are
  /// no keys at all it is as if there were one, with a value of 0.
  void storeStatistics(const Row &row, mlir::Value maximum, mlir::Value sum);

  /// A NaN may get lost; the sum of exponentials finds it.
  mlir::Value greater(mlir::Value left, mlir::Value right) {
    return e.intrinsic("llvm.maxnum", left.getType(), {left, right}); // one instruction
  }
  /// What is subtracted from scores: their maximum, or 0 where all are excluded.
  mlir::Value baseOf(mlir::Value maximum);

  BlockEmitter &e;
  AttentionTileOp op;
  cpu::TileSizes sizes;
  const AttentionOperands &operands;
  mlir::Type number; ///< that scores and sums are of
  Index length, keyHeads, keys, groupSize, rowCount;
  mlir::Value least;      ///< minus infinity
  Index firstKey, endKey; ///< of this part of the keys
  Index batch{e, {}}, keyHead{e, {}}, firstRow{e, {}};

private:
  void decodeTile();
  void openRegion();
  llvm::SmallVector<cpu::Interval> argumentsOf(Index first, Index count);
  /// The score that a region yields, and whether it is kept.
  std::pair<mlir::Value, mlir::Value> evaluate(mlir::Region &region, mlir::Value score, const Row &row,
                                               Index key);

  Index part{e, {}};
  mlir::OwningOpRef<AttentionTileOp> opened; ///< with the region where all masks are open, if there are masks
  bool failedRegion = false;
};

mlir::FailureOr<AttentionOperands> findAttentionOperands(BlockEmitter &emitter, AttentionTileOp op);

/// Emits it with each thread's products and sums its own, for f32 and f64; or by tensor cores, for f16 and
/// bf16.
mlir::LogicalResult emitThreadAttention(BlockEmitter &emitter, AttentionTileOp op, cpu::TileSizes sizes,
                                        const AttentionOperands &operands);
mlir::LogicalResult emitTensorAttention(BlockEmitter &emitter, AttentionTileOp op, cpu::TileSizes sizes,
                                        const AttentionOperands &operands);

} // namespace weft::nvgpu

#endif // WEFT_COMPILER_TARGET_NVGPU_EMIT_ATTENTIONBLOCK_H
