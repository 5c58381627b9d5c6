// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What iterations give, and bodies that become a weft.loop's.
#include "frontend/Onnx/Ops/Iterations.h"
#include "frontend/Onnx/Ops/KnownCourse.h"

using namespace mlir;
using namespace weft;
using weft::onnx::DiagnosticId;
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

std::optional<SmallVector<Value>> onnx::loopAtRunTime(NodeImport &node, const Graph &body, Value trips,
                                                      ArrayRef<ModelValue> states, bool hasCondition,
                                                      InputsOfIteration inputsOf) {
  SmallVector<Value> first;
  for (const ModelValue &state : states) {
    if (!state.tensor) {
      node.error(
          DiagnosticId::ControlFlow,
          "expects tensors as states where a run decides how many iterations there are, got a sequence");
      return std::nullopt;
    }
    first.push_back(state.tensor);
  }
  auto build = [&](Value iteration, ValueRange now) -> std::optional<SmallVector<Value>> {
    auto outputs = node.import(body, inputsOf(iteration, now), "body");
    if (!outputs || (hasCondition && !goesOn(node, outputs->front())))
      return std::nullopt;
    SmallVector<Value> yielded;
    for (size_t i = hasCondition; i < outputs->size(); ++i) {
      yielded.push_back(tensorOf(node, (*outputs)[i], body.outputs[i].name));
      if (!yielded.back())
        return std::nullopt;
    }
    return yielded;
  };
  SmallVector<Value> results = node.graph.loop(trips, first, build);
  return results.empty() ? std::nullopt : std::optional(results);
}
