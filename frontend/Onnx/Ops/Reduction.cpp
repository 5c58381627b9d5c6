// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction: the Reduce operators, Softmax and LogSoftmax.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;
using weft::onnx::OptionalInts;

//===----------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------===//

namespace {
/// A Reduce operator: what is done to each element, how they are put together, and what is done to the
/// result.
struct ReduceRow {
  StringRef opType;
  SmallVector<int64_t> byAttribute, byInput; ///< The versions in which axes are an attribute, and an input.
  ReduceKind kind;
  StringRef before = "", after = "";
};
} // namespace

static Value applied(NodeImport &node, StringRef operation, Value value) {
  if (operation.empty() || !value)
    return value;
  if (operation == "weft.mul")
    return node.graph.multiply(value, value);
  return node.graph.add(operation, {value});
}

/// The axes that a node reduces: all of them where it gives none, unless it says that it then reduces none
/// (`isNoop`). Nothing after an error.
static OptionalInts axesOf(NodeImport &node, bool &isNoop) {
  OptionalInts given;
  if (!node.integersOrInput("axes", 1, given))
    return std::nullopt;
  bool reducesAll = !given || given->empty();
  isNoop = reducesAll && node.integer("noop_with_empty_axes", 0);
  if (isNoop)
    return SmallVector<int64_t>();
  Value input = node.input(0);
  if (!reducesAll)
    return node.axes(*given, NodeImport::rankOf(input));
  std::optional<int64_t> rank = node.requireRank(input, "its input");
  return rank ? OptionalInts(llvm::to_vector(llvm::seq<int64_t>(0, *rank))) : std::nullopt;
}

static bool keepsDims(NodeImport &node) { return node.integer("keepdims", 1) != 0; }

/// The greatest of bools is whether any is true, and the least whether all are; they are reduced as integers.
static Value reduceBools(NodeImport &node, ReduceKind kind, Value input, ArrayRef<int64_t> axes) {
  Type element = getElementTypeOrSelf(input),
       byte = IntegerType::get(node.graph.getContext(), 8, IntegerType::Unsigned);
  Value bytes = node.graph.cast(input, byte);
  return node.graph.cast(node.graph.reduce(kind, bytes, axes, keepsDims(node)), element);
}

/// What is done to each element and to the result is done, too, where nothing is reduced.
static Value buildReduce(NodeImport &node, const ReduceRow &row) {
  bool isNoop = false;
  OptionalInts axes = axesOf(node, isNoop);
  Value input = axes ? applied(node, row.before, node.input(0)) : Value();
  if (!input)
    return nullptr;
  if (isNoop)
    return applied(node, row.after, input);
  bool isChoice = row.kind == ReduceKind::Max || row.kind == ReduceKind::Min;
  if (isChoice && getElementTypeOrSelf(input).isInteger(1))
    return reduceBools(node, row.kind, input, *axes);
  return applied(node, row.after, node.graph.reduce(row.kind, input, *axes, keepsDims(node)));
}

/// log(sum(e^(x - m))) + m of the maximum m, so that exp cannot overflow. An infinite m is taken as 0: what
/// it does to the sum is right as it is.
static Value buildReduceLogSumExp(NodeImport &node) {
  bool isNoop = false;
  OptionalInts axes = axesOf(node, isNoop);
  if (!axes || isNoop) // of one element it is the element
    return axes ? node.input(0) : Value();
  GraphBuilder &graph = node.graph;
  Value input = node.input(0);
  if (!node.hasFloats(input))
    return nullptr;
  Type element = getElementTypeOrSelf(input);
  Value maximum = graph.reduce(ReduceKind::Max, input, *axes, /*keepdims=*/true);
  Value magnitude = graph.add("weft.abs", {maximum}), zero = node.scalar(element, 0);
  Value infinity = node.scalar(element, std::numeric_limits<double>::infinity());
  maximum = graph.where(graph.compare(ComparePredicate::Equal, magnitude, infinity), zero, maximum);
  Value terms = graph.add("weft.exp", {graph.subtract(input, maximum)});
  Value sum = graph.reduce(ReduceKind::Sum, terms, *axes, /*keepdims=*/true);
  Value result = graph.addition(graph.add("weft.log", {sum}), maximum);
  return keepsDims(node) ? result : graph.squeeze(result, *axes);
}

static void addReductions(OpTable &table) {
  const ReduceRow rows[] = {
      {"ReduceSum", {1, 11}, {13}, ReduceKind::Sum},
      {"ReduceMean", {1, 11, 13}, {18}, ReduceKind::Mean},
      {"ReduceMax", {1, 11, 12, 13}, {18, 20}, ReduceKind::Max},
      {"ReduceMin", {1, 11, 12, 13}, {18, 20}, ReduceKind::Min},
      {"ReduceProd", {1, 11, 13}, {18}, ReduceKind::Prod},
      {"ReduceL1", {1, 11, 13}, {18}, ReduceKind::Sum, "weft.abs"},
      {"ReduceL2", {1, 11, 13}, {18}, ReduceKind::Sum, "weft.mul", "weft.sqrt"},
      {"ReduceSumSquare", {1, 11, 13}, {18}, ReduceKind::Sum, "weft.mul"},
      {"ReduceLogSum", {1, 11, 13}, {18}, ReduceKind::Sum, "", "weft.log"},
      {"ReduceLogSumExp", {1, 11, 13}, {18}, ReduceKind::Sum, "weft.exp", "weft.log"},
  };
  for (const ReduceRow &row : rows) {
    auto build = [row](NodeImport &node) {
      return row.before == "weft.exp" ? buildReduceLogSumExp(node) : buildReduce(node, row);
    };
    table.add(row.opType, row.byAttribute, 1,
              {{"axes", AttributeKind::Ints}, {"keepdims", AttributeKind::Int}}, build);
    table.add(row.opType, row.byInput, {1, 2},
              {{"keepdims", AttributeKind::Int}, {"noop_with_empty_axes", AttributeKind::Int}}, build);
  }
}

/// Over all places of a channel of [N, C, places...].
static Value buildGlobalPool(NodeImport &node, ReduceKind kind) {
  Value input = node.input(0);
  std::optional<int64_t> rank = node.hasFloats(input) ? node.requireRankAtLeast(2) : std::nullopt;
  if (!rank)
    return nullptr;
  if (*rank == 2)
    return input;
  return node.graph.reduce(kind, input, llvm::to_vector(llvm::seq<int64_t>(2, *rank)), /*keepdims=*/true);
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

static Value softmax(NodeImport &node, Value input, int64_t axis, bool isLog) {
  return isLog ? node.graph.logSoftmax(input, axis) : node.graph.softmax(input, axis);
}

static Value buildSoftmax(NodeImport &node, bool isLog) {
  std::optional<int64_t> axis = node.axis(node.integer("axis", -1), NodeImport::rankOf(node.input(0)));
  return axis ? softmax(node, node.input(0), *axis, isLog) : Value();
}

/// Before opset 13 all dims from the axis on are one row: [a, b, c, d] with axis 2 is softmax of [a, b, c *
/// d].
static Value buildSoftmaxOfFlattened(NodeImport &node, bool isLog) {
  Value input = node.input(0);
  std::optional<int64_t> rank = node.requireRank(input, "its input");
  std::optional<int64_t> axis = rank ? node.axis(node.integer("axis", 1), rank) : std::nullopt;
  if (!axis)
    return nullptr;
  SmallVector<Dim> dims = *getDims(input);
  auto isOne = [](Dim dim) { return dim && dim.getConstant() == 1; };
  if (llvm::all_of(ArrayRef(dims).drop_front(*axis + 1), isOne))
    return softmax(node, input, *axis, isLog);
  return node.graph.reshape(softmax(node, node.flattenRows(input, *axis), *axis, isLog),
                            node.graph.shape(input),
                            /*allowZero=*/true);
}

void weft::onnx::addReductionOps(OpTable &table) {
  addReductions(table);
  table.add("GlobalAveragePool", {1, 22}, 1, {},
            [](NodeImport &node) { return buildGlobalPool(node, ReduceKind::Mean); });
  table.add("GlobalMaxPool", {1, 22}, 1, {},
            [](NodeImport &node) { return buildGlobalPool(node, ReduceKind::Max); });
  for (bool isLog : {false, true}) {
    StringRef name = isLog ? "LogSoftmax" : "Softmax";
    table.add(name, {1, 11}, 1, {{"axis", AttributeKind::Int}},
              [isLog](NodeImport &node) { return buildSoftmaxOfFlattened(node, isLog); });
    table.add(name, {13}, 1, {{"axis", AttributeKind::Int}},
              [isLog](NodeImport &node) { return buildSoftmax(node, isLog); });
  }
}
