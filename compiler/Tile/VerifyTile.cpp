// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-verify-tile: what the tile level is.
#include "compiler/Tile/Passes.h"
#include "compiler/Tile/StepBuilder.h"
#include "dialects/Weft/IR/DimIndices.h"
#include "dialects/Weft/IR/StateGrowth.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace weft::tile {
#define GEN_PASS_DEF_VERIFYTILE
#include "compiler/Tile/Passes.h.inc"
} // namespace weft::tile

using namespace mlir;
using namespace weft;

namespace {

bool isWork(Operation *op) {
  return isa<linalg::GenericOp, AttentionTileOp, MergeAttentionTileOp, PanelTileOp, GemmTileOp,
             AddPartsTileOp, SoftmaxTileOp, LayerNormTileOp, RMSNormTileOp, QuantizeRowsTileOp, ReduceTileOp,
             ArgReduceTileOp, ScanTileOp, LinearAttentionTileOp, GatherTileOp, ScatterTileOp, TopKTileOp,
             UniformTileOp>(op);
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

/// Whether a loop carries the value, which steps write in place.
bool isCarried(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isa<scf::ForOp>(argument.getOwner()->getParentOp()) && argument.getArgNumber() > 0;
}

/// Whether the value is a state before the run, which the step that writes it is alone to use.
bool isState(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto program = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  return program && program.getArgAttr(argument.getArgNumber(), names::kState) && value.hasOneUse();
}

/// Whether a step's buffers can be found: outputs that begin as a state or as an empty tensor with dims,
/// inputs that do not.
LogicalResult verifyStep(StepOp step) {
  if (!SymbolTable::lookupNearestSymbolFrom<KernelOp>(step, step.getKernelAttr()))
    return step.emitError() << "there is no kernel @" << step.getKernel();
  for (Value output : step.getOutputs()) {
    auto empty = output.getDefiningOp<tensor::EmptyOp>();
    auto dims = empty ? empty->getAttrOfType<DimsAttr>(names::kDims) : DimsAttr();
    bool isSized = dims && int64_t(dims.getDims().size()) == empty.getType().getRank();
    if (!isSized && !output.getDefiningOp<StepOp>() && !isState(output) && !isCarried(output))
      return step.emitError("expects outputs that another step wrote, states, what a loop carries, or "
                            "tensor.empty with weft.dims");
  }
  for (Value input : step.getInputs())
    if (getRoot(input).getDefiningOp<tensor::EmptyOp>())
      return step.emitError("reads a tensor that nothing wrote");
  return success();
}

/// What a tensor was before steps wrote into it, one after the other.
Value getFirst(Value tensor) {
  while (auto step = tensor.getDefiningOp<StepOp>())
    tensor = step.getOutputs()[cast<OpResult>(tensor).getResultNumber()];
  return tensor;
}

/// Whether the results that are states are what became of the arguments that are, each once.
LogicalResult verifyStateResults(func::FuncOp program) {
  llvm::DenseSet<Value> returned;
  for (auto [i, value] : llvm::enumerate(program.getBody().front().getTerminator()->getOperands())) {
    Value first = getFirst(getRoot(value));
    bool isMarked = program.getResultAttr(i, names::kState) != nullptr;
    bool isWhole = getRoot(value) == value && returned.insert(first).second;
    if (isMarked != isState(first) || (isMarked && !isWhole))
      return program.emitError() << "expects result " << i << " to have " << names::kState
                                 << " if it is what steps made of a state, and only then";
  }
  for (BlockArgument argument : program.getArguments())
    if (program.getArgAttr(argument.getArgNumber(), names::kState) && !returned.contains(argument))
      return program.emitError() << "expects the state that argument " << argument.getArgNumber()
                                 << " is to be a result";
  return success();
}

LogicalResult verifyBlock(Block &block);

/// Whether a loop ends each iteration with what steps made of what it carries, in the order of that.
LogicalResult verifyLoop(scf::ForOp loop) {
  for (auto [carried, yielded] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    if (!isa<RankedTensorType>(carried.getType()))
      return loop.emitError("expects to carry tensors alone");
    if (getFirst(yielded) != carried)
      return loop.emitError("expects to carry on what steps wrote into what it carries");
  }
  return verifyBlock(*loop.getBody());
}

LogicalResult verifyBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    bool isIndexArithmetic = isa<arith::ArithDialect>(op.getDialect());
    if (!isIndexArithmetic && !isa<StepOp, ViewOp, ConstantOp, tensor::EmptyOp, scf::ForOp>(op))
      return op.emitError("is not of the tile level");
    if (auto step = dyn_cast<StepOp>(op); step && failed(verifyStep(step)))
      return failure();
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && failed(verifyLoop(loop)))
      return failure();
  }
  return success();
}

/// What the buffer level relies on: every tensor is an argument, a constant, a view or a step's, and each
/// result a step's own.
LogicalResult verifyTensors(func::FuncOp program) {
  if (failed(verifyBlock(program.getBody().front())))
    return failure();
  unsigned symbols = program->getAttrOfType<ArrayAttr>(names::kSymbols).size();
  if (!llvm::all_of(program.getArgumentTypes().drop_front(symbols), llvm::IsaPred<RankedTensorType>))
    return program.emitError("expects tensors as arguments after the symbols");
  llvm::DenseSet<Value> taken;
  for (Value value : program.getBody().front().getTerminator()->getOperands())
    if (!getRoot(value).getDefiningOp<StepOp>() || !taken.insert(getRoot(value)).second)
      return program.emitError("expects each result from a step of its own");
  return success();
}

LogicalResult verifyKernel(KernelOp kernel) {
  if (llvm::count_if(kernel.getBody().front(), [](Operation &op) { return isWork(&op); }) != 1)
    return kernel.emitError("expects one operation of work in a kernel");
  Operation &last = kernel.getBody().front().back();
  if (!kernel.getBody().hasOneBlock() || !isa<YieldOp>(last) || !isWork(last.getPrevNode()))
    return kernel.emitError("expects a kernel that ends with its work and weft.yield");
  return success();
}

struct VerifyTile : tile::impl::VerifyTileBase<VerifyTile> {
  void runOnOperation() override {
    bool valid = true;
    for (func::FuncOp program : getOperation().getOps<func::FuncOp>())
      valid &= succeeded(verifyProgram(program)) && succeeded(verifySymbols(program)) &&
               succeeded(verifyStates(program)) && succeeded(verifyTensors(program)) &&
               succeeded(verifyStateResults(program));
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      valid &= succeeded(verifyKernel(kernel));
    if (!valid)
      signalPassFailure();
  }
};

} // namespace
