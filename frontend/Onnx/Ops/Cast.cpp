// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise: Cast, CastLike and BitCast.
#include "frontend/Onnx/Ops/Cast.h"
#include "frontend/Onnx/OpTable.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

/// What is beyond the greatest number of `to` becomes that number; NaN stays one.
static Value clampTo(NodeImport &node, Value input, FloatType to) {
  double most = APFloat::getLargest(to.getFloatSemantics()).convertToDouble();
  Type element = getElementTypeOrSelf(input);
  Value above = node.graph.add("weft.max", {input, node.scalar(element, -most)});
  return node.graph.add("weft.min", {above, node.scalar(element, most)});
}

/// A number whose exponent is that of `input` rounded to a power of two, as "round_mode" says and ONNX's
/// reference does: to the nearest, of two that are equally near the greater.
static Value roundToPower(NodeImport &node, Value input, bool isSaturated) {
  StringRef mode = node.text("round_mode", "up");
  if (mode != "up" && mode != "down" && mode != "nearest")
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects \"round_mode\" to be up, down or nearest, got \"" + mode + "\"");
  GraphBuilder &graph = node.graph;
  Type i32 = IntegerType::get(graph.getContext(), 32);
  auto number = [&](int64_t value) { return node.scalar(i32, double(value)); };
  constexpr int64_t magnitudes = 0x7FFFFFFF, infinity = 0x7F800000, leastNormal = 0x800000;
  Value bits = graph.bitcast(node.castTo(input, graph.f32()), i32);
  Value magnitude = graph.add("weft.bit_and", {bits, number(magnitudes)});
  Value rounded = magnitude;
  if (mode == "up") {
    rounded = graph.addition(magnitude, number(leastNormal - 1));
  } else if (mode == "nearest") {
    Value isSubnormal = graph.compare(ComparePredicate::Less, magnitude, number(leastNormal));
    Value half = graph.where(isSubnormal, number(leastNormal / 2 - 1), number(leastNormal / 2));
    rounded = graph.addition(magnitude, half);
  }
  if (isSaturated)
    rounded = graph.add("weft.min", {rounded, number(infinity - 1)});
  Value isFinite = graph.compare(ComparePredicate::Less, magnitude, number(infinity));
  return graph.bitcast(graph.where(isFinite, rounded, number(infinity)), graph.f32());
}

Value weft::onnx::buildCastTo(NodeImport &node, Value input, Type to) {
  if (!input)
    return nullptr;
  bool isSaturated = node.integer("saturate", 1) != 0;
  if (!isCompactFloat(to) || getElementTypeOrSelf(input) == to)
    return node.graph.cast(input, to);
  auto type = cast<FloatType>(to);
  Type element = getElementTypeOrSelf(input);
  if (!isa<FloatType>(element) || isCompactFloat(element))
    input = node.graph.cast(input, node.graph.f32());
  if (isa<Float8E8M0FNUType>(to))
    input = roundToPower(node, input, isSaturated);
  else if (isSaturated && type.getWidth() == 8) // Floats of 4 bits have neither infinity nor NaN.
    input = clampTo(node, input, type);
  return input ? node.graph.cast(input, to) : Value();
}

static Value buildCast(NodeImport &node) {
  Type type = node.elementType("to");
  return type ? buildCastTo(node, node.input(0), type) : Value();
}

static Value buildCastLike(NodeImport &node) {
  return buildCastTo(node, node.input(0), getElementTypeOrSelf(node.input(1)));
}

static Value buildBitCast(NodeImport &node) {
  Type to = node.elementType("to");
  return to ? node.graph.bitcast(node.input(0), to) : Value();
}

void weft::onnx::addCastOps(OpTable &table) {
  const AttributeRow to{"to", AttributeKind::Int, true}, saturate{"saturate", AttributeKind::Int},
      roundMode{"round_mode", AttributeKind::String};
  table.add("Cast", {6, 9, 13}, 1, {to}, buildCast);
  table.add("Cast", {19, 21, 23}, 1, {to, saturate}, buildCast);
  table.add("Cast", {24, 25}, 1, {to, saturate, roundMode}, buildCast);
  table.add("CastLike", {15}, 2, {}, buildCastLike);
  table.add("CastLike", {19, 21, 23}, 2, {saturate}, buildCastLike);
  table.add("CastLike", {24, 25}, 2, {saturate, roundMode}, buildCastLike);
  table.add("BitCast", {26}, 1, {to}, buildBitCast);
}
