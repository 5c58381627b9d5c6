// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-lower-steps-to-launches: a step is a call that runs the thread's share of a kernel's blocks.
#include "compiler/Target/EntryBuilder.h"
#include "compiler/Target/NVGPU/KernelWords.h"
#include "compiler/Target/NVGPU/Passes.h"
#include "dialects/Weft/IR/StateGrowth.h"

namespace weft::nvgpu {
#define GEN_PASS_DEF_LOWERSTEPSTOLAUNCHES
#include "compiler/Target/NVGPU/Passes.h.inc"
} // namespace weft::nvgpu

using namespace mlir;
using namespace weft;

namespace {

class LaunchBuilder : public EntryBuilder {
public:
  LaunchBuilder(func::FuncOp program, int64_t number, SymbolTable &symbols)
      : EntryBuilder(program, number), symbols(symbols) {}

private:
  void lowerWork(StepOp step, int64_t index) override {
    Location location = step.getLoc();
    auto kernel = symbols.lookup<cta::KernelOp>(step.getKernel());
    SmallVector<Value> words = nvgpu::packWords(builder, location, step.getGrid());
    for (ValueRange operands : {step.getInputs(), step.getOutputs()})
      for (Value operand : operands)
        llvm::append_range(words, nvgpu::packWords(builder, location, operand));
    Value blocks = countBlocks(step, kernel);
    // The fields of a WeftLaunch (abi.h), in order.
    SmallVector<Value> fields{nameOf(kernel),
                              cta::AddressOp::create(builder, location, frame.getType(), kernel.getSymName()),
                              constant(location, kernel.getThreads()),
                              constant(location, kernel.getSharedOffsets().back()),
                              constant(location, index),
                              toI64(builder, location, shareBound(location, blocks, thread)),
                              toI64(builder, location, shareBound(location, blocks, nextThread(location))),
                              constant(location, words.size()),
                              storeAll(location, words)};
    Value launch = storeAll(location, fields);
    FrameReader reader(builder, location, frame);
    Type pointer = frame.getType();
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()), {pointer, pointer});
    LLVM::CallOp::create(
        builder, location, type,
        ValueRange{reader.callback(Callback::Launch), reader.field(FrameField::Team), launch});
  }

  Value constant(Location location, int64_t value) {
    return LLVM::ConstantOp::create(builder, location, builder.getI64IntegerAttr(value));
  }

  /// Blocks of the step's tiles, as i64.
  Value countBlocks(StepOp step, cta::KernelOp kernel) {
    Location location = step.getLoc();
    Value tiles = arith::ConstantIndexOp::create(builder, location, kernel.getTiles());
    return toI64(builder, location, arith::CeilDivUIOp::create(builder, location, step.getGrid(), tiles));
  }

  Value nameOf(cta::KernelOp kernel) {
    std::string symbol = ("weft_name_of_" + kernel.getSymName()).str();
    auto global = symbols.lookup<LLVM::GlobalOp>(symbol);
    Location location = kernel.getLoc();
    if (!global) {
      OpBuilder before(kernel);
      global = createText(before, location, symbol, kernel.getSymName());
      symbols.insert(global);
    }
    return LLVM::AddressOfOp::create(builder, location, global);
  }

  /// An array on the stack of words: pointers and i64.
  Value storeAll(Location location, ValueRange words) {
    OpBuilder entry = OpBuilder::atBlockBegin(&program.getBody().front());
    Value size = LLVM::ConstantOp::create(entry, location, builder.getI64IntegerAttr(words.size()));
    Value memory = LLVM::AllocaOp::create(entry, location, frame.getType(), builder.getI64Type(), size);
    for (auto [i, word] : llvm::enumerate(words)) {
      Value address = LLVM::GEPOp::create(builder, location, frame.getType(), builder.getI64Type(), memory,
                                          ArrayRef<LLVM::GEPArg>{int32_t(i)});
      LLVM::StoreOp::create(builder, location, word, address);
    }
    return memory;
  }

  SymbolTable &symbols;
};

struct LowerStepsToLaunches : nvgpu::impl::LowerStepsToLaunchesBase<LowerStepsToLaunches> {
  using LowerStepsToLaunchesBase::LowerStepsToLaunchesBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> programs;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (failed(verifyStates(function)))
        return signalPassFailure();
      if (function->hasAttr(names::kSymbols))
        programs.push_back(function);
    }
    for (auto [number, program] : llvm::enumerate(programs))
      LaunchBuilder(program, number, symbols).run();
    getOperation()->setAttr(names::kMachine, StringAttr::get(&getContext(), machine));
  }
};

} // namespace
