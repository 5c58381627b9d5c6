// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recurrence: operators that carry a state from position to position.
#include "frontend/Builder/Layers/Basics.h"
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/KnownCourse.h"

using namespace mlir;
using namespace weft;
using weft::onnx::Arity;
using weft::onnx::AttributeKind;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

//===----------------------------------------------------------------------===//
// CausalConvWithState
//===----------------------------------------------------------------------===//

/// The state [N, C, taps - 1], or zeros, and behind it the input [N, C, length].
static Value withPast(NodeImport &node, int64_t taps) {
  GraphBuilder &graph = node.graph;
  Value input = node.input(0), past = node.input(3);
  if (!past) {
    Value shape = graph.concat({graph.shape(input, 0, 2), graph.vector({taps - 1})}, 0);
    past = graph.expand(node.scalar(getElementTypeOrSelf(input), 0), shape);
  } else if (!node.hasRank(past, 3, "its past_state") ||
             !node.requireDim(past, 0, input, 0, "the batch of its past_state") ||
             !node.requireDim(past, 1, input, 1, "the channels of its past_state") ||
             !node.requireDim(past, 2, taps - 1, "its past_state")) {
    return nullptr;
  }
  return graph.concat({past, input}, 2);
}

/// Each channel by itself: out[t] is the sum of weight[j] times what is `taps` - 1 - j positions before t.
static Value buildCausalConv(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  Value input = node.input(0), weight = node.input(1), bias = node.input(2);
  StringRef activation = node.text("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects \"activation\" to be none, silu or swish, got " + onnx::quoted(activation));
  if (!node.hasRank(input, 3, "its input") || !node.hasRank(weight, 3, "its weight") ||
      !node.requireDim(weight, 0, input, 1, "the channels of its weight") ||
      !node.requireDim(weight, 1, 1, "its weight"))
    return nullptr;
  std::optional<int64_t> taps = onnx::requireSize(node, weight, 2, "to convolve with");
  if (taps && *taps < 1)
    return node.error(DiagnosticId::OperandType,
                      "expects a weight with elements, got " + describeType(weight.getType()));
  if (!taps || !node.mayUnroll(*taps))
    return nullptr;
  Value whole = withPast(node, *taps);
  if (!whole || (bias && (!node.hasRank(bias, 1, "its bias") ||
                          !node.requireDim(bias, 0, input, 1, "the channels of its bias"))))
    return nullptr;
  constexpr int64_t kToEnd = std::numeric_limits<int64_t>::max();
  Value wide = node.widened(whole), factors = node.widened(graph.squeeze(weight, {1})), sum;
  if (bias)
    sum = graph.unsqueeze(node.widened(bias), {1});
  for (int64_t tap = 0; tap < *taps; ++tap) {
    int64_t behind = *taps - 1 - tap;
    Value shifted = layers::slice(graph, wide, 2, tap, behind ? -behind : kToEnd);
    Value term = graph.multiply(shifted, layers::slice(graph, factors, 1, tap, tap + 1));
    sum = sum ? graph.addition(sum, term) : term;
  }
  if (activation != "none")
    sum = graph.multiply(sum, graph.sigmoid(sum));
  bool isKept = *taps > 1; // -0 would be the begin
  node.setOutput(1, layers::slice(graph, whole, 2, 1 - *taps, isKept ? kToEnd : 0));
  return node.castTo(sum, getElementTypeOrSelf(input));
}

//===----------------------------------------------------------------------===//
// LinearAttention
//===----------------------------------------------------------------------===//

namespace {
/// A node's attributes and inputs as weft.linear_attention takes them, all in f32 (f64 for inputs of f64).
class LinearAttention {
public:
  explicit LinearAttention(NodeImport &node) : node(node), graph(node.graph) {}

  /// Null after an error.
  Value build();

private:
  bool readAttributes();
  bool splitInputs();
  Value splitHeads(Value packed, int64_t heads, StringRef what);
  bool readGates();
  bool readState();
  Value scale();

  NodeImport &node;
  GraphBuilder &graph;
  int64_t queryHeads = 0, heads = 0;
  bool isGated = false, isDelta = false;
  Value query, key, value; ///< [N, T, heads, width]
  Value decay;             ///< exp(g) [N, T, heads, key width or 1], if gated
  Value rate;              ///< beta [N, T, heads or 1, 1], if delta
  Value state;             ///< [N, heads, key width, value width]
};
} // namespace

bool LinearAttention::readAttributes() {
  StringRef rule = node.text("update_rule", "gated_delta");
  isGated = rule == "gated" || rule == "gated_delta";
  isDelta = rule == "delta" || rule == "gated_delta";
  queryHeads = node.integer("q_num_heads", 0);
  heads = node.integer("kv_num_heads", 0);
  if (!isGated && !isDelta && rule != "linear")
    node.error(DiagnosticId::NodeAttributeRange,
               "expects \"update_rule\" to be linear, gated, delta or gated_delta, got " +
                   onnx::quoted(rule));
  else if (heads < 1 || queryHeads < 1 || queryHeads % heads != 0)
    node.error(DiagnosticId::NodeAttributeRange,
               "expects \"q_num_heads\" to be a multiple of \"kv_num_heads\", got " + Twine(queryHeads) +
                   " and " + Twine(heads));
  else if ((isGated && !node.input(4)) || (isDelta && !node.input(5)))
    node.error(DiagnosticId::OperandType,
               "expects a decay where it is gated, and a beta for delta, with \"update_rule\" " +
                   onnx::quoted(rule));
  else
    return true;
  return false;
}

/// [N, T, heads * width] as [N, T, heads, width].
Value LinearAttention::splitHeads(Value packed, int64_t count, StringRef what) {
  if (!node.hasRank(packed, 3, what) || !node.requireDim(packed, 0, node.input(0), 0, what) ||
      !node.requireDim(packed, 1, node.input(0), 1, what))
    return nullptr;
  Value number = graph.vector({count});
  Value width = graph.divide(graph.shape(packed, 2, 3), number);
  Value shape = graph.concat({graph.shape(packed, 0, 2), number, width}, 0);
  return graph.reshape(node.widened(packed), shape, /*allowZero=*/true);
}

bool LinearAttention::splitInputs() {
  query = splitHeads(node.input(0), queryHeads, "its query");
  key = query ? splitHeads(node.input(1), heads, "its key") : Value();
  value = key ? splitHeads(node.input(2), heads, "its value") : Value();
  return value && node.requireDim(key, 3, query, 3, "the width of its key");
}

/// A gate whose dim is 1 or that size: a dim which only a run knows is spread out to it.
static Value spread(NodeImport &node, Value gate, int64_t dim, Value size) {
  if (NodeImport::knownSize(gate, dim))
    return gate;
  GraphBuilder &graph = node.graph;
  return graph.expand(gate,
                      graph.concat({graph.shape(gate, 0, dim), size, graph.shape(gate, dim + 1, 4)}, 0));
}

bool LinearAttention::readGates() {
  if (isGated) {
    // One number for each head, or one for each of a key's elements.
    decay = splitHeads(node.input(4), heads, "its decay");
    if (!decay)
      return false;
    decay = spread(node, graph.add("weft.exp", {decay}), 3, graph.shape(key, 3, 4));
    if (NodeImport::knownSize(decay, 3) != 1 && !node.requireDim(decay, 3, key, 3, "the width of its decay"))
      return false;
  }
  if (isDelta) {
    Value given = node.input(5);
    if (!node.hasRank(given, 3, "its beta") || !node.requireDim(given, 0, node.input(0), 0, "its beta") ||
        !node.requireDim(given, 1, node.input(0), 1, "its beta"))
      return false;
    rate = spread(node, graph.unsqueeze(node.widened(given), {3}), 2, graph.vector({heads}));
    if (NodeImport::knownSize(rate, 2) != 1 && !node.requireDim(rate, 2, heads, "its beta"))
      return false;
  }
  return true;
}

bool LinearAttention::readState() {
  Value given = node.input(3), width = graph.shape(query, 3, 4), valueWidth = graph.shape(value, 3, 4);
  Value shape = graph.concat({graph.shape(query, 0, 1), graph.vector({heads}), width, valueWidth}, 0);
  Type element = getElementTypeOrSelf(query);
  if (!given)
    state = graph.expand(node.scalar(element, 0), shape);
  else if (node.hasRank(given, 4, "its past_state"))
    state = graph.reshape(node.castTo(given, element), shape, /*allowZero=*/true);
  return bool(state);
}

/// What queries are multiplied by, a scalar.
Value LinearAttention::scale() {
  Type element = getElementTypeOrSelf(query);
  if (float attribute = node.number("scale", 0))
    return node.scalar(element, attribute);
  Value width = graph.squeeze(graph.shape(query, 3, 4), {0});
  return graph.add("weft.reciprocal", {graph.sqrt(graph.cast(width, element))});
}

Value LinearAttention::build() {
  if (!node.hasFloats(node.input(0)) || !readAttributes() || !splitInputs() || !readGates() || !readState())
    return nullptr;
  Value result = graph.multiply(graph.linearAttention(query, key, value, state, decay, rate), scale());
  Value width = graph.multiply(graph.shape(value, 3, 4), graph.vector({queryHeads}));
  Value packed =
      graph.reshape(result, graph.concat({graph.shape(result, 0, 2), width}, 0), /*allowZero=*/true);
  Type stored = getElementTypeOrSelf(node.input(node.input(3) ? 3 : 0));
  node.setOutput(1, node.castTo(state, stored));
  return node.castTo(packed, getElementTypeOrSelf(node.input(0)));
}

static Value buildLinearAttention(NodeImport &node) { return LinearAttention(node).build(); }

void weft::onnx::addRecurrenceOps(OpTable &table) {
  table.add("CausalConvWithState", {27}, Arity(2, 4), {{"activation", AttributeKind::String}},
            buildCausalConv,
            /*maxOutputs=*/2);
  table.add("LinearAttention", {27}, Arity(3, 6),
            {{"chunk_size", AttributeKind::Int},
             {"kv_num_heads", AttributeKind::Int, true},
             {"q_num_heads", AttributeKind::Int, true},
             {"scale", AttributeKind::Float},
             {"update_rule", AttributeKind::String}},
            buildLinearAttention, /*maxOutputs=*/2);
}
