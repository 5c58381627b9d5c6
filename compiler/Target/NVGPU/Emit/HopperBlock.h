// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels for sm_90a are written with: tiles that a unit copies, barriers that count, products of
// warpgroups.
#ifndef WEFT_COMPILER_TARGET_NVGPU_EMIT_HOPPERBLOCK_H
#define WEFT_COMPILER_TARGET_NVGPU_EMIT_HOPPERBLOCK_H

#include "compiler/Target/NVGPU/Emit/BlockEmitter.h"

namespace weft::nvgpu {

/// Rows of a warpgroup's product and its depth; elements of a line of 128 bytes, and bytes of each.
constexpr int64_t kGroupRows = 64, kPieceDepth = 16, kLine = cta::TensorMapOp::kLineElements,
                  kElementBytes = 2, kLineBytes = kLine * kElementBytes;

class HopperBlock {
public:
  using Values = BlockEmitter::Values;
  explicit HopperBlock(BlockEmitter &emitter);

  Index group;             ///< this thread's warpgroup
  mlir::Value isFirstWarp; ///< of its warpgroup
  /// One thread of the warpgroup.
  mlir::Value isFirstOfGroup() { return e.both(isFirstWarp, elect()); }
  mlir::Value elect() { return e.create<cta::ElectOp>(e.builder.getI1Type()); }
  Index gridSize() { return e.index(e.create<cta::GridSizeOp>(e.builder.getIndexType())); }
  /// One thread of the first warpgroup does what is to be copied, all of the others what is to be multiplied.
  /// Each has so many registers then, which are no more together than the block began with.
  void divideWork(int64_t registersToCopy, llvm::function_ref<void()> copy, int64_t registersToMultiply,
                  llvm::function_ref<void()> multiply);
  void groupBarrier() { cta::GroupBarrierOp::create(e.builder, e.location); }
  void clusterBarrier() { cta::ClusterBarrierOp::create(e.builder, e.location); }

  // Shared memory: tiles of 16-bit elements, and barriers, which are all made for as many arrivals.
  Buffer tiles(mlir::Type element, int64_t elements);
  Buffer barriers(int64_t count) { return e.shared(e.builder.getI64Type(), {count}); }
  void init(const Buffer &barriers, int64_t arrivals);
  void wait(const Buffer &barriers, Index which, mlir::Value parity) {
    cta::MbarrierWaitOp::create(e.builder, e.location, barriers.flat, which, parity);
  }
  void arrive(const Buffer &barriers, Index which, int64_t bytes = 0) {
    cta::MbarrierArriveOp::create(e.builder, e.location, barriers.flat, which, mlir::Value(), bytes);
  }
  /// The same of a block of the cluster.
  void arriveOfBlock(const Buffer &barriers, Index which, Index number) {
    cta::MbarrierArriveOp::create(e.builder, e.location, barriers.flat, which, number, /*bytes=*/0);
  }

  // Copies of tiles, whose maps say how many lines they have; to all blocks of the cluster, or to this one.
  mlir::Value map(const Buffer &buffer, Index offset, llvm::ArrayRef<Index> sizes,
                  llvm::ArrayRef<Index> strides, llvm::ArrayRef<int64_t> box);
  void load(mlir::Value map, llvm::ArrayRef<Index> position, const Buffer &to, Index place,
            const Buffer &barriers, Index which, bool toCluster = false);
  void store(const Buffer &from, Index place, mlir::Value map, llvm::ArrayRef<Index> position);
  void waitForStores() { cta::WaitStoresOp::create(e.builder, e.location, 0); }
  void fenceAsync() { cta::FenceAsyncOp::create(e.builder, e.location); }
  /// Two neighbours of a line, `column` and the one behind it, to where a tile at `start` has them.
  /// `lineModulo8` is the line's number modulo 8.
  void storePair(mlir::ValueRange pair, const Buffer &to, Index start, Index line, Index lineModulo8,
                 int64_t piece, Index columnOfPiece);

  // Products: PTX's matrix descriptor of lines in blocks of 8, one behind the other, where `leadingBytes` are
  // between blocks of 64 columns of a transposed matrix; and the same, some bytes further on.
  mlir::Value descriptor(const Buffer &tiles, Index place, int64_t leadingBytes = 16);
  mlir::Value advance(mlir::Value descriptor, int64_t bytes);
  Values noSums(int64_t columns);
  Values begin(mlir::ValueRange sums);
  Values multiply(mlir::Value a, mlir::Value b, mlir::ValueRange sums, mlir::Value keeps, mlir::Type element,
                  bool transposed);
  Values multiplyFragment(mlir::ValueRange words, mlir::Value b, mlir::ValueRange sums, mlir::Type element);
  void commit() { cta::CommitProductsOp::create(e.builder, e.location); }
  /// The sums as numbers, if they are `ended`.
  Values waitForProducts(int64_t pending, mlir::ValueRange sums, bool ended);

  mlir::Value bit(bool value) { return e.create<mlir::arith::ConstantIntOp>(value, 1); }

private:
  BlockEmitter &e;
};

} // namespace weft::nvgpu

#endif // WEFT_COMPILER_TARGET_NVGPU_EMIT_HOPPERBLOCK_H
