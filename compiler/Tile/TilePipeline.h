// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graph level to tile level.
#ifndef WEFT_COMPILER_TILE_TILEPIPELINE_H
#define WEFT_COMPILER_TILE_TILEPIPELINE_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include <string>
#include <vector>

namespace weft {
struct TileOptions {
  std::string target = "cpu";        ///< what steps run on, or "gpu"
  std::vector<std::string> machines; ///< whose schedules are taken, the one that counts most first
  std::string scheduleTable;         ///< a file that counts more than the known schedules, if set
  std::string schedule;              ///< of every product that can have it, if set
  bool marksProducts = false;        ///< in their steps
};

/// Adds the passes that make steps.
void buildTilePipeline(mlir::OpPassManager &pm, const TileOptions &options = {});
void registerTilePasses();
/// The lowering of operations to steps, which the passes need.
void registerStepLowering(mlir::DialectRegistry &registry);
} // namespace weft

#endif // WEFT_COMPILER_TILE_TILEPIPELINE_H
