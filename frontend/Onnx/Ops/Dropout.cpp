// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise: Dropout. A model that trains while it runs drops what ONNX's reference implementation drops:
// numbers of NumPy's RandomState(seed), which is a Mersenne twister (MT19937).
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"
#include <random>

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;

/// The mask of what is kept when nothing is dropped.
static Value keepAll(NodeImport &node) {
  Value input = node.input(0), never = node.graph.compare(ComparePredicate::Less, input, input);
  return node.graph.add("weft.not", {never});
}

/// RandomState(seed).uniform(0, 1, shape).
static Value drawUniform(NodeImport &node, uint32_t seed, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, Float64Type::get(node.graph.getContext()));
  FailureOr<mlir::Attribute> numbers =
      makeConstant(type, node.graph.getLocation(), [&](MutableArrayRef<char> bytes) {
        std::mt19937 twister(seed);
        for (size_t i = 0; i < bytes.size(); i += sizeof(double)) {
          // 53 bits, of two draws in this order.
          uint32_t high = twister() >> 5, low = twister() >> 6;
          double number = (high * double(1 << 26) + low) / double(int64_t(1) << 53);
          memcpy(bytes.data() + i, &number, sizeof(number));
        }
      });
  return failed(numbers) ? Value() : node.graph.constant(type, *numbers);
}

/// The shape of what is dropped from, and the seed; reports an error if one is not known.
static std::optional<std::pair<SmallVector<int64_t>, uint32_t>> settle(NodeImport &node) {
  auto type = dyn_cast<RankedTensorType>(node.input(0).getType());
  int64_t seed = node.integer("seed", -1);
  constexpr uint64_t kMostElements = uint64_t(1) << 26;
  uint64_t elements = 1;
  for (int64_t size : type ? type.getShape() : ArrayRef<int64_t>())
    elements = llvm::SaturatingMultiply(elements, uint64_t(size));
  bool isKnown = type && type.hasStaticShape() && elements <= kMostElements;
  if (seed >= 0 && seed <= std::numeric_limits<uint32_t>::max() && isKnown)
    return std::pair(SmallVector<int64_t>(type.getShape()), uint32_t(seed));
  node.error(
      DiagnosticId::NodeAttributeRange,
      "expects training_mode to be a constant that is false, or \"seed\" to be from 0 to 2^32 - 1 and its "
      "input of a known shape; export the model in evaluation mode");
  return std::nullopt;
}

/// What is left of the input where a run, or the model, says to train and the ratio is not 0.
static Value drop(NodeImport &node, Value training) {
  auto settled = settle(node);
  Value uniform = settled ? drawUniform(node, settled->second, settled->first) : Value();
  if (!uniform)
    return nullptr;
  GraphBuilder &graph = node.graph;
  Value input = node.input(0);
  Type element = getElementTypeOrSelf(input), wide = Float64Type::get(graph.getContext());
  Value ratio = node.input(1) ? node.input(1) : graph.scalar(0.5F);
  ratio = graph.reshape(ratio, ArrayRef<int64_t>());
  if (!ratio)
    return nullptr;
  Type ratioElement = getElementTypeOrSelf(ratio);
  Value drops = graph.compare(ComparePredicate::Greater, ratio, node.scalar(ratioElement, 0));
  Value active = graph.add("weft.and", {graph.reshape(training, ArrayRef<int64_t>()), drops});
  Value kept = graph.compare(ComparePredicate::GreaterEqual, uniform, node.castTo(ratio, wide));
  Value one = node.scalar(ratioElement, 1), scale = graph.divide(one, graph.subtract(one, ratio));
  Value left = graph.multiply(graph.multiply(graph.cast(kept, element), input), node.castTo(scale, element));
  node.setOutput(1, graph.where(active, kept, keepAll(node)));
  return graph.where(active, left, input);
}

/// At inference Dropout passes its input on, and its mask is all true (1, before opset 10).
static Value buildDropout(NodeImport &node) {
  Value training = node.input(2);
  if (training && node.knownInt(training) != 0)
    return drop(node, training);
  if (node.isRead(1)) {
    Value mask = keepAll(node);
    node.setOutput(1, node.opset < 10 ? node.graph.cast(mask, getElementTypeOrSelf(node.input(0))) : mask);
  }
  return node.input(0);
}

void weft::onnx::addDropoutOps(OpTable &table) {
  table.add("Dropout", {7, 10}, 1, {{"ratio", AttributeKind::Float}}, buildDropout, /*maxOutputs=*/2);
  table.add("Dropout", {12, 13, 22}, {1, 3}, {{"seed", AttributeKind::Int}}, buildDropout, /*maxOutputs=*/2);
}
