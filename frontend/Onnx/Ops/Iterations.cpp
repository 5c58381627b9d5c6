// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What iterations give, and bodies that become a weft.loop's.
#include "frontend/Onnx/Ops/Iterations.h"
#include "frontend/Onnx/Ops/KnownCourse.h"

using namespace mlir;
using namespace weft;
using weft::onnx::DiagnosticId;
using weft::onnx::Graph;
using weft::onnx::ModelValue;
using weft::onnx::NodeImport;

Value onnx::stack(NodeImport &node, ArrayRef<Value> elements, const ValueInfo &declared, int64_t axis) {
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

/// The tensor that a body's output is; reports an error if it is a sequence.
static Value tensorOf(NodeImport &node, const ModelValue &output, StringRef name) {
  if (!output.tensor)
    node.error(DiagnosticId::OperandType,
               "expects its body's output " + onnx::quoted(name) + " to be a tensor, got a sequence");
  return output.tensor;
}

bool onnx::Iterations::take(NodeImport &node, ArrayRef<ModelValue> outputs) {
  states.assign(outputs.begin() + (firstStacked - states.size()), outputs.begin() + firstStacked);
  for (size_t i = 0; i < stacked.size(); ++i) {
    Value element = tensorOf(node, outputs[firstStacked + i], body.outputs[firstStacked + i].name);
    if (!element)
      return false;
    stacked[i].push_back(element);
  }
  return true;
}

std::optional<SmallVector<ModelValue>> onnx::Iterations::finish(NodeImport &node, ArrayRef<Way> ways) {
  SmallVector<ModelValue> outputs = states;
  for (auto [i, elements] : llvm::enumerate(stacked)) {
    if (ways[i].isReversed)
      std::reverse(elements.begin(), elements.end());
    outputs.push_back(stack(node, elements, body.outputs[firstStacked + i], ways[i].axis));
    if (!outputs.back())
      return std::nullopt;
  }
  return outputs;
}

Value onnx::moveFirstDim(NodeImport &node, Value value, int64_t axis) {
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(1, *NodeImport::rankOf(value)));
  permutation.insert(permutation.begin() + axis, 0);
  return axis == 0 ? value : node.graph.transpose(value, permutation);
}

//===----------------------------------------------------------------------===//
// Loops that a run counts
//===----------------------------------------------------------------------===//

/// Whether a body goes on after an iteration, whatever a run has; reports an error if not.
static bool goesOn(NodeImport &node, const ModelValue &condition) {
  std::optional<int64_t> known = onnx::requireKnown(node, condition, "a condition");
  if (known == 0)
    node.error(DiagnosticId::ControlFlow, "expects a condition that stays true where a run decides how many "
                                          "iterations there are, got one that is false after the first");
  return known && *known != 0;
}

/// Whether a graph in a node, or one in that, reads a value of a graph around it.
static bool isReadInGraphsOf(const onnx::Node &node, StringRef name) {
  auto reads = [&](const Graph &graph) {
    auto isValue = [&](const onnx::ValueInfo &output) { return output.name == name; };
    return llvm::any_of(graph.outputs, isValue) || llvm::any_of(graph.nodes, [&](const onnx::Node &inner) {
             return llvm::is_contained(inner.inputs, name) || isReadInGraphsOf(inner, name);
           });
  };
  return llvm::any_of(node.attributes, [&](const onnx::Attribute &attribute) {
    return llvm::any_of(attribute.graphs, reads);
  });
}

/// The nodes of a body that read a value, or have a graph that does.
static SmallVector<const onnx::Node *> readersOf(const Graph &body, StringRef name) {
  SmallVector<const onnx::Node *> readers;
  for (const onnx::Node &node : body.nodes)
    if (llvm::is_contained(node.inputs, name) || isReadInGraphsOf(node, name))
      readers.push_back(&node);
  return readers;
}

/// Whether a node gives its first input on, with a tensor behind its elements or as it is, and reads it once.
static bool isAppending(const onnx::Node &node, StringRef sequence) {
  bool isAppended = node.opType == "SequenceInsert" && node.inputs.size() == 2;
  return (isAppended || node.opType == "Identity") && node.domain.empty() && !node.outputs.empty() &&
         llvm::count(node.inputs, sequence) == 1 && node.inputs.front() == sequence;
}

/// Whether a body does nothing with the sequence `name` but append to it, which gives the output `result`,
/// and no other.
static bool isOnlyAppended(const Graph &body, StringRef name, StringRef result) {
  auto countOutputs = [&](StringRef value) {
    return llvm::count_if(body.outputs, [&](const onnx::ValueInfo &output) { return output.name == value; });
  };
  while (name != result) {
    SmallVector<const onnx::Node *> readers = readersOf(body, name);
    if (readers.size() != 1 || countOutputs(name) > 0 || !isAppending(*readers.front(), name))
      return false;
    name = readers.front()->outputs.front(); // of a later node
  }
  return countOutputs(name) == 1 && readersOf(body, name).empty();
}

namespace {
/// A loop while its body is imported.
class RunTimeLoop {
public:
  RunTimeLoop(NodeImport &node, const Graph &body, ArrayRef<ModelValue> states, bool isScan)
      : node(node), body(body), states(states), firstState(isScan ? 0 : 1) {}

  std::optional<SmallVector<ModelValue>> import(Value trips, onnx::InputsOfIteration inputsOf);

private:
  bool checkStates();
  std::optional<SmallVector<Value>> importBody(ArrayRef<ModelValue> inputs);
  Value appendedTo(const ModelValue &sequence, StringRef name);

  NodeImport &node;
  const Graph &body;
  ArrayRef<ModelValue> states;
  size_t firstState; ///< Of the body's outputs.
};
} // namespace

bool RunTimeLoop::checkStates() {
  for (auto [i, state] : llvm::enumerate(states)) {
    StringRef name = body.inputs[2 * firstState + i].name, result = body.outputs[firstState + i].name;
    if (state.tensor || (!state.tail && isOnlyAppended(body, name, result)))
      continue;
    node.error(DiagnosticId::ControlFlow, "expects a body that only appends to the sequence " +
                                              onnx::quoted(name) +
                                              ", where a run decides how many iterations there are");
    return false;
  }
  return true;
}

/// What an iteration appends to a sequence, which was empty before it; null after an error.
Value RunTimeLoop::appendedTo(const ModelValue &sequence, StringRef name) {
  if (sequence.elements && sequence.elements->size() == 1)
    return sequence.elements->front();
  node.error(DiagnosticId::ControlFlow,
             "expects a body that appends one tensor to the sequence " + onnx::quoted(name));
  return nullptr;
}

/// What an iteration yields: states that are tensors, then what it appends to those that are not, then what
/// is stacked.
std::optional<SmallVector<Value>> RunTimeLoop::importBody(ArrayRef<ModelValue> inputs) {
  auto outputs = node.import(body, inputs, "body");
  if (!outputs || (firstState > 0 && !goesOn(node, outputs->front())))
    return std::nullopt;
  SmallVector<Value> next, left;
  for (auto [i, output] : llvm::enumerate(ArrayRef(*outputs).drop_front(firstState))) {
    StringRef name = body.outputs[firstState + i].name;
    bool isSequence = i < states.size() && !states[i].tensor;
    Value value = isSequence ? appendedTo(output, name) : tensorOf(node, output, name);
    if (!value)
      return std::nullopt;
    (i < states.size() && !isSequence ? next : left).push_back(value);
  }
  next.append(left);
  return next;
}

std::optional<SmallVector<ModelValue>> RunTimeLoop::import(Value trips, onnx::InputsOfIteration inputsOf) {
  if (!checkStates())
    return std::nullopt;
  SmallVector<Value> first;
  for (const ModelValue &state : states)
    if (state.tensor)
      first.push_back(state.tensor);
  auto build = [&](Value iteration, ValueRange tensors) {
    SmallVector<ModelValue> now;
    for (const ModelValue &state : states) {
      now.push_back(state.tensor ? ModelValue(tensors.front()) : ModelValue(SmallVector<Value>()));
      tensors = tensors.drop_front(state.tensor ? 1 : 0);
    }
    return importBody(inputsOf(iteration, now));
  };
  SmallVector<Value> results = node.graph.loop(trips, first, build);
  if (results.empty())
    return std::nullopt;
  ArrayRef<Value> last = ArrayRef(results).take_front(first.size()),
                  left = ArrayRef(results).drop_front(first.size());
  SmallVector<ModelValue> outputs;
  for (const ModelValue &state : states) {
    ArrayRef<Value> &from = state.tensor ? last : left;
    outputs.push_back(state.tensor ? ModelValue(from.front()) : ModelValue(*state.elements, from.front()));
    from = from.drop_front();
  }
  outputs.append(left.begin(), left.end());
  return outputs;
}

std::optional<SmallVector<ModelValue>> onnx::loopAtRunTime(NodeImport &node, const Graph &body, Value trips,
                                                           ArrayRef<ModelValue> states, bool isScan,
                                                           InputsOfIteration inputsOf) {
  return RunTimeLoop(node, body, states, isScan).import(trips, inputsOf);
}
