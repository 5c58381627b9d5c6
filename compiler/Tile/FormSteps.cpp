// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-form-steps: the graph becomes a program of steps. How each operation does it is in LowerToSteps/<Family>.cpp.
#include "compiler/Tile/LowerToSteps/Families.h"
#include "compiler/Tile/LowerToSteps/PointwiseStep.h"
#include "compiler/Tile/Passes.h"

namespace weft::tile {
#define GEN_PASS_DEF_FORMSTEPS
#include "compiler/Tile/Passes.h.inc"
} // namespace weft::tile

using namespace mlir;
using namespace weft;

namespace {

/// The symbols of an entry point, in the order in which its inputs, and then what follows from them, name them.
SmallVector<StringAttr> collectSymbols(func::FuncOp function) {
  llvm::SetVector<StringAttr> symbols;
  auto collect = [&](Dim dim) {
    if (dim)
      dim.walkSymbols([&](StringRef name) { symbols.insert(StringAttr::get(function.getContext(), name)); });
  };
  for (Type type : function.getArgumentTypes())
    for (Dim dim : getDims(cast<ShapedType>(type)))
      collect(dim);
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

/// What tile level's types no longer say of an input or output: its element type in the model and its dims.
DictionaryAttr describeEdge(Builder &builder, DictionaryAttr attributes, Type type) {
  SmallVector<NamedAttribute> entries;
  if (attributes)
    llvm::append_range(entries, attributes);
  SmallVector<DimAttr> dims =
      llvm::map_to_vector(getDims(cast<ShapedType>(type)), [](Dim dim) { return dim.getAttr(); });
  entries.push_back(builder.getNamedAttr(names::kDims, DimsAttr::get(builder.getContext(), dims)));
  entries.push_back(builder.getNamedAttr(names::kElement, TypeAttr::get(getElementTypeOrSelf(type))));
  return builder.getDictionaryAttr(entries);
}

/// An empty program with the function's signature: symbols, then its tensors.
func::FuncOp createProgram(func::FuncOp function, ArrayRef<StringAttr> symbols) {
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
  program->setAttr(names::kSymbols, builder.getArrayAttr(SmallVector<Attribute>(symbols.begin(), symbols.end())));
  if (Attribute guards = function->getAttr(names::kGuards))
    program->setAttr(names::kGuards, guards);
  program.addEntryBlock();
  return program;
}

/// An output's tensor, copied if it would share its buffer with an input, a constant or another output.
Value ensureOwnBuffer(StepBuilder &steps, Value output, llvm::DenseSet<Value> &taken) {
  Value tensor = steps.tensor(output), root = tensor;
  while (auto view = root.getDefiningOp<ViewOp>())
    root = view.getInput();
  if (root.getDefiningOp<StepOp>() && taken.insert(root).second)
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<Dim> dims = *getDims(output);
  auto copy = [](OpBuilder &, Location, ValueRange elements, ValueRange) -> FailureOr<Value> {
    return elements.front();
  };
  return *buildPointwiseStep(steps, "copy", PointwiseInput{tensor, dims}, dims, type.getElementType(), copy);
}

struct FormSteps : tile::impl::FormStepsBase<FormSteps> {
  LogicalResult formSteps(func::FuncOp function) {
    SmallVector<StringAttr> symbols = collectSymbols(function);
    func::FuncOp program = createProgram(function, symbols);
    StepBuilder steps(program);
    for (auto [from, to] :
         llvm::zip(function.getArguments(), program.getArguments().drop_front(symbols.size())))
      steps.map(from, to);
    LogicalResult result = success();
    for (Operation &op : function.getBody().front().without_terminator()) {
      auto lowering = dyn_cast<StepLoweringInterface>(&op);
      steps.setOperation(&op);
      FailureOr<Value> value = failure();
      if (lowering)
        value = lowering.lowerToSteps(steps);
      else
        op.emitError() << "node \"" << getNodeName(&op) << "\" (" << op.getName()
                       << "): there is no kernel for this operation yet [weft-0300]";
      if (failed(value))
        return failure();
      steps.map(op.getResult(0), *value);
    }
    Operation *terminator = function.getBody().front().getTerminator();
    steps.setOperation(terminator);
    llvm::DenseSet<Value> taken;
    SmallVector<Value> outputs = llvm::map_to_vector(
        terminator->getOperands(), [&](Value value) { return ensureOwnBuffer(steps, value, taken); });
    func::ReturnOp::create(steps.host(), terminator->getLoc(), outputs);
    function.erase();
    return result;
  }

  void runOnOperation() override {
    for (func::FuncOp function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!function.isExternal() && failed(formSteps(function)))
        return signalPassFailure();
  }
};

} // namespace

void weft::registerStepLowering(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, WeftDialect *) {
    attachElementwiseLowering(context);
    attachContractionLowering(context);
    attachReductionLowering(context);
    attachNormLowering(context);
    attachShapeLowering(context);
    attachIndexLowering(context);
  });
}
