// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control: Scan, which runs its body for each element of tensors, along axes of theirs.
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Iterations.h"

using namespace mlir;
using namespace weft;
using weft::onnx::Arity;
using weft::onnx::AttributeKind;
using weft::onnx::DiagnosticId;
using weft::onnx::Graph;
using weft::onnx::Iterations;
using weft::onnx::ModelValue;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;
using weft::onnx::Way;

using Values = SmallVector<ModelValue>;

//===----------------------------------------------------------------------===//
// Attributes
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

/// How many of the inputs are states; nothing after an error.
static std::optional<int64_t> countStates(NodeImport &node, const Graph &body, size_t inputs) {
  int64_t scanned = node.integer("num_scan_inputs", 0), states = int64_t(inputs) - scanned;
  if (scanned >= 1 && states >= 0 && states <= int64_t(body.outputs.size()))
    return states;
  node.error(DiagnosticId::NodeAttributeRange,
             "expects \"num_scan_inputs\" that fits its inputs and outputs, got " + Twine(scanned));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// What is scanned
//===----------------------------------------------------------------------===//

namespace {
/// Tensors that a body gets an element of in each iteration.
class Scanned {
public:
  /// Settles the axes, and how many iterations they are for; nothing after an error.
  static std::optional<Scanned> settle(NodeImport &node, ArrayRef<ModelValue> given, ArrayRef<Way> ways);

  /// How many iterations there are, if it is known.
  std::optional<int64_t> getCount() const { return count; }
  /// The same as a scalar.
  Value trips(NodeImport &node) const { return node.size(values.front(), ways.front().axis); }
  /// What iteration `number` gets, of so many.
  Values take(NodeImport &node, int64_t number) const;
  /// The same of an iteration that a run counts; `trips` says how many there are.
  Values take(NodeImport &node, Value number, Value trips) const;

private:
  SmallVector<Value> values;
  SmallVector<Way> ways;
  std::optional<int64_t> count;
};
} // namespace

std::optional<Scanned> Scanned::settle(NodeImport &node, ArrayRef<ModelValue> given, ArrayRef<Way> ways) {
  Scanned scanned;
  scanned.ways.assign(ways.begin(), ways.end());
  for (auto [value, way] : llvm::zip(given, scanned.ways)) {
    if (!value.tensor) {
      node.error(DiagnosticId::OperandType, "expects tensors to scan, got a sequence");
      return std::nullopt;
    }
    std::optional<int64_t> rank = node.requireRank(value.tensor, "what it scans");
    std::optional<int64_t> axis = rank ? node.axis(way.axis, rank) : std::nullopt;
    if (!axis)
      return std::nullopt;
    way.axis = *axis;
    scanned.values.push_back(value.tensor);
    std::optional<int64_t> size = node.fixedSize(value.tensor, *axis);
    if (size && scanned.count && *size != *scanned.count) {
      node.error(DiagnosticId::OperandType, "expects to scan as many elements of each input, got " +
                                                Twine(*scanned.count) + " and " + Twine(*size));
      return std::nullopt;
    }
    scanned.count = size ? size : scanned.count;
  }
  // Where some sizes are not known, a run has them be what the others are.
  for (auto [value, way] : llvm::zip(scanned.values, scanned.ways)) {
    bool isAlike = scanned.count ? node.fixedSize(value, way.axis) ||
                                       node.requireDim(value, way.axis, *scanned.count, "what it scans")
                                 : node.requireDim(value, way.axis, scanned.values.front(),
                                                   scanned.ways.front().axis, "what it scans");
    if (!isAlike)
      return std::nullopt;
  }
  return scanned;
}

Values Scanned::take(NodeImport &node, int64_t number) const {
  Values elements;
  for (auto [value, way] : llvm::zip(values, ways)) {
    int64_t place = way.isReversed ? *count - 1 - number : number;
    elements.push_back(node.graph.gather(value, node.graph.scalar(place), way.axis));
  }
  return elements;
}

Values Scanned::take(NodeImport &node, Value number, Value trips) const {
  GraphBuilder &graph = node.graph;
  Values elements;
  for (auto [value, way] : llvm::zip(values, ways)) {
    Value place = number;
    if (way.isReversed)
      place = graph.subtract(graph.subtract(trips, graph.scalar(int64_t(1))), number);
    elements.push_back(graph.gather(value, place, way.axis));
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

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

/// What was stacked along dim 0 as an output has it; null after an error.
static Value arrange(NodeImport &node, Value stacked, Way way) {
  GraphBuilder &graph = node.graph;
  std::optional<int64_t> rank = node.requireRank(stacked, "what its body gives");
  std::optional<int64_t> axis = rank ? node.axis(way.axis, rank) : std::nullopt;
  if (!axis)
    return nullptr;
  constexpr int64_t kBeforeTheFirst = std::numeric_limits<int64_t>::min();
  if (way.isReversed)
    stacked =
        graph.slice(stacked, graph.vector({-1}), graph.vector({kBeforeTheFirst}), graph.vector({-1}), {0});
  return onnx::moveFirstDim(node, stacked, *axis);
}

namespace {
/// One scan: a body, its first states, what it scans.
struct Scan {
  const Graph &body;
  ArrayRef<ModelValue> states;
  ArrayRef<ModelValue> scanned;
  ArrayRef<Way> inputWays, outputWays;

  /// The last states and what was stacked; nothing after an error. What iterations are called begins with
  /// `label`.
  std::optional<Values> import(NodeImport &node, const Twine &label) const;

private:
  std::optional<Values> unroll(NodeImport &node, const Scanned &elements, const Twine &label) const;
  std::optional<Values> loop(NodeImport &node, const Scanned &elements) const;
};
} // namespace

std::optional<Values> Scan::unroll(NodeImport &node, const Scanned &elements, const Twine &label) const {
  Iterations iterations(body, states, /*firstStacked=*/states.size());
  for (int64_t i = 0; i < *elements.getCount(); ++i) {
    Values inputs = iterations.states;
    llvm::append_range(inputs, elements.take(node, i));
    auto outputs = node.import(body, inputs, label + Twine(i));
    if (!outputs || !iterations.take(node, *outputs))
      return std::nullopt;
  }
  SmallVector<Way> ways(outputWays);
  return settleAxes(node, iterations, ways) ? iterations.finish(node, ways) : std::nullopt;
}

std::optional<Values> Scan::loop(NodeImport &node, const Scanned &elements) const {
  Value trips = elements.trips(node);
  auto inputs = [&](Value iteration, ArrayRef<ModelValue> now) {
    Values values(now);
    llvm::append_range(values, elements.take(node, iteration, trips));
    return values;
  };
  auto results = onnx::loopAtRunTime(node, body, trips, states, /*isScan=*/true, inputs);
  if (!results)
    return std::nullopt;
  Values outputs(results->begin(), results->begin() + states.size());
  for (auto [stacked, way] : llvm::zip(ArrayRef(*results).drop_front(states.size()), outputWays)) {
    outputs.push_back(arrange(node, stacked.tensor, way));
    if (!outputs.back())
      return std::nullopt;
  }
  return outputs;
}

std::optional<Values> Scan::import(NodeImport &node, const Twine &label) const {
  std::optional<Scanned> elements = Scanned::settle(node, scanned, inputWays);
  if (!elements)
    return std::nullopt;
  // A graph of more nodes takes longer to compile than it can save.
  constexpr uint64_t kMostNodes = 8192;
  bool isShort = elements->getCount() && llvm::SaturatingMultiply(uint64_t(*elements->getCount()),
                                                                  uint64_t(body.nodes.size())) <= kMostNodes;
  return isShort ? unroll(node, *elements, label) : loop(node, *elements);
}

static ModelValue buildScan(NodeImport &node) {
  ArrayRef<ModelValue> given = node.getGiven();
  const Graph *body = node.subgraph("body", given.size(), node.outputCount());
  std::optional<int64_t> states = body ? countStates(node, *body, given.size()) : std::nullopt;
  if (!states)
    return nullptr;
  auto inputWays = waysOf(node, "scan_input_axes", "scan_input_directions", given.size() - *states);
  auto outputWays =
      waysOf(node, "scan_output_axes", "scan_output_directions", body->outputs.size() - *states);
  if (!inputWays || !outputWays)
    return nullptr;
  Scan scan{*body, given.take_front(*states), given.drop_front(*states), *inputWays, *outputWays};
  auto outputs = scan.import(node, "");
  return outputs ? node.setOutputs(*outputs) : nullptr;
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
  auto rows = ways ? Scanned::settle(node, given, SmallVector<Way>(given.size())) : std::nullopt;
  if (!rows)
    return nullptr;
  if (rows->getCount() == 0) // nothing would say how wide the results are
    return node.error(DiagnosticId::ControlFlow, "expects a batch with rows to scan, got none");
  SmallVector<Way> outputWays(body->outputs.size() - *states);
  auto scanRow = [&](const Values &row, const Twine &label) {
    Scan scan{*body, ArrayRef(row).take_front(*states), ArrayRef(row).drop_front(*states), *ways, outputWays};
    return scan.import(node, label);
  };
  Values outputs;
  if (!rows->getCount()) {
    Value trips = rows->trips(node);
    auto build = [&](Value number, ValueRange) -> std::optional<SmallVector<Value>> {
      auto results = scanRow(rows->take(node, number, trips), "");
      if (!results)
        return std::nullopt;
      return llvm::map_to_vector(*results, [](const ModelValue &result) { return result.tensor; });
    };
    llvm::append_range(outputs, node.graph.loop(trips, {}, build));
    return outputs.empty() ? nullptr : node.setOutputs(outputs);
  }
  SmallVector<SmallVector<Value>> results(body->outputs.size()); // of each row
  for (int64_t row = 0; row < *rows->getCount(); ++row) {
    auto own = scanRow(rows->take(node, row), Twine(row) + ".");
    if (!own)
      return nullptr;
    for (auto [result, output] : llvm::zip(results, *own))
      result.push_back(output.tensor);
  }
  for (auto [elements, declared] : llvm::zip(results, body->outputs))
    outputs.push_back(onnx::stack(node, elements, declared, 0));
  bool isWhole = llvm::all_of(outputs, [](const ModelValue &output) { return bool(output.tensor); });
  return isWhole ? node.setOutputs(outputs) : nullptr;
}

void weft::onnx::addScanOps(OpTable &table) {
  constexpr unsigned kAny = Arity::kAny;
  const AttributeRow body = {"body", AttributeKind::Graph, true};
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
