// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-bufferize: a buffer for every step output; outputs of the program are written in place.
#include "compiler/Buffer/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace weft::buffer {
#define GEN_PASS_DEF_BUFFERIZE
#include "compiler/Buffer/Passes.h.inc"
} // namespace weft::buffer

using namespace mlir;
using namespace weft;

namespace {

constexpr int64_t kWeightAlignment = 64;

/// Places constants in the weights part, each once.
class WeightLayout {
public:
  /// The offset of a constant's bytes.
  int64_t place(Attribute value, int64_t bytes) {
    auto [known, isNew] = offsets.try_emplace(value, end);
    if (isNew) {
      order.push_back(value);
      end += llvm::alignTo(bytes, kWeightAlignment);
    }
    return known->second;
  }
  ArrayRef<Attribute> values() const { return order; }

private:
  llvm::DenseMap<Attribute, int64_t> offsets;
  SmallVector<Attribute> order;
  int64_t end = 0;
};

MemRefType getBufferType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

/// Bufferizes one program in place.
class ProgramBufferizer {
public:
  ProgramBufferizer(func::FuncOp program, WeightLayout &layout)
      : program(program), builder(program.getContext()), layout(layout) {}

  LogicalResult run() {
    auto terminator = cast<func::ReturnOp>(program.getBody().front().getTerminator());
    convertArguments(terminator);
    if (failed(convert(program.getBody().front())))
      return failure();
    terminator.getOperandsMutable().clear();
    for (Operation *op : llvm::reverse(old))
      op->erase();
    eraseTensorArguments();
    return success();
  }

private:
  LogicalResult convert(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
      if (isa<arith::ArithDialect>(op.getDialect()))
        continue;
      builder.setInsertionPoint(&op);
      old.push_back(&op);
      LogicalResult converted =
          llvm::TypeSwitch<Operation *, LogicalResult>(&op)
              .Case([&](tensor::EmptyOp) { return success(); }) // its steps ask for buffers
              .Case<ConstantOp, ViewOp, StepOp, scf::ForOp>([&](auto typed) { return convert(typed); })
              .Default([](Operation *other) { return other->emitError("cannot be given a buffer"); });
      if (failed(converted))
        return failure();
    }
    return success();
  }

  /// Adds a memref argument for each tensor one, for each result, and for the weights.
  void convertArguments(func::ReturnOp terminator) {
    Block &block = program.getBody().front();
    tensorArguments = SmallVector<BlockArgument>(llvm::make_filter_range(
        block.getArguments(), [](BlockArgument argument) { return isa<TensorType>(argument.getType()); }));
    for (BlockArgument argument : tensorArguments) {
      unsigned number = argument.getArgNumber();
      bool isState = program.getArgAttr(number, names::kState) != nullptr;
      buffers[argument] =
          addArgument(getBufferType(argument.getType()), isState ? names::kStateRole : names::kInput,
                      program.getArgAttrDict(number));
    }
    for (auto [i, value] : llvm::enumerate(terminator.getOperands())) {
      if (program.getResultAttr(i, names::kState))
        continue; // it is where the argument was
      Value buffer =
          addArgument(getBufferType(value.getType()), names::kOutput, program.getResultAttrDict(i));
      // The step that makes the result, behind views, writes straight into it.
      Value root = value;
      while (auto view = root.getDefiningOp<ViewOp>())
        root = view.getInput();
      outputs[firstOutput(root)] = buffer;
    }
    weights =
        addArgument(MemRefType::get({ShapedType::kDynamic}, builder.getI8Type()), names::kWeightsRole, {});
  }

  /// The step result that a chain of steps on one buffer begins with.
  static Value firstOutput(Value result) {
    while (auto step = result.getDefiningOp<StepOp>()) {
      Value output = step.getOutputs()[cast<OpResult>(result).getResultNumber()];
      if (!output.getDefiningOp<StepOp>())
        break;
      result = output;
    }
    return result;
  }

  Value addArgument(Type type, StringRef role, DictionaryAttr attributes) {
    SmallVector<NamedAttribute> entries;
    if (attributes)
      llvm::append_range(entries, attributes);
    entries.push_back(builder.getNamedAttr(names::kRole, builder.getStringAttr(role)));
    argumentAttributes.push_back(builder.getDictionaryAttr(entries));
    return program.getBody().front().addArgument(type, program.getLoc());
  }

  void eraseTensorArguments() {
    Block &block = program.getBody().front();
    unsigned symbols = program->getAttrOfType<ArrayAttr>(names::kSymbols).size();
    block.eraseArguments(symbols, tensorArguments.size());
    program.setType(builder.getFunctionType(block.getArgumentTypes(), {}));
    SmallVector<DictionaryAttr> attributes(symbols);
    llvm::append_range(attributes, argumentAttributes);
    program.removeResAttrsAttr();
    program.setAllArgAttrs(attributes);
  }

  LogicalResult convert(ConstantOp op) {
    MemRefType type = getBufferType(op.getType());
    int64_t bytes = type.getNumElements() * getElementBytes(type.getElementType());
    Value offset = arith::ConstantIndexOp::create(builder, op.getLoc(), layout.place(op.getValue(), bytes));
    buffers[op] = memref::ViewOp::create(builder, op.getLoc(), type, weights, offset, ValueRange());
    return success();
  }

  LogicalResult convert(ViewOp op) {
    buffers[op] =
        reinterpret(op.getLoc(), buffers[op.getInput()], getBufferType(op.getType()), op.getSizes());
    return success();
  }

  /// A contiguous buffer with other dims.
  Value reinterpret(Location location, Value buffer, MemRefType type, ValueRange dynamicSizes) {
    SmallVector<OpFoldResult> sizes = getMixedValues(type.getShape(), dynamicSizes, builder);
    SmallVector<OpFoldResult> strides(sizes.size());
    OpFoldResult stride = builder.getIndexAttr(1);
    for (size_t i = sizes.size(); i-- > 0;) {
      strides[i] = stride;
      auto size = getConstantIntValue(sizes[i]), step = getConstantIntValue(stride);
      if (size && step)
        stride = builder.getIndexAttr(*size * *step);
      else
        stride = arith::MulIOp::create(builder, location,
                                       getValueOrCreateConstantIndexOp(builder, location, stride),
                                       getValueOrCreateConstantIndexOp(builder, location, sizes[i]))
                     .getResult();
    }
    return memref::ReinterpretCastOp::create(builder, location, type, buffer,
                                             OpFoldResult(builder.getIndexAttr(0)), sizes, strides);
  }

  /// What a loop carries stays in one buffer, that which it begins with.
  LogicalResult convert(scf::ForOp op) {
    for (auto [i, initial] : llvm::enumerate(op.getInitArgs())) {
      Value buffer = buffers.lookup(initial);
      if (auto empty = initial.getDefiningOp<tensor::EmptyOp>())
        buffer = allocate(op.getLoc(), empty);
      else if (!initial.getDefiningOp<StepOp>() || !initial.hasOneUse())
        return op.emitError("carries a tensor that is not its own");
      buffers[op.getRegionIterArg(i)] = buffer;
      buffers[op.getResult(i)] = buffer;
    }
    auto loop =
        scf::ForOp::create(builder, op.getLoc(), op.getLowerBound(), op.getUpperBound(), op.getStep());
    op.getInductionVar().replaceAllUsesWith(loop.getInductionVar());
    if (failed(convert(*op.getBody())))
      return failure();
    op.getBody()->getTerminator()->setOperands({});
    auto &from = op.getBody()->getOperations();
    loop.getBody()->getOperations().splice(loop.getBody()->begin(), from, from.begin(),
                                           std::prev(from.end()));
    return success();
  }

  LogicalResult convert(StepOp op) {
    SmallVector<Value> inputs, destinations;
    for (Value input : op.getInputs())
      inputs.push_back(isa<TensorType>(input.getType()) ? buffers.lookup(input) : input);
    for (auto [output, result] : llvm::zip(op.getOutputs(), op.getResults())) {
      FailureOr<Value> buffer = getDestination(op, output, result);
      if (failed(buffer))
        return failure();
      destinations.push_back(buffers[result] = *buffer);
    }
    auto step = StepOp::create(builder, op.getLoc(), TypeRange(), op.getKernel(), op.getGrid(), inputs,
                               destinations, op.getFlopsAttr(), op.getBytesAttr());
    for (StringRef name : {names::kScores, names::kAlternative, names::kProduct})
      if (Attribute kept = op->getAttr(name))
        step->setAttr(name, kept);
    return success();
  }

  /// The buffer that a step writes: that of the step before it in a chain, a state's, or one of its own.
  FailureOr<Value> getDestination(StepOp op, Value output, Value result) {
    if (isa<BlockArgument>(output))
      return buffers.lookup(output);
    if (output.getDefiningOp<StepOp>()) {
      if (!output.hasOneUse())
        return op.emitError("writes into a result that something else reads");
      return buffers.lookup(output);
    }
    auto empty = output.getDefiningOp<tensor::EmptyOp>();
    if (!empty)
      return op.emitError("expects an output that begins as tensor.empty");
    MemRefType type = getBufferType(output.getType());
    if (Value argument = outputs.lookup(result))
      return argument.getType() == type && type.hasStaticShape()
                 ? argument
                 : reinterpret(op.getLoc(), argument, type, empty.getDynamicSizes());
    return allocate(op.getLoc(), empty);
  }

  Value allocate(Location location, tensor::EmptyOp empty) {
    auto alloc =
        memref::AllocOp::create(builder, location, getBufferType(empty.getType()), empty.getDynamicSizes());
    alloc->setAttr(names::kDims, empty->getAttr(names::kDims));
    return alloc;
  }

  func::FuncOp program;
  OpBuilder builder;
  WeightLayout &layout;
  SmallVector<BlockArgument> tensorArguments;
  SmallVector<DictionaryAttr> argumentAttributes;
  SmallVector<Operation *> old;         ///< what has been converted, in order
  llvm::DenseMap<Value, Value> buffers; ///< of tensors
  llvm::DenseMap<Value, Value> outputs; ///< output arguments by the step result that begins them
  Value weights;
};

struct Bufferize : buffer::impl::BufferizeBase<Bufferize> {
  void runOnOperation() override {
    WeightLayout layout;
    for (func::FuncOp program : getOperation().getOps<func::FuncOp>())
      if (failed(ProgramBufferizer(program, layout).run()))
        return signalPassFailure();
    getOperation()->setAttr(names::kWeights, ArrayAttr::get(&getContext(), layout.values()));
  }
};

} // namespace
