// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-emit-kernels: kernels become functions whose code computes one tile.
#include "compiler/Target/CPU/Emit/Kernels.h"
#include "compiler/Target/CPU/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

namespace weft::cpu {
#define GEN_PASS_DEF_EMITKERNELS
#include "compiler/Target/CPU/Passes.h.inc"
} // namespace weft::cpu

static LogicalResult emitKernel(KernelOp kernel, const Features &features) {
  OpBuilder builder(kernel);
  auto function =
      func::FuncOp::create(builder, kernel.getLoc(), kernel.getSymName(), kernel.getFunctionType());
  function.setPrivate();
  function.getBody().takeBody(kernel.getBody());
  Block &block = function.getBody().front();
  Operation *yield = block.getTerminator(), *work = yield->getPrevNode();
  if (!work)
    return kernel.emitError() << "kernel @" << kernel.getSymName() << " has no operation to emit";
  Pieces pieces;
  if (canBeCut(work)) {
    Type index = builder.getIndexType();
    pieces = {block.addArgument(index, kernel.getLoc()), block.addArgument(index, kernel.getLoc())};
    function.setType(builder.getFunctionType(block.getArgumentTypes(), {}));
    function->setAttr(names::kPieces, builder.getUnitAttr());
  }
  if (failed(emitTile(work, block.getArgument(0), TileSizes::of(kernel), features, pieces)))
    return failure();
  work->erase();
  builder.setInsertionPoint(yield);
  func::ReturnOp::create(builder, yield->getLoc());
  yield->erase();
  kernel.erase();
  return success();
}

namespace {
struct EmitKernels : weft::cpu::impl::EmitKernelsBase<EmitKernels> {
  using EmitKernelsBase::EmitKernelsBase;

  void runOnOperation() override {
    if (vectorBits != 128 && vectorBits != 256 && vectorBits != 512) {
      getOperation()->emitError() << "weft-emit-kernels: expects vector-bits of 128, 256 or 512, got "
                                  << int64_t(vectorBits);
      return signalPassFailure();
    }
    if ((vnni || bf16 || amx) && vectorBits != 512) {
      getOperation()->emitError("weft-emit-kernels: expects vector-bits of 512 with vnni, bf16 or amx");
      return signalPassFailure();
    }
    if (dotprod && vectorBits != 128) {
      getOperation()->emitError("weft-emit-kernels: expects vector-bits of 128 with dotprod");
      return signalPassFailure();
    }
    for (KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<KernelOp>()))
      if (failed(emitKernel(kernel, {vectorBits, vnni, bf16, amx, dotprod})))
        return signalPassFailure();
  }
};
} // namespace
