// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantize: operators of com.microsoft on bytes, which quantizers and optimizers of ONNX Runtime write: each
// is that of floats between what DequantizeLinear and QuantizeLinear compute.
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Activations.h"
#include "frontend/Onnx/Ops/IntegerProduct.h"
#include "frontend/Onnx/Ops/Pool.h"
#include "frontend/Onnx/Ops/Quantize.h"

using namespace mlir;
using namespace weft;
using weft::onnx::Arity;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// A scale, or a zero point as a float, as `quantize` takes them.
static Value floatAt(NodeImport &node, size_t index) {
  Value value = node.scalarInput(index);
  return value ? node.graph.cast(value, node.graph.f32()) : Value();
}

/// What the bytes of input `index` stand for; their scale and their zero point, which may be left out, are
/// behind them. Null after an error.
static Value floatsAt(NodeImport &node, size_t index) {
  Value number = onnx::lessZero(node, node.input(index), node.scalarInput(index + 2));
  Value scale = number ? floatAt(node, index + 1) : Value();
  return scale ? onnx::dequantize(node, number, scale, /*zero=*/nullptr) : Value();
}

/// Bytes for floats, by the scale that is input `index` and the zero point behind it. Without that they are
/// of input 0's type. Null for null, and after an error.
static Value bytesOf(NodeImport &node, Value x, size_t index) {
  Type element = getElementTypeOrSelf(node.input(index + 1) ? node.input(index + 1) : node.input(0));
  if (!onnx::isByte(element))
    return node.error(DiagnosticId::OperandType,
                      "expects bytes, got " + describeType(RankedTensorType::get({}, element)));
  Value scale = x ? floatAt(node, index) : Value();
  return scale ? onnx::quantize(node, x, scale, floatAt(node, index + 1), element) : Value();
}

//===----------------------------------------------------------------------===//
// Operators between DequantizeLinear and QuantizeLinear
//===----------------------------------------------------------------------===//

/// A and B, each with scale and zero point, and those of the result.
template <Value (GraphBuilder::*combine)(Value, Value)> static Value buildPair(NodeImport &node) {
  if (!node.requireInputs({3, 4, 6}))
    return nullptr;
  Value left = floatsAt(node, 0), right = left ? floatsAt(node, 3) : Value();
  return right ? bytesOf(node, (node.graph.*combine)(left, right), 6) : Value();
}

/// The result's scale and zero point, and three inputs for each part.
static Value buildConcat(NodeImport &node) {
  size_t count = node.getInputs().size();
  if (count < 5 || count % 3 != 2)
    return node.error(DiagnosticId::NodeArity,
                      "expects a scale, a zero point, and three inputs for each part, got " + Twine(count));
  SmallVector<Value> parts;
  for (size_t index = 2; index < count; index += 3) {
    if (!node.requireInputs({index, index + 1}))
      return nullptr;
    parts.push_back(floatsAt(node, index));
    if (!parts.back())
      return nullptr;
  }
  std::optional<int64_t> axis = node.axis(node.integer("axis", 0), NodeImport::rankOf(parts.front()));
  return axis ? bytesOf(node, node.graph.concat(parts, *axis), 0) : Value();
}

/// A condition, X, Y, and the result's scale and zero point.
static Value buildWhere(NodeImport &node) {
  Value x = floatsAt(node, 1), y = x ? floatsAt(node, 4) : Value();
  return y ? bytesOf(node, node.graph.where(node.input(0), x, y), 7) : Value();
}

/// x with scale and zero point, and those of f(x).
template <Value (*function)(NodeImport &, Value)> static Value buildUnary(NodeImport &node) {
  if (!node.requireInputs({3}))
    return nullptr;
  Value x = floatsAt(node, 0);
  return x ? bytesOf(node, function(node, x), 3) : Value();
}

static Value sigmoid(NodeImport &node, Value x) { return node.graph.sigmoid(x); }

/// The attribute "opset" says which Softmax is meant: before 13 all dims from the axis on are one row.
static Value softmax(NodeImport &node, Value x) {
  std::optional<int64_t> rank = node.requireRank(x, "its input");
  std::optional<int64_t> axis = rank ? node.axis(node.integer("axis", -1), rank) : std::nullopt;
  if (!axis)
    return nullptr;
  auto ofRows = [&](Value rows) { return node.graph.softmax(rows, *axis); };
  return node.integer("opset", 0) < 13 ? node.ofFlattenedRows(x, *axis, ofRows) : ofRows(x);
}

/// Reports an error where channels are said to be the last dim.
static bool hasChannelsFirst(NodeImport &node) {
  if (node.integer("channels_last", 0) == 0)
    return true;
  node.error(DiagnosticId::NodeAttributeRange, "expects no \"channels_last\", which is not supported yet");
  return false;
}

static Value averageOfAll(NodeImport &node, Value x) {
  std::optional<int64_t> rank = hasChannelsFirst(node) ? node.requireRankAtLeast(3) : std::nullopt;
  if (!rank)
    return nullptr;
  return node.graph.reduce(ReduceKind::Mean, x, llvm::to_vector(llvm::seq<int64_t>(2, *rank)),
                           /*keepdims=*/true);
}

static Value averageOfWindows(NodeImport &node, Value x) {
  return hasChannelsFirst(node) ? onnx::averagePool(node, x) : Value();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// A [M, K], B [K, N], either perhaps transposed, each with scale and zero point, C of i32 whose scale is
/// that of the sums, and the result's scale and zero point; without those the result is floats.
static Value buildQGemm(NodeImport &node) {
  if (!node.requireInputs({3, 4}) || !node.hasRank(node.input(0), 2, "A") ||
      !node.hasRank(node.input(3), 2, "B"))
    return nullptr;
  GraphBuilder &graph = node.graph;
  auto operand = [&](size_t index, StringRef transposes) {
    return node.integer(transposes, 0) ? graph.transpose(node.input(index), {1, 0}) : node.input(index);
  };
  Value leftScale = floatAt(node, 1), rightScale = graph.cast(node.input(4), graph.f32());
  if (float alpha = node.number("alpha", 1); alpha != 1 && leftScale)
    leftScale = graph.multiply(leftScale, graph.scalar(alpha));
  Value left = operand(0, "transA"), right = operand(3, "transB");
  Value product = onnx::multiplyBytes(node, left, node.scalarInput(2), leftScale, right, node.input(5),
                                      rightScale, node.input(6));
  // C and what belongs to columns enlarge nothing.
  if (!product || !node.requireDim(product, 0, left, 0, "the sum") ||
      !node.requireDim(product, 1, right, 1, "the sum"))
    return nullptr;
  return node.input(7) ? bytesOf(node, product, 7) : product;
}

/// A, B, their scales, their zero points, and a bias of floats.
static Value buildMatMulIntegerToFloat(NodeImport &node) {
  Value product = onnx::multiplyBytes(node, node.input(0), node.scalarInput(4), node.scalarInput(2),
                                      node.input(1), node.input(5), node.input(3));
  return product && node.input(6) ? node.graph.addition(product, node.input(6)) : product;
}

/// A of floats, which is quantized as a whole, B, its scale, its zero point, and a bias of floats.
static Value buildDynamicQuantizeMatMul(NodeImport &node) {
  if (!node.hasFloats(node.input(0)))
    return nullptr;
  onnx::DynamicBytes left = onnx::quantizeDynamically(node, node.input(0));
  Value product = left.bytes ? onnx::multiplyBytes(node, left.bytes, left.zero, left.scale, node.input(1),
                                                   node.input(3), node.input(2))
                             : Value();
  return product && node.input(4) ? node.graph.addition(product, node.input(4)) : product;
}

void weft::onnx::addQLinearOps(OpTable &table) {
  const AttributeRow axis{"axis", AttributeKind::Int}, channelsLast{"channels_last", AttributeKind::Int};
  const Arity unary(2, 5), pair(2, 8);
  table.add("com.microsoft.QLinearAdd", {1}, pair, {}, buildPair<&GraphBuilder::addition>);
  table.add("com.microsoft.QLinearMul", {1}, pair, {}, buildPair<&GraphBuilder::multiply>);
  table.add("com.microsoft.QLinearConcat", {1}, {2, Arity::kAnyOrNone}, {{"axis", AttributeKind::Int, true}},
            buildConcat);
  table.add("com.microsoft.QLinearWhere", {1}, 9, {}, buildWhere);
  table.add("com.microsoft.QLinearSigmoid", {1}, unary, {}, buildUnary<sigmoid>);
  table.add("com.microsoft.QLinearLeakyRelu", {1}, unary, {{"alpha", AttributeKind::Float}},
            buildUnary<onnx::leakyRelu>);
  table.add("com.microsoft.QLinearSoftmax", {1}, unary, {axis, {"opset", AttributeKind::Int, true}},
            buildUnary<softmax>);
  table.add("com.microsoft.QLinearGlobalAveragePool", {1}, unary, {channelsLast}, buildUnary<averageOfAll>);
  table.add("com.microsoft.QLinearAveragePool", {1}, unary,
            {{"auto_pad", AttributeKind::String},
             {"ceil_mode", AttributeKind::Int},
             channelsLast,
             {"count_include_pad", AttributeKind::Int},
             {"kernel_shape", AttributeKind::Ints, true},
             {"pads", AttributeKind::Ints},
             {"strides", AttributeKind::Ints}},
            buildUnary<averageOfWindows>);
  table.add("com.microsoft.QGemm", {1}, {2, 9},
            {{"alpha", AttributeKind::Float}, {"transA", AttributeKind::Int}, {"transB", AttributeKind::Int}},
            buildQGemm);
  table.add("com.microsoft.MatMulIntegerToFloat", {1}, {4, 7}, {}, buildMatMulIntegerToFloat);
  table.add("com.microsoft.DynamicQuantizeMatMul", {1}, {3, 5}, {}, buildDynamicQuantizeMatMul);
}
