// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heads of attention.
#include "frontend/Onnx/Ops/Heads.h"
#include <cmath>

using namespace mlir;
using namespace weft;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;

Value onnx::splitHeads(NodeImport &node, Value x, int64_t heads, StringRef attribute) {
  if (!x || !node.hasRank(x, 3, "what it makes heads of"))
    return nullptr;
  std::optional<int64_t> size = NodeImport::knownSize(x, 2);
  if (heads <= 0 || (size && *size % heads != 0))
    return node.error(DiagnosticId::OperandType, "expects \"" + attribute +
                                                     "\" that divide the last dim, got " + Twine(heads) +
                                                     " heads of " + describeType(x.getType()));
  Value split = node.graph.reshape(x, {0, 0, heads, size ? *size / heads : -1});
  return node.graph.transpose(split, {0, 2, 1, 3});
}

Value onnx::mergeHeads(GraphBuilder &graph, Value x) {
  std::optional<int64_t> heads = NodeImport::knownSize(x, 1), width = NodeImport::knownSize(x, 3);
  return graph.reshape(graph.transpose(x, {0, 2, 1, 3}), {0, 0, heads && width ? *heads * *width : -1});
}

bool onnx::prependPast(NodeImport &node, size_t index, Value &key, Value &value) {
  Value pastKey = node.input(index), pastValue = node.input(index + 1);
  if (!pastKey && !pastValue)
    return true;
  if (!pastKey || !pastValue) {
    node.error(DiagnosticId::OperandType, "expects both of past_key and past_value, or neither");
    return false;
  }
  if (!node.hasRank(pastKey, 4, "past_key") || !node.hasRank(pastValue, 4, "past_value"))
    return false;
  key = node.graph.concat({pastKey, key}, 2);
  value = node.graph.concat({pastValue, value}, 2);
  return key && value;
}

/// 1 / sqrt(width).
static double takeWidthScale(NodeImport &node, Value &query) {
  if (std::optional<int64_t> width = NodeImport::knownSize(query, 3))
    return 1 / std::sqrt(double(*width));
  GraphBuilder &graph = node.graph;
  Value root = graph.sqrt(graph.cast(node.size(query, 3), graph.f32()));
  Value scale = graph.divide(graph.scalar(1.F), root);
  query = graph.multiply(query, graph.cast(scale, getElementTypeOrSelf(query)));
  return 1;
}

double onnx::takeScale(NodeImport &node, Value &query) {
  return node.has("scale") ? double(node.number("scale", 1)) : takeWidthScale(node, query);
}

double onnx::takeContribScale(NodeImport &node, Value &query) {
  double scale = node.number("scale", 0);
  return scale != 0 ? scale : takeWidthScale(node, query);
}
