// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region of scalar operations, repeated on vectors.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_VECTORREGION_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_VECTORREGION_H

#include "compiler/Target/CPU/Emit/Emitter.h"

namespace weft::cpu {

/// Where the element for `position` of a result is that the buffer broadcasts to.
Index broadcastPlace(const Buffer &buffer, llvm::ArrayRef<Index> position);

/// An argument of a region: a capture's elements from `position` of the result on, along its last dim; a dim
/// of 1 serves all. `argument` says how the region takes them: a bool is a byte in memory.
mlir::Value loadCapture(Emitter &emitter, const Buffer &capture, mlir::Type argument,
                        llvm::ArrayRef<Index> position, int64_t lanes, mlir::Value mask);

/// Emits the block's operations (arith, math, linalg.index, weft.read, weft.check_index) on vectors of
/// `lanes` lanes and returns what it yields. `arguments` are the block's arguments as vectors, null where
/// unused; scalars from outside are splat; `position(d)` is what linalg.index of loop d is; lanes that `mask`
/// leaves out (null: none) are neither read nor checked. Emits an error on an operation that has no vector
/// form.
mlir::FailureOr<Emitter::Values> emitVectorRegion(Emitter &emitter, mlir::Block &block,
                                                  mlir::ValueRange arguments, int64_t lanes,
                                                  llvm::function_ref<mlir::Value(int64_t loop)> position,
                                                  mlir::Value mask = {});

/// The same of several copies of a block with one result, operation by operation, so that the copies' results
/// do not wait for each other; gives the results. `load(argument, copy)` gives an argument where it is used
/// first.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
emitVectorRegions(Emitter &emitter, mlir::Block &block, int64_t copies,
                  llvm::function_ref<mlir::Value(unsigned argument, int64_t copy)> load, int64_t lanes);

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_VECTORREGION_H
