// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention: FlexAttention of ai.onnx.preview, whose subgraphs change scores and probabilities. It becomes
// what it stands for; attention is recognized in that as in any graph (weft-fuse-attention).
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Heads.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

/// Keys or values [batch, heads, length, width] for as many heads as the query has: each for as many in a
/// row as share it.
static Value repeatHeads(NodeImport &node, Value x, Value query) {
  GraphBuilder &graph = node.graph;
  Dim heads = (*getDims(x))[1];
  if (heads && heads == (*getDims(query))[1])
    return x;
  Value shared = graph.divide(graph.shape(query, 1, 2), graph.shape(x, 1, 2));
  Value spread = graph.concat({graph.shape(x, 0, 2), shared, graph.shape(x, 2, 4)}, 0);
  Value rows = graph.concat({graph.shape(x, 0, 1), graph.shape(query, 1, 2), graph.shape(x, 2, 4)}, 0);
  return graph.reshape(graph.expand(graph.unsqueeze(x, {2}), spread), rows, /*allowZero=*/true);
}

/// What the subgraph of that name makes of scores or probabilities; they themselves if there is none. Null
/// after an error.
static Value modify(NodeImport &node, StringRef name, Value x) {
  if (!node.has(name))
    return x;
  const onnx::Graph *subgraph = node.subgraph(name, /*inputCount=*/1, /*subgraphOutputs=*/1);
  auto outputs = subgraph ? node.import(*subgraph, {x}, name) : std::nullopt;
  Value modified = outputs ? outputs->front().tensor : Value();
  if (modified && getElementTypeOrSelf(modified) != getElementTypeOrSelf(x))
    return node.error(DiagnosticId::OperandType, "expects \"" + name + "\" to keep the element type, " +
                                                     describeType(x.getType()) + ", got " +
                                                     describeType(modified.getType()));
  for (int64_t dim = 0; modified && dim < 4; ++dim)
    if (!node.hasRank(modified, 4, "a subgraph's result") ||
        !node.requireDim(modified, dim, x, dim, "a subgraph's result"))
      return nullptr;
  return modified;
}

static Value buildFlexAttention(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  for (Value x : node.getInputs())
    if (!node.hasFloats(x) || !node.hasRank(x, 4, "a query, keys and values"))
      return nullptr;
  Value query = node.input(0), keys = node.input(1), values = node.input(2);
  if (!node.requireDim(keys, 0, query, 0, "keys") || !node.requireDim(keys, 3, query, 3, "keys"))
    return nullptr;
  for (int64_t dim : {0, 1, 2})
    if (!node.requireDim(values, dim, keys, dim, "values"))
      return nullptr;
  Type element = getElementTypeOrSelf(query), precision = element.isF64() ? element : graph.f32();
  if (node.integer("softmax_precision", 0) != 0 && !(precision = node.elementType("softmax_precision")))
    return nullptr;
  double scale = onnx::takeScale(node, query);
  Value key = repeatHeads(node, keys, query), value = repeatHeads(node, values, query);
  Value scores = graph.matmul(query, graph.transpose(key, {0, 1, 3, 2}));
  if (scale != 1)
    scores = graph.multiply(scores, node.scalar(element, scale));
  scores = modify(node, "score_mod", node.castTo(scores, precision));
  Value weights = scores ? modify(node, "prob_mod", graph.softmax(scores, 3)) : Value();
  return weights ? node.castTo(graph.matmul(weights, node.castTo(value, precision)), element) : Value();
}

void weft::onnx::addFlexAttention(OpTable &table) {
  const AttributeRow score{"score_mod", AttributeKind::Graph}, probability{"prob_mod", AttributeKind::Graph};
  table.add("ai.onnx.preview.FlexAttention", {1}, 3,
            {{"scale", AttributeKind::Float}, {"softmax_precision", AttributeKind::Int}, score, probability},
            buildFlexAttention);
}
