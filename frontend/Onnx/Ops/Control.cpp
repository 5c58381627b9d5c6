// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control: If and Loop. Where constants and shapes decide their course, the branch that is taken becomes part
// of the graph, and so does the body of a loop once for each iteration. Where a run decides, both branches
// do, and a body becomes a weft.loop's.
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Iterations.h"
#include "frontend/Onnx/Ops/KnownCourse.h"

using namespace mlir;
using namespace weft;
using weft::onnx::Arity;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::Graph;
using weft::onnx::Iterations;
using weft::onnx::ModelValue;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

/// Whether a value surely has the element type and dims of another.
static bool areAlike(Value value, Value other) {
  auto dims = getDims(value), others = getDims(other);
  return dims && others && *dims == *others && llvm::all_of(*dims, [](weft::Dim dim) { return bool(dim); }) &&
         getElementTypeOrSelf(value) == getElementTypeOrSelf(other);
}

/// Where only a run knows the condition, both branches are computed, and the results of one taken: those have
/// to be tensors of the same shapes.
static ModelValue buildSelection(NodeImport &node, Value condition) {
  GraphBuilder &graph = node.graph;
  SmallVector<SmallVector<ModelValue>, 2> results;
  for (StringRef name : {"then_branch", "else_branch"}) {
    const Graph *branch = node.subgraph(name, 0, node.outputCount());
    auto outputs = branch ? node.import(*branch, {}, name.take_front(4)) : std::nullopt;
    if (!outputs)
      return nullptr;
    results.push_back(std::move(*outputs));
  }
  Value isTaken = graph.reshape(condition, ArrayRef<int64_t>());
  SmallVector<ModelValue> selected;
  for (auto [taken, other] : llvm::zip(results[0], results[1])) {
    if (!taken.tensor || !other.tensor || !areAlike(taken.tensor, other.tensor))
      return onnx::errorUnknown(node, "a condition", condition);
    selected.push_back(graph.where(isTaken, taken.tensor, other.tensor));
  }
  return node.setOutputs(selected);
}

static ModelValue buildIf(NodeImport &node) {
  const ModelValue &given = node.getGiven().front();
  if (given.tensor && !node.knownInt(given.tensor))
    return buildSelection(node, given.tensor);
  std::optional<int64_t> condition = onnx::requireKnown(node, given, "a condition");
  const Graph *branch =
      condition ? node.subgraph(*condition ? "then_branch" : "else_branch", 0, node.outputCount()) : nullptr;
  auto outputs = branch ? node.import(*branch, {}, *condition ? "then" : "else") : std::nullopt;
  return outputs ? node.setOutputs(*outputs) : nullptr;
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

/// A scalar as the body declares it: some exporters give the number of the iteration a dim.
static Value asDeclared(NodeImport &node, Value scalar, const onnx::ValueInfo &declared) {
  bool isList = declared.type.hasShape && declared.type.dims.size() == 1;
  return isList ? node.graph.unsqueeze(scalar, {0}) : scalar;
}

static Value makeTrue(NodeImport &node) {
  auto type = RankedTensorType::get({}, node.graph.boolean());
  return node.graph.constant(type, DenseElementsAttr::get(type, true));
}

/// Runs the body until a condition or the number of iterations ends the loop; false after an error.
static bool unroll(NodeImport &node, Iterations &loop, int64_t trips, bool condition) {
  GraphBuilder &graph = node.graph;
  Value yes = makeTrue(node);
  for (int64_t i = 0; condition && i < trips; ++i) {
    SmallVector<ModelValue> inputs{asDeclared(node, graph.scalar(i), loop.body.inputs[0]),
                                   asDeclared(node, yes, loop.body.inputs[1])};
    inputs.append(loop.states);
    auto outputs = node.import(loop.body, inputs, Twine(i));
    if (!outputs || !loop.take(node, *outputs))
      return false;
    if (i + 1 == trips) // nobody asks for the condition any more
      return true;
    std::optional<int64_t> next = onnx::requireKnown(node, outputs->front(), "a condition");
    if (!next)
      return false;
    condition = *next;
  }
  return true;
}

/// As many iterations as a run says.
static ModelValue loopAtRunTime(NodeImport &node, const Graph &body, Value trips,
                                ArrayRef<ModelValue> states) {
  auto inputs = [&](Value iteration, ArrayRef<ModelValue> now) {
    SmallVector<ModelValue> values{asDeclared(node, iteration, body.inputs[0]),
                                   asDeclared(node, makeTrue(node), body.inputs[1])};
    llvm::append_range(values, now);
    return values;
  };
  auto results = onnx::loopAtRunTime(node, body, trips, states, /*isScan=*/false, inputs);
  return results ? node.setOutputs(*results) : nullptr;
}

/// The number of iterations as a scalar, if only a run knows it or the condition: then there are none where
/// that is false. Null if both are known, or no number is given.
static Value countAtRunTime(NodeImport &node, Value trips, Value condition) {
  GraphBuilder &graph = node.graph;
  auto isUnknown = [&](Value value) { return value && !node.knownInt(value); };
  if (!trips || !(isUnknown(trips) || isUnknown(condition)))
    return nullptr;
  trips = graph.reshape(trips, ArrayRef<int64_t>());
  return condition
             ? graph.multiply(trips, graph.cast(graph.reshape(condition, ArrayRef<int64_t>()), graph.i64()))
             : trips;
}

static ModelValue buildLoop(NodeImport &node) {
  ArrayRef<ModelValue> given = node.getGiven();
  size_t carried = given.size() - std::min<size_t>(2, given.size());
  const Graph *body = node.subgraph("body", carried + 2, std::max(carried, node.outputCount()) + 1);
  if (!body)
    return nullptr;
  ArrayRef<ModelValue> states = given.take_back(carried);
  if (Value trips = countAtRunTime(node, node.input(0), node.input(1)))
    return loopAtRunTime(node, *body, trips, states);
  constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max();
  std::optional<int64_t> trips = onnx::requireKnown(node, 0, "a number of iterations", kNoEnd);
  std::optional<int64_t> condition = trips ? onnx::requireKnown(node, 1, "a condition", true) : std::nullopt;
  Iterations loop(*body, states, /*firstStacked=*/carried + 1);
  if (!condition || !unroll(node, loop, *trips, *condition))
    return nullptr;
  auto outputs = loop.finish(node, SmallVector<onnx::Way>(loop.stacked.size()));
  return outputs ? node.setOutputs(*outputs) : nullptr;
}

void weft::onnx::addControlOps(OpTable &table) {
  constexpr unsigned kAny = Arity::kAny;
  const AttributeRow body = {"body", AttributeKind::Graph, true};
  table.add("If", {1, 11, 13, 16, 19, 21, 23, 24, 25}, 1,
            {{"then_branch", AttributeKind::Graph, true}, {"else_branch", AttributeKind::Graph, true}},
            buildIf,
            /*maxOutputs=*/kAny, /*takesSequences=*/true);
  table.add("Loop", {1, 11, 13, 16, 19, 21, 23, 24, 25}, Arity(0, Arity::kAnyOrNone), {body}, buildLoop,
            /*maxOutputs=*/kAny, /*takesSequences=*/true);
}
