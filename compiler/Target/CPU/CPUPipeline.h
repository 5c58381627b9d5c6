// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// buffer level to target level, for CPUs.
#ifndef WEFT_COMPILER_TARGET_CPU_CPUPIPELINE_H
#define WEFT_COMPILER_TARGET_CPU_CPUPIPELINE_H

#include "compiler/Machine/Machine.h"
#include "mlir/Pass/PassManager.h"

namespace weft {
void buildCPUPipeline(mlir::OpPassManager &pm, const Machine &machine);
void registerCPUPasses();
/// Adds what is upstream's, down to the llvm dialect.
void addLoweringToLLVM(mlir::OpPassManager &pm, bool isX86, bool convertsBF16 = false);
} // namespace weft

#endif // WEFT_COMPILER_TARGET_CPU_CPUPIPELINE_H
