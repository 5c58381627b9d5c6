// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bytes or of bf16 by AMX: registers of 16 rows of 64 bytes, and an instruction that multiplies
// two of them.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_AMXTILES_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_AMXTILES_H

#include "compiler/Target/CPU/Emit/DepthLoop.h"

namespace weft::cpu {

/// 32 rows by a panel (PackedWeights.h) of 48 columns, summed over a depth that is a multiple of 64 bytes of
/// a row: bytes by quads, or bf16 by pairs. Of the eight registers six hold sums. All have the same rows:
/// LLVM, which assigns them, would spill around every product if it had to configure some of them otherwise.
struct AMXTiles {
  static constexpr int64_t kRows = 32, kColumns = 48;
  static constexpr int64_t kRegisterRows = 16, kRowBytes = 64;

  /// What memory has to bring next: so many lines, one after another, for each 64 bytes of lhs's rows. It is
  /// the panel, or what that is unpacked from.
  struct Ahead {
    const Buffer *from;
    Index start, lines;
  };

  Emitter &e;
  RowFormat format; ///< of the panel: Quads or Pairs
  const Buffer &lhs, &panel;
  Index lhsStart, lhsPitch, panelStart, panelPitch;
  Index depth;
  std::optional<Ahead> ahead{};

  /// Writes the sums, [32, 48] of 32 bits, to a matrix whose rows are `pitch` elements apart; or adds to
  /// what is there.
  void emit(const Buffer &sums, Index at, Index pitch, bool adds) const;
};

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_AMXTILES_H
