// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a loop nest reads and writes a buffer.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_POINTWISE_ACCESS_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_POINTWISE_ACCESS_H

#include "compiler/Target/CPU/Emit/Emitter.h"

namespace weft::cpu {

/// A buffer by loops: the element of loop position (i, j, ...) is at offset + i * strides[0] + j * strides[1]
/// + ...
struct Access {
  Buffer buffer;
  mlir::Value memory;               ///< the kernel's argument that the buffer is all or a part of
  llvm::SmallVector<Index> strides; ///< one for each loop, 0 where the buffer does not have it
  /// Of a pair of loops that are done as one, if that is not one stride: the inner loop's.
  std::optional<Index> inner = {};

  /// Whether all of a row is one element.
  bool isSplat() const { return strides.back().is(0) && !inner; }
};

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_POINTWISE_ACCESS_H
