// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index: the Gather and Scatter operators, TopK and OneHot.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

static NamedAttribute integerAttribute(NodeImport &node, StringRef name, int64_t value) {
  Builder builder(node.graph.getContext());
  return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
}

static std::optional<int64_t> axisOf(NodeImport &node, int64_t otherwise) {
  return node.axis(node.integer("axis", otherwise), NodeImport::rankOf(node.input(0)));
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

static Value buildGather(NodeImport &node) {
  std::optional<int64_t> axis = axisOf(node, 0);
  return axis ? node.graph.gather(node.input(0), node.input(1), *axis) : Value();
}

static Value gatherElements(NodeImport &node, Value data, Value indices, int64_t axis) {
  return node.graph.add("weft.gather_elements", {data, indices}, integerAttribute(node, "axis", axis));
}

static Value buildGatherElements(NodeImport &node) {
  std::optional<int64_t> axis = axisOf(node, 0);
  return axis ? gatherElements(node, node.input(0), node.input(1), *axis) : Value();
}

/// Where the length of index tuples, the last dim of `indices`, is not known, has it be what ranks make of
/// it: something of rank `rest` has the dims of indices but the last, and those of data behind the batch and
/// a tuple. False after an error.
static bool settleTuples(NodeImport &node, Value data, Value &indices, std::optional<int64_t> rest,
                         int64_t batch) {
  std::optional<int64_t> rank = NodeImport::rankOf(data), tuples = NodeImport::rankOf(indices);
  if (!rank || !rest || !tuples || *tuples == 0 || NodeImport::knownSize(indices, *tuples - 1))
    return true;
  int64_t most = *rank - batch, length = *tuples - 1 + most - *rest;
  return length < 0 || length > most || // what is left to say, the operation does
         node.requireDim(indices, *tuples - 1, length, "its indices");
}

static Value buildGatherND(NodeImport &node) {
  int64_t batch = node.integer("batch_dims", 0);
  if (batch < 0)
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects \"batch_dims\" not to be negative, got " + Twine(batch));
  Value data = node.input(0), indices = node.input(1);
  if (!settleTuples(node, data, indices, node.declaredRank(0), batch))
    return nullptr;
  return node.graph.add("weft.gather_nd", {data, indices}, integerAttribute(node, "batch_dims", batch));
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

/// What an update does to the element that is there; reports an error if it is not known.
static std::optional<ScatterKind> scatterKind(NodeImport &node) {
  StringRef reduction = node.text("reduction", "none");
  std::optional<ScatterKind> kind =
      reduction == "none" ? ScatterKind::Replace : symbolizeScatterKind(reduction);
  if (!kind || reduction == "replace") {
    node.error(DiagnosticId::NodeAttributeRange,
               "expects \"reduction\" to be \"none\", \"add\", \"mul\", \"max\" or \"min\", got " +
                   onnx::quoted(reduction));
    return std::nullopt;
  }
  return kind;
}

static Value buildScatterND(NodeImport &node) {
  std::optional<ScatterKind> kind = scatterKind(node);
  if (!kind)
    return nullptr;
  MLIRContext *context = node.graph.getContext();
  NamedAttribute attribute(StringAttr::get(context, "kind"), ScatterKindAttr::get(context, *kind));
  SmallVector<Value> operands(node.getInputs());
  std::optional<int64_t> updates = NodeImport::rankOf(operands[2]);
  return settleTuples(node, operands[0], operands[1], updates, /*batch=*/0)
             ? node.graph.add("weft.scatter_nd", operands, attribute)
             : Value();
}

static Value buildScatterElements(NodeImport &node) {
  std::optional<ScatterKind> kind = scatterKind(node);
  std::optional<int64_t> axis = axisOf(node, 0);
  if (!kind || !axis)
    return nullptr;
  return node.graph.scatterElements(*kind, node.input(0), node.input(1), node.input(2), *axis);
}

//===----------------------------------------------------------------------===//
// TopK
//===----------------------------------------------------------------------===//

/// Sorted or not: what is in order may be in any order. The values are the elements at the indices.
static Value topK(NodeImport &node, Value k) {
  std::optional<int64_t> axis = axisOf(node, -1);
  if (!axis)
    return nullptr;
  SmallVector<NamedAttribute> attributes{integerAttribute(node, "axis", *axis)};
  Builder builder(node.graph.getContext());
  if (node.integer("largest", 1))
    attributes.push_back(builder.getNamedAttr("largest", builder.getUnitAttr()));
  Value indices = node.graph.add("weft.top_k", {node.input(0), k}, attributes);
  node.setOutput(1, indices);
  return gatherElements(node, node.input(0), indices, *axis);
}

static Value buildTopK(NodeImport &node) { return topK(node, node.input(1)); }
static Value buildTopKByAttribute(NodeImport &node) {
  return topK(node, node.graph.vector({node.integer("k", 0)}));
}

//===----------------------------------------------------------------------===//
// ReverseSequence
//===----------------------------------------------------------------------===//

/// Of each batch, places 0 up to its length in reverse, and the others as they are. A length that is larger
/// than the dim gives an index that the gather refuses.
static Value buildReverseSequence(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  int64_t time = node.integer("time_axis", 0), batch = node.integer("batch_axis", 1);
  if (time + batch != 1 || time * batch != 0)
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects one of \"time_axis\" and \"batch_axis\" to be 0, the other 1, got " +
                          Twine(time) + " and " + Twine(batch));
  Value input = node.input(0), lengths = node.input(1);
  if (!node.requireRankAtLeast(2) || !node.hasRank(lengths, 1, "its lengths") ||
      !node.requireDim(lengths, 0, input, batch, "its lengths"))
    return nullptr;
  Value place = graph.unsqueeze(node.places(input, time), {batch});
  Value length = graph.unsqueeze(lengths, {time});
  Value last = graph.subtract(length, graph.scalar(int64_t(1)));
  place =
      graph.where(graph.compare(ComparePredicate::Less, place, length), graph.subtract(last, place), place);
  Value row = graph.expand(graph.unsqueeze(node.places(input, batch), {time}), graph.shape(place));
  SmallVector<Value> index{graph.unsqueeze(row, {2}), graph.unsqueeze(place, {2})};
  if (time == 0)
    std::swap(index[0], index[1]);
  return graph.add("weft.gather_nd", {input, graph.concat(index, 2)},
                   integerAttribute(node, "batch_dims", 0));
}

//===----------------------------------------------------------------------===//
// OneHot
//===----------------------------------------------------------------------===//

/// A tensor of one element as a scalar of i64.
static Value asCount(NodeImport &node, Value value) {
  return node.graph.cast(node.graph.reshape(value, ArrayRef<int64_t>()), node.graph.i64());
}

/// Each index against 0, 1, ... up to the depth. One that is outside, also after the depth is added to a
/// negative one, equals none of them.
static Value buildOneHot(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  std::optional<int64_t> rank = node.requireRank(node.input(0), "its indices");
  std::optional<int64_t> axis = rank ? node.axis(node.integer("axis", -1), *rank + 1) : std::nullopt;
  if (!axis)
    return nullptr;
  Value zero = graph.scalar(int64_t(0)), one = graph.scalar(int64_t(1));
  Value depth = asCount(node, node.input(1)), indices = graph.cast(node.input(0), graph.i64());
  Value isNegative = graph.compare(ComparePredicate::Less, indices, zero);
  indices = graph.where(isNegative, graph.addition(indices, depth), indices);
  indices = graph.unsqueeze(indices, {*axis});
  // The classes, along the axis.
  Value classes = graph.range(zero, depth, one);
  if (*axis < *rank)
    classes = graph.unsqueeze(classes, llvm::to_vector(llvm::seq<int64_t>(1, *rank - *axis + 1)));
  return graph.where(graph.compare(ComparePredicate::Equal, indices, classes), node.element(node.input(2), 1),
                     node.element(node.input(2), 0));
}

void weft::onnx::addIndexOps(OpTable &table) {
  const AttributeRow axis = {"axis", AttributeKind::Int}, reduction = {"reduction", AttributeKind::String};
  table.add("Gather", {1, 11, 13}, 2, {axis}, buildGather);
  table.add("GatherElements", {11, 13}, 2, {axis}, buildGatherElements);
  table.add("GatherND", {11}, 2, {}, buildGatherND);
  table.add("GatherND", {12, 13}, 2, {{"batch_dims", AttributeKind::Int}}, buildGatherND);
  table.add("Scatter", {9}, 3, {axis}, buildScatterElements);
  table.add("ScatterElements", {11, 13}, 3, {axis}, buildScatterElements);
  table.add("ScatterElements", {16, 18}, 3, {axis, reduction}, buildScatterElements);
  table.add("ScatterND", {11, 13}, 3, {}, buildScatterND);
  table.add("ScatterND", {16, 18}, 3, {reduction}, buildScatterND);

  const AttributeRow largest = {"largest", AttributeKind::Int}, sorted = {"sorted", AttributeKind::Int};
  table.add("TopK", {1}, 1, {axis, {"k", AttributeKind::Int, true}}, buildTopKByAttribute, /*maxOutputs=*/2);
  table.add("TopK", {10}, 2, {axis}, buildTopK, /*maxOutputs=*/2);
  table.add("TopK", {11, 24}, 2, {axis, largest, sorted}, buildTopK, /*maxOutputs=*/2);
  table.add("ReverseSequence", {10}, 2,
            {{"batch_axis", AttributeKind::Int}, {"time_axis", AttributeKind::Int}}, buildReverseSequence);
  table.add("OneHot", {9, 11}, 3, {axis}, buildOneHot);
}
