// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds import-level IR; operations' result types come from their own inference.
#include "frontend/Builder/GraphBuilder.h"

using namespace mlir;
using namespace weft;

GraphBuilder::GraphBuilder(MLIRContext *context, StringRef entry)
    : context(context), builder(context), location(UnknownLoc::get(context)) {
  context->loadDialect<WeftDialect, func::FuncDialect, arith::ArithDialect>();
  module = ModuleOp::create(location);
  builder.setInsertionPointToStart(module->getBody());
  function = func::FuncOp::create(builder, location, entry, builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
}

void GraphBuilder::setNode(StringRef name, StringRef opType) {
  if (name.empty() && opType.empty()) {
    location = UnknownLoc::get(context);
    return;
  }
  Location kind = opType.empty() ? Location(UnknownLoc::get(context))
                                 : Location(NameLoc::get(StringAttr::get(context, opType)));
  location = NameLoc::get(StringAttr::get(context, name.empty() ? opType : name), kind);
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

Value GraphBuilder::input(StringRef name, Type element, ArrayRef<Dim> dims) {
  Type type = getTensorType(dims, element);
  unsigned index = function.getNumArguments();
  DictionaryAttr attributes =
      builder.getDictionaryAttr(builder.getNamedAttr(names::kName, builder.getStringAttr(name)));
  if (mlir::failed(function.insertArgument(index, type, attributes, location))) {
    fail();
    return nullptr;
  }
  return function.getArgument(index);
}

void GraphBuilder::output(StringRef name, Value value) {
  if (!value)
    fail();
  outputs.emplace_back(name.str(), value);
}

OwningOpRef<ModuleOp> GraphBuilder::finish() {
  if (hasFailed)
    return nullptr;
  SmallVector<Value> values;
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  for (auto &[name, value] : outputs) {
    values.push_back(value);
    types.push_back(value.getType());
    attributes.push_back(
        builder.getDictionaryAttr(builder.getNamedAttr(names::kName, builder.getStringAttr(name))));
  }
  func::ReturnOp::create(builder, UnknownLoc::get(context), values);
  function.setType(builder.getFunctionType(function.getArgumentTypes(), types));
  function.setResAttrsAttr(builder.getArrayAttr(attributes));
  return std::move(module);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Value GraphBuilder::add(StringRef name, ValueRange operands, ArrayRef<NamedAttribute> attributes) {
  OperationState state(location, name, operands, /*types=*/{}, attributes);
  if (state.name.getStringRef() == MatmulOp::getOperationName())
    state.addRegion();
  return add(state);
}

LogicalResult GraphBuilder::settleTypes(Operation *operation) {
  SmallVector<Type> types;
  if (mlir::failed(mlir::cast<InferInterface>(operation).inferTypes(inference, types)))
    return failure();
  for (auto [value, type] : llvm::zip_equal(operation->getResults(), types))
    value.setType(type);
  // Inference does not look at element types; the operation's verifier does.
  return operation->getName().verifyInvariants(operation);
}

Value GraphBuilder::add(OperationState &state) {
  if (llvm::any_of(state.operands, [](Value value) { return !value; })) {
    fail();
    return nullptr;
  }
  // Made without its types, asked for them, then given them: inference needs an operation to ask.
  if (state.types.empty())
    state.addTypes(UnrankedTensorType::get(builder.getF32Type()));
  Operation *operation = builder.create(state);
  if (mlir::failed(settleTypes(operation))) {
    operation->erase();
    fail();
    return nullptr;
  }
  inference.follow(operation);
  return operation->getResult(0);
}

std::optional<SmallVector<Dim>> GraphBuilder::Inference::elements(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  return InferContext::elements(value);
}

void GraphBuilder::Inference::follow(Operation *op) {
  Value result = op->getResult(0);
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!isShort(result.getType()) ||
      !(type.getElementType().isSignlessInteger(64) || type.getElementType().isSignlessInteger(32)) ||
      isa<ConstantOp>(op))
    return;
  auto elements = mlir::cast<InferInterface>(op).inferContents(*this);
  if (!elements || int64_t(elements->size()) != type.getNumElements())
    return;
  // Symbols are weft-infer-shapes' affair, as are sums that 32 bits do not hold.
  for (Dim &element : *elements)
    if (std::optional<int64_t> number = element ? element.getConstant() : std::nullopt;
        !number || !llvm::isIntN(type.getElementTypeBitWidth(), *number))
      element = Dim();
  if (!llvm::all_of(*elements, [](Dim element) { return !element; }))
    known[result] = std::move(*elements);
}

/// Those made for a loop's body come before the loop, since front ends keep constants for later.
Value GraphBuilder::constant(RankedTensorType type, Attribute value) {
  OpBuilder::InsertionGuard guard(builder);
  if (outermostLoop)
    builder.setInsertionPoint(outermostLoop);
  return ConstantOp::create(builder, location, type, value);
}

template <typename T>
static Value makeConstantOf(GraphBuilder &graph, ArrayRef<int64_t> shape, ArrayRef<T> data, Type element) {
  auto type = RankedTensorType::get(shape, element);
  if (type.getNumElements() != int64_t(data.size())) {
    emitError(graph.getLocation()) << "expects " << type.getNumElements() << " elements for a constant, got "
                                   << data.size();
    graph.fail();
    return nullptr;
  }
  FailureOr<Attribute> value = makeConstant(type, graph.getLocation(), [&](MutableArrayRef<char> bytes) {
    if (!bytes.empty()) // of an empty list there may be no address
      memcpy(bytes.data(), data.data(), bytes.size());
  });
  if (mlir::failed(value)) {
    graph.fail();
    return nullptr;
  }
  return graph.constant(type, *value);
}

Value GraphBuilder::constant(ArrayRef<int64_t> shape, ArrayRef<float> data) {
  return makeConstantOf(*this, shape, data, f32());
}

Value GraphBuilder::constant(ArrayRef<int64_t> shape, ArrayRef<int64_t> data) {
  return makeConstantOf(*this, shape, data, i64());
}

static NamedAttribute axesAttribute(OpBuilder &builder, StringRef name, ArrayRef<int64_t> values) {
  return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
}

Value GraphBuilder::conv(Value input, Value filter, Value bias, ArrayRef<int64_t> strides,
                         ArrayRef<int64_t> pads, ArrayRef<int64_t> dilations, int64_t groups) {
  SmallVector<Value> operands{input, filter};
  if (bias)
    operands.push_back(bias);
  return add("weft.conv", operands,
             {axesAttribute(builder, "strides", strides), axesAttribute(builder, "pads", pads),
              axesAttribute(builder, "dilations", dilations),
              builder.getNamedAttr("groups", builder.getI64IntegerAttr(groups))});
}

Value GraphBuilder::gelu(Value input, GeluForm form) {
  return add("weft.gelu", {input}, builder.getNamedAttr("form", GeluFormAttr::get(context, form)));
}

Value GraphBuilder::where(Value condition, Value thenValue, Value elseValue) {
  return add("weft.where", {condition, thenValue, elseValue});
}

Value GraphBuilder::compare(ComparePredicate predicate, Value lhs, Value rhs) {
  return add("weft.compare", {lhs, rhs},
             builder.getNamedAttr("predicate", ComparePredicateAttr::get(context, predicate)));
}

Value GraphBuilder::cast(Value input, Type to) {
  return add("weft.cast", {input}, builder.getNamedAttr("to", TypeAttr::get(to)));
}

Value GraphBuilder::bitcast(Value input, Type to) {
  return add("weft.bitcast", {input}, builder.getNamedAttr("to", TypeAttr::get(to)));
}

Value GraphBuilder::reduce(ReduceKind kind, Value input, ArrayRef<int64_t> axes, bool keepdims) {
  SmallVector<NamedAttribute> attributes{builder.getNamedAttr("kind", ReduceKindAttr::get(context, kind)),
                                         axesAttribute(builder, "axes", axes)};
  if (keepdims)
    attributes.push_back(builder.getNamedAttr("keepdims", builder.getUnitAttr()));
  return add("weft.reduce", {input}, attributes);
}

Value GraphBuilder::cumulative(ReduceKind kind, Value input, int64_t axis, bool exclusive, bool reverse) {
  SmallVector<NamedAttribute> attributes{builder.getNamedAttr("kind", ReduceKindAttr::get(context, kind)),
                                         builder.getNamedAttr("axis", builder.getI64IntegerAttr(axis))};
  if (exclusive)
    attributes.push_back(builder.getNamedAttr("exclusive", builder.getUnitAttr()));
  if (reverse)
    attributes.push_back(builder.getNamedAttr("reverse", builder.getUnitAttr()));
  return add("weft.cumulative", {input}, attributes);
}

Value GraphBuilder::softmax(Value input, int64_t axis) {
  return add("weft.softmax", {input}, builder.getNamedAttr("axis", builder.getI64IntegerAttr(axis)));
}

Value GraphBuilder::logSoftmax(Value input, int64_t axis) {
  return add("weft.log_softmax", {input}, builder.getNamedAttr("axis", builder.getI64IntegerAttr(axis)));
}

Value GraphBuilder::layerNorm(Value input, Value scale, Value bias, int64_t axis, float epsilon) {
  SmallVector<Value> operands{input, scale};
  if (bias)
    operands.push_back(bias);
  return add("weft.layer_norm", operands,
             {builder.getNamedAttr("axis", builder.getI64IntegerAttr(axis)),
              builder.getNamedAttr("epsilon", builder.getF32FloatAttr(epsilon))});
}

Value GraphBuilder::rmsNorm(Value input, Value scale, int64_t axis, float epsilon) {
  return add("weft.rms_norm", {input, scale},
             {builder.getNamedAttr("axis", builder.getI64IntegerAttr(axis)),
              builder.getNamedAttr("epsilon", builder.getF32FloatAttr(epsilon))});
}

Value GraphBuilder::attention(Value query, Value key, Value value, double scale, EmptyRows emptyRows,
                              ValueRange captures, ScoreBody score, Value *weights, Value sink) {
  SmallVector<Value> operands{query, key, value};
  llvm::append_range(operands, captures);
  if (sink)
    operands.push_back(sink);
  OperationState state(location, AttentionOp::getOperationName(), operands, /*types=*/{},
                       {builder.getNamedAttr("scale", builder.getF64FloatAttr(scale)),
                        builder.getNamedAttr("empty_rows", EmptyRowsAttr::get(context, emptyRows))});
  auto segments = builder.getDenseI32ArrayAttr({1, 1, 1, int32_t(captures.size()), sink ? 1 : 0});
  state.addAttribute(AttentionOp::getOperandSegmentSizeAttr(), segments);
  Region *region = state.addRegion();
  bool isComplete = llvm::all_of(operands, [](Value operand) { return bool(operand); });
  if (score && isComplete) {
    Block &block = region->emplaceBlock();
    bool isF64 = getElementTypeOrSelf(query).isF64();
    block.addArgument(isF64 ? Type(builder.getF64Type()) : Type(builder.getF32Type()), location);
    for (int i = 0; i < 4; ++i)
      block.addArgument(builder.getIndexType(), location);
    for (Value capture : captures)
      block.addArgument(getElementTypeOrSelf(capture), location);
    OpBuilder body(context); // the block is of no operation yet, and so has no context
    body.setInsertionPointToEnd(&block);
    auto [changed, keep] = score(body, location, block.getArguments());
    YieldOp::create(body, location, ValueRange{changed, keep});
  }
  state.types.append(weights ? 2 : 1, UnrankedTensorType::get(builder.getF32Type()));
  Value result = add(state);
  if (weights)
    *weights = result ? result.getDefiningOp<AttentionOp>().getWeights() : nullptr;
  return result;
}

Value GraphBuilder::linearAttention(Value query, Value key, Value value, Value &state, Value decay,
                                    Value rate) {
  SmallVector<Value> operands{query, key, value, state};
  for (Value gate : {decay, rate})
    if (gate)
      operands.push_back(gate);
  OperationState made(location, LinearAttentionOp::getOperationName(), operands, /*types=*/{});
  auto segments = builder.getDenseI32ArrayAttr({1, 1, 1, 1, decay ? 1 : 0, rate ? 1 : 0});
  made.addAttribute(LinearAttentionOp::getOperandSegmentSizeAttr(), segments);
  made.types.append(2, UnrankedTensorType::get(builder.getF32Type()));
  Value result = add(made);
  state = result ? result.getDefiningOp<LinearAttentionOp>().getFinal() : nullptr;
  return result;
}

Value GraphBuilder::attention(Value query, Value key, Value value, double scale, EmptyRows emptyRows,
                              const ScoreMask &mask, Value *weights) {
  if (!mask.changesScores())
    return attention(query, key, value, scale, emptyRows, {}, nullptr, weights, mask.sink);
  auto write = [&](OpBuilder &body, Location location, ValueRange arguments) {
    return mask.write(body, location, arguments);
  };
  return attention(query, key, value, scale, emptyRows, mask.captures(), write, weights, mask.sink);
}

Value GraphBuilder::shape(Value input) {
  auto type = input ? dyn_cast<RankedTensorType>(input.getType()) : RankedTensorType();
  if (input && !type) {
    emitError(location) << "the shape of a tensor of unknown rank is not known";
    fail();
    return nullptr;
  }
  return shape(input, 0, type ? type.getRank() : 0);
}

Value GraphBuilder::shape(Value input, int64_t start, int64_t end) {
  return add("weft.shape", {input},
             {builder.getNamedAttr("start", builder.getI64IntegerAttr(start)),
              builder.getNamedAttr("end", builder.getI64IntegerAttr(end))});
}

Value GraphBuilder::reshape(Value input, Value shape, bool allowZero) {
  SmallVector<NamedAttribute> attributes;
  if (allowZero)
    attributes.push_back(builder.getNamedAttr("allow_zero", builder.getUnitAttr()));
  return add("weft.reshape", {input, shape}, attributes);
}

Value GraphBuilder::squeeze(Value input, ArrayRef<int64_t> axes) {
  return add("weft.squeeze", {input}, axesAttribute(builder, "axes", axes));
}

Value GraphBuilder::unsqueeze(Value input, ArrayRef<int64_t> axes) {
  return add("weft.unsqueeze", {input}, axesAttribute(builder, "axes", axes));
}

Value GraphBuilder::transpose(Value input, ArrayRef<int64_t> permutation) {
  return add("weft.transpose", {input}, axesAttribute(builder, "permutation", permutation));
}

Value GraphBuilder::concat(ValueRange inputs, int64_t axis) {
  return add("weft.concat", inputs, builder.getNamedAttr("axis", builder.getI64IntegerAttr(axis)));
}

Value GraphBuilder::slice(Value input, Value starts, Value ends, Value steps, ArrayRef<int64_t> axes) {
  SmallVector<Value> operands{input, starts, ends};
  if (steps)
    operands.push_back(steps);
  return add(
      "weft.slice", operands,
      {axesAttribute(builder, "axes", axes),
       builder.getNamedAttr("operandSegmentSizes", builder.getDenseI32ArrayAttr({1, 1, 1, steps ? 1 : 0}))});
}

Value GraphBuilder::trilu(Value input, bool upper, int64_t diagonal) {
  SmallVector<NamedAttribute> attributes{
      builder.getNamedAttr("diagonal", builder.getI64IntegerAttr(diagonal))};
  if (upper)
    attributes.push_back(builder.getNamedAttr("upper", builder.getUnitAttr()));
  return add("weft.trilu", {input}, attributes);
}

Value GraphBuilder::range(Value start, Value limit, Value delta) {
  return add("weft.range", {start, limit, delta},
             builder.getNamedAttr("operandSegmentSizes", builder.getDenseI32ArrayAttr({1, 1, 1})));
}

Value GraphBuilder::gather(Value data, Value indices, int64_t axis) {
  return add("weft.gather", {data, indices}, builder.getNamedAttr("axis", builder.getI64IntegerAttr(axis)));
}

Value GraphBuilder::scatterElements(ScatterKind kind, Value data, Value indices, Value updates,
                                    int64_t axis) {
  NamedAttribute attributes[] = {builder.getNamedAttr("kind", ScatterKindAttr::get(context, kind)),
                                 builder.getNamedAttr("axis", builder.getI64IntegerAttr(axis))};
  return add("weft.scatter_elements", {data, indices, updates}, attributes);
}
