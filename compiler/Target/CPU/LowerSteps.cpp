// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-lower-steps: a step is a loop over the thread's share of its tiles.
#include "compiler/Target/CPU/Emit/Kernels.h"
#include "compiler/Target/CPU/Passes.h"
#include "compiler/Target/CPU/ThreadShares.h"
#include "compiler/Target/EntryBuilder.h"
#include "dialects/Weft/IR/StateGrowth.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace weft::cpu {
#define GEN_PASS_DEF_LOWERSTEPS
#include "compiler/Target/CPU/Passes.h.inc"
} // namespace weft::cpu

using namespace mlir;
using namespace weft;

namespace {

constexpr int32_t kFailureIndex = 1; // WEFT_FAILURE_INDEX

/// Kernels that may fail are told the frame and the step they run for.
void addFailureArguments(func::FuncOp kernel) {
  SmallVector<FailOp> failures;
  kernel.walk([&](FailOp op) { failures.push_back(op); });
  if (failures.empty())
    return;
  OpBuilder builder(kernel.getContext());
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext()), i64 = builder.getI64Type();
  Block &entry = kernel.getBody().front();
  Value frame = entry.addArgument(pointer, kernel.getLoc()), step = entry.addArgument(i64, kernel.getLoc());
  kernel.setType(builder.getFunctionType(entry.getArgumentTypes(), {}));
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                          {pointer, builder.getI32Type(), i64, i64, i64});
  for (FailOp op : failures) {
    builder.setInsertionPoint(op);
    FrameReader reader(builder, op.getLoc(), frame);
    Value code = LLVM::ConstantOp::create(builder, op.getLoc(), builder.getI32IntegerAttr(kFailureIndex));
    LLVM::CallOp::create(builder, op.getLoc(), type,
                         ValueRange{reader.callback(Callback::Fail), reader.field(FrameField::Team), code,
                                    step, op.getValue(), op.getBound()});
    op.erase();
  }
}

/// Calls the kernel, a function, for each tile.
class CPUEntryBuilder : public EntryBuilder {
  using EntryBuilder::EntryBuilder;

  void beginGroup(ArrayRef<StepOp> steps) override {
    Location location = steps.front()->getLoc();
    shares.emplace(builder, location, cpu::Team{thread, threads}, steps, costs,
                   [&] { return isApart(location); });
  }

  void lowerWork(StepOp step, int64_t index) override {
    Location location = step.getLoc();
    auto kernel = module.lookupSymbol<func::FuncOp>(step.getKernel());
    bool isCut = kernel->hasAttr(names::kPieces);
    auto [first, end] = shares->get(step, isCut ? cpu::kPieces : 1);
    scf::ForOp loop = isCut ? loopOverCutTiles(location, first, end) : loopOver(location, first, end);
    OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
    SmallVector<Value> operands{loop.getInductionVar()};
    llvm::append_range(operands, step.getInputs());
    llvm::append_range(operands, step.getOutputs());
    if (isCut)
      llvm::append_range(operands, piecesOf(inner, loop.getInductionVar(), first, end));
    if (kernel.getNumArguments() > operands.size()) { // it may fail
      operands.push_back(frame);
      operands.push_back(arith::ConstantIntOp::create(inner, location, inner.getI64Type(), index));
    }
    func::CallOp::create(inner, location, kernel, operands);
  }

  scf::ForOp loopOver(Location location, Value first, Value end) {
    return scf::ForOp::create(builder, location, first, end,
                              arith::ConstantIndexOp::create(builder, location, 1));
  }

  /// Over the tiles that have any of these pieces.
  scf::ForOp loopOverCutTiles(Location location, Value first, Value end) {
    Value pieces = arith::ConstantIndexOp::create(builder, location, cpu::kPieces);
    Value firstTile = arith::DivUIOp::create(builder, location, first, pieces);
    Value endTile = arith::CeilDivUIOp::create(builder, location, end, pieces);
    Value isEmpty = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, first, end);
    return loopOver(location, firstTile,
                    arith::SelectOp::create(builder, location, isEmpty, firstTile, endTile));
  }

  /// Which of a tile's pieces are among those from `first` up to `end`, counted over all tiles.
  static std::array<Value, 2> piecesOf(OpBuilder &builder, Value tile, Value first, Value end) {
    Location location = tile.getLoc();
    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, location, value);
    };
    Value base = arith::MulIOp::create(builder, location, tile, index(cpu::kPieces));
    Value from = arith::SubIOp::create(builder, location, first, base);
    Value to = arith::SubIOp::create(builder, location, end, base);
    return {arith::MaxSIOp::create(builder, location, from, index(0)),
            arith::MinSIOp::create(builder, location, to, index(cpu::kPieces))};
  }

  std::optional<cpu::ThreadShares> shares; ///< of the group that is being lowered
};

struct LowerSteps : cpu::impl::LowerStepsBase<LowerSteps> {
  using LowerStepsBase::LowerStepsBase;
  void runOnOperation() override {
    SmallVector<func::FuncOp> programs;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (failed(verifyStates(function)))
        return signalPassFailure();
      if (function->hasAttr(names::kSymbols))
        programs.push_back(function);
      else
        addFailureArguments(function);
    }
    for (auto [number, program] : llvm::enumerate(programs))
      CPUEntryBuilder(program, number).run();
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      function->removeAttr(names::kPieces);
    getOperation()->setAttr(names::kMachine, StringAttr::get(&getContext(), machine));
  }
};

} // namespace
