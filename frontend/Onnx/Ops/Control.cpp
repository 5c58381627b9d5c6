// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control: If, Loop and Scan whose course constants and shapes decide. The branch that is taken becomes part
// of the graph, and so does the body of a loop once for each iteration.
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/KnownCourse.h"

using namespace mlir;
using namespace weft;
using weft::onnx::Arity;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::Graph;
using weft::onnx::ModelValue;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

/// Sets the outputs of the node, and returns the first.
static ModelValue setOutputs(NodeImport &node, ArrayRef<ModelValue> outputs) {
  for (auto [i, output] : llvm::enumerate(outputs))
    node.setOutput(i, output);
  return outputs.empty() ? ModelValue() : outputs.front();
}

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
  return setOutputs(node, selected);
}

static ModelValue buildIf(NodeImport &node) {
  const ModelValue &given = node.getGiven().front();
  if (given.tensor && !node.knownInt(given.tensor))
    return buildSelection(node, given.tensor);
  std::optional<int64_t> condition = requireKnown(node, given, "a condition");
  const Graph *branch =
      condition ? node.subgraph(*condition ? "then_branch" : "else_branch", 0, node.outputCount()) : nullptr;
  auto outputs = branch ? node.import(*branch, {}, *condition ? "then" : "else") : std::nullopt;
  return outputs ? setOutputs(node, *outputs) : nullptr;
}

//===----------------------------------------------------------------------===//
// What iterations leave behind
//===----------------------------------------------------------------------===//

/// An output of a loop that has an element of each iteration, along a new axis.
static Value stack(NodeImport &node, ArrayRef<Value> elements, const onnx::ValueInfo &declared,
                   int64_t axis) {
  GraphBuilder &graph = node.graph;
  if (!elements.empty()) {
    auto rows =
        llvm::map_to_vector(elements, [&](Value element) { return graph.unsqueeze(element, {axis}); });
    return rows.size() == 1 ? rows.front() : graph.concat(rows, axis);
  }
  // No iteration says what an element is; the body may.
  Type element = onnx::getElementType(graph.getContext(), declared.type.elementType);
  bool isFixed = llvm::all_of(declared.type.dims,
                              [](const onnx::Dim &dim) { return dim.kind == onnx::Dim::Kind::Fixed; });
  if (!element || !declared.type.hasShape || !isFixed)
    return node.error(DiagnosticId::ControlFlow, "has no iterations, and its body does not declare what " +
                                                     onnx::quoted(declared.name) + " would be");
  auto shape = llvm::map_to_vector(declared.type.dims, [](const onnx::Dim &dim) { return dim.size; });
  shape.insert(shape.begin() + axis, 0);
  auto type = RankedTensorType::get(shape, element);
  return graph.constant(type, DenseElementsAttr::get(type, ArrayRef<mlir::Attribute>()));
}

namespace {
/// Along which axis, and from which end, a value is taken apart or put together.
struct Way {
  int64_t axis = 0;
  bool isReversed = false;
};

/// The states and the stacked outputs of a loop while it is unrolled.
struct Iterations {
  Iterations(const Graph &body, ArrayRef<ModelValue> states, size_t firstStacked)
      : body(body), states(states), firstStacked(firstStacked), stacked(body.outputs.size() - firstStacked) {}

  /// Takes what one iteration gives; false after an error.
  bool take(NodeImport &node, ArrayRef<ModelValue> outputs) {
    states.assign(outputs.begin() + (firstStacked - states.size()), outputs.begin() + firstStacked);
    for (size_t i = 0; i < stacked.size(); ++i) {
      const ModelValue &element = outputs[firstStacked + i];
      if (!element.tensor) {
        node.error(DiagnosticId::OperandType, "expects its body's output " +
                                                  onnx::quoted(body.outputs[firstStacked + i].name) +
                                                  " to be a tensor, got a sequence");
        return false;
      }
      stacked[i].push_back(element.tensor);
    }
    return true;
  }

  const Graph &body;
  SmallVector<ModelValue> states;
  size_t firstStacked; ///< Of the body's outputs; the states are right before it.
  SmallVector<SmallVector<Value>> stacked;
};
} // namespace

/// The states and what iterations stacked; nothing after an error.
static std::optional<SmallVector<ModelValue>> finish(NodeImport &node, Iterations &loop, ArrayRef<Way> ways) {
  SmallVector<ModelValue> outputs = loop.states;
  for (auto [i, elements] : llvm::enumerate(loop.stacked)) {
    if (ways[i].isReversed)
      std::reverse(elements.begin(), elements.end());
    outputs.push_back(stack(node, elements, loop.body.outputs[loop.firstStacked + i], ways[i].axis));
    if (!outputs.back())
      return std::nullopt;
  }
  return outputs;
}

/// The same as the outputs of the node; returns the first.
static ModelValue setOutputs(NodeImport &node, Iterations &loop, ArrayRef<Way> ways) {
  auto outputs = finish(node, loop, ways);
  return outputs ? setOutputs(node, *outputs) : nullptr;
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

/// A scalar as the body declares it: some exporters give the number of the iteration a dim.
static Value asDeclared(NodeImport &node, Value scalar, const onnx::ValueInfo &declared) {
  bool isList = declared.type.hasShape && declared.type.dims.size() == 1;
  return isList ? node.graph.unsqueeze(scalar, {0}) : scalar;
}

/// Runs the body until a condition or the number of iterations ends the loop; false after an error.
static bool unroll(NodeImport &node, Iterations &loop, int64_t trips, bool condition) {
  GraphBuilder &graph = node.graph;
  auto type = RankedTensorType::get({}, graph.boolean());
  Value yes = graph.constant(type, DenseElementsAttr::get(type, true));
  for (int64_t i = 0; condition && i < trips; ++i) {
    SmallVector<ModelValue> inputs{asDeclared(node, graph.scalar(i), loop.body.inputs[0]),
                                   asDeclared(node, yes, loop.body.inputs[1])};
    inputs.append(loop.states);
    auto outputs = node.import(loop.body, inputs, Twine(i));
    if (!outputs || !loop.take(node, *outputs))
      return false;
    if (i + 1 == trips) // nobody asks for the condition any more
      return true;
    std::optional<int64_t> next = requireKnown(node, outputs->front(), "a condition");
    if (!next)
      return false;
    condition = *next;
  }
  return true;
}

static ModelValue buildLoop(NodeImport &node) {
  ArrayRef<ModelValue> given = node.getGiven();
  size_t carried = given.size() - std::min<size_t>(2, given.size());
  const Graph *body = node.subgraph("body", carried + 2, std::max(carried, node.outputCount()) + 1);
  if (!body)
    return nullptr;
  constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max();
  std::optional<int64_t> trips = requireKnown(node, 0, "a number of iterations", kNoEnd);
  std::optional<int64_t> condition = trips ? requireKnown(node, 1, "a condition", true) : std::nullopt;
  if (!condition)
    return nullptr;
  Iterations loop(*body, given.take_back(carried), /*firstStacked=*/carried + 1);
  if (!unroll(node, loop, *trips, *condition))
    return nullptr;
  return setOutputs(node, loop, SmallVector<Way>(loop.stacked.size()));
}

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

/// The ways of inputs or outputs, by their attributes, which the model may leave out. Axes still count from
/// where they are given.
static std::optional<SmallVector<Way>> waysOf(NodeImport &node, StringRef axesName, StringRef directionsName,
                                              size_t count) {
  SmallVector<Way> ways(count);
  onnx::OptionalInts axes = node.integers(axesName), directions = node.integers(directionsName);
  for (auto [list, name] : {std::pair(&axes, axesName), std::pair(&directions, directionsName)})
    if (*list && (*list)->size() != count) {
      node.error(DiagnosticId::NodeAttributeRange, "expects " + Twine(count) + " numbers in " +
                                                       onnx::quoted(name) + ", got " +
                                                       Twine((*list)->size()));
      return std::nullopt;
    }
  for (size_t i = 0; i < count; ++i) {
    if (directions && (*directions)[i] != 0 && (*directions)[i] != 1) {
      node.error(DiagnosticId::NodeAttributeRange,
                 "expects 0 or 1 in " + onnx::quoted(directionsName) + ", got " + Twine((*directions)[i]));
      return std::nullopt;
    }
    ways[i] = {axes ? (*axes)[i] : 0, directions && (*directions)[i]};
  }
  return ways;
}

/// Settles the axes of scanned inputs, and how many iterations they are for.
static std::optional<int64_t> countIterations(NodeImport &node, ArrayRef<ModelValue> scanned,
                                              MutableArrayRef<Way> ways) {
  std::optional<int64_t> count;
  for (auto [value, way] : llvm::zip(scanned, ways)) {
    if (!value.tensor) {
      node.error(DiagnosticId::OperandType, "expects tensors to scan, got a sequence");
      return std::nullopt;
    }
    std::optional<int64_t> rank = node.requireRank(value.tensor, "what it scans");
    std::optional<int64_t> axis = rank ? node.axis(way.axis, rank) : std::nullopt;
    if (!axis)
      return std::nullopt;
    way.axis = *axis;
    std::optional<int64_t> size = requireSize(node, value.tensor, *axis, "to scan");
    if (!size)
      return std::nullopt;
    if (count && *count != *size) {
      node.error(DiagnosticId::OperandType, "expects to scan as many elements of each input, got " +
                                                Twine(*count) + " and " + Twine(*size));
      return std::nullopt;
    }
    count = size;
  }
  return count;
}

/// Settles the axes of stacked outputs, of which the body, or else its first iteration, says the ranks.
static bool settleAxes(NodeImport &node, const Iterations &loop, MutableArrayRef<Way> ways) {
  for (size_t i = 0; i < ways.size(); ++i) {
    ArrayRef<Value> elements = loop.stacked[i];
    std::optional<int64_t> rank = loop.body.outputs[loop.firstStacked + i].type.dims.size();
    if (!elements.empty())
      rank = node.requireRank(elements.front(), "what its body gives");
    std::optional<int64_t> axis = rank ? node.axis(ways[i].axis, *rank + 1) : std::nullopt;
    if (!axis)
      return false;
    ways[i].axis = *axis;
  }
  return true;
}

/// Runs the body once for each element of what is scanned; false after an error.
static bool unroll(NodeImport &node, Iterations &loop, ArrayRef<ModelValue> scanned, ArrayRef<Way> ways,
                   int64_t count, const Twine &label) {
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<ModelValue> inputs = loop.states;
    for (auto [value, way] : llvm::zip(scanned, ways))
      inputs.push_back(
          node.graph.gather(value.tensor, node.graph.scalar(way.isReversed ? count - 1 - i : i), way.axis));
    auto outputs = node.import(loop.body, inputs, label + Twine(i));
    if (!outputs || !loop.take(node, *outputs))
      return false;
  }
  return true;
}

/// How many of the inputs are states; nothing after an error.
static std::optional<int64_t> countStates(NodeImport &node, const Graph &body, size_t inputs) {
  int64_t scanned = node.integer("num_scan_inputs", 0), states = int64_t(inputs) - scanned;
  if (scanned >= 1 && states >= 0 && states <= int64_t(body.outputs.size()))
    return states;
  node.error(DiagnosticId::NodeAttributeRange,
             "expects \"num_scan_inputs\" that fits its inputs and outputs, got " + Twine(scanned));
  return std::nullopt;
}

static ModelValue buildScan(NodeImport &node) {
  ArrayRef<ModelValue> given = node.getGiven();
  const Graph *body = node.subgraph("body", given.size(), node.outputCount());
  std::optional<int64_t> states = body ? countStates(node, *body, given.size()) : std::nullopt;
  if (!states)
    return nullptr;
  ArrayRef<ModelValue> scanned = given.drop_front(*states);
  auto inputWays = waysOf(node, "scan_input_axes", "scan_input_directions", scanned.size());
  auto outputWays =
      waysOf(node, "scan_output_axes", "scan_output_directions", body->outputs.size() - *states);
  std::optional<int64_t> count =
      inputWays && outputWays ? countIterations(node, scanned, *inputWays) : std::nullopt;
  Iterations loop(*body, given.take_front(*states), /*firstStacked=*/*states);
  if (!count || !unroll(node, loop, scanned, *inputWays, *count, "") || !settleAxes(node, loop, *outputWays))
    return nullptr;
  return setOutputs(node, loop, *outputWays);
}

/// One row of the batch of each value.
static SmallVector<ModelValue> takeRow(NodeImport &node, ArrayRef<ModelValue> values, int64_t row) {
  return llvm::map_to_vector(values, [&](const ModelValue &value) {
    return ModelValue(node.graph.gather(value.tensor, node.graph.scalar(row), 0));
  });
}

/// As opset 8 has it: each row of a batch is scanned by itself, along axis 1 of the batch.
static ModelValue buildBatchedScan(NodeImport &node) {
  if (node.getGiven().size() < 2)
    return node.error(DiagnosticId::NodeArity, "expects lengths, which may be left out, states and inputs");
  ArrayRef<ModelValue> given = node.getGiven().drop_front();
  if (node.getGiven().front())
    return node.error(DiagnosticId::OperandType, "expects no \"sequence_lens\": all rows are as long");
  const Graph *body = node.subgraph("body", given.size(), node.outputCount());
  std::optional<int64_t> states = body ? countStates(node, *body, given.size()) : std::nullopt;
  auto ways = states ? waysOf(node, "axes", "directions", given.size() - *states) : std::nullopt;
  SmallVector<Way> batchWays(given.size()), stackedWays(body ? body->outputs.size() : 0);
  std::optional<int64_t> batch = ways ? countIterations(node, given, batchWays) : std::nullopt;
  if (batch == 0) // nothing would say how wide the results are
    return node.error(DiagnosticId::ControlFlow, "expects a batch with rows to scan, got none");
  if (!batch)
    return nullptr;
  SmallVector<SmallVector<Value>> results(body->outputs.size()); // of each row
  for (int64_t row = 0; row < *batch; ++row) {
    SmallVector<ModelValue> own = takeRow(node, given, row);
    ArrayRef<ModelValue> scanned = ArrayRef(own).drop_front(*states);
    Iterations loop(*body, ArrayRef(own).take_front(*states), /*firstStacked=*/*states);
    std::optional<int64_t> count = countIterations(node, scanned, *ways);
    bool isUnrolled = count && unroll(node, loop, scanned, *ways, *count, Twine(row) + ".");
    auto outputs = isUnrolled ? finish(node, loop, stackedWays) : std::nullopt;
    if (!outputs)
      return nullptr;
    for (auto [result, output] : llvm::zip(results, *outputs))
      result.push_back(output.tensor);
  }
  SmallVector<ModelValue> outputs;
  for (auto [elements, declared] : llvm::zip(results, body->outputs))
    outputs.push_back(stack(node, elements, declared, 0));
  bool isWhole = llvm::all_of(outputs, [](const ModelValue &output) { return bool(output.tensor); });
  return isWhole ? setOutputs(node, outputs) : nullptr;
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
  table.add("Scan", {8}, Arity(0, Arity::kAnyOrNone),
            {body, {"directions", AttributeKind::Ints}, {"num_scan_inputs", AttributeKind::Int, true}},
            buildBatchedScan, /*maxOutputs=*/kAny, /*takesSequences=*/true);
  table.add("Scan", {9, 11, 16, 19, 21, 23, 24, 25}, Arity(1, kAny),
            {body,
             {"num_scan_inputs", AttributeKind::Int, true},
             {"scan_input_axes", AttributeKind::Ints},
             {"scan_input_directions", AttributeKind::Ints},
             {"scan_output_axes", AttributeKind::Ints},
             {"scan_output_directions", AttributeKind::Ints}},
            buildScan, /*maxOutputs=*/kAny, /*takesSequences=*/true);
}
