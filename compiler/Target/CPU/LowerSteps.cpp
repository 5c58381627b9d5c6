// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-lower-steps: a step is a loop over the thread's share of its tiles.
#include "compiler/Target/CPU/Passes.h"
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

  void lowerWork(StepOp step, int64_t index) override {
    Location location = step.getLoc();
    Value grid = toI64(builder, location, step.getGrid());
    Value one = arith::ConstantIndexOp::create(builder, location, 1);
    Value next = nextThread(location);
    auto loop = scf::ForOp::create(builder, location, shareBound(location, grid, thread),
                                   shareBound(location, grid, next), one);
    OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
    SmallVector<Value> operands{loop.getInductionVar()};
    llvm::append_range(operands, step.getInputs());
    llvm::append_range(operands, step.getOutputs());
    auto kernel = module.lookupSymbol<func::FuncOp>(step.getKernel());
    if (kernel.getNumArguments() > operands.size()) { // it may fail
      operands.push_back(frame);
      operands.push_back(arith::ConstantIntOp::create(inner, location, inner.getI64Type(), index));
    }
    func::CallOp::create(inner, location, kernel, operands);
  }
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
    getOperation()->setAttr(names::kMachine, StringAttr::get(&getContext(), machine));
  }
};

} // namespace
