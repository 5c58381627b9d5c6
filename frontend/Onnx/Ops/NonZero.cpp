// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index: NonZero and Compress, whose results are as long as their data says. How long is computed before the
// rest runs (weft-compute-sizes-first).
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

/// Whether every element is 1, or another number but 0: exporters write NonZero(ConstantOfShape(n)) for the
/// numbers up to n.
static bool isNowhereZero(Value value) {
  auto expand = value.getDefiningOp<ExpandOp>();
  auto constant = expand ? expand.getInput().getDefiningOp<ConstantOp>() : ConstantOp();
  auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!dense || !dense.isSplat())
    return false;
  if (auto integers = dyn_cast<DenseIntElementsAttr>(dense))
    return !integers.getSplatValue<APInt>().isZero();
  return !dense.getSplatValue<APFloat>().isZero();
}

/// The places in a list where it is not 0, in order: i64 [count].
static Value findNonZero(NodeImport &node, Value list) {
  GraphBuilder &graph = node.graph;
  if (isNowhereZero(list))
    return node.places(list, 0);
  Value one = graph.scalar(int64_t(1));
  Value isChosen = node.castTo(list, graph.boolean()), flags = graph.cast(isChosen, graph.i64());
  Value count = graph.reduce(ReduceKind::Sum, flags, {0}, /*keepdims=*/false);
  Value upTo = graph.cumulative(ReduceKind::Sum, flags, 0); // how many there are, the place included
  // All places in another order: those that are chosen, and behind them the others.
  Value places = node.places(list, 0);
  Value to =
      graph.where(isChosen, graph.subtract(upTo, one), graph.addition(count, graph.subtract(places, upTo)));
  Value order = graph.scatterElements(ScatterKind::Replace, places, to, places, 0);
  return graph.gather(order, node.placesUpTo(count), 0);
}

/// [rank, count]: of each element that is not 0 its index. Of a scalar there is none to say: [0, count].
static Value buildNonZero(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  Value input = node.input(0);
  std::optional<int64_t> rank = node.requireRank(input, "its input");
  if (!rank)
    return nullptr;
  Value list = *rank == 1 ? input : graph.reshape(input, {-1});
  Value left = findNonZero(node, list);
  if (*rank == 0)
    return graph.expand(graph.scalar(int64_t(0)), graph.concat({graph.vector({0}), graph.shape(left)}, 0));
  SmallVector<Value> rows;
  for (int64_t axis = 0; axis + 1 < *rank; ++axis) {
    Value stride = node.productOfDims(input, axis + 1, *rank), index = graph.divide(left, stride);
    rows.push_back(graph.unsqueeze(index, {0}));
    left = graph.subtract(left, graph.multiply(index, stride));
  }
  rows.push_back(graph.unsqueeze(left, {0}));
  return rows.size() == 1 ? rows.front() : graph.concat(rows, 0);
}

/// The slices along an axis, or of all elements in a row, for which the condition holds. It may be shorter.
static Value buildCompress(NodeImport &node) {
  Value input = node.input(0), condition = node.input(1);
  int64_t along = 0;
  if (node.has("axis")) {
    std::optional<int64_t> axis = node.axis(node.integer("axis", 0), NodeImport::rankOf(input));
    if (!axis)
      return nullptr;
    along = *axis;
  } else {
    input = node.graph.reshape(input, {-1});
  }
  return node.hasRank(condition, 1, "its condition")
             ? node.graph.gather(input, findNonZero(node, condition), along)
             : Value();
}

void weft::onnx::addNonZeroOps(OpTable &table) {
  table.add("NonZero", {9, 13}, 1, {}, buildNonZero);
  table.add("Compress", {9, 11}, 2, {{"axis", AttributeKind::Int}}, buildCompress);
}
