// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region of scalar operations, repeated on vectors.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_VECTORREGION_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_VECTORREGION_H

#include "compiler/Target/CPU/Emit/Emitter.h"

namespace weft::cpu {

/// Emits the block's operations (arith, math, linalg.index, weft.read, weft.check_index) on vectors of
/// `lanes` lanes and returns what it yields. `arguments` are the block's arguments as vectors, null where
/// unused; scalars from outside are splat; `position(d)` is what linalg.index of loop d is; lanes that `mask`
/// leaves out (null: none) are neither read nor checked. Emits an error on an operation that has no vector
/// form.
mlir::FailureOr<Emitter::Values> emitVectorRegion(Emitter &emitter, mlir::Block &block,
                                                  mlir::ValueRange arguments, int64_t lanes,
                                                  llvm::function_ref<mlir::Value(int64_t loop)> position,
                                                  mlir::Value mask = {});

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_VECTORREGION_H
