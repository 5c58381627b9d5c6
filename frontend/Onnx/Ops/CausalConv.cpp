// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recurrence: CausalConvWithState, of ai.onnx and of com.microsoft.
#include "frontend/Builder/Layers/Basics.h"
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"

using namespace mlir;
using namespace weft;
using weft::onnx::Arity;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

constexpr int64_t kToEnd = std::numeric_limits<int64_t>::max();

namespace {
/// Each channel by itself: out[t] is the sum of weight[j] times what is (taps - 1 - j) * dilation positions
/// before t.
class CausalConv {
public:
  explicit CausalConv(NodeImport &node) : node(node), graph(node.graph), input(node.input(0)) {}

  /// Null after an error.
  Value build();

private:
  bool readAttributes();
  bool readWeight();
  bool requireChannels(Value &value, StringRef what);
  Value withPast();
  /// [channels] or [channels, 1] as it is multiplied with the input.
  Value overChannels(Value value);
  Value addTaps(Value wide, Value factors, Value sum);
  Value gatherTaps(Value wide, Value factors);
  Value stateOf(Value whole);
  /// How many positions before the first one count, an i64 tensor of one element.
  Value before() const {
    Value gaps = graph.subtract(graph.shape(node.input(1), 2, 3), graph.vector({1}));
    return graph.multiply(gaps, graph.vector({dilation}));
  }

  NodeImport &node;
  GraphBuilder &graph;
  Value input; ///< [N, C, length], or [N, length, C...] where the channels are last
  int64_t rank = 0;
  int64_t axis = 2;            ///< of the positions
  std::optional<int64_t> taps; ///< nothing where only a run knows
  int64_t dilation = 1;
  bool isActivated = false;
};
} // namespace

bool CausalConv::readAttributes() {
  StringRef activation = node.text("activation", "none");
  bool isChannelsLast = node.integer("channels_last", 0) != 0;
  dilation = node.integer("dilation", 1);
  isActivated = activation != "none";
  axis = isChannelsLast ? 1 : 2;
  std::optional<int64_t> known = node.requireRank(input, "its input");
  if (!known)
    return false;
  rank = *known;
  if (isActivated && activation != "silu" && activation != "swish")
    node.error(DiagnosticId::NodeAttributeRange,
               "expects \"activation\" to be none, silu or swish, got " + onnx::quoted(activation));
  else if (node.integer("ndim", 1) != 1 || node.integer("state_window", 0) != 0)
    node.error(DiagnosticId::NodeAttributeRange, "expects an \"ndim\" of 1 and a \"state_window\" of 0");
  else if (dilation < 1 || dilation > std::numeric_limits<int32_t>::max())
    node.error(DiagnosticId::NodeAttributeRange, "expects a positive \"dilation\", got " + Twine(dilation));
  else if (rank < 3 || (rank > 3 && !isChannelsLast))
    node.error(DiagnosticId::OperandType, "expects an input of rank 3, got " + describeType(input.getType()));
  else
    return true;
  return false;
}

/// That what has rank 1 or more begins with as many as there are channels. Of channels in several dims it is
/// the reshape to them that says so.
bool CausalConv::requireChannels(Value &value, StringRef what) {
  return rank > 3 || node.requireDim(value, 0, input, axis == 1 ? 2 : 1, what);
}

bool CausalConv::readWeight() {
  Value weight = node.input(1), bias = node.input(2);
  if (!node.hasRank(weight, 3, "its weight") || !requireChannels(weight, "the channels of its weight") ||
      !node.requireDim(weight, 1, 1, "its weight") ||
      (bias && (!node.hasRank(bias, 1, "its bias") || !requireChannels(bias, "its bias"))))
    return false;
  taps = node.fixedSize(weight, 2);
  if (taps && *taps < 1) {
    node.error(DiagnosticId::OperandType,
               "expects a weight with elements, got " + describeType(weight.getType()));
    return false;
  }
  return !taps || node.mayUnroll(*taps);
}

/// The state, or zeros, and behind it the input.
Value CausalConv::withPast() {
  Value past = node.input(3);
  if (!past) {
    Value shape =
        graph.concat({graph.shape(input, 0, axis), before(), graph.shape(input, axis + 1, rank)}, 0);
    past = graph.expand(node.scalar(getElementTypeOrSelf(input), 0), shape);
    return graph.concat({past, input}, axis);
  }
  if (!node.hasRank(past, rank, "its past_state"))
    return nullptr;
  weft::Dim kept = node.knownDim(before());
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim == axis ? !node.requireDim(past, dim, kept, graph.squeeze(before(), {0}), "its past_state")
                    : !node.requireDim(past, dim, input, dim, "its past_state"))
      return nullptr;
  return graph.concat({past, input}, axis);
}

Value CausalConv::overChannels(Value value) {
  return axis == 1 ? graph.reshape(value, graph.shape(input, 2, rank), /*allowZero=*/true)
                   : graph.reshape(value, {-1, 1});
}

/// `sum`, perhaps null, and what each tap adds to it.
Value CausalConv::addTaps(Value wide, Value factors, Value sum) {
  for (int64_t tap = 0; tap < *taps; ++tap) {
    int64_t begin = tap * dilation, behind = (*taps - 1 - tap) * dilation;
    Value shifted = layers::slice(graph, wide, axis, begin, behind ? -behind : kToEnd);
    Value term = graph.multiply(shifted, overChannels(layers::slice(graph, factors, 1, tap, tap + 1)));
    sum = sum ? graph.addition(sum, term) : term;
  }
  return sum;
}

/// The sum of what all taps add, where only a run knows how many there are.
Value CausalConv::gatherTaps(Value wide, Value factors) {
  Value steps = graph.multiply(node.places(factors, 1), graph.scalar(dilation));
  Value places = graph.addition(graph.unsqueeze(node.places(input, axis), {1}), steps);
  Value windows = graph.gather(wide, places, axis); // [.., length, taps, ..]
  Value ofTaps;
  if (axis == 1)
    ofTaps = graph.reshape(graph.transpose(factors, {1, 0}),
                           graph.concat({graph.shape(factors, 1, 2), graph.shape(input, 2, rank)}, 0),
                           /*allowZero=*/true);
  else
    ofTaps = graph.unsqueeze(factors, {1});
  return graph.reduce(ReduceKind::Sum, graph.multiply(windows, ofTaps), {axis + 1}, /*keepdims=*/false);
}

/// The last positions of the past and the input, as many as the past has.
Value CausalConv::stateOf(Value whole) {
  if (taps && *taps > 1) // then the importer knows how many these are
    return layers::slice(graph, whole, axis, -(*taps - 1) * dilation, kToEnd);
  // They begin as far behind the begin as the input is long.
  return graph.slice(whole, graph.shape(input, axis, axis + 1), graph.vector({kToEnd}), graph.vector({1}),
                     {axis});
}

Value CausalConv::build() {
  Value whole = readAttributes() && readWeight() ? withPast() : Value();
  if (!whole)
    return nullptr;
  Value wide = node.widened(whole), factors = node.widened(graph.squeeze(node.input(1), {1})), sum;
  if (Value bias = node.input(2))
    sum = overChannels(node.widened(bias));
  if (taps)
    sum = addTaps(wide, factors, sum);
  else
    sum = sum ? graph.addition(gatherTaps(wide, factors), sum) : gatherTaps(wide, factors);
  if (isActivated)
    sum = graph.multiply(sum, graph.sigmoid(sum));
  node.setOutput(1, stateOf(whole));
  return node.castTo(sum, getElementTypeOrSelf(input));
}

static Value buildCausalConv(NodeImport &node) { return CausalConv(node).build(); }

void weft::onnx::addCausalConvOps(OpTable &table) {
  SmallVector<AttributeRow> attributes{{"activation", AttributeKind::String}};
  table.add("CausalConvWithState", {27}, Arity(2, 4), attributes, buildCausalConv, /*maxOutputs=*/2);
  for (StringRef name : {"channels_last", "dilation", "ndim", "state_window"})
    attributes.push_back({name, AttributeKind::Int});
  table.add("com.microsoft.CausalConvWithState", {1}, Arity(2, 4), attributes, buildCausalConv,
            /*maxOutputs=*/2);
}
