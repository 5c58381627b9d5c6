// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-form-steps: the graph becomes a program of steps. How each operation does it is in
// LowerToSteps/<Family>.cpp.
#include "compiler/Tile/LowerToSteps/Families.h"
#include "compiler/Tile/LowerToSteps/PointwiseStep.h"
#include "compiler/Tile/Passes.h"
#include "dialects/Weft/IR/StateGrowth.h"

namespace weft::tile {
#define GEN_PASS_DEF_FORMSTEPS
#include "compiler/Tile/Passes.h.inc"
} // namespace weft::tile

using namespace mlir;
using namespace weft;

namespace {

/// The symbols of an entry point, in the order in which its inputs, and then what follows from them, name
/// them.
SmallVector<StringAttr> collectSymbols(func::FuncOp function) {
  llvm::SetVector<StringAttr> symbols;
  auto collect = [&](Dim dim) {
    if (dim)
      dim.walkSymbols([&](StringRef name) { symbols.insert(StringAttr::get(function.getContext(), name)); });
  };
  for (Type type : function.getArgumentTypes())
    for (Dim dim : getDims(cast<ShapedType>(type)))
      collect(dim);
  forEachElementSymbol(function, [&](StringAttr name) { symbols.insert(name); });
  forEachDefinition(function, [&](StringAttr name, Dim dim) {
    collect(dim);
    symbols.insert(name);
  });
  function.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (auto dims = getDims(result))
        llvm::for_each(*dims, collect);
  });
  return symbols.takeVector();
}

RankedTensorType getStoredType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), getStoredElement(tensor.getElementType()));
}

/// A state of a function: an argument, and the concatenation that begins with it.
struct AppendedArgument {
  BlockArgument argument;
  ConcatOp appended;
  unsigned result; ///< the number of the function's result that it is
  int64_t capacity;
  int64_t getAxis() { return appended.getAxis(); }
  Dim getNext() { return (*getDims(appended.getResult()))[getAxis()]; }
};

/// The arguments with weft.capacity. Reports one that is not only appended to.
FailureOr<SmallVector<AppendedArgument>> findStates(func::FuncOp function) {
  SmallVector<AppendedArgument> states;
  for (BlockArgument argument : function.getArguments()) {
    Attribute given = function.getArgAttr(argument.getArgNumber(), names::kCapacity);
    auto capacity = dyn_cast_or_null<IntegerAttr>(given);
    if (!given)
      continue;
    if (!capacity || !capacity.getType().isSignlessInteger(64) || capacity.getInt() <= 0)
      return function.emitError() << "argument " << argument.getArgNumber() << ": expects "
                                  << names::kCapacity << " to be a number of positions, got " << given
                                  << " [weft-0306]";
    auto appended = argument.hasOneUse() ? dyn_cast<ConcatOp>(*argument.user_begin()) : ConcatOp();
    OpOperand *returned = nullptr;
    unsigned returns = 0;
    if (appended && appended.getInputs().size() > 1 && appended.getInputs().front() == argument)
      for (OpOperand &use : appended->getUses())
        if (isa<func::ReturnOp>(use.getOwner()))
          returned = &use, ++returns;
    if (returns != 1)
      return function.emitError()
             << "argument " << argument.getArgNumber() << " with " << names::kCapacity
             << ": expects one that a weft.concat begins with, which is a result, and no "
                "other use [weft-0306]";
    states.push_back({argument, appended, returned->getOperandNumber(), capacity.getInt()});
  }
  return states;
}

/// What tile level's types no longer say of an input or output: its element type in the model and its dims.
DictionaryAttr describeEdge(Builder &builder, DictionaryAttr attributes, Type type) {
  SmallVector<NamedAttribute> entries;
  if (attributes)
    llvm::append_range(entries, attributes);
  DimsAttr dims = getDimsAttr(builder.getContext(), getDims(cast<ShapedType>(type)));
  entries.push_back(builder.getNamedAttr(names::kDims, dims));
  entries.push_back(builder.getNamedAttr(names::kElement, TypeAttr::get(getElementTypeOrSelf(type))));
  return builder.getDictionaryAttr(entries);
}

/// Gives a state's argument and result in the program the type and the attributes of one.
void describeState(func::FuncOp program, AppendedArgument state, unsigned number) {
  Builder builder(program.getContext());
  auto type = cast<RankedTensorType>(program.getArgument(number).getType());
  SmallVector<int64_t> room(type.getShape());
  room[state.getAxis()] = state.capacity;
  auto held = RankedTensorType::get(room, type.getElementType());
  program.getArgument(number).setType(held);
  SmallVector<Type> inputs(program.getArgumentTypes()), outputs(program.getResultTypes());
  inputs[number] = outputs[state.result] = held;
  program.setType(builder.getFunctionType(inputs, outputs));
  program.removeArgAttr(number, names::kCapacity);
  StateGrowth growth{state.getAxis(), state.capacity, state.getNext()};
  program.setArgAttr(number, names::kState, growth.getAttr());
  program.setResultAttr(state.result, names::kState, builder.getUnitAttr());
}

/// An empty program with the function's signature: symbols, then its tensors.
func::FuncOp createProgram(func::FuncOp function, ArrayRef<StringAttr> symbols,
                           ArrayRef<AppendedArgument> states) {
  OpBuilder builder(function);
  SmallVector<Type> inputs(symbols.size(), builder.getIndexType()), outputs;
  SmallVector<DictionaryAttr> inputAttributes(symbols.size()), outputAttributes;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    inputs.push_back(getStoredType(type));
    inputAttributes.push_back(describeEdge(builder, function.getArgAttrDict(i), type));
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    outputs.push_back(getStoredType(type));
    outputAttributes.push_back(describeEdge(builder, function.getResultAttrDict(i), type));
  }
  auto program = func::FuncOp::create(builder, function.getLoc(), function.getName(),
                                      builder.getFunctionType(inputs, outputs));
  program.setAllArgAttrs(inputAttributes);
  program.setAllResultAttrs(outputAttributes);
  program->setAttr(names::kSymbols,
                   builder.getArrayAttr(SmallVector<Attribute>(symbols.begin(), symbols.end())));
  for (StringRef name : {names::kGuards, names::kDefinitions})
    if (Attribute attribute = function->getAttr(name))
      program->setAttr(name, attribute);
  program.addEntryBlock();
  for (const AppendedArgument &state : states)
    describeState(program, state, symbols.size() + state.argument.getArgNumber());
  return program;
}

/// An output's tensor, copied if it would share its buffer with an input, a constant or another output.
Value ensureOwnBuffer(StepBuilder &steps, Value output, llvm::DenseSet<Value> &taken) {
  Value tensor = steps.tensor(output), root = getRoot(tensor);
  if (root.getDefiningOp<StepOp>() && taken.insert(root).second)
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<Dim> dims = *getDims(output);
  return *buildPointwiseStep(steps, "copy", PointwiseInput{tensor, dims}, dims, type.getElementType(),
                             copyElement);
}

bool isKnown(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && llvm::all_of(getDims(tensor), [](Dim dim) { return bool(dim); });
}

/// Whether the function is one that the graph level promises: one block, tensors of known dims. Reports all
/// that is not.
bool checkFunction(func::FuncOp function) {
  if (!function.getBody().hasOneBlock() || !isa<func::ReturnOp>(function.getBody().front().getTerminator())) {
    function.emitError() << "function \"" << function.getName() << "\": expects one block [weft-0304]";
    return false;
  }
  bool isValid = true;
  auto check = [&](Operation *op, TypeRange types) {
    for (Type type : types) {
      if (isKnown(type))
        continue;
      op->emitError() << "node \"" << getNodeName(op) << "\" (" << op->getName()
                      << "): expects tensors of known dims, got " << describeType(type) << " [weft-0304]";
      isValid = false;
      return;
    }
  };
  check(function, function.getArgumentTypes());
  function.getBody().walk([&](Operation *op) {
    if (isa<InferInterface>(op))
      check(op, op->getResultTypes());
  });
  return isValid;
}

/// The steps of an operation whose results have none yet.
LogicalResult lowerAnew(Operation &op, StepBuilder &steps) {
  steps.setOperation(&op);
  LoweredResults values = failure();
  if (auto lowering = dyn_cast<StepLoweringInterface>(&op))
    values = lowering.lowerToSteps(steps);
  else
    op.emitError() << "node \"" << getNodeName(&op) << "\" (" << op.getName()
                   << "): there is no kernel for this operation yet [weft-0300]";
  if (succeeded(values)) {
    for (auto [result, value] : llvm::zip_equal(op.getResults(), *values))
      if (value)
        steps.map(result, value);
    return success();
  }
  for (Value result : op.getResults())
    steps.map(result, steps.empty(*getDims(result), getStoredElement(getElementTypeOrSelf(result))));
  return failure();
}

struct FormSteps : tile::impl::FormStepsBase<FormSteps> {
  using FormStepsBase::FormStepsBase;

  LogicalResult formSteps(func::FuncOp function) {
    if (!checkFunction(function))
      return failure();
    FailureOr<SmallVector<AppendedArgument>> states = findStates(function);
    if (failed(states))
      return failure();
    SmallVector<StringAttr> symbols = collectSymbols(function);
    func::FuncOp program = createProgram(function, symbols, *states);
    StepBuilder steps(program, target == "gpu");
    auto arguments = program.getArguments().drop_front(symbols.size());
    for (auto [from, to] : llvm::zip(function.getArguments(), arguments))
      steps.map(from, to);
    for (AppendedArgument &state : *states)
      steps.mapState(state.appended, arguments[state.argument.getArgNumber()], state.capacity,
                     state.getAxis());
    LogicalResult result = success();
    for (Operation &op : function.getBody().front().without_terminator())
      if (failed(lowerToSteps(op, steps)))
        result = failure();
    if (failed(result))
      return failure();
    Operation *terminator = function.getBody().front().getTerminator();
    steps.setOperation(terminator);
    llvm::DenseSet<Value> taken;
    SmallVector<Value> outputs = llvm::map_to_vector(terminator->getOperands(), [&](Value value) {
      StateTensor *state = steps.findState(value);
      return state ? state->tensor : ensureOwnBuffer(steps, value, taken);
    });
    if (steps.hasUnknownSize())
      return function.emitError() << "function \"" << function.getName()
                                  << "\": the size of a result is no formula of at most 64 bits [weft-0305]";
    func::ReturnOp::create(steps.host(), terminator->getLoc(), outputs);
    function.erase();
    return success();
  }

  void runOnOperation() override {
    if (target != "cpu" && target != "gpu") {
      getOperation()->emitError() << "weft-form-steps: expects cpu or gpu as target, got "
                                  << target.getValue();
      return signalPassFailure();
    }
    for (func::FuncOp function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!function.isExternal() && failed(formSteps(function)))
        return signalPassFailure();
  }
};

} // namespace

LogicalResult weft::lowerToSteps(Operation &op, StepBuilder &steps) {
  if (op.getNumResults() > 0 &&
      llvm::all_of(op.getResults(), [&](Value result) { return steps.hasTensor(result); }))
    return success(); // what it is made of was written in its form
  bool wasUnknown = steps.hasUnknownSize();
  LogicalResult lowered = lowerAnew(op, steps);
  if (!steps.hasUnknownSize() || wasUnknown)
    return lowered;
  return op.emitError() << "node \"" << getNodeName(&op) << "\" (" << op.getName()
                        << "): the size of a result is no formula of at most 64 bits [weft-0305]";
}

void weft::registerStepLowering(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, WeftDialect *) {
    attachElementwiseLowering(context);
    attachContractionLowering(context);
    attachRoutedMatmulLowering(context);
    attachReductionLowering(context);
    attachScanLowering(context);
    attachNormLowering(context);
    attachQuantizeLowering(context);
    attachAttentionLowering(context);
    attachLinearAttentionLowering(context);
    attachShapeLowering(context);
    attachPadLowering(context);
    attachDepthwiseConvLowering(context);
    attachIndexLowering(context);
    attachScatterLowering(context);
    attachTopKLowering(context);
    attachLoopLowering(context);
  });
}
