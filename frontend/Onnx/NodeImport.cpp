// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes, constants and axes of a node, with the errors that all operators share.
#include "frontend/Onnx/NodeImport.h"

using namespace mlir;
using namespace weft;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OptionalInts;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

int64_t NodeImport::integer(StringRef name, int64_t otherwise) const {
  const Attribute *attribute = node.attribute(name);
  return attribute ? attribute->ints.front() : otherwise;
}

Type NodeImport::elementType(StringRef name) {
  int64_t number = integer(name, 0);
  bool isKnown = number > 0 && number <= int64_t(ElementType::Last);
  if (Type type = isKnown ? getElementType(graph.getContext(), ElementType(number)) : Type())
    return type;
  error(DiagnosticId::ElementTypeUnsupported,
        "expects \"" + name + "\" to be a type that Weft computes with, got " +
            (isKnown ? elementTypeName(ElementType(number)) : Twine("number ") + Twine(number)));
  return nullptr;
}

float NodeImport::number(StringRef name, float otherwise) const {
  const Attribute *attribute = node.attribute(name);
  return attribute ? attribute->floats.front() : otherwise;
}

StringRef NodeImport::text(StringRef name, StringRef otherwise) const {
  const Attribute *attribute = node.attribute(name);
  return attribute ? StringRef(attribute->strings.front()) : otherwise;
}

ArrayRef<std::string> NodeImport::texts(StringRef name) const {
  const Attribute *attribute = node.attribute(name);
  return attribute ? ArrayRef<std::string>(attribute->strings) : ArrayRef<std::string>();
}

OptionalInts NodeImport::integers(StringRef name) const {
  const Attribute *attribute = node.attribute(name);
  if (!attribute)
    return std::nullopt;
  return SmallVector<int64_t>(attribute->ints.begin(), attribute->ints.end());
}

ArrayRef<float> NodeImport::numbers(StringRef name) const {
  const Attribute *attribute = node.attribute(name);
  return attribute ? ArrayRef<float>(attribute->floats) : ArrayRef<float>();
}

const weft::onnx::Tensor *NodeImport::tensor(StringRef name) const {
  const Attribute *attribute = node.attribute(name);
  return attribute ? &attribute->tensors.front() : nullptr;
}

// The reader has checked this, but for subgraphs that a call of a function gives.
const weft::onnx::Graph *NodeImport::subgraph(StringRef name, size_t inputCount, size_t subgraphOutputs) {
  const Attribute *attribute = node.attribute(name);
  if (!attribute || attribute->kind != AttributeKind::Graph || attribute->graphs.size() != 1) {
    error(DiagnosticId::SubgraphArity, "expects a graph as attribute " + quoted(name) + ", got none");
    return nullptr;
  }
  const Graph &graph = attribute->graphs.front();
  if (graph.inputs.size() == inputCount && graph.outputs.size() == subgraphOutputs)
    return &graph;
  error(DiagnosticId::SubgraphArity, "expects " + quoted(name) + " to have " + Twine(inputCount) +
                                         " inputs and " + Twine(subgraphOutputs) + " outputs, got " +
                                         Twine(graph.inputs.size()) + " and " + Twine(graph.outputs.size()));
  return nullptr;
}

const SmallVector<Value> *NodeImport::sequence(size_t index) {
  bool isSequence = index < given.size() && given[index].elements;
  if (isSequence && given[index].tail)
    return error(DiagnosticId::ControlFlow, "expects a sequence of known length, got one that a loop has "
                                            "appended to as often as a run decides");
  if (isSequence)
    return &*given[index].elements;
  error(DiagnosticId::OperandType, "expects input " + Twine(index) + " to be a sequence, got a tensor");
  return nullptr;
}

//===----------------------------------------------------------------------===//
// What must be known at import
//===----------------------------------------------------------------------===//

bool NodeImport::isGivenByRun(size_t index) const {
  Value value = input(index);
  return value && !value.getDefiningOp<ConstantOp>() && !knownInts(value);
}

std::optional<int64_t> NodeImport::knownInt(Value value) const {
  OptionalInts values = knownInts(value);
  return values && values->size() == 1 ? std::optional<int64_t>(values->front()) : std::nullopt;
}

weft::Dim NodeImport::knownDim(Value value) const {
  auto elements = known.elements(value);
  return elements && elements->size() == 1 ? elements->front() : weft::Dim();
}

std::optional<int64_t> NodeImport::fixedSize(Value value, int64_t dim) const {
  weft::Dim size = known.fix((*getDims(value))[dim]);
  return size ? size.getConstant() : std::nullopt;
}

/// The elements of an integer constant.
static OptionalInts readInts(ConstantOp constant, RankedTensorType type) {
  SmallVector<char> storage;
  FailureOr<ArrayRef<char>> bytes = readConstant(constant, storage);
  if (failed(bytes))
    return std::nullopt; // It has said why.
  int64_t width = getElementBytes(type.getElementType());
  SmallVector<int64_t> values;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    uint64_t value = 0;
    memcpy(&value, bytes->data() + i * width, width);
    bool isBool = type.getElementType().isInteger(1);
    values.push_back(isBool ? int64_t(value) : llvm::SignExtend64(value, 8 * width));
  }
  return values;
}

OptionalInts NodeImport::constantInts(size_t index, StringRef what) {
  constexpr int64_t kMostElements = 4096; // Axes, sizes of parts and the like are few.
  auto constant = input(index).getDefiningOp<ConstantOp>();
  if (!constant) {
    if (OptionalInts followed = knownInts(input(index)))
      return followed;
    error(DiagnosticId::InputNotConstant,
          "expects input " + Twine(index) + " (" + what +
              ") to be a constant, got a computed value; fold constants in the model before the import");
    return std::nullopt;
  }
  auto type = cast<RankedTensorType>(constant.getType());
  if (!type.getElementType().isSignlessInteger() || type.getNumElements() > kMostElements ||
      type.getRank() > 1) {
    error(DiagnosticId::OperandType, "expects input " + Twine(index) + " (" + what +
                                         ") to be a short list of integers, got " + describeType(type));
    return std::nullopt;
  }
  return readInts(constant, type);
}

bool NodeImport::integersOrInput(StringRef name, size_t index, OptionalInts &list) {
  list = integers(name);
  if (list || !input(index))
    return true;
  list = constantInts(index, name);
  return list.has_value();
}

bool NodeImport::requireInputs(ArrayRef<size_t> indices) {
  for (size_t index : indices)
    if (!input(index)) {
      error(DiagnosticId::NodeArity, "expects input " + Twine(index) + ", which is left out");
      return false;
    }
  return true;
}

// Of a value that is null the builder has said why: what follows from it says nothing more.

std::optional<int64_t> NodeImport::rankOf(Value value) {
  if (!value)
    return std::nullopt;
  auto type = cast<ShapedType>(value.getType());
  return type.hasRank() ? std::optional<int64_t>(type.getRank()) : std::nullopt;
}

std::optional<int64_t> NodeImport::requireRank(Value value, StringRef what) {
  std::optional<int64_t> rank = rankOf(value);
  if (!rank)
    error(DiagnosticId::RankUnknown, "expects " + what +
                                         " to have a known rank, got a tensor whose rank depends on "
                                         "data");
  return rank;
}

std::optional<int64_t> NodeImport::knownSize(Value value, int64_t dim) {
  SmallVector<weft::Dim> dims = *getDims(value);
  weft::Dim size = dims[dim < 0 ? dim + int64_t(dims.size()) : dim];
  return size ? size.getConstant() : std::nullopt;
}

bool NodeImport::hasFloats(Value value) {
  if (!value)
    return false;
  Type element = getElementTypeOrSelf(value);
  if (isa<FloatType>(element) && !isCompactFloat(element))
    return true;
  error(DiagnosticId::OperandType, "expects floats, got " + describeType(value.getType()));
  return false;
}

bool NodeImport::hasIndices(Value value, const Twine &what) {
  if (!value)
    return false;
  Type element = getElementTypeOrSelf(value);
  if (element.isSignlessInteger(32) || element.isSignlessInteger(64))
    return true;
  error(DiagnosticId::OperandType,
        "expects " + what + " of int32 or int64, got " + describeType(value.getType()));
  return false;
}

std::optional<int64_t> NodeImport::requireRankAtLeast(int64_t least) {
  std::optional<int64_t> rank = requireRank(input(0), "its input");
  if (!rank || *rank >= least)
    return rank;
  error(DiagnosticId::OperandType,
        "expects an input of at least " + Twine(least) + " dims, got " + describeType(input(0).getType()));
  return std::nullopt;
}

bool NodeImport::hasRank(Value value, int64_t rank, StringRef what) {
  std::optional<int64_t> known = requireRank(value, what);
  if (known && *known != rank)
    error(DiagnosticId::OperandType,
          "expects " + what + " to have rank " + Twine(rank) + ", got " + describeType(value.getType()));
  return known == rank;
}

bool NodeImport::requireDim(Value &value, int64_t dim, weft::Dim expected, Value size, StringRef what) {
  weft::Dim have = (*getDims(value))[dim];
  if (have && expected && have == expected)
    return true;
  std::optional<int64_t> known = have ? have.getConstant() : std::nullopt,
                         wanted = expected ? expected.getConstant() : std::nullopt;
  if (known && wanted) {
    error(DiagnosticId::OperandType, "expects " + what + " to be " + Twine(*wanted) + " in dim " +
                                         Twine(dim) + ", got " + describeType(value.getType()));
    return false;
  }
  value = withDim(value, dim, graph.unsqueeze(size, {0}));
  return bool(value);
}

bool NodeImport::requireDim(Value &value, int64_t dim, Value other, int64_t otherDim, StringRef what) {
  return requireDim(value, dim, (*getDims(other))[otherDim], size(other, otherDim), what);
}

bool NodeImport::requireDim(Value &value, int64_t dim, int64_t expected, StringRef what) {
  return requireDim(value, dim, weft::Dim::constant(graph.getContext(), expected), graph.scalar(expected),
                    what);
}

std::optional<int64_t> NodeImport::axis(int64_t axis, std::optional<int64_t> rank, bool mayBeEnd) {
  if (!rank) {
    if (axis >= 0)
      return axis;
    error(DiagnosticId::RankUnknown, "expects an axis that counts from the front, got " + Twine(axis) +
                                         " of a tensor whose rank depends on data");
    return std::nullopt;
  }
  if (axis < -*rank || axis >= *rank + (mayBeEnd ? 1 : 0)) {
    error(DiagnosticId::NodeAttributeRange,
          "expects an axis within rank " + Twine(*rank) + ", got " + Twine(axis));
    return std::nullopt;
  }
  return axis < 0 ? axis + *rank : axis;
}

OptionalInts NodeImport::axes(ArrayRef<int64_t> axes, std::optional<int64_t> rank) {
  SmallVector<int64_t> result;
  for (int64_t given : axes) {
    std::optional<int64_t> normal = axis(given, rank);
    if (!normal)
      return std::nullopt;
    result.push_back(*normal);
  }
  llvm::sort(result);
  auto twice = std::adjacent_find(result.begin(), result.end());
  if (twice == result.end())
    return result;
  error(DiagnosticId::NodeAttributeRange, "expects each axis once, got axis " + Twine(*twice) + " twice");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Constants and shape arithmetic
//===----------------------------------------------------------------------===//

Value NodeImport::scalar(Type element, double value) {
  auto type = RankedTensorType::get({}, element);
  if (auto floating = dyn_cast<FloatType>(element))
    return graph.constant(type,
                          DenseElementsAttr::get(type, mlir::Attribute(FloatAttr::get(floating, value))));
  return graph.constant(
      type, DenseElementsAttr::get(type, mlir::Attribute(IntegerAttr::get(element, int64_t(value)))));
}

Value NodeImport::castTo(Value value, Type element) {
  return !value || getElementTypeOrSelf(value) == element ? value : graph.cast(value, element);
}

Value NodeImport::widened(Value value) {
  auto element = value ? dyn_cast<FloatType>(getElementTypeOrSelf(value)) : FloatType();
  return element && element.getWidth() < 32 ? graph.cast(value, graph.f32()) : value;
}

Value NodeImport::scalarInput(size_t index) {
  return input(index) ? graph.reshape(input(index), ArrayRef<int64_t>()) : Value();
}

Value NodeImport::indexScalar(Value value, const Twine &what) {
  return hasIndices(value, what) ? castTo(graph.reshape(value, ArrayRef<int64_t>()), graph.i64()) : Value();
}

Value NodeImport::element(Value vector, int64_t index) {
  return graph.gather(vector, graph.scalar(index), /*axis=*/0);
}

Value NodeImport::beforeOnes(Value vector, int64_t count) {
  return count == 0 ? vector : graph.unsqueeze(vector, llvm::to_vector(llvm::seq<int64_t>(1, 1 + count)));
}

Value NodeImport::withDim(Value value, int64_t begin, int64_t end, Value size) {
  if (!value || !size)
    return nullptr;
  int64_t rank = *rankOf(value);
  SmallVector<Value> sizes;
  if (begin > 0)
    sizes.push_back(graph.shape(value, 0, begin));
  sizes.push_back(size);
  if (end < rank)
    sizes.push_back(graph.shape(value, end, rank));
  return graph.reshape(value, sizes.size() > 1 ? graph.concat(sizes, 0) : size, /*allowZero=*/true);
}

Value NodeImport::productOfDims(Value value, int64_t begin, int64_t end) {
  SmallVector<weft::Dim> dims = *getDims(value);
  weft::Dim product = weft::Dim::product(graph.getContext(), ArrayRef(dims).slice(begin, end - begin));
  if (product && product.getConstant())
    return graph.scalar(*product.getConstant());
  Value shape = graph.shape(value), result;
  for (int64_t i = begin; i < end; ++i)
    result = result ? graph.multiply(result, element(shape, i)) : element(shape, i);
  return result;
}

Value NodeImport::flattenRows(Value value, int64_t axis) {
  Value row = graph.unsqueeze(productOfDims(value, axis, *rankOf(value)), 0);
  Value shape = axis > 0 ? graph.concat({graph.shape(value, 0, axis), row}, 0) : row;
  return graph.reshape(value, shape, /*allowZero=*/true);
}

Value NodeImport::ofFlattenedRows(Value value, int64_t axis, function_ref<Value(Value)> function) {
  SmallVector<weft::Dim> dims = *getDims(value);
  auto isOne = [](weft::Dim dim) { return dim && dim.getConstant() == 1; };
  if (llvm::all_of(ArrayRef(dims).drop_front(axis + 1), isOne)) // they are rows as they are
    return function(value);
  return graph.reshape(function(flattenRows(value, axis)), graph.shape(value), /*allowZero=*/true);
}

std::nullptr_t NodeImport::error(DiagnosticId id, const Twine &text) {
  diagnostics.error(id, place, text);
  return nullptr;
}
