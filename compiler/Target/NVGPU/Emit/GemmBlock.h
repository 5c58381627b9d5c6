// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a block of a matrix product is, however its sums are made.
#ifndef WEFT_COMPILER_TARGET_NVGPU_EMIT_GEMMBLOCK_H
#define WEFT_COMPILER_TARGET_NVGPU_EMIT_GEMMBLOCK_H

#include "compiler/Target/NVGPU/Emit/Kernels.h"
#include "compiler/Target/NVGPU/Emit/Weights.h"

namespace weft::nvgpu {

/// Parts of a depth begin at multiples of it.
constexpr int64_t kUnitOfParts = 64;

struct GemmOperands {
  Buffer lhs, rhs, out;
  llvm::SmallVector<Buffer> captures;
};

/// How many tiles, one below or beside the other, the blocks of a cluster compute, and which of them this
/// block does.
struct TilesOfCluster {
  Index rows, columns;
  Index row, column;
};

/// Rows and columns of the result that a block of threads computes: tile number `block`, which is
/// batch * tilesOfMatrix() + its number in the matrix; a cluster's tiles are one. Where the depth is in parts
/// the first batch dim is of those.
class GemmBlock {
public:
  /// `depthOfBlock` is how much of the depth lies in shared memory at a time.
  GemmBlock(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands,
            int64_t depthOfBlock);
  virtual ~GemmBlock() = default;

  mlir::LogicalResult emit();

protected:
  using Values = BlockEmitter::Values;
  /// Each thread's sums before anything is added, after a block of the depth from `k` on, and at their
  /// places.
  virtual Values makeSums() = 0;
  virtual Values addDepth(Index k, mlir::ValueRange sums) = 0;
  virtual void storeSums(mlir::ValueRange sums) = 0;
  /// All sums; by blocks of the depth, one after another.
  virtual Values computeSums();

  /// Brings what belongs to this block of the operands from `k` on into shared memory, and 0 where there is
  /// nothing: lhs into a buffer [rows, depth], rhs into one [depth, columns].
  void bringOperands(Index k, const Buffer &left, const Buffer &right);
  /// Numbers of the depth from `k` on, and 0 behind its end.
  Values orZeros(Values numbers, Index k);
  /// An element of lhs as a number. Bytes have no sign.
  mlir::Value widenLeft(mlir::Value element);
  /// The epilogue of one sum, and where it goes if that is a place of the result.
  void store(mlir::Value sum, Index row, Index column);
  /// The element that the epilogue makes of a sum; of one behind the result's last row or column anything.
  mlir::Value epilogueOf(mlir::Value sum, Index row, Index column);
  /// Finds out which rows and columns this block has of a tile; at first it is the block's.
  void decodeTile(Index tile);
  Index tilesOfMatrix() { return rowTiles() * columnTiles(); }
  mlir::LogicalResult result() const { return mlir::failure(failedEpilogue); }

  BlockEmitter &e;
  GemmTileOp op;
  cpu::TileSizes sizes;
  const GemmOperands &operands;
  const int64_t depthOfBlock;
  const bool areBytes; ///< multiplied
  mlir::Type number;   ///< that sums are of
  Weights weights;     ///< rhs

  TilesOfCluster cluster; ///< a tile of one block at first
  Index rowCount, columnCount, depth;
  Index firstRow{e, {}}, firstColumn{e, {}}; ///< of the block
  Index lhsStart{e, {}}, outStart{e, {}};    ///< where its rows of lhs, and its results begin
  Index rhsMatrix{e, {}};                    ///< where the matrix of rhs begins
  Index depthBegin{e, {}}, depthEnd{e, {}};  ///< the tile's part of the depth

private:
  Index rowTiles() { return tilesOfClusters(ceilDiv(rowCount, sizes.rows), cluster.rows); }
  Index columnTiles() { return tilesOfClusters(ceilDiv(columnCount, sizes.columns), cluster.columns); }
  Index tilesOfClusters(Index tiles, Index of) { return of.is(1) ? tiles : e.quotient(tiles + of - 1, of); }
  void decodeInMatrix(Index tile);
  void decodePart(Index part);
  void bringWeights(Index k, const Buffer &right);

  llvm::SmallVector<Index> batchIndices;
  bool failedEpilogue = false;
};

/// What its sums are computed in.
mlir::Type numberOf(BlockEmitter &emitter, GemmTileOp op, const GemmOperands &operands);
/// Whether it multiplies f16 or bf16; or these or tf32.
bool isHalfGemm(GemmTileOp op);
bool isFloatGemm(GemmTileOp op);
/// Whether it multiplies bytes whose rows can be copied 16 at a time.
bool isByteGemm(BlockEmitter &emitter, GemmTileOp op, const GemmOperands &operands);
mlir::FailureOr<GemmOperands> findGemmOperands(BlockEmitter &emitter, GemmTileOp op);

/// Emits it with each thread's products and sums its own, for any numbers; by tensor cores, for f16, bf16
/// and tf32, or for bytes; or for few rows of any numbers.
mlir::LogicalResult emitThreadGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                                   const GemmOperands &operands);
mlir::LogicalResult emitFloatGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                                  const GemmOperands &operands);
mlir::LogicalResult emitByteGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                                 const GemmOperands &operands);
mlir::LogicalResult emitFewRowsGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                                    const GemmOperands &operands);

} // namespace weft::nvgpu

#endif // WEFT_COMPILER_TARGET_NVGPU_EMIT_GEMMBLOCK_H
