// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantize: integers with scales and zero points, as arithmetic on floats and on integers of 32 bits.
#include "frontend/Onnx/Ops/Quantize.h"
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Cast.h"
#include "frontend/Onnx/Ops/GroupedWeights.h"
#include "frontend/Onnx/Ops/IntegerProduct.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

bool weft::onnx::isByte(Type element) { return element.isInteger(8) || element.isInteger(16); }

/// What is quantized to.
static bool isQuantized(Type element) {
  return onnx::isByte(element) || (isCompact(element) && !isa<Float8E8M0FNUType>(element));
}

/// The least and the greatest integer of less than eight bits.
static std::pair<double, double> rangeOf(Type element) {
  double count = double(1 << element.getIntOrFloatBitWidth());
  return element.isUnsignedInteger() ? std::pair(0.0, count - 1) : std::pair(-count / 2, count / 2 - 1);
}

/// round(scaled) + zero, saturating: a cast to bytes does that, and of NaN gives 0 (weft.cast). Floats are
/// rounded by the cast.
static Value roundTo(NodeImport &node, Value scaled, Value zero, Type element) {
  Value rounded = isa<FloatType>(element) ? scaled : node.graph.add("weft.round", {scaled});
  if (zero)
    rounded = node.graph.addition(rounded, zero);
  if (isa<IntegerType>(element) && isCompact(element)) {
    auto [least, most] = rangeOf(element);
    Value above = node.graph.add("weft.max", {rounded, node.graph.scalar(float(least))});
    rounded = node.graph.add("weft.min", {above, node.graph.scalar(float(most))});
  }
  return buildCastTo(node, rounded, element);
}

Value weft::onnx::dequantize(NodeImport &node, Value x, Value scale, Value zero) {
  Value wide = node.graph.cast(x, node.graph.f32());
  if (zero)
    wide = node.graph.subtract(wide, zero);
  return node.graph.multiply(wide, node.graph.cast(scale, node.graph.f32()));
}

Value weft::onnx::quantize(NodeImport &node, Value x, Value scale, Value zero, Type element) {
  return roundTo(node, node.graph.divide(x, scale), zero, element);
}

//===----------------------------------------------------------------------===//
// What belongs to elements: one number for all, for each index of an axis, or for each block of it
//===----------------------------------------------------------------------===//

/// Input `index` for blocks along the axis, as many elements as x has there.
static Value spreadBlocks(NodeImport &node, Value value, int64_t axis, int64_t block) {
  Value places = node.places(node.input(0), axis);
  return node.graph.gather(value, node.graph.divide(places, node.graph.scalar(block)), axis);
}

/// Whether a scale of those dims belongs to x's, as far as dims are known: to its axis, or to blocks of it.
static bool isForDims(Value scale, Value x, int64_t axis, int64_t block) {
  SmallVector<Dim> have = *getDims(scale), dims = *getDims(x);
  if (block == 0)
    dims = {dims[axis]};
  else if (dims[axis])
    dims[axis] = Dim::ceilDiv(dims[axis], Dim::constant(scale.getContext(), block));
  return llvm::all_of(llvm::zip_equal(have, dims), [](auto pair) {
    auto [left, right] = pair;
    return !left || !right || !left.getConstant() || !right.getConstant() || left == right;
  });
}

/// Input `index`, a scale or a zero point, so that it broadcasts to x; null after an error.
static Value alongAxis(NodeImport &node, size_t index) {
  Value value = node.input(index);
  std::optional<int64_t> rank = node.requireRank(value, "its scale");
  if (!rank || *rank == 0)
    return rank ? value : Value();
  auto type = cast<RankedTensorType>(value.getType());
  int64_t block = node.integer("block_size", 0);
  if (*rank == 1 && type.getDimSize(0) == 1 && block == 0) // one for all, whatever the axis
    return node.graph.squeeze(value, {0});
  std::optional<int64_t> rankOfX = node.requireRank(node.input(0), "its input");
  if (*rank == 1 && rankOfX == 1 && !node.has("axis") && block == 0) // there is no axis 1
    return node.graph.reshape(value, ArrayRef<int64_t>());
  std::optional<int64_t> axis = rankOfX ? node.axis(node.integer("axis", 1), rankOfX) : std::nullopt;
  if (!axis)
    return nullptr;
  if (block < 0 || *rank != (block > 0 ? *rankOfX : 1) || !isForDims(value, node.input(0), *axis, block))
    return node.error(DiagnosticId::OperandType, "expects one scale, one for each index of an axis, or for "
                                                 "each block of \"block_size\" indices, got " +
                                                     describeType(value.getType()) + " for " +
                                                     describeType(node.input(0).getType()) +
                                                     " and a \"block_size\" of " + Twine(block));
  if (block > 0)
    return spreadBlocks(node, value, *axis, block);
  return node.beforeOnes(value, *rankOfX - *axis - 1);
}

/// A zero point as floats that broadcast to x; null if there is none, or after an error.
static Value zeroPoint(NodeImport &node, size_t index) {
  Value zero = node.input(index) ? alongAxis(node, index) : Value();
  return zero ? node.graph.cast(zero, node.graph.f32()) : Value();
}

//===----------------------------------------------------------------------===//
// QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear
//===----------------------------------------------------------------------===//

/// The type that an attribute gives; nothing if it gives none; null after an error.
static std::optional<Type> typeAttribute(NodeImport &node, StringRef name) {
  return node.integer(name, 0) == 0 ? std::optional<Type>() : node.elementType(name);
}

/// saturate(round(x / scale) + zero). The quotient has the scale's type, or `precision`.
static Value buildQuantizeLinear(NodeImport &node) {
  std::optional<Type> output = typeAttribute(node, "output_dtype"),
                      precision = typeAttribute(node, "precision");
  Type to = node.input(2)        ? getElementTypeOrSelf(node.input(2))
            : output.has_value() ? *output
                                 : node.graph.u8();
  if (!to || (precision && !*precision))
    return nullptr;
  if (!isQuantized(to) || (output && *output != to))
    return node.error(DiagnosticId::OperandType,
                      "expects to quantize to the zero point's type, an integer of 16 bits or less or a "
                      "float of 8 or less, got " +
                          describeType(RankedTensorType::get({}, to)));
  Value scale = alongAxis(node, 1), zero = zeroPoint(node, 2);
  if (!scale || (node.input(2) && !zero))
    return nullptr;
  Type element = precision.value_or(getElementTypeOrSelf(scale));
  if (!precision && isCompactFloat(element))
    element = node.graph.f32();
  if (!isa<FloatType>(element) || isCompactFloat(element))
    return node.error(DiagnosticId::OperandType,
                      "expects a scale of floats, and a \"precision\" of those of 16 bits or more, got " +
                          describeType(scale.getType()));
  Value quotient =
      node.graph.divide(node.graph.cast(node.input(0), element), node.graph.cast(scale, element));
  return roundTo(node, node.graph.cast(quotient, node.graph.f32()), zero, to);
}

/// (x - zero) * scale in f32, rounded to the scale's type or to `output_dtype`.
static Value buildDequantizeLinear(NodeImport &node) {
  Type from = getElementTypeOrSelf(node.input(0));
  std::optional<Type> output = typeAttribute(node, "output_dtype");
  if (output && !*output)
    return nullptr;
  if (!isQuantized(from) && !from.isInteger(32))
    return node.error(DiagnosticId::OperandType,
                      "expects integers of 32 bits or less or floats of 8 or less, got " +
                          describeType(node.input(0).getType()));
  if (node.input(2) && getElementTypeOrSelf(node.input(2)) != from)
    return node.error(DiagnosticId::OperandType, "expects a zero point of its input's type, got " +
                                                     describeType(node.input(2).getType()));
  Type to = output.value_or(getElementTypeOrSelf(node.input(1)));
  if (!isa<FloatType>(to) || isCompactFloat(to))
    return node.error(DiagnosticId::OperandType,
                      "expects a scale, or an \"output_dtype\", of floats of 16 bits or more, got " +
                          describeType(RankedTensorType::get({}, to)));
  if (Value weights = onnx::buildGroupedWeights(node))
    return weights;
  Value scale = alongAxis(node, 1), zero = zeroPoint(node, 2);
  if (!scale || (node.input(2) && !zero))
    return nullptr;
  return node.graph.cast(onnx::dequantize(node, node.input(0), scale, zero), to);
}

onnx::DynamicBytes weft::onnx::quantizeDynamically(NodeImport &node, Value x) {
  std::optional<int64_t> rank = node.requireRank(x, "its input");
  if (!rank)
    return {};
  GraphBuilder &graph = node.graph;
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, *rank));
  auto extreme = [&](ReduceKind kind, StringRef name) {
    Value most = axes.empty() ? x : graph.reduce(kind, x, axes, /*keepdims=*/false);
    return graph.add(name, {most, graph.scalar(0.F)});
  };
  Value high = extreme(ReduceKind::Max, "weft.max"), low = extreme(ReduceKind::Min, "weft.min");
  Value range = graph.subtract(high, low), zero = graph.scalar(0.F), most = graph.scalar(255.F);
  Value isEmpty = graph.compare(ComparePredicate::Equal, range, zero);
  Value scale = graph.divide(graph.where(isEmpty, graph.scalar(1.F), range), most);
  Value middle = roundTo(node, graph.divide(graph.negate(low), scale), {}, graph.u8());
  return {quantize(node, x, scale, graph.cast(middle, graph.f32()), graph.u8()), scale, middle};
}

/// To bytes, with a scale and a zero point that all of x makes: 0 is one of the numbers that bytes stand for.
static Value buildDynamicQuantizeLinear(NodeImport &node) {
  onnx::DynamicBytes result = onnx::quantizeDynamically(node, node.input(0));
  node.setOutput(1, result.scale);
  node.setOutput(2, result.zero);
  return result.bytes;
}

//===----------------------------------------------------------------------===//
// MatMulInteger, QLinearMatMul
//===----------------------------------------------------------------------===//

/// What belongs to the rows of the left-hand side, if it has rank 1: one for all, or one for each, which
/// become a column. A vector is one row. Null after an error.
static Value asColumn(NodeImport &node, Value value, StringRef what) {
  std::optional<int64_t> rank = node.requireRank(value, what);
  std::optional<int64_t> rankOfLhs = node.requireRank(node.input(0), "its left-hand side");
  if (!rank || !rankOfLhs)
    return nullptr;
  if (*rank == 1 && *rankOfLhs == 1)
    return node.graph.reshape(value, ArrayRef<int64_t>());
  return *rank == 1 ? node.graph.unsqueeze(value, {1}) : value;
}

Value weft::onnx::lessZero(NodeImport &node, Value bytes, Value zero) {
  Type i32 = IntegerType::get(node.graph.getContext(), 32);
  if (!onnx::isByte(getElementTypeOrSelf(bytes)) ||
      (zero && getElementTypeOrSelf(zero) != getElementTypeOrSelf(bytes)))
    return node.error(DiagnosticId::OperandType,
                      "expects bytes and a zero point of their type, got " + describeType(bytes.getType()) +
                          (zero ? " and " + describeType(zero.getType()) : std::string()));
  Value wide = node.graph.cast(bytes, i32);
  return zero ? node.graph.subtract(wide, node.graph.cast(zero, i32)) : wide;
}

Value weft::onnx::requantize(NodeImport &node, Value x, Value zero) {
  Type to = getElementTypeOrSelf(zero);
  if (!onnx::isByte(to))
    return node.error(DiagnosticId::OperandType,
                      "expects a zero point of bytes, got " + describeType(zero.getType()));
  return roundTo(node, node.graph.addition(x, node.graph.cast(zero, node.graph.f32())), {}, to);
}

Value weft::onnx::multiplyBytes(NodeImport &node, Value left, Value leftZero, Value leftScale, Value right,
                                Value rightZero, Value rightScale, Value bias) {
  Value wideLeft = lessZero(node, left, leftZero),
        wideRight = wideLeft ? lessZero(node, right, rightZero) : Value();
  Value sums = wideRight ? node.graph.matmul(wideLeft, wideRight) : Value();
  if (sums && bias)
    sums = node.graph.addition(sums, bias);
  if (!sums || !leftScale || !rightScale)
    return nullptr;
  Value factor = node.graph.multiply(leftScale, rightScale);
  return node.graph.multiply(node.graph.cast(sums, getElementTypeOrSelf(factor)), factor);
}

/// A zero point of rank 1 is one for each row or, of the right-hand side, for each column.
static Value multiplyIntegers(NodeImport &node, Value lhs, Value given, Value rhs, Value rhsZero) {
  Value lhsZero = given ? asColumn(node, given, "its zero point") : Value();
  if (bool(given) != bool(lhsZero)) // asColumn has said why
    return nullptr;
  Value left = onnx::lessZero(node, lhs, lhsZero),
        right = left ? onnx::lessZero(node, rhs, rhsZero) : Value();
  return right ? node.graph.matmul(left, right) : Value();
}

static Value buildMatMulInteger(NodeImport &node) {
  return multiplyIntegers(node, node.input(0), node.input(2), node.input(1), node.input(3));
}

static Value scaleOf(NodeImport &node, size_t index, bool isForRows) {
  Value scale = isForRows ? asColumn(node, node.input(index), "its scale") : node.input(index);
  return scale ? node.graph.cast(scale, node.graph.f32()) : Value();
}

/// saturate(round((a - a_zero) (b - b_zero) * (a_scale b_scale / y_scale) + y_zero)), as ONNX's reference.
static Value buildQLinearMatMul(NodeImport &node) {
  Value sums = multiplyIntegers(node, node.input(0), node.input(2), node.input(3), node.input(5));
  Value left = scaleOf(node, 1, true), right = scaleOf(node, 4, false), out = scaleOf(node, 6, true);
  if (!sums || !left || !right || !out)
    return nullptr;
  GraphBuilder &graph = node.graph;
  Value zero = asColumn(node, node.input(7), "its zero point");
  if (!zero)
    return nullptr;
  Value factor = graph.divide(graph.multiply(left, right), out);
  return onnx::requantize(node, graph.multiply(graph.cast(sums, graph.f32()), factor), zero);
}

void weft::onnx::addQuantizeOps(OpTable &table) {
  const AttributeRow axis{"axis", AttributeKind::Int}, saturate{"saturate", AttributeKind::Int},
      block{"block_size", AttributeKind::Int}, output{"output_dtype", AttributeKind::Int},
      precision{"precision", AttributeKind::Int};
  table.add("QuantizeLinear", {10}, {2, 3}, {}, buildQuantizeLinear);
  table.add("QuantizeLinear", {13}, {2, 3}, {axis}, buildQuantizeLinear);
  table.add("QuantizeLinear", {19}, {2, 3}, {axis, saturate}, buildQuantizeLinear);
  table.add("QuantizeLinear", {21}, {2, 3}, {axis, saturate, block, output}, buildQuantizeLinear);
  table.add("QuantizeLinear", {23, 24, 25}, {2, 3}, {axis, saturate, block, output, precision},
            buildQuantizeLinear);
  table.add("DequantizeLinear", {10}, {2, 3}, {}, buildDequantizeLinear);
  table.add("DequantizeLinear", {13, 19}, {2, 3}, {axis}, buildDequantizeLinear);
  table.add("DequantizeLinear", {21}, {2, 3}, {axis, block}, buildDequantizeLinear);
  table.add("DequantizeLinear", {23, 24, 25}, {2, 3}, {axis, block, output}, buildDequantizeLinear);
  // What ONNX's had not yet when these were made: 16 bits, and scales of f16.
  table.add("com.microsoft.QuantizeLinear", {1}, {2, 3}, {axis}, buildQuantizeLinear);
  table.add("com.microsoft.DequantizeLinear", {1}, {2, 3}, {axis}, buildDequantizeLinear);
  table.add("DynamicQuantizeLinear", {11}, 1, {}, buildDynamicQuantizeLinear, /*maxOutputs=*/3);
  table.add("MatMulInteger", {10}, {2, 4}, {}, buildMatMulInteger);
  table.add("QLinearMatMul", {10, 21}, 8, {}, buildQLinearMatMul);
}
