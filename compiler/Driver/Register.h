// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every dialect, model and pass of the compiler.
#ifndef WEFT_COMPILER_DRIVER_REGISTER_H
#define WEFT_COMPILER_DRIVER_REGISTER_H

#include "mlir/IR/DialectRegistry.h"

namespace weft {
/// Our dialect, the upstream ones of our levels, and the models of evaluation and lowering.
void registerDialects(mlir::DialectRegistry &registry);
/// Our passes and pipelines, by name.
void registerPasses();
} // namespace weft

#endif // WEFT_COMPILER_DRIVER_REGISTER_H
