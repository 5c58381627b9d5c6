// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel as a function that the emulator runs, a call for each thread.
#ifndef WEFT_COMPILER_TARGET_NVGPU_EMULATORLOWERING_H
#define WEFT_COMPILER_TARGET_NVGPU_EMULATORLOWERING_H

#include "compiler/Target/EntryBuilder.h"
#include "dialects/Cta/IR/Cta.h"

namespace weft::nvgpu {

/// WeftMatrixElement (abi.h).
enum class MatrixElement { F16, BF16, Bytes, TF32 };

/// Places in WeftGpuThread and in WeftEmulator (abi.h), in words.
enum class ThreadField { Emulator, Thread, Block, Shared, Grid };
enum class EmulatorCall {
  Barrier,
  WarpBarrier,
  Shuffle,
  Access,
  WideAccess,
  Fail,
  Multiply,
  Copy,
  CommitCopies,
  WaitCopies,
  LoadMatrices,
  Exp2,
  GroupBarrier,
  ClusterBarrier,
  FenceAsync,
  MbarrierInit,
  MbarrierArrive,
  MbarrierArriveOfBlock,
  MbarrierWait,
  LoadTile,
  LoadTileToCluster,
  StoreTile,
  CommitStores,
  WaitStores,
  BeginProducts,
  Wgmma,
  CommitProducts,
  WaitProducts,
  WgmmaFragment
};

/// Makes a function of a kernel. What sm_90a has is in HopperToEmulator.cpp.
class EmulatorLowering {
public:
  EmulatorLowering(cta::KernelOp kernel, mlir::SymbolTable &symbols, unsigned &texts)
      : kernel(kernel), symbols(symbols), texts(texts), builder(kernel), location(kernel.getLoc()),
        pointer(mlir::LLVM::LLVMPointerType::get(kernel.getContext())) {}

  mlir::LogicalResult run();

private:
  void makeFunction();
  mlir::LogicalResult lower(mlir::Operation *op);
  mlir::LogicalResult lowerMemory(mlir::Operation *op);
  mlir::LogicalResult lowerHopper(mlir::Operation *op);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> lowerBarrier(mlir::Operation *op);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> lowerTile(mlir::Operation *op);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> lowerProduct(mlir::Operation *op);
  llvm::SmallVector<mlir::Value> multiply(mlir::ValueRange sums,
                                          llvm::function_ref<void(mlir::Value memory)> multiplyInto);
  mlir::Value positionOnStack(mlir::ValueRange position);
  mlir::Value constant(int32_t value) {
    return mlir::LLVM::ConstantOp::create(builder, location, builder.getI32IntegerAttr(value));
  }
  mlir::LogicalResult lowerAccess(mlir::Operation *op, mlir::Value memref, mlir::ValueRange indices,
                                  mlir::Type element, bool isWrite);
  mlir::LogicalResult lowerAccess(mlir::Operation *op, mlir::Value memref, mlir::ValueRange indices,
                                  mlir::VectorType vector, std::optional<uint64_t> alignment, bool isWrite);
  void lowerShared(cta::SharedOp op, int64_t offset);
  void lowerShuffle(cta::ShuffleOp op);
  void lowerMma(cta::MmaOp op);
  mlir::Value dot4(cta::Dot4Op op);
  mlir::Value pack(cta::PackOp op);
  mlir::LogicalResult lowerCopy(cta::CopyOp op);
  mlir::LogicalResult lowerLoadMatrices(cta::LoadMatricesOp op);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> placeIn(mlir::Operation *op, mlir::Value memref,
                                                          mlir::ValueRange indices);
  mlir::Value roomOnStack(mlir::Type type);
  mlir::Value onStack(mlir::Value vector);
  mlir::Value field(ThreadField which, mlir::Type type);
  mlir::Value index(ThreadField which) {
    return mlir::arith::IndexCastOp::create(builder, location, builder.getIndexType(),
                                            field(which, builder.getI64Type()));
  }
  mlir::Value call(EmulatorCall which, mlir::ValueRange operands, mlir::Type result = {});
  mlir::Value text(mlir::Operation *op);
  mlir::Value word(int64_t value) {
    return mlir::LLVM::ConstantOp::create(builder, location, builder.getI64IntegerAttr(value));
  }

  cta::KernelOp kernel;
  mlir::SymbolTable &symbols;
  unsigned &texts; ///< how many the module has
  mlir::OpBuilder builder;
  mlir::Location location;
  mlir::Type pointer;
  mlir::Value thread; ///< the WeftGpuThread
  /// Where each cta.shared lies in what the block shares.
  llvm::DenseMap<mlir::Operation *, int64_t> sharedOffsets;
  int64_t maps = 0; ///< tensor maps so far
};

} // namespace weft::nvgpu

#endif // WEFT_COMPILER_TARGET_NVGPU_EMULATORLOWERING_H
