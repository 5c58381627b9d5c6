// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction: the Reduce operators, Softmax and LogSoftmax.
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/RunAxes.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;
using weft::onnx::OptionalInts;
using weft::onnx::RunAxes;

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

namespace {
/// What a node reduces: a value along axes. Where a run gives the axes, each dim is two: one that stays and
/// one that is reduced, of which one is 1.
class Reduction {
public:
  /// Nothing after an error.
  static std::optional<Reduction> get(NodeImport &node);

  Value input;
  SmallVector<int64_t> axes;
  bool isNoop = false; ///< Nothing is reduced.

  /// Reduced by an operation that drops the axes or keeps them as 1, as the node wants it.
  Value reduce(ReduceKind kind, Value value) const {
    return finish(graph.reduce(kind, value, axes, keepsDims));
  }
  /// Of a result that still has the axes as dims of 1.
  Value drop(Value result) const { return keepsDims ? result : finish(graph.squeeze(result, axes)); }

private:
  explicit Reduction(NodeImport &node)
      : input(node.input(0)), graph(node.graph), keepsDims(node.integer("keepdims", 1) != 0) {}
  bool separate(NodeImport &node);
  Value finish(Value result) const {
    return resultShape && result ? graph.reshape(result, resultShape, /*allowZero=*/true) : result;
  }

  GraphBuilder &graph;
  bool keepsDims;
  Value resultShape; ///< If a run decides it.
};
} // namespace

/// Axes of a run: what is left of [a, b] reduced along axis 1, [a, 1, 1, b] along 1 and 3, is [a, 1].
bool Reduction::separate(NodeImport &node) {
  std::optional<RunAxes> given = RunAxes::get(node, 1);
  if (!given)
    return false;
  Value sizes = graph.shape(input), one = graph.scalar(int64_t(1));
  Value kept = given->choose(one, sizes), reduced = given->choose(sizes, one);
  Value pairs = graph.concat({graph.unsqueeze(kept, {1}), graph.unsqueeze(reduced, {1})}, 1);
  if (!keepsDims)
    resultShape = given->withoutAxes(sizes);
  input =
      graph.reshape(given->checked(input), graph.reshape(pairs, {2 * given->getRank()}), /*allowZero=*/true);
  for (int64_t i = 0; i < given->getRank(); ++i)
    axes.push_back(2 * i + 1);
  keepsDims = false; // The other dims are all that the result has.
  return true;
}

std::optional<Reduction> Reduction::get(NodeImport &node) {
  Reduction reduction(node);
  if (node.isGivenByRun(1))
    return reduction.separate(node) ? std::optional(reduction) : std::nullopt;
  OptionalInts given;
  if (!node.integersOrInput("axes", 1, given))
    return std::nullopt;
  bool reducesAll = !given || given->empty();
  reduction.isNoop = reducesAll && node.integer("noop_with_empty_axes", 0);
  if (reduction.isNoop)
    return reduction;
  std::optional<int64_t> rank =
      reducesAll ? node.requireRank(reduction.input, "its input") : NodeImport::rankOf(reduction.input);
  if (reducesAll && !rank)
    return std::nullopt;
  OptionalInts axes =
      reducesAll ? OptionalInts(llvm::to_vector(llvm::seq<int64_t>(0, *rank))) : node.axes(*given, rank);
  if (!axes)
    return std::nullopt;
  reduction.axes = *axes;
  return reduction;
}

/// The greatest of bools is whether any is true, and the least whether all are; they are reduced as integers.
static Value reduceBools(NodeImport &node, ReduceKind kind, const Reduction &reduction) {
  Type element = getElementTypeOrSelf(reduction.input),
       byte = IntegerType::get(node.graph.getContext(), 8, IntegerType::Unsigned);
  return node.graph.cast(reduction.reduce(kind, node.graph.cast(reduction.input, byte)), element);
}

/// What is done to each element and to the result is done, too, where nothing is reduced.
static Value buildReduce(NodeImport &node, const ReduceRow &row) {
  std::optional<Reduction> reduction = Reduction::get(node);
  Value input = reduction ? applied(node, row.before, reduction->input) : Value();
  if (!input)
    return nullptr;
  if (reduction->isNoop)
    return applied(node, row.after, input);
  bool isChoice = row.kind == ReduceKind::Max || row.kind == ReduceKind::Min;
  if (isChoice && getElementTypeOrSelf(input).isInteger(1))
    return reduceBools(node, row.kind, *reduction);
  return applied(node, row.after, reduction->reduce(row.kind, input));
}

/// log(sum(e^(x - m))) + m of the maximum m, so that exp cannot overflow. An infinite m is taken as 0: what
/// it does to the sum is right as it is.
static Value buildReduceLogSumExp(NodeImport &node) {
  std::optional<Reduction> reduction = Reduction::get(node);
  if (!reduction || reduction->isNoop) // of one element it is the element
    return reduction ? node.input(0) : Value();
  GraphBuilder &graph = node.graph;
  Value input = reduction->input;
  if (!node.hasFloats(input))
    return nullptr;
  Type element = getElementTypeOrSelf(input);
  Value maximum = graph.reduce(ReduceKind::Max, input, reduction->axes, /*keepdims=*/true);
  Value magnitude = graph.add("weft.abs", {maximum}), zero = node.scalar(element, 0);
  Value infinity = node.scalar(element, std::numeric_limits<double>::infinity());
  maximum = graph.where(graph.compare(ComparePredicate::Equal, magnitude, infinity), zero, maximum);
  Value terms = graph.add("weft.exp", {graph.subtract(input, maximum)});
  Value sum = graph.reduce(ReduceKind::Sum, terms, reduction->axes, /*keepdims=*/true);
  return reduction->drop(graph.addition(graph.add("weft.log", {sum}), maximum));
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
  return node.ofFlattenedRows(input, *axis, [&](Value rows) { return softmax(node, rows, *axis, isLog); });
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
