// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index: TensorScatter, which writes new positions into a cache.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

/// Where the first position of each entry of the batch goes, as a column [batch]; 0 unless input 2 says.
static Value firstPositions(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  if (!node.input(2))
    return graph.expand(graph.scalar(int64_t(0)), graph.shape(node.input(0), 0, 1));
  Value given = node.input(2);
  if (!isa<IntegerType>(getElementTypeOrSelf(given)))
    return node.error(DiagnosticId::OperandType,
                      "expects write_indices of integers, got " + describeType(given.getType()));
  bool isForBatch =
      node.hasRank(given, 1, "write_indices") && node.requireDim(given, 0, node.input(0), 0, "write_indices");
  return isForBatch ? node.castTo(given, graph.i64()) : Value();
}

/// The cache as [lines, positions, elements], a line being what has positions of its own: so nothing moves
/// before rows are scattered into it. A position behind the last is an error of the run.
static Value buildTensorScatter(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  Value cache = node.input(0), update = node.input(1);
  StringRef mode = node.text("mode", "linear");
  if (mode != "linear" && mode != "circular")
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects \"mode\" to be linear or circular, got \"" + mode + "\"");
  std::optional<int64_t> rank = node.requireRankAtLeast(2);
  if (!rank || !node.hasRank(update, *rank, "an update"))
    return nullptr;
  std::optional<int64_t> axis = node.axis(node.integer("axis", -2), rank);
  if (axis == 0)
    return node.error(DiagnosticId::NodeAttributeRange, "expects \"axis\" to be behind the batch, got 0");
  for (int64_t dim = 0; axis && dim < *rank; ++dim)
    if (dim != *axis && !node.requireDim(update, dim, cache, dim, "an update"))
      return nullptr;
  Value first = axis ? firstPositions(node) : Value();
  if (!first)
    return nullptr;

  auto product = [&](int64_t begin, int64_t end) {
    return graph.reshape(node.productOfDims(cache, begin, end), {1});
  };
  Value one = graph.vector({1}), lines = product(0, *axis), elements = product(*axis + 1, *rank);
  Value size = graph.shape(cache, *axis, *axis + 1), count = graph.shape(update, *axis, *axis + 1);
  auto asLines = [&](Value x, Value positions) {
    return graph.reshape(x, graph.concat({lines, positions, elements}, 0), /*allowZero=*/true);
  };
  // The place of each position of each line: [lines, count, 2].
  Value perEntry = graph.concat({graph.shape(cache, 0, 1), product(1, *axis)}, 0);
  Value start = graph.reshape(graph.expand(graph.unsqueeze(first, {1}), perEntry),
                              graph.concat({lines, one}, 0), /*allowZero=*/true);
  Value position = graph.addition(start, node.places(update, *axis));
  if (mode == "circular")
    position = graph.add("weft.rem", {position, size});
  Value zero = graph.scalar(int64_t(0)), step = graph.scalar(int64_t(1));
  Value line = graph.range(zero, graph.reshape(lines, ArrayRef<int64_t>()), step);
  Value places = graph.concat({lines, count}, 0);
  Value index = graph.concat({graph.unsqueeze(graph.expand(graph.unsqueeze(line, {1}), places), {2}),
                              graph.unsqueeze(graph.expand(position, places), {2})},
                             2);
  Builder builder(graph.getContext());
  Value written =
      graph.add("weft.scatter_nd", {asLines(cache, size), index, asLines(update, count)},
                builder.getNamedAttr("kind", ScatterKindAttr::get(graph.getContext(), ScatterKind::Replace)));
  return graph.reshape(written, graph.shape(cache), /*allowZero=*/true);
}

void weft::onnx::addTensorScatter(OpTable &table) {
  table.add("TensorScatter", {24}, {2, 3}, {{"mode", AttributeKind::String}, {"axis", AttributeKind::Int}},
            buildTensorScatter);
}
