// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction: what looks along one axis: ArgMax, ArgMin, Hardmax, CumSum and CumProd.
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/RunAxes.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;
using weft::onnx::OptionalInts;
using weft::onnx::RunAxes;

static Value argReduce(NodeImport &node, ReduceKind kind, Value input, int64_t axis, bool keepdims,
                       bool last) {
  MLIRContext *context = node.graph.getContext();
  Builder builder(context);
  SmallVector<NamedAttribute> attributes{builder.getNamedAttr("kind", ReduceKindAttr::get(context, kind)),
                                         builder.getNamedAttr("axis", builder.getI64IntegerAttr(axis))};
  if (keepdims)
    attributes.push_back(builder.getNamedAttr("keepdims", builder.getUnitAttr()));
  if (last)
    attributes.push_back(builder.getNamedAttr("last", builder.getUnitAttr()));
  return node.graph.add("weft.arg_reduce", {input}, attributes);
}

static Value buildArgReduce(NodeImport &node, ReduceKind kind) {
  std::optional<int64_t> axis = node.axis(node.integer("axis", 0), NodeImport::rankOf(node.input(0)));
  if (!axis)
    return nullptr;
  return argReduce(node, kind, node.input(0), *axis, node.integer("keepdims", 1) != 0,
                   node.integer("select_last_index", 0) != 0);
}

static Value cumulative(NodeImport &node, ReduceKind kind, Value input, int64_t axis) {
  return node.graph.cumulative(kind, input, axis, node.integer("exclusive", 0) != 0,
                               node.integer("reverse", 0) != 0);
}

/// Along an axis that a run gives: [a, b, c] with axis 1 is [a, b, c], and with axis 2 [a * b, c, 1].
static Value cumulateByRun(NodeImport &node, ReduceKind kind) {
  GraphBuilder &graph = node.graph;
  Value input = node.input(0);
  std::optional<RunAxes> axis = RunAxes::get(node, 1);
  if (!axis)
    return nullptr;
  if (axis->getCount() != 1)
    return node.error(DiagnosticId::OperandType,
                      "expects axis to be one number, got " + Twine(axis->getCount()));
  Value sizes = graph.shape(input), rows = axis->around(sizes);
  Value sums = cumulative(node, kind, graph.reshape(axis->checked(input), rows, /*allowZero=*/true), 1);
  return graph.reshape(sums, sizes, /*allowZero=*/true);
}

static Value buildCumulative(NodeImport &node, ReduceKind kind) {
  if (node.isGivenByRun(1))
    return cumulateByRun(node, kind);
  OptionalInts given = node.constantInts(1, "axis");
  if (!given)
    return nullptr;
  if (given->size() != 1)
    return node.error(DiagnosticId::OperandType,
                      "expects axis to be one number, got " + Twine(given->size()));
  std::optional<int64_t> axis = node.axis(given->front(), NodeImport::rankOf(node.input(0)));
  return axis ? cumulative(node, kind, node.input(0), *axis) : Value();
}

/// 1 where the first of the greatest elements along an axis is, else 0.
static Value hardmax(NodeImport &node, Value input, int64_t axis) {
  GraphBuilder &graph = node.graph;
  Value best = argReduce(node, ReduceKind::Max, input, axis, /*keepdims=*/true, /*last=*/false);
  Value places = node.places(input, axis);
  int64_t rank = *NodeImport::rankOf(input);
  places = graph.unsqueeze(places, llvm::to_vector(llvm::seq<int64_t>(1, rank - axis)));
  return graph.cast(graph.compare(ComparePredicate::Equal, places, best), getElementTypeOrSelf(input));
}

static Value buildHardmax(NodeImport &node) {
  std::optional<int64_t> rank = node.requireRank(node.input(0), "its input");
  std::optional<int64_t> axis = rank ? node.axis(node.integer("axis", -1), rank) : std::nullopt;
  return axis ? hardmax(node, node.input(0), *axis) : Value();
}

/// Before opset 13 all dims from the axis on are one row.
static Value buildHardmaxOfFlattened(NodeImport &node) {
  Value input = node.input(0);
  std::optional<int64_t> rank = node.requireRank(input, "its input");
  std::optional<int64_t> axis = rank ? node.axis(node.integer("axis", 1), rank) : std::nullopt;
  if (!axis)
    return nullptr;
  return node.ofFlattenedRows(input, *axis, [&](Value rows) { return hardmax(node, rows, *axis); });
}

void weft::onnx::addAxisOps(OpTable &table) {
  const AttributeRow axis = {"axis", AttributeKind::Int}, keepdims = {"keepdims", AttributeKind::Int};
  for (bool isMax : {true, false}) {
    StringRef name = isMax ? "ArgMax" : "ArgMin";
    ReduceKind kind = isMax ? ReduceKind::Max : ReduceKind::Min;
    auto build = [kind](NodeImport &node) { return buildArgReduce(node, kind); };
    table.add(name, {1, 11}, 1, {axis, keepdims}, build);
    table.add(name, {12, 13}, 1, {axis, keepdims, {"select_last_index", AttributeKind::Int}}, build);
  }
  const AttributeRow exclusive{"exclusive", AttributeKind::Int}, reverse{"reverse", AttributeKind::Int};
  table.add("CumSum", {11, 14}, 2, {exclusive, reverse},
            [](NodeImport &node) { return buildCumulative(node, ReduceKind::Sum); });
  table.add("CumProd", {26}, 2, {exclusive, reverse},
            [](NodeImport &node) { return buildCumulative(node, ReduceKind::Prod); });
  table.add("Hardmax", {1, 11}, 1, axis, buildHardmaxOfFlattened);
  table.add("Hardmax", {13}, 1, axis, buildHardmax);
}
