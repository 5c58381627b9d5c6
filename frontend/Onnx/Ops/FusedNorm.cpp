// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Norm: operators of com.microsoft that normalise a sum, and embeddings that are normalised.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"

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

/// input_ids, segment_ids, word, position and segment embeddings, gamma, beta, mask, position_ids.
static Value buildEmbedLayerNormalization(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  if (!node.requireInputs({2, 3, 5, 6}) || !node.hasRank(node.input(0), 2, "input_ids") ||
      (node.input(7) && !node.hasRank(node.input(7), 2, "its mask")))
    return nullptr;
  if (bool(node.input(1)) != bool(node.input(4)))
    return node.error(DiagnosticId::OperandType,
                      "expects both of segment_ids and segment_embedding, or neither");
  Value positions = node.input(8) ? node.input(8) : graph.unsqueeze(node.places(node.input(0), 1), {0});
  Value sum = graph.addition(graph.gather(node.input(2), node.input(0), 0),
                             graph.gather(node.input(3), positions, 0));
  if (node.input(1))
    sum = graph.addition(sum, graph.gather(node.input(4), node.input(1), 0));
  node.setOutput(1, countMask(node));
  node.setOutput(2, sum);
  return graph.layerNorm(sum, node.input(5), node.input(6), 2, epsilonOf(node));
}

void weft::onnx::addFusedNormOps(OpTable &table) {
  const AttributeRow epsilon{"epsilon", AttributeKind::Float},
      maskIndexType{"mask_index_type", AttributeKind::Int};
  table.add("com.microsoft.SkipLayerNormalization", {1}, {3, 5}, {epsilon}, buildSkipLayerNormalization,
            /*maxOutputs=*/4);
  table.add("com.microsoft.SkipSimplifiedLayerNormalization", {1}, {3, 4}, {epsilon},
            buildSkipSimplifiedLayerNormalization, /*maxOutputs=*/4);
  table.add("com.microsoft.GatedRMSNorm", {1}, 3, {epsilon}, buildGatedRMSNorm);
  table.add("com.microsoft.EmbedLayerNormalization", {1}, {1, 9}, {epsilon, maskIndexType},
            buildEmbedLayerNormalization, /*maxOutputs=*/3);
}
