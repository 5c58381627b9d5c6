// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-lower-steps-to-launches: a step is a call that runs the thread's share of a kernel's blocks.
#include "compiler/Target/EntryBuilder.h"
#include "compiler/Target/NVGPU/KernelWords.h"
#include "compiler/Target/NVGPU/Passes.h"
#include "dialects/Weft/IR/StateGrowth.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"

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
    Value launch = makeLaunch(step, kernel, nameOf(kernel), index);
    FrameReader reader(builder, location, frame);
    Type pointer = frame.getType();
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()), {pointer, pointer});
    LLVM::CallOp::create(
        builder, location, type,
        ValueRange{reader.callback(Callback::Launch), reader.field(FrameField::Team), launch});
  }

  ProductUnit unitOf(StepOp step) override {
    ProductUnit unit = ProductUnit::Threads;
    symbols.lookup<cta::KernelOp>(step.getKernel()).walk([&](cta::MmaOp mma) {
      Type element = mma.getElement();
      unit = element.isTF32()       ? ProductUnit::TF32
             : element.isInteger(8) ? ProductUnit::Bytes
                                    : ProductUnit::Half;
    });
    return unit;
  }

  Value nextThread(Location location) {
    return arith::AddIOp::create(builder, location, thread, constant(location, 1));
  }

  /// Where a thread's share of the blocks begins.
  Value share(Location location, Value blocks, Value part) {
    return toI64(builder, location, shareBound(builder, location, blocks, part, threads));
  }

  /// A WeftLaunch (abi.h). What sm_90a has in a kernel's place has that one's name there.
  Value makeLaunch(StepOp step, cta::KernelOp kernel, Value name, int64_t index) {
    Location location = step.getLoc();
    SmallVector<Value> words = nvgpu::packWords(builder, location, step.getGrid());
    for (ValueRange operands : {step.getInputs(), step.getOutputs()})
      for (Value operand : operands)
        llvm::append_range(words, nvgpu::packWords(builder, location, operand));
    Value blocks = countBlocks(step, kernel);
    SmallVector<Value> maps = describeMaps(step, kernel);
    Value none = LLVM::ZeroOp::create(builder, location, frame.getType());
    Value hopper = none;
    if (auto other = kernel.getHopper())
      hopper = makeLaunch(step, symbols.lookup<cta::KernelOp>(*other), name, index);
    return storeAll(location,
                    {name, cta::AddressOp::create(builder, location, frame.getType(), kernel.getSymName()),
                     constant(location, kernel.getThreads()),
                     constant(location, kernel.getSharedOffsets().back()), constant(location, index),
                     share(location, blocks, thread), share(location, blocks, nextThread(location)),
                     constant(location, words.size()), storeAll(location, words), blocks,
                     constant(location, kernel.getPersistent() ? kernel.getClusterBlocks() : 0),
                     constant(location, maps.size() / kWordsOfMap),
                     maps.empty() ? none : storeAll(location, maps), hopper});
  }

  /// Words of a WeftTensorMap (abi.h), and what it has of each dim.
  static constexpr int64_t kMostDims = 5, kWordsOfMap = 2 + kMostDims + (kMostDims - 1) + kMostDims;

  /// What the kernel says its tensor maps are of, computed here of the step's operands.
  SmallVector<Value> describeMaps(StepOp step, cta::KernelOp kernel) {
    Location location = step.getLoc();
    IRMapping mapping;
    SmallVector<Value> arguments{step.getGrid()};
    llvm::append_range(arguments, step.getInputs());
    llvm::append_range(arguments, step.getOutputs());
    mapping.map(kernel.getBody().getArguments(), arguments);
    SmallVector<Value> words;
    kernel.walk([&](cta::TensorMapOp map) {
      SetVector<Operation *> needed;
      BackwardSliceOptions options;
      options.omitBlockArguments = true;
      (void)getBackwardSlice(map.getOperation(), &needed, options);
      for (Operation *op : needed)
        if (!mapping.contains(op->getResult(0)))
          builder.clone(*op, mapping);
      auto lookUp = [&](Value value) { return toI64(builder, location, mapping.lookup(value)); };
      words.push_back(addressOf(location, mapping.lookup(map.getMemory()), mapping.lookup(map.getAt())));
      words.push_back(constant(location, map.getBox().size()));
      auto append = [&](auto &&values, int64_t room) { // the innermost dim's first
        size_t end = words.size() + room;
        for (Value value : llvm::reverse(values))
          words.push_back(value);
        while (words.size() < end)
          words.push_back(constant(location, 0));
      };
      append(llvm::map_to_vector(map.getSizes(), lookUp), kMostDims);
      constexpr int64_t kElementBytes = 2;
      append(llvm::map_to_vector(map.getStrides(),
                                 [&](Value stride) -> Value {
                                   return arith::MulIOp::create(builder, location, lookUp(stride),
                                                                constant(location, kElementBytes));
                                 }),
             kMostDims - 1);
      append(llvm::map_to_vector(map.getBox(), [&](int64_t count) { return constant(location, count); }),
             kMostDims);
    });
    return words;
  }

  Value addressOf(Location location, Value memory, Value at) {
    Value address = nvgpu::addressOf(builder, location, memory, at);
    return LLVM::IntToPtrOp::create(builder, location, frame.getType(), address);
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
