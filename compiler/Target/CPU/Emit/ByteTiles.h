// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bytes by AMX: registers of 16 rows of 64 bytes, and an instruction that multiplies two of them.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_BYTETILES_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_BYTETILES_H

#include "compiler/Target/CPU/Emit/Emitter.h"

namespace weft::cpu {

/// 32 rows of bytes by a panel of quads (PackedWeights.h) of 48 columns, summed over a depth that is a
/// multiple of 64. Of the eight registers six hold sums. All have the same rows: LLVM, which assigns them,
/// would spill around every product if it had to configure some of them otherwise.
struct ByteTiles {
  static constexpr int64_t kRows = 32, kColumns = 48;

  Emitter &e;
  const Buffer &lhs, &quads;
  Index lhsStart, lhsPitch, quadsStart, quadsPitch;
  Index depth;

  /// Writes the sums, [32, 48] of i32.
  void emit(const Buffer &sums) const;
};

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_BYTETILES_H
