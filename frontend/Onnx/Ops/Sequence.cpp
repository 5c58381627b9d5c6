// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control: sequences of tensors. The importer knows the elements of each, so that none is left in the graph.
#include "frontend/Builder/Layers/Basics.h"
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Iterations.h"
#include "frontend/Onnx/Ops/KnownCourse.h"

using namespace mlir;
using namespace weft;
using weft::onnx::Arity;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::ModelValue;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

/// A place from 0 up to `end`, where input `index` may count from the end of a sequence of `count` elements.
/// The input may be left out, and then it is `otherwise`. Nothing after an error.
static std::optional<int64_t> placeOf(NodeImport &node, size_t index, int64_t count, int64_t end,
                                      int64_t otherwise) {
  std::optional<int64_t> place = requireKnown(node, index, "a place in a sequence", otherwise);
  if (!place)
    return std::nullopt;
  if (*place >= -count && *place < end)
    return *place < 0 ? *place + count : *place;
  node.error(DiagnosticId::OperandType,
             "expects a place in a sequence of " + Twine(count) + ", got " + Twine(*place));
  return std::nullopt;
}

static ModelValue buildEmpty(NodeImport &) { return ModelValue(SmallVector<Value>()); }

static ModelValue buildConstruct(NodeImport &node) {
  return ModelValue(SmallVector<Value>(node.getInputs()));
}

static ModelValue buildInsert(NodeImport &node) {
  const SmallVector<Value> *sequence = node.sequence(0);
  if (!sequence)
    return nullptr;
  if (!node.input(1))
    return node.error(DiagnosticId::OperandType, "expects a tensor to insert, got a sequence");
  int64_t count = sequence->size();
  std::optional<int64_t> place = placeOf(node, 2, count, count + 1, count);
  if (!place)
    return nullptr;
  SmallVector<Value> elements = *sequence;
  elements.insert(elements.begin() + *place, node.input(1));
  return ModelValue(std::move(elements));
}

static ModelValue buildErase(NodeImport &node) {
  const SmallVector<Value> *sequence = node.sequence(0);
  std::optional<int64_t> place;
  if (sequence)
    place = placeOf(node, 1, sequence->size(), sequence->size(), /*otherwise=*/-1);
  if (!place)
    return nullptr;
  SmallVector<Value> elements = *sequence;
  elements.erase(elements.begin() + *place);
  return ModelValue(std::move(elements));
}

/// An element of a sequence that a loop has appended to: all of it has to be the loop's, or the place to be
/// in what was there before.
static ModelValue buildAtTail(NodeImport &node, const ModelValue &sequence) {
  int64_t before = sequence.elements->size();
  Value place = node.input(1);
  if (!place)
    return node.error(DiagnosticId::OperandType, "expects a place to be a tensor, got a sequence");
  std::optional<int64_t> known = node.knownInt(place);
  if (known && *known >= 0 && *known < before)
    return ModelValue((*sequence.elements)[*known]);
  if (before > 0 && (!known || *known < 0))
    return errorUnknown(node, "a place in a sequence that a loop has appended to", place);
  place = known ? node.graph.scalar(*known - before) : node.graph.reshape(place, ArrayRef<int64_t>());
  return ModelValue(node.graph.gather(sequence.tail, place, 0));
}

static ModelValue buildAt(NodeImport &node) {
  if (node.getGiven().front().tail)
    return buildAtTail(node, node.getGiven().front());
  const SmallVector<Value> *sequence = node.sequence(0);
  std::optional<int64_t> place;
  if (sequence)
    place = placeOf(node, 1, sequence->size(), sequence->size(), /*otherwise=*/0);
  return place ? ModelValue((*sequence)[*place]) : nullptr;
}

static ModelValue buildLength(NodeImport &node) {
  const ModelValue &given = node.getGiven().front();
  if (given.tail)
    return ModelValue(
        node.graph.addition(node.size(given.tail, 0), node.graph.scalar(int64_t(given.elements->size()))));
  const SmallVector<Value> *sequence = node.sequence(0);
  return sequence ? ModelValue(node.graph.scalar(int64_t(sequence->size()))) : nullptr;
}

/// The rank of each element of a sequence; nothing after an error.
static std::optional<int64_t> rankOfElements(NodeImport &node, const ModelValue &sequence) {
  if (!sequence.elements->empty())
    return node.requireRank(sequence.elements->front(), "an element");
  std::optional<int64_t> rank = node.requireRank(sequence.tail, "what a loop has appended");
  return rank ? std::optional(*rank - 1) : std::nullopt;
}

/// The rows of a tensor side by side along an axis of theirs, or along a new one.
static Value concatRows(NodeImport &node, Value rows, int64_t axis, bool isStacked) {
  Value moved = onnx::moveFirstDim(node, rows, axis);
  if (isStacked)
    return moved;
  Value size = node.graph.unsqueeze(node.productOfDims(moved, axis, axis + 2), {0});
  return node.withDim(moved, axis, axis + 2, size);
}

static ModelValue buildSequenceConcat(NodeImport &node) {
  const ModelValue &given = node.getGiven().front();
  if (!given.tail && !node.sequence(0))
    return nullptr;
  if (!given.tail && given.elements->empty())
    return node.error(DiagnosticId::OperandType, "expects a sequence with elements, got an empty one");
  GraphBuilder &graph = node.graph;
  bool isStacked = node.integer("new_axis", 0);
  std::optional<int64_t> rank = rankOfElements(node, given);
  std::optional<int64_t> axis = rank ? node.axis(node.integer("axis", 0), *rank + isStacked) : std::nullopt;
  if (!axis)
    return nullptr;
  SmallVector<Value> parts = *given.elements;
  if (isStacked)
    for (Value &part : parts)
      part = graph.unsqueeze(part, {*axis});
  if (given.tail)
    parts.push_back(concatRows(node, given.tail, *axis, isStacked));
  return ModelValue(parts.size() == 1 ? parts.front() : graph.concat(parts, *axis));
}

//===----------------------------------------------------------------------===//
// SplitToSequence
//===----------------------------------------------------------------------===//

/// The sizes of the parts: the second input is the size of all, the last perhaps smaller, or a list of them.
/// Nothing after an error.
static onnx::OptionalInts sizesOfParts(NodeImport &node, int64_t axis) {
  int64_t each = 1;
  if (Value given = node.input(1)) {
    onnx::OptionalInts sizes = node.knownInts(given);
    if (!sizes)
      errorUnknown(node, "sizes of parts", given);
    if (!sizes || NodeImport::rankOf(given) == 1)
      return sizes;
    each = sizes->front();
  }
  std::optional<int64_t> size = requireSize(node, node.input(0), axis, "to split");
  if (!size)
    return std::nullopt;
  if (each <= 0) {
    node.error(DiagnosticId::OperandType, "expects parts of a positive size, got " + Twine(each));
    return std::nullopt;
  }
  if (!node.mayUnroll(llvm::divideCeil(uint64_t(*size), uint64_t(each))))
    return std::nullopt;
  SmallVector<int64_t> parts;
  for (int64_t begin = 0; begin < *size; begin += each)
    parts.push_back(std::min(each, *size - begin));
  return parts;
}

static ModelValue buildSplitToSequence(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  Value input = node.input(0);
  std::optional<int64_t> rank = node.requireRank(input, "its input");
  std::optional<int64_t> axis = rank ? node.axis(node.integer("axis", 0), rank) : std::nullopt;
  onnx::OptionalInts sizes;
  if (axis)
    sizes = sizesOfParts(node, *axis);
  if (!sizes)
    return nullptr;
  int64_t total = 0;
  for (int64_t size : *sizes)
    if (size < 0 || llvm::AddOverflow(total, size, total))
      return node.error(DiagnosticId::OperandType, "expects parts of sizes from 0 up, got " + Twine(size));
  // Parts that are not all of the dim would be an answer to another question.
  if (!node.requireDim(input, *axis, total, "the sum of its parts"))
    return nullptr;
  bool isDropped = !node.input(1) && !node.integer("keepdims", 1);
  SmallVector<Value> parts;
  int64_t begin = 0;
  for (int64_t size : *sizes) {
    Value part = layers::slice(graph, input, *axis, begin, begin + size);
    parts.push_back(isDropped ? graph.squeeze(part, {*axis}) : part);
    begin += size;
  }
  return ModelValue(std::move(parts));
}

//===----------------------------------------------------------------------===//
// SequenceMap
//===----------------------------------------------------------------------===//

/// Each element goes through the body, with the elements at its place of other sequences, and tensors as they
/// are.
static ModelValue buildMap(NodeImport &node) {
  const onnx::Graph *body = node.subgraph("body", node.getGiven().size(), node.outputCount());
  const SmallVector<Value> *first = body ? node.sequence(0) : nullptr;
  if (!first)
    return nullptr;
  ArrayRef<ModelValue> given = node.getGiven();
  for (const ModelValue &value : given)
    if (value.elements && value.elements->size() != first->size())
      return node.error(DiagnosticId::OperandType, "expects sequences of one length, got " +
                                                       Twine(first->size()) + " and " +
                                                       Twine(value.elements->size()));
  SmallVector<SmallVector<Value>> results(node.outputCount());
  for (size_t i = 0; i < first->size(); ++i) {
    SmallVector<ModelValue> inputs;
    for (const ModelValue &value : given)
      inputs.push_back(value.elements ? ModelValue((*value.elements)[i]) : value);
    auto outputs = node.import(*body, inputs, Twine(i));
    if (!outputs)
      return nullptr;
    for (auto [result, output] : llvm::zip(results, *outputs)) {
      if (!output.tensor)
        return node.error(DiagnosticId::OperandType, "expects tensors of its body, got a sequence");
      result.push_back(output.tensor);
    }
  }
  for (auto [i, result] : llvm::enumerate(results))
    node.setOutput(i, ModelValue(std::move(result)));
  return node.output(0);
}

void weft::onnx::addSequenceOps(OpTable &table) {
  constexpr unsigned kAny = Arity::kAny;
  const AttributeRow axis = {"axis", AttributeKind::Int};
  table.add("SequenceEmpty", {11}, 0, {{"dtype", AttributeKind::Int}}, buildEmpty);
  table.add("SequenceConstruct", {11}, Arity(1, kAny), {}, buildConstruct);
  table.add("SequenceInsert", {11}, Arity(2, 3), {}, buildInsert, /*maxOutputs=*/1, /*takesSequences=*/true);
  table.add("SequenceErase", {11}, Arity(1, 2), {}, buildErase, /*maxOutputs=*/1, /*takesSequences=*/true);
  table.add("SequenceAt", {11}, 2, {}, buildAt, /*maxOutputs=*/1, /*takesSequences=*/true);
  table.add("SequenceLength", {11}, 1, {}, buildLength, /*maxOutputs=*/1, /*takesSequences=*/true);
  table.add("ConcatFromSequence", {11}, 1,
            {{"axis", AttributeKind::Int, true}, {"new_axis", AttributeKind::Int}}, buildSequenceConcat,
            /*maxOutputs=*/1, /*takesSequences=*/true);
  table.add("SequenceMap", {17}, Arity(1, kAny), {{"body", AttributeKind::Graph, true}}, buildMap,
            /*maxOutputs=*/kAny, /*takesSequences=*/true);
  table.add("SplitToSequence", {11, 24}, Arity(1, 2), {axis, {"keepdims", AttributeKind::Int}},
            buildSplitToSequence);
}
