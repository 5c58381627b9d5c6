// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffer level to target level, for NVIDIA GPUs and their emulator.
#ifndef WEFT_COMPILER_TARGET_NVGPU_NVGPUPIPELINE_H
#define WEFT_COMPILER_TARGET_NVGPU_NVGPUPIPELINE_H

#include "compiler/Machine/Machine.h"
#include "mlir/Pass/PassManager.h"

namespace weft {

/// Adds the passes that make code of a program for the runtime's emulator: `machine` is the CPU that it runs
/// on, `gpus` what weft-emit-cta-kernels makes kernels for.
void buildEmulatorPipeline(mlir::OpPassManager &pm, const Machine &machine, llvm::StringRef gpus);

/// Adds the passes that make code of a program for a CPU, and of its kernels for a GPU's module `@device`.
void buildNVGPUPipeline(mlir::OpPassManager &pm, const Machine &machine, llvm::StringRef gpus);

/// Registers the passes and the pipelines `weft-emulator` and `weft-nvgpu`.
void registerNVGPUPasses();

} // namespace weft

#endif // WEFT_COMPILER_TARGET_NVGPU_NVGPUPIPELINE_H
