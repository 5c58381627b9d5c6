// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the right-hand side of a matrix product lies in memory.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_ROWFORMAT_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_ROWFORMAT_H

#include "dialects/Weft/IR/Weft.h"

namespace weft::cpu {

/// How a row of rhs lies in memory.
enum class RowFormat {
  Numbers,   ///< a number for each column, for one step of the depth
  Int4,      ///< blocks of 4-bit numbers (Int4Block); there are rows of scales, too
  Int4Quads, ///< the same for products with bytes (Int4Quads)
  Quads,     ///< four bytes for each column, for four steps (Quads)
  Shorts, ///< two of 16 bits for each column, which as many quads as a vector has lanes are unpacked to: all
          ///< even bytes, then all odd ones
  Pairs,  ///< two of bf16 for each column, for two steps (Pairs)
  Groups, ///< numbers of few bits in groups, with scales (weft.weight_groups)
};

/// How rhs lies in memory.
RowFormat formatOf(GemmTileOp op);

/// Whether rows are of blocks of 4-bit numbers.
inline bool isInt4(RowFormat format) { return format == RowFormat::Int4 || format == RowFormat::Int4Quads; }
/// Whether rows are words of blocks, of which some hold scales.
inline bool isOfBlocks(RowFormat format) { return isInt4(format) || format == RowFormat::Groups; }
/// Whether bytes are multiplied, four at a time.
inline bool isOfBytes(RowFormat format) {
  return format == RowFormat::Quads || format == RowFormat::Int4Quads;
}

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_ROWFORMAT_H
