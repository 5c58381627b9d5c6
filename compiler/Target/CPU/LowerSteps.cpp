// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-lower-steps: a program becomes the function that every thread of a run walks
// (runtime/include/weft/abi.h).
#include "compiler/Target/CPU/Passes.h"
#include "dialects/Weft/IR/DimIndices.h"
#include "dialects/Weft/IR/StateGrowth.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace weft::cpu {
#define GEN_PASS_DEF_LOWERSTEPS
#include "compiler/Target/CPU/Passes.h.inc"
} // namespace weft::cpu

using namespace mlir;
using namespace weft;

namespace {

/// Places in WeftFrame and WeftCallbacks, in pointers.
enum FrameField {
  kCallbacks = 0,
  kTeam = 1,
  kSymbolValues = 2,
  kInputs = 3,
  kOutputs = 4,
  kArenaField = 5,
  kWeightsField = 6,
  kStates = 7
};
enum CallbackField { kBarrier = 0, kFail = 1 };
constexpr int32_t kFailureIndex = 1; // WEFT_FAILURE_INDEX

/// What reads a frame.
class FrameReader {
public:
  FrameReader(OpBuilder &builder, Location location, Value frame)
      : builder(builder), location(location), frame(frame),
        pointer(LLVM::LLVMPointerType::get(builder.getContext())) {}

  Value field(FrameField which) { return load(frame, which, pointer); }
  Value callback(CallbackField which) { return load(field(kCallbacks), which, pointer); }
  /// Element `index` of an array of 8-byte elements.
  Value load(Value base, int64_t index, Type type) {
    Value address = LLVM::GEPOp::create(builder, location, pointer, builder.getI64Type(), base,
                                        ArrayRef<LLVM::GEPArg>{int32_t(index)});
    return LLVM::LoadOp::create(builder, location, type, address);
  }

private:
  OpBuilder &builder;
  Location location;
  Value frame;
  Type pointer;
};

Value toI64(OpBuilder &builder, Location location, Value index) {
  return arith::IndexCastOp::create(builder, location, builder.getI64Type(), index);
}

/// A contiguous memref on a pointer.
Value makeMemRef(OpBuilder &builder, Location location, const LLVMTypeConverter &converter, MemRefType type,
                 Value pointer, ArrayRef<Value> sizes) {
  MemRefDescriptor descriptor = MemRefDescriptor::poison(builder, location, converter.convertType(type));
  descriptor.setAllocatedPtr(builder, location, pointer);
  descriptor.setAlignedPtr(builder, location, pointer);
  descriptor.setConstantOffset(builder, location, 0);
  Value stride = LLVM::ConstantOp::create(builder, location, builder.getI64IntegerAttr(1));
  for (size_t i = sizes.size(); i-- > 0;) {
    descriptor.setSize(builder, location, i, sizes[i]);
    descriptor.setStride(builder, location, i, stride);
    stride = LLVM::MulOp::create(builder, location, stride, sizes[i]);
  }
  return UnrealizedConversionCastOp::create(builder, location, type, Value(descriptor)).getResult(0);
}

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
    LLVM::CallOp::create(
        builder, op.getLoc(), type,
        ValueRange{reader.callback(kFail), reader.field(kTeam), code, step, op.getValue(), op.getBound()});
    op.erase();
  }
}

/// Turns one program into an entry function.
class EntryBuilder {
public:
  EntryBuilder(func::FuncOp program, int64_t number)
      : program(program), number(number), builder(program.getContext()), converter(program.getContext()),
        module(program->getParentOfType<ModuleOp>()) {}

  void run() {
    Block &body = program.getBody().front();
    describeSignature();
    // Sizes are computed from the symbols while those are still arguments.
    SmallVector<SmallVector<Value>> sizes = computeSizes();
    Operation *first = firstNonArith();
    unsigned old = body.getNumArguments();
    Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
    frame = body.addArgument(pointer, program.getLoc());
    thread = body.addArgument(builder.getI64Type(), program.getLoc());
    threads = body.addArgument(builder.getI64Type(), program.getLoc());
    replaceSymbols();
    builder.setInsertionPoint(first);
    replaceBuffers(sizes);
    body.eraseArguments(0, old);
    program.removeArgAttrsAttr();
    program.setType(builder.getFunctionType(body.getArgumentTypes(), {}));
    program.setName(("weft_entry_" + Twine(number)).str());
    lowerSteps();
  }

private:
  /// Keeps on the function what the artifact's metadata is made of.
  void describeSignature() {
    SmallVector<Attribute> inputs, outputs, states;
    for (unsigned i = 0; i < program.getNumArguments(); ++i) {
      auto role = program.getArgAttrOfType<StringAttr>(i, names::kRole);
      if (role && role.getValue() == names::kInput)
        inputs.push_back(program.getArgAttrDict(i));
      if (role && role.getValue() == names::kOutput)
        outputs.push_back(program.getArgAttrDict(i));
      if (role && role.getValue() == names::kStateRole)
        states.push_back(program.getArgAttrDict(i));
    }
    program->setAttr("weft.entry", builder.getStringAttr(program.getName()));
    program->setAttr("weft.inputs", builder.getArrayAttr(inputs));
    program->setAttr("weft.outputs", builder.getArrayAttr(outputs));
    program->setAttr("weft.states", builder.getArrayAttr(states));
  }

  /// Where index arithmetic on the symbols ends.
  Operation *firstNonArith() {
    return &*llvm::find_if(program.getBody().front(),
                           [](Operation &op) { return !isa<arith::ArithDialect>(op.getDialect()); });
  }

  /// The dims of inputs and outputs, as i64.
  SmallVector<SmallVector<Value>> computeSizes() {
    DimIndices indices(program);
    SmallVector<SmallVector<Value>> sizes(program.getNumArguments());
    for (unsigned i = 0; i < program.getNumArguments(); ++i)
      for (Dim dim : getBufferDims(i)) {
        Value size = indices.get(dim);
        builder.setInsertionPoint(firstNonArith());
        sizes[i].push_back(toI64(builder, program.getLoc(), size));
      }
    return sizes;
  }

  /// An argument's dims; a state's buffer has the capacity along its axis.
  SmallVector<Dim> getBufferDims(unsigned number) {
    SmallVector<Dim> dims;
    if (auto attribute = program.getArgAttrOfType<DimsAttr>(number, names::kDims))
      llvm::append_range(dims, attribute.getDims());
    if (auto growth = StateGrowth::get(program.getArgAttr(number, names::kState)))
      dims[growth->axis] = Dim::constant(program.getContext(), growth->capacity);
    return dims;
  }

  void replaceSymbols() {
    builder.setInsertionPointToStart(&program.getBody().front());
    FrameReader reader(builder, program.getLoc(), frame);
    Value values = reader.field(kSymbolValues);
    for (unsigned i = 0; i < program->getAttrOfType<ArrayAttr>(names::kSymbols).size(); ++i) {
      Value value = reader.load(values, i, builder.getI64Type());
      program.getArgument(i).replaceAllUsesWith(
          arith::IndexCastOp::create(builder, program.getLoc(), builder.getIndexType(), value));
    }
  }

  void replaceBuffers(ArrayRef<SmallVector<Value>> sizes) {
    Location location = program.getLoc();
    FrameReader reader(builder, location, frame);
    Type pointer = frame.getType();
    int64_t nextInput = 0, nextOutput = 0, nextState = 0;
    for (unsigned i = 0; i < sizes.size(); ++i) {
      BlockArgument argument = program.getArgument(i);
      auto type = dyn_cast<MemRefType>(argument.getType());
      if (!type)
        continue;
      StringRef role = program.getArgAttrOfType<StringAttr>(i, names::kRole).getValue();
      Value data;
      SmallVector<Value> dims = sizes[i];
      if (role == names::kInput)
        data = reader.load(reader.field(kInputs), nextInput++, pointer);
      else if (role == names::kOutput)
        data = reader.load(reader.field(kOutputs), nextOutput++, pointer);
      else if (role == names::kStateRole)
        data = reader.load(reader.field(kStates), nextState++, pointer);
      else
        data = reader.field(role == names::kArena ? kArenaField : kWeightsField);
      if (dims.empty() && type.getRank() == 1) // Arena and weights: as long as need be.
        dims.push_back(LLVM::ConstantOp::create(builder, location, builder.getI64IntegerAttr(INT64_MAX)));
      argument.replaceAllUsesWith(makeMemRef(builder, location, converter, type, data, dims));
    }
  }

  /// Each step becomes a loop over this thread's share of the grid, then a barrier that may end the run.
  void lowerSteps() {
    SmallVector<StepOp> steps = llvm::to_vector(program.getOps<StepOp>());
    Block *exit = new Block();
    program.getBody().push_back(exit);
    builder.setInsertionPointToEnd(exit);
    func::ReturnOp::create(builder, program.getLoc());
    SmallVector<Attribute> described;
    for (auto [index, step] : llvm::enumerate(steps)) {
      described.push_back(step.getKernelAttr().getAttr());
      described.push_back(builder.getStringAttr(getNodeName(step)));
      DimAttr none = Dim::constant(program.getContext(), 0).getAttr();
      llvm::append_values(described, Attribute(step.getFlops().value_or(none)),
                          Attribute(step.getBytes().value_or(none)));
      lowerStep(step, index, exit);
    }
    program->setAttr(names::kSteps, builder.getArrayAttr(described));
  }

  void lowerStep(StepOp step, int64_t index, Block *exit) {
    Location location = step.getLoc();
    builder.setInsertionPoint(step);
    Value grid = toI64(builder, location, step.getGrid());
    Value one = arith::ConstantIndexOp::create(builder, location, 1);
    Value next = arith::AddIOp::create(
        builder, location, thread, arith::ConstantIntOp::create(builder, location, builder.getI64Type(), 1));
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

    FrameReader reader(builder, location, frame);
    auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(), {frame.getType(), builder.getI64Type()});
    Value number = arith::ConstantIntOp::create(builder, location, builder.getI64Type(), index);
    Value status = LLVM::CallOp::create(builder, location, type,
                                        ValueRange{reader.callback(kBarrier), reader.field(kTeam), number})
                       .getResult();
    Value zero = arith::ConstantIntOp::create(builder, location, builder.getI32Type(), 0);
    Value failed = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, status, zero);
    Block *current = step->getBlock();
    Block *rest = current->splitBlock(step->getNextNode());
    step.erase();
    builder.setInsertionPointToEnd(current);
    cf::CondBranchOp::create(builder, location, failed, exit, ValueRange(), rest, ValueRange());
  }

  /// grid * part / threads: the first tile of a thread's share.
  Value shareBound(Location location, Value grid, Value part) {
    Value product = arith::MulIOp::create(builder, location, grid, part);
    Value bound = arith::DivUIOp::create(builder, location, product, threads);
    return arith::IndexCastOp::create(builder, location, builder.getIndexType(), bound);
  }

  func::FuncOp program;
  int64_t number;
  OpBuilder builder;
  LLVMTypeConverter converter;
  ModuleOp module;
  Value frame, thread, threads;
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
      EntryBuilder(program, number).run();
    getOperation()->setAttr(names::kMachine, StringAttr::get(&getContext(), machine));
  }
};

} // namespace
