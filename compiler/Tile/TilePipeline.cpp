// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile level's passes in order, and why in this order.
#include "compiler/Tile/TilePipeline.h"
#include "compiler/Tile/Passes.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Transforms/Passes.h"

using namespace weft;

void weft::buildTilePipeline(mlir::OpPassManager &pm, const TileOptions &options) {
  tile::ChooseSchedulesOptions schedules;
  schedules.target = options.target;
  schedules.machines.assign(options.machines.begin(), options.machines.end());
  schedules.table = options.scheduleTable;
  schedules.schedule = options.schedule;
  schedules.marks = options.marksProducts;
  pm.addPass(tile::createChooseSchedules(schedules));
  tile::FormStepsOptions steps;
  steps.target = options.target;
  pm.addPass(tile::createFormSteps(steps));
  // Views of views and unused constants go first, so that kernels are compared by what they do.
  pm.addPass(mlir::createCSEPass());
  pm.addPass(tile::createDeduplicateKernels());
  pm.addPass(tile::createVerifyTile());
}

namespace {
struct TilePipelineOptions : mlir::PassPipelineOptions<TilePipelineOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("What steps run on: cpu or gpu"),
                             llvm::cl::init("cpu")};
};
} // namespace

void weft::registerTilePasses() {
  tile::registerTilePasses();
  mlir::PassPipelineRegistration<TilePipelineOptions>(
      "weft-tile", "Graph level to tile level",
      [](mlir::OpPassManager &pm, const TilePipelineOptions &options) {
        TileOptions tile;
        tile.target = options.target;
        buildTilePipeline(pm, tile);
      });
}
