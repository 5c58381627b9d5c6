// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime's names of element types.
#ifndef WEFT_COMPILER_ARTIFACT_DTYPE_H
#define WEFT_COMPILER_ARTIFACT_DTYPE_H

#include "mlir/IR/Types.h"
#include "runtime/include/weft/abi.h"
#include <optional>

namespace weft {

/// The runtime's name of an element type, if it has it.
std::optional<WeftDType> getDType(mlir::Type element);
/// The element type that a name of the runtime's stands for.
mlir::Type getElementType(mlir::MLIRContext *context, WeftDType dtype);

} // namespace weft

#endif // WEFT_COMPILER_ARTIFACT_DTYPE_H
