// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graph level to tile level.
#ifndef WEFT_COMPILER_TILE_TILEPIPELINE_H
#define WEFT_COMPILER_TILE_TILEPIPELINE_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

namespace weft {
/// Adds the passes that make steps for a target: "cpu" or "gpu".
void buildTilePipeline(mlir::OpPassManager &pm, llvm::StringRef target = "cpu");
void registerTilePasses();
/// The lowering of operations to steps, which the passes need.
void registerStepLowering(mlir::DialectRegistry &registry);
} // namespace weft

#endif // WEFT_COMPILER_TILE_TILEPIPELINE_H
