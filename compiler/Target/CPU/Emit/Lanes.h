// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors that change lanes with each other.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_LANES_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_LANES_H

#include "compiler/Target/CPU/Emit/Emitter.h"

namespace weft::cpu {

/// Rows [n, lanes] as [lanes, n], cut into vectors again: first the n elements of column 0. n is a power
/// of 2.
Emitter::Values interleave(Emitter &emitter, Emitter::Values rows, int64_t lanes);

/// `lanes` columns, of which each lies in one piece and `stride` from the last, as so many rows: vector i has
/// element i of each.
Emitter::Values loadColumns(Emitter &emitter, const Buffer &from, Index at, Index stride, int64_t lanes);

/// Sums of each `count` lanes that lie side by side, count a power of 2, in order; behind the last one
/// anything.
Emitter::Values addLanes(Emitter &emitter, Emitter::Values vectors, int64_t lanes, int64_t count);

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_LANES_H
