// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a kernel's arguments are passed: as words of 64 bits, in order.
#ifndef WEFT_COMPILER_TARGET_NVGPU_KERNELWORDS_H
#define WEFT_COMPILER_TARGET_NVGPU_KERNELWORDS_H

#include "dialects/Cta/IR/Cta.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

namespace weft::nvgpu {

/// Words of a tensor map, and what the first one of a launch's begins at a multiple of.
constexpr int64_t kMapWords = 16;

/// The words of an argument, each an i64: of a buffer its pointer and its dynamic sizes; of a scalar its
/// bits.
llvm::SmallVector<mlir::Value> packWords(mlir::OpBuilder &builder, mlir::Location location,
                                         mlir::Value argument);

/// How many there are of a type.
int64_t countWords(mlir::Type type);

/// The argument of its words. A buffer's first may be a pointer, of any address space.
mlir::Value unpackWords(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type,
                        mlir::ValueRange words);

/// The address of an element of a contiguous memref of one dimension, as an i64.
mlir::Value addressOf(mlir::OpBuilder &builder, mlir::Location location, mlir::Value memref,
                      mlir::Value index);

/// Blocks of threads behind the last tile return at once, so that a launch may have more of them than it
/// needs. `block` and `tiles` are indices: of this block of threads, and the number of the step's tiles. What
/// follows the builder's place moves to a block of operations of its own; the builder is left in another,
/// which is to return.
void leaveBehindLastTile(mlir::OpBuilder &builder, mlir::Location location, mlir::Value block,
                         mlir::Value tiles, cta::KernelOp kernel);

} // namespace weft::nvgpu

#endif // WEFT_COMPILER_TARGET_NVGPU_KERNELWORDS_H
