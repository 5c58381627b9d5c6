// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs as entry functions: what they find in a frame, and the walk from step to step.
#include "compiler/Target/EntryBuilder.h"
#include "dialects/Weft/IR/DimIndices.h"
#include "dialects/Weft/IR/StateGrowth.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace weft;

FrameReader::FrameReader(OpBuilder &builder, Location location, Value frame)
    : builder(builder), location(location), frame(frame),
      pointer(LLVM::LLVMPointerType::get(builder.getContext())) {}

Value FrameReader::load(Value base, int64_t index, Type type) {
  Value address = LLVM::GEPOp::create(builder, location, pointer, builder.getI64Type(), base,
                                      ArrayRef<LLVM::GEPArg>{int32_t(index)});
  return LLVM::LoadOp::create(builder, location, type, address);
}

Value weft::toI64(OpBuilder &builder, Location location, Value index) {
  return arith::IndexCastOp::create(builder, location, builder.getI64Type(), index);
}

Value weft::shareBound(OpBuilder &builder, Location location, Value count, Value part, Value threads) {
  Value product = arith::MulIOp::create(builder, location, count, part);
  Value bound = arith::DivUIOp::create(builder, location, product, threads);
  return arith::IndexCastOp::create(builder, location, builder.getIndexType(), bound);
}

Value weft::makeMemRef(OpBuilder &builder, Location location, const LLVMTypeConverter &converter,
                       MemRefType type, Value pointer, ArrayRef<Value> sizes) {
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

LLVM::GlobalOp weft::createText(OpBuilder &builder, Location location, const Twine &symbol, StringRef text) {
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), text.size() + 1);
  return LLVM::GlobalOp::create(builder, location, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                symbol.str(), builder.getStringAttr(text + StringRef("\0", 1)));
}

EntryBuilder::EntryBuilder(func::FuncOp program, int64_t number)
    : program(program), number(number), builder(program.getContext()), converter(program.getContext()),
      module(program->getParentOfType<ModuleOp>()) {}

void EntryBuilder::run() {
  Block &body = program.getBody().front();
  describeSignature();
  // Sizes are computed from the symbols while those are still arguments.
  SmallVector<SmallVector<Value>> sizes = computeSizes();
  findGroups();
  computeCosts();
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
  SmallVector<scf::ForOp> loops; // outer ones first
  program.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) { loops.push_back(loop); });
  llvm::for_each(loops, [&](scf::ForOp loop) { lowerLoop(loop); });
  lowerSteps();
}

/// Keeps on the function what the artifact's metadata is made of.
void EntryBuilder::describeSignature() {
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
Operation *EntryBuilder::firstNonArith() {
  return &*llvm::find_if(program.getBody().front(),
                         [](Operation &op) { return !isa<arith::ArithDialect>(op.getDialect()); });
}

/// The dims of inputs and outputs, as i64.
SmallVector<SmallVector<Value>> EntryBuilder::computeSizes() {
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

/// A group is a step and those that follow in its block and are beside it.
void EntryBuilder::findGroups() {
  program.walk([&](StepOp step) {
    bool isBeside = step->hasAttr(names::kBeside) && !groups.empty() &&
                    groups.back().back()->getBlock() == step->getBlock();
    if (!isBeside)
      groups.emplace_back();
    groups.back().push_back(step);
  });
}

/// A processor takes some four operations in the time in which memory gives it a byte.
void EntryBuilder::computeCosts() {
  DimIndices indices(program);
  for (SmallVector<StepOp> &group : groups) {
    if (group.size() == 1)
      continue;
    for (StepOp step : group) {
      Dim cost;
      if (step.getFlops())
        cost = Dim(*step.getFlops()) + Dim(*step.getBytes()) * 4;
      costs[step] = cost ? indices.get(cost) : step.getGrid();
    }
  }
}

/// An argument's dims; a state's buffer has the capacity along its axis.
SmallVector<Dim> EntryBuilder::getBufferDims(unsigned number) {
  SmallVector<Dim> dims;
  if (auto attribute = program.getArgAttrOfType<DimsAttr>(number, names::kDims))
    llvm::append_range(dims, attribute.getDims());
  if (auto growth = StateGrowth::get(program.getArgAttr(number, names::kState)))
    dims[growth->axis] = Dim::constant(program.getContext(), growth->capacity);
  return dims;
}

void EntryBuilder::replaceSymbols() {
  builder.setInsertionPointToStart(&program.getBody().front());
  FrameReader reader(builder, program.getLoc(), frame);
  Value values = reader.field(FrameField::Symbols);
  for (unsigned i = 0; i < program->getAttrOfType<ArrayAttr>(names::kSymbols).size(); ++i) {
    Value value = reader.load(values, i, builder.getI64Type());
    program.getArgument(i).replaceAllUsesWith(
        arith::IndexCastOp::create(builder, program.getLoc(), builder.getIndexType(), value));
  }
}

void EntryBuilder::replaceBuffers(ArrayRef<SmallVector<Value>> sizes) {
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
      data = reader.load(reader.field(FrameField::Inputs), nextInput++, pointer);
    else if (role == names::kOutput)
      data = reader.load(reader.field(FrameField::Outputs), nextOutput++, pointer);
    else if (role == names::kStateRole)
      data = reader.load(reader.field(FrameField::States), nextState++, pointer);
    else
      data = reader.field(role == names::kArena ? FrameField::Arena : FrameField::Weights);
    if (dims.empty() && type.getRank() == 1) // Arena and weights: as long as need be.
      dims.push_back(LLVM::ConstantOp::create(builder, location, builder.getI64IntegerAttr(INT64_MAX)));
    argument.replaceAllUsesWith(makeMemRef(builder, location, converter, type, data, dims));
  }
}

/// A loop around steps becomes blocks of the function, which a barrier's answer may leave.
void EntryBuilder::lowerLoop(scf::ForOp loop) {
  Location location = loop.getLoc();
  Region::BlockListType &blocks = program.getBody().getBlocks();
  Block *before = loop->getBlock(), *after = before->splitBlock(loop->getNextNode());
  auto *test = new Block();
  blocks.insert(Region::iterator(after), test);
  Value number = test->addArgument(builder.getIndexType(), location);
  Block *body = loop.getBody();
  blocks.splice(Region::iterator(after), loop.getRegion().getBlocks(), body);
  builder.setInsertionPointToEnd(before);
  cf::BranchOp::create(builder, location, test, loop.getLowerBound());
  builder.setInsertionPointToEnd(test);
  Value goesOn =
      arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, number, loop.getUpperBound());
  cf::CondBranchOp::create(builder, location, goesOn, body, ValueRange(), after, ValueRange());
  body->getTerminator()->erase();
  body->getArgument(0).replaceAllUsesWith(number);
  body->eraseArgument(0);
  builder.setInsertionPointToEnd(body);
  Value next = arith::AddIOp::create(builder, location, number, loop.getStep());
  cf::BranchOp::create(builder, location, test, next);
  loop.erase();
}

/// Each step becomes what its target makes of it; behind each group stands a barrier that may end the run.
void EntryBuilder::lowerSteps() {
  program->setAttr(names::kSteps, describeSteps());
  Block *exit = new Block();
  program.getBody().push_back(exit);
  builder.setInsertionPointToEnd(exit);
  func::ReturnOp::create(builder, program.getLoc());
  int64_t first = 0;
  for (ArrayRef<StepOp> group : groups) {
    lowerGroup(group, first, exit);
    first += group.size();
  }
}

Attribute EntryBuilder::describeSteps() {
  SmallVector<Attribute> described;
  for (StepOp step : program.getOps<StepOp>()) {
    described.push_back(step.getKernelAttr().getAttr());
    described.push_back(builder.getStringAttr(getNodeName(step)));
    auto scores = step->getAttrOfType<StringAttr>(names::kScores);
    described.push_back(scores ? scores : builder.getStringAttr(""));
    DimAttr none = Dim::constant(program.getContext(), 0).getAttr();
    llvm::append_values(described, Attribute(step.getFlops().value_or(none)),
                        Attribute(step.getBytes().value_or(none)),
                        Attribute(builder.getI64IntegerAttr(int64_t(unitOf(step)))));
  }
  return builder.getArrayAttr(described);
}

void EntryBuilder::lowerGroup(ArrayRef<StepOp> steps, int64_t first, Block *exit) {
  builder.setInsertionPoint(steps.front());
  beginGroup(steps);
  for (auto [i, step] : llvm::enumerate(steps)) {
    builder.setInsertionPoint(step);
    lowerWork(step, first + i);
    endStep(step, first + i, /*isLast=*/i + 1 == steps.size(), exit);
  }
}

Value EntryBuilder::isApart(Location location) {
  FrameReader reader(builder, location, frame);
  Value zero = arith::ConstantIntOp::create(builder, location, builder.getI64Type(), 0);
  Value apart = reader.load(frame, int64_t(FrameField::Apart), builder.getI64Type());
  return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, apart, zero);
}

/// Ends a step with a barrier, which may end the run; within a group with one if steps are apart.
void EntryBuilder::endStep(StepOp step, int64_t index, bool isLast, Block *exit) {
  Location location = step.getLoc();
  Block *rest = step->getBlock()->splitBlock(step->getNextNode());
  if (!isLast) {
    builder.setInsertionPoint(step);
    Value apart = isApart(location);
    Block *barrier = step->getBlock()->splitBlock(step);
    builder.setInsertionPointToEnd(barrier->getPrevNode());
    cf::CondBranchOp::create(builder, location, apart, barrier, ValueRange(), rest, ValueRange());
  }
  builder.setInsertionPoint(step);
  FrameReader reader(builder, location, frame);
  auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(), {frame.getType(), builder.getI64Type()});
  Value number = arith::ConstantIntOp::create(builder, location, builder.getI64Type(), index);
  Value status = LLVM::CallOp::create(
                     builder, location, type,
                     ValueRange{reader.callback(Callback::Barrier), reader.field(FrameField::Team), number})
                     .getResult();
  Value zero = arith::ConstantIntOp::create(builder, location, builder.getI32Type(), 0);
  Value failed = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, status, zero);
  Block *current = step->getBlock();
  step.erase();
  builder.setInsertionPointToEnd(current);
  cf::CondBranchOp::create(builder, location, failed, exit, ValueRange(), rest, ValueRange());
}
