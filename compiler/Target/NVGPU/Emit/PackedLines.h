// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A packed right-hand side as the lines of words that it is stored in.
#ifndef WEFT_COMPILER_TARGET_NVGPU_EMIT_PACKEDLINES_H
#define WEFT_COMPILER_TARGET_NVGPU_EMIT_PACKEDLINES_H

#include "compiler/Target/NVGPU/Emit/Weights.h"

namespace weft::nvgpu {

/// A panel is lines of a word for each column: four bytes of the depth, or numbers of few bits, or what
/// belongs to a group or block of these, its head. A block of the depth has some lines that are one behind
/// the other, and, of a group that it is a part of, its head.
class PackedLines {
public:
  /// Whether rhs is stored so.
  static bool are(GemmTileOp op);
  PackedLines(GemmTileOp op, int64_t depthOfBlock);

  /// Whether words are bytes as they are multiplied.
  bool areQuads() const { return format == cpu::RowFormat::Quads; }
  /// Lines of a block of the depth, and those of them that hold numbers.
  int64_t count() const { return heads() + numberLines(); }
  int64_t numberLines() const { return depthOfBlock / perWord; }

  /// Where a panel has line `i` of the block from `k` on, counted in lines; and how many it has.
  Index inPanel(BlockEmitter &e, Index i, Index k) const;
  Index linesOfPanel(const Buffer &rhs) const;
  /// How far it is from one to the next.
  Index pitch(const Buffer &rhs) const;

  /// What number line `i` holds of a column, where a block's lines lie in `lines` from `start` on.
  Weights::Run load(BlockEmitter &e, const Buffer &lines, Index start, Index i, Index column) const;

private:
  /// Groups of a block, or 1 where it is a part of one.
  int64_t groupsOfBlock() const;
  int64_t heads() const { return headsOfGroup * groupsOfBlock(); }

  cpu::RowFormat format;
  bool hasOffsets = false;
  int64_t depthOfBlock, perWord;
  int64_t groupDepth, headsOfGroup; ///< of quads there are no groups
};

} // namespace weft::nvgpu

#endif // WEFT_COMPILER_TARGET_NVGPU_EMIT_PACKEDLINES_H
