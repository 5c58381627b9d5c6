// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An index that memory holds, and that may be wrong.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_STOREDINDEX_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_STOREDINDEX_H

#include "compiler/Target/CPU/Emit/Emitter.h"

namespace weft::cpu {

struct StoredIndex {
  Index given, size;
  Index place;         ///< a negative index counts from the end
  mlir::Value isThere; ///< whether the place is one of `size`

  /// Reports it, as one that is not there.
  void fail(Emitter &emitter) const;
};

/// The element at `at`, an integer of whatever width, as an index of something of that size.
StoredIndex loadStoredIndex(Emitter &emitter, const Buffer &indices, Index at, Index size);

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_STOREDINDEX_H
