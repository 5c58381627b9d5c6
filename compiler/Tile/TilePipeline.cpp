// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile level's passes in order, and why in this order.
#include "compiler/Tile/TilePipeline.h"
#include "compiler/Tile/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace weft;

void weft::buildTilePipeline(mlir::OpPassManager &pm) {
  pm.addPass(tile::createFormSteps());
  // Views of views and unused constants go first, so that kernels are compared by what they do.
  pm.addPass(mlir::createCSEPass());
  pm.addPass(tile::createDeduplicateKernels());
  pm.addPass(tile::createVerifyTile());
}

void weft::registerTilePasses() {
  tile::registerTilePasses();
  mlir::PassPipelineRegistration<>("weft-tile", "Graph level to tile level", buildTilePipeline);
}
