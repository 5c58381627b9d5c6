// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps, kernels and the host's index arithmetic.
#include "compiler/Tile/StepBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace weft;

#include "compiler/Tile/StepLowering.cpp.inc"

Type weft::getStoredElement(Type element) {
  if (element.isInteger(1) || isCompact(element))
    return IntegerType::get(element.getContext(), 8);
  if (element.isUnsignedInteger())
    return IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
  if (element.isBF16())
    return IntegerType::get(element.getContext(), 16);
  return element;
}

Value weft::getRoot(Value tensor) {
  while (auto view = tensor.getDefiningOp<ViewOp>())
    tensor = view.getInput();
  return tensor;
}

StepBuilder::StepBuilder(func::FuncOp program, bool isForGPU)
    : isForGPU(isForGPU), program(program), builder(program.getBody()), block(&program.getBody().front()),
      repeats(Dim::constant(program.getContext(), 1)), symbolTable(program->getParentOfType<ModuleOp>()),
      indices(program) {}

void StepBuilder::setOperation(Operation *op) {
  operation = op;
  builder.setInsertionPointToEnd(block);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void StepBuilder::map(Value graphValue, Value tensor) {
  tensors[graphValue] = tensor;
  knownDims[tensor] = getDims(cast<ShapedType>(graphValue.getType()));
}

void StepBuilder::defer(Value graphValue, std::function<Value()> make) {
  constexpr unsigned kLongestChain = 64; // recursion follows it
  unsigned chain = 0;
  for (Value operand : graphValue.getDefiningOp()->getOperands())
    if (auto found = deferred.find(operand); found != deferred.end())
      chain = std::max(chain, found->second.chain + 1);
  deferred[graphValue] = {std::move(make), chain};
  if (chain == kLongestChain)
    (void)tensor(graphValue);
}

Value StepBuilder::tensor(Value graphValue) {
  auto found = deferred.find(graphValue);
  if (found == deferred.end())
    return tensors.lookup(graphValue);
  std::function<Value()> make = std::move(found->second.make);
  deferred.erase(found);
  Operation *asking = std::exchange(operation, graphValue.getDefiningOp());
  map(graphValue, make());
  operation = asking;
  return tensors.lookup(graphValue);
}

SmallVector<Dim> StateTensor::room() const {
  SmallVector<Dim> dims(this->dims);
  dims[axis] = Dim::constant(dims[axis].getContext(), capacity);
  return dims;
}

void StepBuilder::mapState(Value appended, Value tensor, int64_t capacity, int64_t axis) {
  StateTensor state{tensor, getDims(cast<ShapedType>(appended.getType())), axis, capacity};
  knownDims[tensor] = state.room();
  states[appended] = state;
}

StateTensor *StepBuilder::findState(Value graphValue) {
  auto found = states.find(graphValue);
  return found == states.end() ? nullptr : &found->second;
}

RankedTensorType StepBuilder::type(ArrayRef<Dim> dims, Type storedElement) {
  SmallVector<int64_t> shape =
      llvm::map_to_vector(dims, [](Dim dim) { return dim.getConstant().value_or(ShapedType::kDynamic); });
  return RankedTensorType::get(shape, storedElement);
}

Value StepBuilder::index(Dim dim) {
  unknownSize |= !dim;
  return indices.get(dim ? dim : constant(0));
}

/// The values of the dims that are not constant, as tensor.empty and weft.view take them.
static SmallVector<Value> dynamicSizes(StepBuilder &steps, ArrayRef<Dim> dims) {
  SmallVector<Value> sizes;
  for (Dim dim : dims)
    if (!dim.isConstant())
      sizes.push_back(steps.index(dim));
  return sizes;
}

Value StepBuilder::view(Value tensor, ArrayRef<Dim> dims) {
  RankedTensorType to = type(dims, cast<RankedTensorType>(tensor.getType()).getElementType());
  // A view of a view is a view of the first, and nothing at all if the dims are back.
  if (auto view = tensor.getDefiningOp<ViewOp>())
    tensor = view.getInput();
  if (ArrayRef(knownDims[tensor]) == dims && to == tensor.getType())
    return tensor;
  return ViewOp::create(builder, operation->getLoc(), to, tensor, dynamicSizes(*this, dims));
}

Value StepBuilder::empty(ArrayRef<Dim> dims, Type storedElement) {
  auto empty = tensor::EmptyOp::create(builder, operation->getLoc(), type(dims, storedElement),
                                       dynamicSizes(*this, dims));
  // What weft-plan-arena makes its formula of.
  SmallVector<DimAttr> attributes =
      llvm::map_to_vector(dims, [&](Dim dim) { return (dim ? dim : constant(0)).getAttr(); });
  empty->setAttr(names::kDims, DimsAttr::get(builder.getContext(), attributes));
  knownDims[empty] = SmallVector<Dim>(dims);
  return empty;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

StepBuilder::Loop StepBuilder::beginLoop(Dim count, ValueRange initial) {
  auto loop = scf::ForOp::create(builder, operation->getLoc(), index(0), index(count), index(1), initial);
  Loop begun{loop, SmallVector<Value>(loop.getRegionIterArgs()), block, repeats};
  for (auto [from, to] : llvm::zip(initial, begun.carried))
    knownDims[to] = knownDims.lookup(from);
  block = loop.getBody();
  repeats = repeats && count ? repeats * count : Dim();
  builder.setInsertionPointToEnd(block);
  return begun;
}

SmallVector<Value> StepBuilder::endLoop(Loop &loop, ValueRange carried) {
  scf::YieldOp::create(builder, operation->getLoc(), carried);
  block = loop.around;
  repeats = loop.repeats;
  builder.setInsertionPointToEnd(block);
  for (auto [from, to] : llvm::zip(loop.carried, loop.op.getResults()))
    knownDims[to] = knownDims.lookup(from);
  // What the body made of a tensor from around it is not there behind it.
  for (auto &[tensor, map] : maps)
    if (map && loop.op->isProperAncestor(map.getDefiningOp()))
      map = nullptr;
  return SmallVector<Value>(loop.op.getResults());
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static Type getPassedType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return MemRefType::get(tensor.getShape(), tensor.getElementType());
  return type;
}

StepBuilder::Kernel StepBuilder::beginKernel(StringRef name, ValueRange inputs, ValueRange outputs,
                                             ArrayRef<std::pair<StringRef, int64_t>> schedule) {
  MLIRContext *context = program.getContext();
  SmallVector<Type> types{builder.getIndexType()};
  for (Value operand : llvm::concat<Value>(inputs, outputs))
    types.push_back(getPassedType(operand.getType()));
  SmallVector<NamedAttribute> sizes;
  for (auto [key, size] : schedule)
    sizes.push_back(builder.getNamedAttr(key, builder.getI64IntegerAttr(size)));
  OpBuilder module(context);
  OperationState state(operation->getLoc(), KernelOp::getOperationName());
  state.addAttribute("sym_name", builder.getStringAttr(name));
  state.addAttribute("function_type", TypeAttr::get(builder.getFunctionType(types, {})));
  state.addAttribute("schedule", DictionaryAttr::get(context, sizes));
  state.addRegion();
  auto op = cast<KernelOp>(Operation::create(state));
  symbolTable.insert(op); // makes the name unique
  Block &block = op.getBody().emplaceBlock();
  for (Type type : types)
    block.addArgument(type, operation->getLoc());
  auto arguments = block.getArguments().drop_front();
  SmallVector<Value> inputArguments(arguments.drop_back(outputs.size())),
      outputArguments(arguments.take_back(outputs.size()));
  return {op, OpBuilder::atBlockEnd(&block), inputArguments, outputArguments, outputArguments.front()};
}

Dim StepBuilder::bytesOf(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return constant(0);
  tensor = getRoot(tensor);
  type = cast<RankedTensorType>(tensor.getType());
  Dim elements = type.hasStaticShape() ? constant(type.getNumElements()) : product(knownDims.lookup(tensor));
  return elements * getElementBytes(type.getElementType());
}

SmallVector<Value> StepBuilder::endKernel(Kernel &kernel, Dim grid, ValueRange inputs, ValueRange outputs,
                                          StepWork work) {
  YieldOp::create(kernel.body, operation->getLoc(), ValueRange());
  if (!work.bytes) {
    work.bytes = constant(0);
    for (Value operand : llvm::concat<Value>(inputs, outputs))
      work.bytes = work.bytes + bytesOf(operand);
  }
  // Null where it would be too large.
  auto known = [&](Dim dim) {
    dim = dim && repeats ? dim * repeats : Dim();
    return (dim ? dim : constant(0)).getAttr();
  };
  auto step = StepOp::create(builder, operation->getLoc(), outputs.getTypes(), kernel.op.getSymName(),
                             index(grid), inputs, outputs, known(work.flops), known(work.bytes));
  auto scores = operation->getAttr(names::kScores);
  if (scores && !kernel.op.getOps<AttentionTileOp>().empty())
    step->setAttr(names::kScores, scores);
  if (auto product = operation->getAttr(names::kProduct))
    step->setAttr(names::kProduct, product);
  for (auto [result, output] : llvm::zip_equal(step.getResults(), outputs))
    knownDims[result] = knownDims.lookup(output);
  return step.getResults();
}

int64_t StepBuilder::scheduled(StringRef name, int64_t otherwise) {
  auto schedule = operation->getAttrOfType<DictionaryAttr>("weft.schedule");
  auto size = schedule ? schedule.getAs<IntegerAttr>(name) : IntegerAttr();
  return size ? size.getInt() : otherwise;
}
