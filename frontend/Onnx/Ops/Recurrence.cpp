// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recurrence: LinearAttention and what makes its gates, of ai.onnx and of com.microsoft.
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Activations.h"

using namespace mlir;
using namespace weft;
using weft::onnx::Arity;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

namespace {
/// A node's attributes and inputs as weft.linear_attention takes them, all in f32 (f64 for inputs of f64).
class LinearAttention {
public:
  /// `sharesOthers`: heads of the state may share those of keys, and of queries, as query heads share heads.
  LinearAttention(NodeImport &node, bool sharesOthers)
      : node(node), graph(node.graph), sharesOthers(sharesOthers) {}

  /// Null after an error.
  Value build();

private:
  bool readAttributes();
  bool splitInputs();
  bool fits(Value &packed, StringRef what);
  Value splitHeads(Value packed, int64_t count, StringRef what);
  Value split(Value packed, Value count, Value width);
  Value splitKeys();
  Value repeatHeads(Value x, int64_t count);
  bool readGates();
  bool readState();
  Value scale();

  NodeImport &node;
  GraphBuilder &graph;
  bool sharesOthers;
  int64_t queryHeads = 0, heads = 0; ///< of queries and the result, of values and the state
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
  else if (node.integer("state_window", 0) != 0)
    node.error(DiagnosticId::NodeAttributeRange, "expects a \"state_window\" of 0");
  else if (heads < 1 || queryHeads < 1 ||
           (queryHeads % heads != 0 && !(sharesOthers && heads % queryHeads == 0)))
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

/// That it is [N, T, ...] of the node's N and T.
bool LinearAttention::fits(Value &packed, StringRef what) {
  return node.hasRank(packed, 3, what) && node.requireDim(packed, 0, node.input(0), 0, what) &&
         node.requireDim(packed, 1, node.input(0), 1, what);
}

/// [N, T, heads * width] as [N, T, heads, width].
Value LinearAttention::splitHeads(Value packed, int64_t count, StringRef what) {
  if (!fits(packed, what))
    return nullptr;
  Value number = graph.vector({count});
  return split(packed, number, graph.divide(graph.shape(packed, 2, 3), number));
}

Value LinearAttention::split(Value packed, Value count, Value width) {
  Value shape = graph.concat({graph.shape(packed, 0, 2), count, width}, 0);
  return graph.reshape(node.widened(packed), shape, /*allowZero=*/true);
}

/// Each head as often as it takes to have `count` of them.
Value LinearAttention::repeatHeads(Value x, int64_t count) {
  if (NodeImport::knownSize(x, 2) == count)
    return x;
  Value number = graph.vector({count}), width = graph.shape(x, 3, 4);
  Value times = graph.divide(number, graph.shape(x, 2, 3));
  Value copies = graph.concat({graph.shape(x, 0, 3), times, width}, 0);
  return graph.reshape(graph.expand(graph.unsqueeze(x, {3}), copies),
                       graph.concat({graph.shape(x, 0, 2), number, width}, 0), /*allowZero=*/true);
}

/// Keys as wide as queries, with a head for each of the state's: their number follows from how wide they are.
Value LinearAttention::splitKeys() {
  Value packed = node.input(1);
  StringRef what = "its key";
  if (!sharesOthers) {
    Value keys = splitHeads(packed, heads, what);
    return keys && node.requireDim(keys, 3, query, 3, what) ? keys : Value();
  }
  if (!fits(packed, what))
    return nullptr;
  Value width = graph.shape(query, 3, 4);
  Value keys = split(packed, graph.divide(graph.shape(packed, 2, 3), width), width);
  std::optional<int64_t> known = NodeImport::knownSize(keys, 2);
  if (known && (*known < 1 || heads % *known != 0))
    return node.error(DiagnosticId::OperandType, "expects a number of key heads that divides " +
                                                     Twine(heads) + ", got " + Twine(*known));
  return repeatHeads(keys, heads);
}

bool LinearAttention::splitInputs() {
  query = splitHeads(node.input(0), queryHeads, "its query");
  key = query ? splitKeys() : Value();
  value = key ? splitHeads(node.input(2), heads, "its value") : Value();
  if (!value)
    return false;
  query = repeatHeads(query, std::max(queryHeads, heads));
  queryHeads = std::max(queryHeads, heads);
  return true;
}

/// A gate whose dim is 1 or that size: a dim which only a run knows is spread out to it. Null after an error.
static Value spread(NodeImport &node, Value gate, int64_t dim, Value size) {
  if (!gate || NodeImport::knownSize(gate, dim))
    return gate;
  GraphBuilder &graph = node.graph;
  return graph.expand(gate,
                      graph.concat({graph.shape(gate, 0, dim), size, graph.shape(gate, dim + 1, 4)}, 0));
}

bool LinearAttention::readGates() {
  if (isGated) {
    // One number for each head, or one for each of a key's elements.
    decay = splitHeads(node.input(4), heads, "its decay");
    decay = decay ? graph.add("weft.exp", {decay}) : decay;
    decay = spread(node, decay, 3, graph.shape(key, 3, 4));
    if (!decay || (NodeImport::knownSize(decay, 3) != 1 &&
                   !node.requireDim(decay, 3, key, 3, "the width of its decay")))
      return false;
  }
  if (isDelta) {
    Value given = node.input(5);
    if (!fits(given, "its beta"))
      return false;
    rate = spread(node, graph.unsqueeze(node.widened(given), {3}), 2, graph.vector({heads}));
    if (!rate || (NodeImport::knownSize(rate, 2) != 1 && !node.requireDim(rate, 2, heads, "its beta")))
      return false;
  }
  return true;
}

bool LinearAttention::readState() {
  Type element = getElementTypeOrSelf(query);
  Value given = node.input(3);
  if (given) {
    StringRef what = "its past_state";
    if (!node.hasRank(given, 4, what) || !node.requireDim(given, 0, query, 0, what) ||
        !node.requireDim(given, 1, heads, what) || !node.requireDim(given, 2, query, 3, what) ||
        !node.requireDim(given, 3, value, 3, what))
      return false;
    state = node.castTo(given, element);
  } else {
    Value shape = graph.concat(
        {graph.shape(query, 0, 1), graph.vector({heads}), graph.shape(query, 3, 4), graph.shape(value, 3, 4)},
        0);
    state = graph.expand(node.scalar(element, 0), shape);
  }
  return bool(state);
}

/// What the result is multiplied by, a scalar.
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
  Value rows = graph.linearAttention(query, key, value, state, decay, rate);
  Value result = graph.multiply(rows, scale());
  Value width = graph.multiply(graph.shape(value, 3, 4), graph.vector({queryHeads}));
  Value packed =
      graph.reshape(result, graph.concat({graph.shape(result, 0, 2), width}, 0), /*allowZero=*/true);
  Type stored = getElementTypeOrSelf(node.input(node.input(3) ? 3 : 0));
  node.setOutput(1, node.castTo(state, stored));
  return node.castTo(packed, getElementTypeOrSelf(node.input(0)));
}

static Value buildLinearAttention(NodeImport &node) { return LinearAttention(node, false).build(); }
static Value buildContribLinearAttention(NodeImport &node) { return LinearAttention(node, true).build(); }

/// a [N, T, heads], a bias and a scale of each head, perhaps b: the decay scale * softplus(a + bias), and
/// sigmoid(b), in f32.
static Value buildLinearAttentionGate(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  Value a = node.input(0), b = node.input(3);
  if (!node.hasFloats(a) || !node.hasRank(a, 3, "its input"))
    return nullptr;
  SmallVector<Value> ofHeads;
  for (size_t index : {1, 2}) {
    Value value = node.input(index);
    if (!node.hasRank(value, 1, "its bias and scale") ||
        !node.requireDim(value, 0, a, 2, "its bias and scale"))
      return nullptr;
    ofHeads.push_back(node.castTo(value, graph.f32()));
  }
  Type element = getElementTypeOrSelf(a);
  Value sum = graph.addition(node.castTo(a, graph.f32()), ofHeads[0]);
  if (b)
    node.setOutput(1, node.castTo(graph.sigmoid(node.castTo(b, graph.f32())), element));
  else if (node.isRead(1))
    return node.error(DiagnosticId::OperandType, "expects an input 3 for output 1, which is read");
  return node.castTo(graph.multiply(ofHeads[1], onnx::softplus(node, sum)), element);
}

void weft::onnx::addRecurrenceOps(OpTable &table) {
  SmallVector<AttributeRow> attributes{{"chunk_size", AttributeKind::Int},
                                       {"kv_num_heads", AttributeKind::Int, true},
                                       {"q_num_heads", AttributeKind::Int, true},
                                       {"scale", AttributeKind::Float},
                                       {"update_rule", AttributeKind::String}};
  table.add("LinearAttention", {27}, Arity(3, 6), attributes, buildLinearAttention, /*maxOutputs=*/2);
  attributes.push_back({"state_window", AttributeKind::Int});
  table.add("com.microsoft.LinearAttention", {1}, Arity(3, 6), attributes, buildContribLinearAttention,
            /*maxOutputs=*/2);
  table.add("com.microsoft.LinearAttentionGate", {1}, Arity(3, 4), {}, buildLinearAttentionGate,
            /*maxOutputs=*/2);
}
