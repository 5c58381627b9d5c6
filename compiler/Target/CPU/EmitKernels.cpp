// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-emit-kernels: kernels become functions whose code computes one tile.
#include "compiler/Target/CPU/Emit/Kernels.h"
#include "compiler/Target/CPU/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

namespace weft::cpu {
#define GEN_PASS_DEF_EMITKERNELS
#include "compiler/Target/CPU/Passes.h.inc"
} // namespace weft::cpu

static TileSizes getTileSizes(KernelOp kernel) {
  auto get = [&](StringRef name) {
    auto size = kernel.getSchedule().getAs<IntegerAttr>(name);
    return size ? size.getInt() : 0;
  };
  return {get("rows"), get("columns")};
}

static LogicalResult emitTile(Operation *op, Value tileNumber, TileSizes sizes, const Features &features) {
  Emitter emitter(op, features);
  Index tile = emitter.index(tileNumber);
  if (sizes.rows <= 0 && !isa<LinearAttentionTileOp, ScatterTileOp>(op)) // whose tiles are columns
    return op->emitError("expects a kernel whose schedule has rows");
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](AttentionTileOp attention) { return emitAttention(emitter, attention, tile, sizes); })
      .Case([&](MergeAttentionTileOp merge) { return emitMergeAttention(emitter, merge, tile, sizes); })
      .Case([&](PanelTileOp panel) { return emitPanel(emitter, panel, tile, sizes); })
      .Case([&](UniformTileOp uniform) { return emitUniform(emitter, uniform, tile, sizes); })
      .Case([&](LinearAttentionTileOp linear) { return emitLinearAttention(emitter, linear, tile, sizes); })
      .Case([&](GemmTileOp gemm) { return emitGemm(emitter, gemm, tile, sizes); })
      .Case([&](SoftmaxTileOp softmax) { return emitSoftmax(emitter, softmax, tile, sizes); })
      .Case([&](LayerNormTileOp norm) { return emitLayerNorm(emitter, norm, tile, sizes); })
      .Case([&](RMSNormTileOp norm) { return emitRMSNorm(emitter, norm, tile, sizes); })
      .Case([&](QuantizeRowsTileOp rows) { return emitQuantizeRows(emitter, rows, tile, sizes); })
      .Case([&](ReduceTileOp reduce) { return emitReduce(emitter, reduce, tile, sizes); })
      .Case([&](ArgReduceTileOp arg) { return emitArgReduce(emitter, arg, tile, sizes); })
      .Case([&](ScanTileOp scan) { return emitScan(emitter, scan, tile, sizes); })
      .Case([&](GatherTileOp gather) { return emitGather(emitter, gather, tile, sizes); })
      .Case([&](ScatterTileOp scatter) { return emitScatter(emitter, scatter, tile, sizes); })
      .Case([&](TopKTileOp top) { return emitTopK(emitter, top, tile, sizes); })
      .Case([&](linalg::GenericOp generic) { return emitPointwise(emitter, generic, tile, sizes); })
      .Default([](Operation *unknown) {
        return unknown->emitError() << "the CPU target has no kernel for " << unknown->getName();
      });
}

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
  if (failed(emitTile(work, block.getArgument(0), getTileSizes(kernel), features)))
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
