// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which emitter writes which operation.
#include "compiler/Target/CPU/Emit/Kernels.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

int64_t weft::cpu::scheduledSize(KernelOp kernel, StringRef name) {
  auto size = kernel.getSchedule().getAs<IntegerAttr>(name);
  return size ? size.getInt() : 0;
}

TileSizes TileSizes::of(KernelOp kernel) {
  return {scheduledSize(kernel, "rows"), scheduledSize(kernel, "columns")};
}

/// Where there are fewer rows than pieces, for sure, nothing is gained.
bool weft::cpu::canBeCut(Operation *op) {
  auto gemm = dyn_cast<GemmTileOp>(op);
  if (!gemm || gemm.getExperts())
    return false;
  auto type = cast<MemRefType>(gemm.getOut().getType());
  if (type.getRank() < 2) // refused when it is emitted
    return false;
  int64_t rows = type.getDimSize(type.getRank() - 2);
  return ShapedType::isDynamic(rows) || rows > kPieces;
}

LogicalResult weft::cpu::emitTile(Operation *op, Value tileNumber, TileSizes sizes, const Features &features,
                                  Pieces pieces) {
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
      .Case([&](GemmTileOp gemm) { return emitGemm(emitter, gemm, tile, sizes, pieces); })
      .Case([&](AddPartsTileOp add) { return emitAddParts(emitter, add, tile, sizes); })
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
