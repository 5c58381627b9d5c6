// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One emit function per family of kernels: each writes tile number `tile` of an operation of the step level.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_KERNELS_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_KERNELS_H

#include "compiler/Target/CPU/Emit/Emitter.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace weft::cpu {

/// A size in a kernel's schedule; 0 where it has none of that name.
int64_t scheduledSize(KernelOp kernel, llvm::StringRef name);

/// The sizes that the step's grid was made with. A size that the operation's kind of tile does not have is 0.
struct TileSizes {
  int64_t rows = 0, columns = 0;

  static TileSizes of(KernelOp kernel);
};

/// A tile that can be cut is cut into so many pieces of about as much work; of some there may be nothing.
constexpr int64_t kPieces = 8;

/// The pieces of a tile from `first` up to `end`, indices. Null for all of it.
struct Pieces {
  mlir::Value first, end;
};

/// Whether code for the operation takes pieces of a tile.
bool canBeCut(mlir::Operation *op);

/// Writes tile `tile`, or pieces of it, of any of the operations below, before it.
mlir::LogicalResult emitTile(mlir::Operation *op, mlir::Value tile, TileSizes sizes, const Features &features,
                             Pieces pieces = {});

mlir::LogicalResult emitAttention(Emitter &emitter, AttentionTileOp op, Index tile, TileSizes sizes);
mlir::LogicalResult emitMergeAttention(Emitter &emitter, MergeAttentionTileOp op, Index tile,
                                       TileSizes sizes);
mlir::LogicalResult emitPanel(Emitter &emitter, PanelTileOp op, Index tile, TileSizes sizes);
mlir::LogicalResult emitUniform(Emitter &emitter, UniformTileOp op, Index tile, TileSizes sizes);
mlir::LogicalResult emitLinearAttention(Emitter &emitter, LinearAttentionTileOp op, Index tile,
                                        TileSizes sizes);
mlir::LogicalResult emitGemm(Emitter &emitter, GemmTileOp op, Index tile, TileSizes sizes, Pieces pieces);
mlir::LogicalResult emitAddParts(Emitter &emitter, AddPartsTileOp op, Index tile, TileSizes sizes);
mlir::LogicalResult emitSoftmax(Emitter &emitter, SoftmaxTileOp op, Index tile, TileSizes sizes);
mlir::LogicalResult emitLayerNorm(Emitter &emitter, LayerNormTileOp op, Index tile, TileSizes sizes);
mlir::LogicalResult emitRMSNorm(Emitter &emitter, RMSNormTileOp op, Index tile, TileSizes sizes);
mlir::LogicalResult emitQuantizeRows(Emitter &emitter, QuantizeRowsTileOp op, Index tile, TileSizes sizes);
mlir::LogicalResult emitReduce(Emitter &emitter, ReduceTileOp op, Index tile, TileSizes sizes);
mlir::LogicalResult emitArgReduce(Emitter &emitter, ArgReduceTileOp op, Index tile, TileSizes sizes);
mlir::LogicalResult emitScan(Emitter &emitter, ScanTileOp op, Index tile, TileSizes sizes);
mlir::LogicalResult emitGather(Emitter &emitter, GatherTileOp op, Index tile, TileSizes sizes);
mlir::LogicalResult emitScatter(Emitter &emitter, ScatterTileOp op, Index tile, TileSizes sizes);
mlir::LogicalResult emitTopK(Emitter &emitter, TopKTileOp op, Index tile, TileSizes sizes);
mlir::LogicalResult emitPointwise(Emitter &emitter, mlir::linalg::GenericOp op, Index tile, TileSizes sizes);

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_KERNELS_H
