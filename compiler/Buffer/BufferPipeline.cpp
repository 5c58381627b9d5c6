// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The buffer level's passes in order, and why in this order.
#include "compiler/Buffer/BufferPipeline.h"
#include "compiler/Buffer/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace weft;

void weft::buildBufferPipeline(mlir::OpPassManager &pm) {
  pm.addPass(buffer::createBufferize());
  // Steps of a group are alive together.
  pm.addPass(buffer::createGroupSteps());
  // Lifetimes are read off the program, so what nothing uses goes before the plan.
  pm.addPass(mlir::createCSEPass());
  pm.addPass(buffer::createPlanArena());
  pm.addPass(buffer::createVerifyBuffer());
}

void weft::registerBufferPasses() {
  buffer::registerBufferPasses();
  mlir::PassPipelineRegistration<>("weft-buffer", "Tile level to buffer level", buildBufferPipeline);
}
