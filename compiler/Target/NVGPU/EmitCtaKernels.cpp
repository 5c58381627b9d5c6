// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-emit-cta-kernels: kernels become what a block of threads does.
#include "compiler/Target/NVGPU/Emit/GemmBlock.h"
#include "compiler/Target/NVGPU/Passes.h"
#include "llvm/ADT/StringSwitch.h"

namespace weft::nvgpu {
#define GEN_PASS_DEF_EMITCTAKERNELS
#include "compiler/Target/NVGPU/Passes.h.inc"
} // namespace weft::nvgpu

using namespace mlir;
using namespace weft;

namespace {

/// Warps of a block that each do a tile of their own.
constexpr int64_t kWarps = 4;

/// Which GPUs kernels are made for.
enum class KernelsFor { AllButHopper, Hopper, All };

/// How many elements a thread takes side by side: 16 bytes of the widest of matrices, if there are any, as
/// far as all rows begin at multiples of that. Where they do not, threads side by side are to have elements
/// that are.
int64_t pieceOf(Operation *work) {
  constexpr int64_t kMost = 8;
  auto types = llvm::map_to_vector(
      llvm::make_filter_range(work->getOperandTypes(), [](Type type) { return isa<MemRefType>(type); }),
      [](Type type) { return cast<MemRefType>(type); });
  auto isMatrix = [](MemRefType type) { return type.getRank() > 1; };
  bool hasMatrices = llvm::any_of(types, isMatrix);
  int64_t piece = kMost;
  for (MemRefType type : types) {
    if (hasMatrices && !isMatrix(type))
      continue;
    piece = std::min<int64_t>(piece, nvgpu::kAccessBytes * 8 / type.getElementTypeBitWidth());
    if (isMatrix(type) && type.isDynamicDim(type.getRank() - 1))
      return 1;
    if (isMatrix(type) && type.getShape().back() != 1)
      piece = std::gcd(piece, type.getShape().back());
  }
  return piece;
}

/// What a kernel's operation of work becomes.
class KernelEmitter {
public:
  KernelEmitter(KernelOp kernel, KernelsFor gpus) : kernel(kernel), gpus(gpus), builder(kernel) {}

  LogicalResult emit() {
    work = kernel.getBody().front().getTerminator()->getPrevNode();
    if (!work)
      return kernel.emitError() << "kernel @" << kernel.getSymName() << " has no operation to emit";
    if (isa<PanelTileOp, UniformTileOp>(work))
      return kernel.emitError() << "node \"" << getNodeName(kernel) << "\" ("
                                << work->getName().stripDialect()
                                << "): there is no kernel for GPUs for this operation yet [weft-0501]";
    cpu::TileSizes sizes = cpu::TileSizes::of(kernel);
    if (auto gemm = dyn_cast<GemmTileOp>(work)) {
      bool hasOther = sizes.rows > nvgpu::kMostFewRows && nvgpu::hasHopperGemm(gemm);
      nvgpu::HopperSchedule hopper{cpu::scheduledSize(kernel, "hopper_columns"),
                                   cpu::scheduledSize(kernel, "hopper_cluster")};
      return emitBlocks(
          hasOther, nvgpu::threadsOfGemm(sizes), [&] { return nvgpu::emitGemm(gemm, sizes); },
          [&] { return nvgpu::emitHopperGemm(gemm, sizes, hopper); });
    }
    if (auto attention = dyn_cast<AttentionTileOp>(work)) {
      bool hasOther = sizes.rows > nvgpu::kMostFewQueries && nvgpu::hasHopperAttention(attention);
      return emitBlocks(
          hasOther, nvgpu::kAttentionThreads, [&] { return nvgpu::emitAttention(attention, sizes); },
          [&] { return nvgpu::emitHopperAttention(attention); });
    }
    begin(kWarps * cta::CtaDialect::kWarpThreads, kWarps);
    return end(emitWarps(sizes));
  }

private:
  using Emit = llvm::function_ref<LogicalResult()>;

  /// What blocks do on sm_90a, if it has another kernel for it, on all others, or on both: a launch chooses
  /// then.
  LogicalResult emitBlocks(bool hasOther, int64_t threads, Emit emit, Emit emitHopper) {
    hasOther &= gpus != KernelsFor::AllButHopper;
    if (hasOther && gpus == KernelsFor::Hopper) {
      begin(nvgpu::kHopperThreads, /*tiles=*/1);
      block.setGpu(cta::CtaDialect::kHopper);
      block.setPersistent(true);
      return end(emitHopper());
    }
    std::string other = (kernel.getSymName() + "_" + cta::CtaDialect::kHopper).str();
    if (hasOther) {
      auto copy = cast<KernelOp>(builder.clone(*kernel));
      copy.setSymName(other);
      if (failed(KernelEmitter(copy, KernelsFor::Hopper).emit()))
        return failure();
    }
    begin(threads, /*tiles=*/1);
    if (hasOther)
      block.setHopper(other);
    return end(emit());
  }

  /// Moves the kernel's body into a cta.kernel.
  void begin(int64_t threads, int64_t tiles) {
    block =
        cta::KernelOp::create(builder, kernel.getLoc(), kernel.getSymNameAttr(), kernel.getFunctionTypeAttr(),
                              StringAttr(), ArrayAttr(), ArrayAttr(), builder.getI64IntegerAttr(threads),
                              builder.getI64IntegerAttr(tiles), UnitAttr(), IntegerAttr(), IntegerAttr(),
                              UnitAttr(), IntegerAttr(), StringAttr(), FlatSymbolRefAttr());
    block.getBody().takeBody(kernel.getBody());
    Operation *yield = block.getBody().front().getTerminator();
    builder.setInsertionPoint(yield);
    cta::ReturnOp::create(builder, yield->getLoc());
    yield->erase();
    kernel.erase();
  }

  LogicalResult end(LogicalResult result) {
    if (succeeded(result))
      work->erase();
    return result;
  }

  /// A warp does a tile, if there is one for it, by the code that a CPU's vectors take.
  LogicalResult emitWarps(cpu::TileSizes sizes) {
    int64_t piece = pieceOf(work);
    block.setWarpVectors(true);
    if (piece > 1)
      block.setPiece(piece);
    Block &body = block.getBody().front();
    nvgpu::BlockEmitter e(&body.front(), kWarps * cta::CtaDialect::kWarpThreads, piece);
    nvgpu::Index tile = e.block * kWarps + e.warp;
    Value isThere = tile.compare(arith::CmpIPredicate::ult, e.index(body.getArgument(0)));
    auto branch = scf::IfOp::create(e.builder, block.getLoc(), isThere, /*withElseRegion=*/false);
    while (Operation *next = branch->getNextNode()) {
      if (next == body.getTerminator())
        break;
      next->moveBefore(branch.thenBlock()->getTerminator());
    }
    return cpu::emitTile(work, tile, sizes, e);
  }

  KernelOp kernel;
  KernelsFor gpus;
  OpBuilder builder;
  Operation *work = nullptr;
  cta::KernelOp block;
};

struct EmitCtaKernels : nvgpu::impl::EmitCtaKernelsBase<EmitCtaKernels> {
  using EmitCtaKernelsBase::EmitCtaKernelsBase;

  void runOnOperation() override {
    std::optional<KernelsFor> which = llvm::StringSwitch<std::optional<KernelsFor>>(gpus)
                                          .Case("sm_80", KernelsFor::AllButHopper)
                                          .Case("sm_90a", KernelsFor::Hopper)
                                          .Case("all", KernelsFor::All)
                                          .Default(std::nullopt);
    if (!which) {
      getOperation().emitError() << "weft-emit-cta-kernels: gpus are sm_80, sm_90a or all, not '" << gpus
                                 << "'";
      return signalPassFailure();
    }
    bool isComplete = true;
    for (KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<KernelOp>()))
      isComplete &= succeeded(KernelEmitter(kernel, *which).emit());
    if (!isComplete)
      signalPassFailure();
  }
};

} // namespace
