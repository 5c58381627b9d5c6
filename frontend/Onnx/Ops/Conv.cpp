// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contraction: Conv, ConvInteger, QLinearConv, and FusedConv of com.microsoft.
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Activations.h"
#include "frontend/Onnx/Ops/IntegerProduct.h"
#include "frontend/Onnx/Ops/Pad.h"
#include "frontend/Onnx/Ops/Window.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;
using weft::onnx::OptionalInts;
using weft::onnx::Window;
using weft::onnx::WindowPads;

/// Has the filter's sizes be those of the attribute kernel_shape, which repeats them. False after an error.
static bool requireKernelShape(NodeImport &node, Value &filter, size_t spatial) {
  OptionalInts declared = node.integers("kernel_shape");
  if (!declared)
    return true;
  bool hasRank = NodeImport::rankOf(filter).has_value(), fits = declared->size() == spatial;
  for (size_t i = 0; fits && hasRank && i < spatial; ++i)
    fits = (*declared)[i] >= 0 &&
           NodeImport::knownSize(filter, i + 2).value_or((*declared)[i]) == (*declared)[i];
  if (!fits) {
    node.error(DiagnosticId::NodeAttributeRange,
               "expects \"kernel_shape\" to be that of the filter, " + describeType(filter.getType()));
    return false;
  }
  for (size_t i = 0; hasRank && i < spatial; ++i)
    if (!node.requireDim(filter, int64_t(i + 2), (*declared)[i], "its filter"))
      return false;
  return true;
}

/// As the attributes say. Null after an error.
static Value convolve(NodeImport &node, Value input, Value filter, Value bias) {
  std::optional<int64_t> rank = NodeImport::rankOf(filter);
  if (!rank)
    rank = node.requireRank(input, "its input or its filter");
  if (!rank)
    return nullptr;
  if (*rank < 3 || NodeImport::rankOf(input).value_or(*rank) != *rank)
    return node.error(DiagnosticId::OperandType,
                      "expects an input and a filter of one rank, at least 3, got " +
                          describeType(input.getType()) + " and " + describeType(filter.getType()));
  size_t spatial = *rank - 2;
  if (!requireKernelShape(node, filter, spatial))
    return nullptr;
  SmallVector<int64_t> kernel(spatial, -1);
  if (NodeImport::rankOf(filter))
    for (size_t i = 0; i < spatial; ++i)
      kernel[i] = NodeImport::knownSize(filter, i + 2).value_or(-1);
  std::optional<Window> window = windowOf(node, kernel);
  std::optional<WindowPads> pads = window ? padsOf(node, *window) : std::nullopt;
  if (!pads)
    return nullptr;
  if (pads->computed)
    input = addPad(node, PadMode::Constant, input, pads->computed, /*fill=*/nullptr,
                   llvm::to_vector(llvm::seq<int64_t>(2, 2 + spatial)));
  return node.graph.conv(input, filter, bias, window->strides,
                         pads->numbers.value_or(SmallVector<int64_t>(2 * spatial, 0)), window->dilations,
                         node.integer("group", 1));
}

static Value buildConv(NodeImport &node) {
  return convolve(node, node.input(0), node.input(1), node.input(2));
}

/// X, filter, bias, and what is added to the sums before the activation.
static Value buildFusedConv(NodeImport &node) {
  Value sums = buildConv(node);
  if (sums && node.input(3))
    sums = node.graph.addition(sums, node.input(3));
  return onnx::activate(node, sums, node.numbers("activation_params"));
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// What belongs to channels, which have so many dims behind them: one for each or, as a scalar, for all; null
/// for null.
static Value perChannel(NodeImport &node, Value value, int64_t behind) {
  if (!value)
    return value;
  if (NodeImport::rankOf(value) == 0 || NodeImport::knownSize(value, 0) == 1)
    return node.graph.reshape(value, ArrayRef<int64_t>());
  return node.beforeOnes(value, behind);
}

/// The sums, of i32, of products of bytes less their zero points, and of a bias, which may be null.
static Value convolveBytes(NodeImport &node, Value input, Value inputZero, Value filter, Value filterZero,
                           Value bias = {}) {
  std::optional<int64_t> rank = node.requireRank(filter, "its filter");
  if (!rank)
    return nullptr;
  if (*rank < 3)
    return node.error(DiagnosticId::OperandType,
                      "expects a filter of rank 3 or more, got " + describeType(filter.getType()));
  Value left = onnx::lessZero(node, input, perChannel(node, inputZero, *rank - 2)),
        right = left ? onnx::lessZero(node, filter, perChannel(node, filterZero, *rank - 1)) : Value();
  return right ? convolve(node, left, right, bias) : Value();
}

static Value buildConvInteger(NodeImport &node) {
  return convolveBytes(node, node.input(0), node.input(2), node.input(1), node.input(3));
}

/// saturate(round((sums + bias) * (x_scale w_scale / y_scale)) + y_zero): the inputs are x, its scale and
/// zero point, the same of w and of y, and the bias.
static Value buildQLinearConv(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  Value sums = convolveBytes(node, node.input(0), node.input(2), node.input(3), node.input(5), node.input(8));
  if (!sums)
    return nullptr;
  int64_t behind = int64_t(getDims(sums)->size()) - 2;
  auto scale = [&](size_t index) {
    return graph.cast(perChannel(node, node.input(index), behind), graph.f32());
  };
  Value factor = graph.divide(graph.multiply(scale(1), scale(4)), scale(6));
  return onnx::requantize(node, graph.multiply(graph.cast(sums, graph.f32()), factor),
                          perChannel(node, node.input(7), behind));
}

void weft::onnx::addConvOps(OpTable &table) {
  SmallVector<AttributeRow> attributes{
      {"auto_pad", AttributeKind::String}, {"dilations", AttributeKind::Ints},
      {"group", AttributeKind::Int},       {"kernel_shape", AttributeKind::Ints},
      {"pads", AttributeKind::Ints},       {"strides", AttributeKind::Ints}};
  table.add("Conv", {1, 11, 22}, {2, 3}, attributes, buildConv);
  table.add("ConvInteger", {10}, {2, 4}, attributes, buildConvInteger);
  table.add("QLinearConv", {10}, {8, 9}, attributes, buildQLinearConv);
  attributes.append({{"activation", AttributeKind::String}, {"activation_params", AttributeKind::Floats}});
  table.add("com.microsoft.FusedConv", {1}, {2, 4}, attributes, buildFusedConv);
}
