// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a kernel's arguments are passed: as words of 64 bits, in order.
#ifndef WEFT_COMPILER_TARGET_NVGPU_KERNELWORDS_H
#define WEFT_COMPILER_TARGET_NVGPU_KERNELWORDS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

namespace weft::nvgpu {

/// The words of an argument, each an i64: of a buffer its pointer and its dynamic sizes; of a scalar its
/// bits.
llvm::SmallVector<mlir::Value> packWords(mlir::OpBuilder &builder, mlir::Location location,
                                         mlir::Value argument);

/// How many there are of a type.
int64_t countWords(mlir::Type type);

/// The argument of its words. A buffer's first may be a pointer, of any address space.
mlir::Value unpackWords(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type,
                        mlir::ValueRange words);

} // namespace weft::nvgpu

#endif // WEFT_COMPILER_TARGET_NVGPU_KERNELWORDS_H
