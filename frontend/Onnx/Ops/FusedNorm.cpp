// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Norm: operators of com.microsoft that normalise a sum, and embeddings that are normalised.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Quantize.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

static float epsilonOf(NodeImport &node) { return node.number("epsilon", 1e-12f); }

/// The last axis of rows; nothing after an error.
static std::optional<int64_t> lastAxis(NodeImport &node, Value rows) {
  std::optional<int64_t> rank = node.requireRank(rows, "its input");
  if (rank && *rank > 0)
    return *rank - 1;
  if (rank)
    node.error(DiagnosticId::OperandType, "expects rows, got " + describeType(rows.getType()));
  return std::nullopt;
}

/// Outputs that training alone reads are not computed. False after an error.
static bool checkUnread(NodeImport &node, ArrayRef<size_t> outputs) {
  for (size_t output : outputs)
    if (node.isRead(output)) {
      node.error(DiagnosticId::OperandType,
                 "expects that nothing reads output " + Twine(output) + ", which is for training");
      return false;
    }
  return true;
}

/// In the input's type; null stays null.
static Value asInput(NodeImport &node, Value value) {
  return node.castTo(value, getElementTypeOrSelf(node.input(0)));
}

/// Has a value have the dims of input 0, which nothing may enlarge; false after an error.
static bool requireDimsOfInput(NodeImport &node, Value &value, StringRef what) {
  int64_t rank = int64_t(getDims(node.input(0))->size());
  if (!node.hasRank(value, rank, what))
    return false;
  for (int64_t i = 0; i < rank; ++i)
    if (!node.requireDim(value, i, node.input(0), i, what))
      return false;
  return true;
}

/// The sum input + skip + bias, which is output 3 as well, in what it is computed in; `bias` may be null.
/// Null after an error.
static Value addSkip(NodeImport &node, Value bias) {
  Value sum = node.graph.addition(node.widened(node.input(0)), node.widened(node.input(1)));
  if (bias)
    sum = node.graph.addition(sum, node.widened(bias));
  if (!sum || !requireDimsOfInput(node, sum, "the sum"))
    return nullptr;
  node.setOutput(3, asInput(node, sum));
  return sum;
}

/// gamma, as long as a row; null after an error.
static Value scaleOf(NodeImport &node, int64_t axis) {
  Value scale = node.input(2);
  bool isRow = node.hasRank(scale, 1, "gamma") && node.requireDim(scale, 0, node.input(0), axis, "gamma");
  return isRow ? node.widened(scale) : Value();
}

/// input, skip, gamma, beta, bias.
static Value buildSkipLayerNormalization(NodeImport &node) {
  std::optional<int64_t> axis = lastAxis(node, node.input(0));
  if (!axis || !checkUnread(node, {1, 2}))
    return nullptr;
  Value sum = addSkip(node, node.input(4)), scale = scaleOf(node, *axis);
  if (!sum || !scale)
    return nullptr;
  return asInput(node, node.graph.layerNorm(sum, scale, node.widened(node.input(3)), *axis, epsilonOf(node)));
}

/// input, skip, gamma, bias.
static Value buildSkipSimplifiedLayerNormalization(NodeImport &node) {
  std::optional<int64_t> axis = lastAxis(node, node.input(0));
  if (!axis || !checkUnread(node, {1, 2}))
    return nullptr;
  Value sum = addSkip(node, node.input(3)), scale = scaleOf(node, *axis);
  return sum && scale ? asInput(node, node.graph.rmsNorm(sum, scale, *axis, epsilonOf(node))) : Value();
}

/// X [..., heads * width], a scale of that width, and a gate like X: rows of each head are normalised,
/// scaled, and multiplied by gate * sigmoid(gate), all in f32.
static Value buildGatedRMSNorm(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  Value x = node.input(0), scale = node.input(1), gate = node.input(2);
  std::optional<int64_t> axis = node.hasFloats(x) ? lastAxis(node, x) : std::nullopt;
  if (!axis || !node.hasRank(scale, 1, "its scale") || !requireDimsOfInput(node, gate, "its gate"))
    return nullptr;
  if (NodeImport::knownSize(scale, 0) == 0)
    return node.error(DiagnosticId::OperandType,
                      "expects a scale with elements, got " + describeType(scale.getType()));
  Value width = graph.shape(scale), heads = graph.divide(graph.shape(x, *axis, *axis + 1), width);
  Value rows = graph.reshape(node.widened(x), graph.concat({graph.shape(x, 0, *axis), heads, width}, 0),
                             /*allowZero=*/true);
  Value normed = graph.rmsNorm(rows, node.widened(scale), *axis + 1, node.number("epsilon", 1e-5f));
  Value factor = node.widened(gate);
  Value scaled = graph.multiply(graph.reshape(normed, graph.shape(x), /*allowZero=*/true), factor);
  return asInput(node, graph.multiply(scaled, graph.sigmoid(factor)));
}

/// How many ids of each row count, [batch]: output 1. Without a mask, 0. What is not 1 does not count.
static Value countMask(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  Type i32 = IntegerType::get(graph.getContext(), 32);
  if (node.input(7))
    return graph.reduce(ReduceKind::Sum,
                        graph.cast(graph.compare(ComparePredicate::Equal, node.input(7),
                                                 node.scalar(getElementTypeOrSelf(node.input(7)), 1)),
                                   i32),
                        {1}, /*keepdims=*/false);
  return graph.cast(graph.expand(graph.scalar(int64_t(0)), graph.shape(node.input(0), 0, 1)), i32);
}

namespace {
/// input_ids, segment_ids, word, position and segment embeddings, gamma, beta, mask, and position_ids; of
/// QEmbedLayerNormalization, whose tables are bytes, in place of the last a scale for each table, then zero
/// points.
class Embedding {
public:
  Embedding(NodeImport &node, bool isQuantized) : node(node), graph(node.graph), isQuantized(isQuantized) {}
  Value build();

private:
  static constexpr size_t kToScale = 6, kToZero = 11; ///< from a table to what belongs to it

  Value dequantized(Value bytes, size_t table) const {
    return isQuantized ? onnx::dequantize(node, bytes, node.scalarInput(table + kToScale), zeroOf(table))
                       : bytes;
  }
  Value zeroOf(size_t table) const { return node.castTo(node.scalarInput(table + kToZero), graph.f32()); }
  Value rowsOf(size_t table, Value ids) const {
    return dequantized(graph.gather(node.input(table), ids, 0), table);
  }

  NodeImport &node;
  GraphBuilder &graph;
  bool isQuantized;
};
} // namespace

Value Embedding::build() {
  if (!node.requireInputs({2, 3, 5, 6}) || !node.hasRank(node.input(0), 2, "input_ids") ||
      (node.input(7) && !node.hasRank(node.input(7), 2, "its mask")))
    return nullptr;
  if (bool(node.input(1)) != bool(node.input(4)))
    return node.error(DiagnosticId::OperandType,
                      "expects both of segment_ids and segment_embedding, or neither");
  for (size_t table : {2, 3, 4, 5, 6})
    if (isQuantized && node.input(table) && !node.requireInputs({table + kToScale}))
      return nullptr;
  Value positions =
      node.input(8) && !isQuantized ? node.input(8) : graph.unsqueeze(node.places(node.input(0), 1), {0});
  Value sum = graph.addition(rowsOf(2, node.input(0)), rowsOf(3, positions));
  if (node.input(1))
    sum = graph.addition(sum, rowsOf(4, node.input(1)));
  node.setOutput(1, countMask(node));
  node.setOutput(2, sum);
  return graph.layerNorm(sum, dequantized(node.input(5), 5), dequantized(node.input(6), 6), 2,
                         epsilonOf(node));
}

void weft::onnx::addFusedNormOps(OpTable &table) {
  const AttributeRow epsilon{"epsilon", AttributeKind::Float},
      maskIndexType{"mask_index_type", AttributeKind::Int};
  table.add("com.microsoft.SkipLayerNormalization", {1}, {3, 5}, {epsilon}, buildSkipLayerNormalization,
            /*maxOutputs=*/4);
  table.add("com.microsoft.SkipSimplifiedLayerNormalization", {1}, {3, 4}, {epsilon},
            buildSkipSimplifiedLayerNormalization, /*maxOutputs=*/4);
  table.add("com.microsoft.GatedRMSNorm", {1}, 3, {epsilon}, buildGatedRMSNorm);
  table.add(
      "com.microsoft.EmbedLayerNormalization", {1}, {1, 9}, {epsilon, maskIndexType},
      [](NodeImport &node) { return Embedding(node, /*isQuantized=*/false).build(); }, /*maxOutputs=*/3);
  table.add(
      "com.microsoft.QEmbedLayerNormalization", {1}, {1, 18}, {epsilon},
      [](NodeImport &node) { return Embedding(node, /*isQuantized=*/true).build(); }, /*maxOutputs=*/2);
}
