// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a buffer is needed.
#ifndef WEFT_COMPILER_BUFFER_LASTUSE_H
#define WEFT_COMPILER_BUFFER_LASTUSE_H

#include "mlir/IR/Operation.h"

namespace weft::buffer {

/// The last operation of a block that uses a buffer, directly or by a view; null if none does. A loop that
/// uses it needs it until its end, since another iteration may follow.
mlir::Operation *findLastUse(mlir::Value buffer, mlir::Block *block);

} // namespace weft::buffer

#endif // WEFT_COMPILER_BUFFER_LASTUSE_H
