// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What accesses of several elements at once need to know of their places.
#ifndef WEFT_COMPILER_TARGET_NVGPU_MULTIPLES_H
#define WEFT_COMPILER_TARGET_NVGPU_MULTIPLES_H

#include "mlir/IR/Value.h"

namespace weft::nvgpu {

/// Bytes of the longest access of a thread.
constexpr int64_t kAccessBytes = 16;

/// Whether an index is a multiple of another number, as far as how it is computed says.
bool isMultiple(mlir::Value number, int64_t of);

/// Whether lanes of a mask are the same in each piece of so many of them, as far as how it is made says.
bool isByPieces(mlir::Value mask, int64_t piece);

} // namespace weft::nvgpu

#endif // WEFT_COMPILER_TARGET_NVGPU_MULTIPLES_H
