// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile level to buffer level.
#ifndef WEFT_COMPILER_BUFFER_BUFFERPIPELINE_H
#define WEFT_COMPILER_BUFFER_BUFFERPIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace weft {
void buildBufferPipeline(mlir::OpPassManager &pm);
void registerBufferPasses();
} // namespace weft

#endif // WEFT_COMPILER_BUFFER_BUFFERPIPELINE_H
