// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-verify-tile: what the tile level is.
#include "compiler/Tile/Passes.h"

namespace weft::tile {
#define GEN_PASS_DEF_VERIFYTILE
#include "compiler/Tile/Passes.h.inc"
} // namespace weft::tile

using namespace mlir;
using namespace weft;

namespace {

bool isWork(Operation *op) {
  return isa<linalg::GenericOp, GemmTileOp, SoftmaxTileOp, LayerNormTileOp, ReduceTileOp, GatherTileOp>(op);
}

LogicalResult verifyProgram(func::FuncOp program) {
  LogicalResult result = success();
  program.walk([&](Operation *op) {
    if (isa<WeftDialect>(op->getDialect()) && !isa<StepOp, ViewOp, ConstantOp>(op)) {
      op->emitError("is not of the tile level");
      result = failure();
    }
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && tensor.getEncoding()) {
        op->emitError("an encoded tensor type at the tile level");
        result = failure();
      }
  });
  return result;
}

LogicalResult verifyKernel(KernelOp kernel) {
  if (llvm::count_if(kernel.getBody().front(), [](Operation &op) { return isWork(&op); }) != 1)
    return kernel.emitError("expects one operation of work in a kernel");
  return success();
}

struct VerifyTile : tile::impl::VerifyTileBase<VerifyTile> {
  void runOnOperation() override {
    bool valid = true;
    for (func::FuncOp program : getOperation().getOps<func::FuncOp>())
      valid &= succeeded(verifyProgram(program));
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      valid &= succeeded(verifyKernel(kernel));
    if (!valid)
      signalPassFailure();
  }
};

} // namespace
