// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers are packed again, without a sign, as rows along which the groups lie.
#include "frontend/Onnx/Ops/GroupedWeights.h"

using namespace mlir;
using namespace weft;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;

namespace {
class GroupedWeights {
public:
  explicit GroupedWeights(NodeImport &node) : node(node), graph(node.graph) {}
  bool match();
  Value build();

private:
  bool matchGroups();
  FailureOr<Attribute> pack(RankedTensorType type);
  Value asRows(Value value);
  int64_t groups() const { return llvm::divideCeil(length, group); }
  int64_t bytesOfRow() const { return llvm::divideCeil(length * bits, 8); }

  NodeImport &node;
  GraphBuilder &graph;
  ConstantOp numbers;
  Type element; ///< of the scales and of the result
  int64_t bits = 0, group = 0;
  int64_t rows = 0, length = 0; ///< of rows along which the groups lie
  bool isTransposed = false;    ///< Whether groups lie along columns.
  bool isPerLine = false;       ///< Whether a scale belongs to all of a row.
};
} // namespace

static bool isConstant(Value value) { return value && value.getDefiningOp<ConstantOp>(); }

/// How the scales say that groups lie.
bool GroupedWeights::matchGroups() {
  constexpr int64_t kLeastBlock = 16; // of what kernels are made for
  constexpr int64_t kGroupOfLine = 128;
  auto shape = cast<RankedTensorType>(numbers.getType()).getShape();
  auto scales = cast<RankedTensorType>(node.input(1).getType());
  std::optional<int64_t> axis = node.axis(node.integer("axis", 1), 2);
  int64_t block = node.integer("block_size", 0);
  if (!axis || !scales.hasStaticShape())
    return false;
  isPerLine = block == 0;
  if (isPerLine && (bits == 8 || scales.getRank() != 1 || scales.getDimSize(0) != shape[*axis]))
    return false;
  isTransposed = isPerLine ? *axis == 1 : *axis == 0;
  rows = shape[isTransposed ? 1 : 0], length = shape[isTransposed ? 0 : 1];
  group = isPerLine ? kGroupOfLine : block;
  if (rows == 0 || length == 0)
    return false;
  if (isPerLine)
    return true;
  SmallVector<int64_t> expected{rows, groups()};
  if (isTransposed)
    std::swap(expected[0], expected[1]);
  return block >= kLeastBlock && llvm::isPowerOf2_64(uint64_t(block)) &&
         scales.getShape() == ArrayRef(expected);
}

bool GroupedWeights::match() {
  numbers = node.input(0).getDefiningOp<ConstantOp>();
  auto type = numbers ? cast<RankedTensorType>(numbers.getType()) : RankedTensorType();
  if (!type || type.getRank() != 2 || !isa<IntegerType>(type.getElementType()) || !isConstant(node.input(1)))
    return false;
  bits = type.getElementTypeBitWidth();
  element = getElementTypeOrSelf(node.input(1));
  bool isOfScale = node.integer("output_dtype", 0) == 0;
  if (bits == 1 || bits > 8 || !isOfScale || !isa<Float32Type, Float16Type, BFloat16Type>(element))
    return false;
  if (Value zero = node.input(2))
    if (!isConstant(zero) || getElementTypeOrSelf(zero) != type.getElementType() ||
        cast<ShapedType>(zero.getType()).getShape() != cast<ShapedType>(node.input(1).getType()).getShape())
      return false;
  return matchGroups();
}

/// Numbers less the least one of their type, the first of a row in the lowest bits.
FailureOr<Attribute> GroupedWeights::pack(RankedTensorType type) {
  SmallVector<char> storage;
  FailureOr<ArrayRef<char>> bytes = readConstant(numbers, storage);
  if (failed(bytes))
    return failure();
  bool isSigned = getElementTypeOrSelf(numbers.getType()).isSignlessInteger();
  int64_t each = 8 / bits, perRow = type.getDimSize(1);
  unsigned offset = isSigned ? 1U << (bits - 1) : 0, mask = (1U << bits) - 1;
  return makeConstant(type, graph.getLocation(), [&](MutableArrayRef<char> packed) {
    llvm::fill(packed, 0);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t k = 0; k < length; ++k) {
        int64_t place = isTransposed ? k * rows + row : row * length + k;
        unsigned number = (uint8_t((*bytes)[place]) + offset) & mask;
        packed[row * perRow + k / each] |= char(number << (k % each * bits));
      }
  });
}

/// Scales or zero points as [rows, groups].
Value GroupedWeights::asRows(Value value) {
  if (isPerLine)
    return graph.expand(graph.unsqueeze(value, {1}), graph.vector({rows, groups()}));
  return isTransposed ? graph.transpose(value, {1, 0}) : value;
}

Value GroupedWeights::build() {
  auto type = RankedTensorType::get({rows, bytesOfRow()}, graph.u8());
  FailureOr<Attribute> packed = pack(type);
  if (failed(packed))
    return nullptr;
  bool isSigned = getElementTypeOrSelf(numbers.getType()).isSignlessInteger();
  Value zeros = node.scalar(element, isSigned ? double(1 << (bits - 1)) : 0);
  if (Value given = node.input(2))
    zeros = graph.addition(asRows(graph.cast(given, element)), zeros);
  Value matrix = onnx::dequantize(graph, graph.constant(type, *packed), asRows(node.input(1)), zeros, bits,
                                  group, length);
  return isTransposed ? graph.transpose(matrix, {1, 0}) : matrix;
}

Value weft::onnx::buildGroupedWeights(NodeImport &node) {
  GroupedWeights weights(node);
  return weights.match() ? weights.build() : Value();
}

std::optional<onnx::BlockedWeights> onnx::BlockedWeights::get(NodeImport &node) {
  BlockedWeights weights{node.integer("K", 0), node.integer("N", 0), node.integer("block_size", 0)};
  auto isSize = [](int64_t value) { return value > 0 && value < 1LL << 30; };
  if (!isSize(weights.K) || !isSize(weights.N))
    node.error(DiagnosticId::NodeAttributeRange,
               "expects positive \"K\" and \"N\", got " + Twine(weights.K) + " and " + Twine(weights.N));
  else if (!isSize(weights.block) || weights.block < 16 || !llvm::isPowerOf2_64(uint64_t(weights.block)))
    node.error(DiagnosticId::NodeAttributeRange,
               "expects a \"block_size\" that is a power of 2 and at least 16, got " + Twine(weights.block));
  else
    return weights;
  return std::nullopt;
}

Value weft::onnx::asMatrix(NodeImport &node, size_t index, Value value, int64_t rows, int64_t columns) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && type.hasStaticShape() && type.getNumElements() == rows * columns)
    return node.graph.reshape(value, {rows, columns});
  return node.error(DiagnosticId::OperandType, "expects an input " + Twine(index) + " of " + Twine(rows) +
                                                   " times " + Twine(columns) + " elements, got " +
                                                   describeType(value.getType()));
}

Value weft::onnx::dequantize(GraphBuilder &graph, Value numbers, Value scales, Value zeros, int64_t bits,
                             int64_t group, int64_t length, ArrayRef<float> table) {
  Builder builder(graph.getContext());
  SmallVector<NamedAttribute> attributes{builder.getNamedAttr("bits", builder.getI64IntegerAttr(bits)),
                                         builder.getNamedAttr("group", builder.getI64IntegerAttr(group)),
                                         builder.getNamedAttr("length", builder.getI64IntegerAttr(length))};
  if (!table.empty())
    attributes.push_back(builder.getNamedAttr("table", builder.getDenseF32ArrayAttr(table)));
  return graph.add("weft.dequantize", {numbers, scales, zeros}, attributes);
}

Value weft::onnx::unpackNumbers(NodeImport &node, Value bytes, Type element, int64_t bits, int64_t length) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(bytes.getType()).getShape());
  shape.back() = 1;
  auto type = RankedTensorType::get(shape, element);
  mlir::Attribute one = FloatAttr::get(element, 1);
  Value ones = node.graph.constant(type, DenseElementsAttr::get(type, one));
  return dequantize(node.graph, bytes, ones, node.scalar(element, 0), bits, length, length);
}
