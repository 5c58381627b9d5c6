// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that a block of threads works on together: one emit function each.
#ifndef WEFT_COMPILER_TARGET_NVGPU_EMIT_KERNELS_H
#define WEFT_COMPILER_TARGET_NVGPU_EMIT_KERNELS_H

#include "compiler/Target/CPU/Emit/Kernels.h"
#include "compiler/Target/NVGPU/Emit/BlockEmitter.h"

namespace weft::nvgpu {

/// Threads of a block, whatever it does.
constexpr int64_t kGemmThreads = 256, kFewRowsThreads = 512, kHopperThreads = 384, kAttentionThreads = 128;

/// Up to so many rows, or queries that share a key head, kernels are for few.
constexpr int64_t kMostFewRows = 8, kMostFewQueries = 16;

int64_t threadsOfGemm(cpu::TileSizes sizes);
mlir::LogicalResult emitGemm(GemmTileOp op, cpu::TileSizes sizes);
/// The same for sm_90a, where there is such a kernel: of any number of tiles, as its blocks are persistent,
/// whose schedule, where it is 0, follows from `sizes` and the result's columns.
struct HopperSchedule {
  int64_t columns; ///< of a tile
  int64_t blocks;  ///< of a cluster
};
bool hasHopperGemm(GemmTileOp op);
mlir::LogicalResult emitHopperGemm(GemmTileOp op, cpu::TileSizes sizes, HopperSchedule schedule);
bool hasHopperAttention(AttentionTileOp op);
mlir::LogicalResult emitHopperAttention(AttentionTileOp op);
mlir::LogicalResult emitAttention(AttentionTileOp op, cpu::TileSizes sizes);

} // namespace weft::nvgpu

#endif // WEFT_COMPILER_TARGET_NVGPU_EMIT_KERNELS_H
