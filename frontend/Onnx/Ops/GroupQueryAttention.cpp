// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention: GroupQueryAttention of com.microsoft, the attention of decoders with a past.
#include "frontend/Builder/Layers/Basics.h"
#include "frontend/Builder/Layers/Positions.h"
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Heads.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

namespace {
/// Imports one node. Keys and values stand behind all of those of the past: a past that is longer than what
/// counts of it, as a buffer that is shared or sequences of unlike lengths make it, is an error when the
/// model runs.
class GroupQueryAttentionImport {
public:
  explicit GroupQueryAttentionImport(NodeImport &node) : node(node), graph(node.graph) {}
  Value run();

private:
  bool checkForm();
  bool takeHeads();
  Value checkLengths();
  bool rotate();
  void takeMask();
  bool takeSink();
  std::nullptr_t fail(const Twine &text) { return node.error(DiagnosticId::OperandType, text); }

  NodeImport &node;
  GraphBuilder &graph;
  Value query, key, value; ///< [batch, heads, length, width]
  Value first;             ///< the position of the first row, i64
  ScoreMask scores;
};
} // namespace

/// What is not computed.
bool GroupQueryAttentionImport::checkForm() {
  if (!node.input(5))
    return fail("expects seqlens_k, which is left out"), false;
  for (auto [index, what] : {std::pair<size_t, StringRef>{12, "k_scale"}, {13, "v_scale"}})
    if (node.input(index))
      return fail("expects no " + what + ", which is not supported yet"), false;
  if (node.isRead(3))
    return fail("expects that nothing reads output 3, the scores"), false;
  if (node.input(10) && getElementTypeOrSelf(node.input(10)) != getElementTypeOrSelf(node.input(0)))
    return fail("expects an attention_bias of its query's type, got " +
                describeType(node.input(10).getType())),
           false;
  if (node.integer("qk_output", 0) > 0)
    return fail("expects no \"qk_output\", which is not supported yet"), false;
  for (StringRef name : {"k_quant_type", "v_quant_type"})
    if (node.text(name, "NONE") != "NONE")
      return fail("expects \"" + name + "\" to be NONE, got " + node.text(name, "")), false;
  return true;
}

/// Queries, keys and values, which may be one input.
bool GroupQueryAttentionImport::takeHeads() {
  int64_t heads = node.integer("num_heads", 0), keyHeads = node.integer("kv_num_heads", 0);
  if (bool(node.input(1)) != bool(node.input(2)))
    return fail("expects both of key and value, or neither"), false;
  if (heads <= 0 || keyHeads <= 0)
    return fail("expects positive \"num_heads\" and \"kv_num_heads\", got " + Twine(heads) + " and " +
                Twine(keyHeads)),
           false;
  if (node.input(1)) {
    query = onnx::splitHeads(node, node.input(0), heads, "num_heads");
    key = onnx::splitHeads(node, node.input(1), keyHeads, "kv_num_heads");
    value = onnx::splitHeads(node, node.input(2), keyHeads, "kv_num_heads");
    return query && key && value && node.requireDim(value, 3, key, 3, "the width of values") &&
           node.requireDim(key, 3, query, 3, "the width of keys") &&
           node.requireDim(key, 2, query, 2, "the length of keys");
  }
  Value all = onnx::splitHeads(node, node.input(0), heads + 2 * keyHeads, "num_heads\" and \"kv_num_heads");
  if (!all)
    return false;
  auto part = [&](int64_t from, int64_t count) { return layers::slice(graph, all, 1, from, from + count); };
  query = part(0, heads);
  key = part(heads, keyHeads);
  value = part(heads + keyHeads, keyHeads);
  return true;
}

/// 0 where every sequence is as long as the past and the keys, or has no past and is not longer than the
/// keys; elsewhere an index that no list of one has, which is an error.
Value GroupQueryAttentionImport::checkLengths() {
  Value one = graph.scalar(int64_t(1)), none = graph.scalar(int64_t(0));
  Value last = graph.reshape(node.input(5), graph.shape(query, 0, 1)); // as many as sequences
  Value lengths = graph.addition(graph.cast(last, graph.i64()), one);
  Value rows = node.size(key, 2), all = rows;
  auto equal = [&](Value left, Value right) { return graph.compare(ComparePredicate::Equal, left, right); };
  Value hasNoPast;
  if (node.input(3)) {
    hasNoPast = equal(node.size(node.input(3), 2), none);
    all = graph.addition(all, node.size(node.input(3), 2));
  }
  Value isShort = graph.add("weft.and", {graph.compare(ComparePredicate::LessEqual, one, lengths),
                                         graph.compare(ComparePredicate::LessEqual, lengths, rows)});
  Value isGood =
      hasNoPast ? graph.add("weft.or", {equal(lengths, all), graph.add("weft.and", {hasNoPast, isShort})})
                : isShort;
  Value isBad = graph.add("weft.not", {isGood});
  Value bad = graph.reshape(graph.cast(isBad, graph.i64()), {-1});
  return graph.gather(graph.vector({0}), graph.reduce(ReduceKind::Sum, bad, {0}, /*keepdims=*/false), 0);
}

/// Queries and keys by their positions.
bool GroupQueryAttentionImport::rotate() {
  if (!node.integer("do_rotary", 0))
    return true;
  if (!node.input(7) || !node.input(8))
    return fail("expects cos_cache and sin_cache for \"do_rotary\""), false;
  if (!node.hasRank(node.input(7), 2, "cos_cache") || !node.hasRank(node.input(8), 2, "sin_cache") ||
      (node.input(9) && !node.hasRank(node.input(9), 2, "position_ids")))
    return false;
  Value cosine = node.input(7), sine = node.input(8), positions = node.input(9);
  std::optional<int64_t> pairs = NodeImport::knownSize(cosine, 1), width = NodeImport::knownSize(query, 3);
  if (!node.requireDim(sine, 1, cosine, 1, "sin_cache"))
    return false;
  if (pairs && width && 2 * *pairs > *width)
    return fail("expects caches of at most half as many columns as a head is wide, got " +
                describeType(cosine.getType()) + " for " + describeType(query.getType())),
           false;
  if (!positions)
    positions = graph.unsqueeze(graph.addition(node.places(query, 2), first), {0});
  else if (!node.requireDim(positions, 0, query, 0, "position_ids") ||
           !node.requireDim(positions, 1, query, 2, "position_ids"))
    return false;
  cosine = graph.unsqueeze(graph.gather(cosine, positions, 0), {1});
  sine = graph.unsqueeze(graph.gather(sine, positions, 0), {1});
  bool isInterleaved = node.integer("rotary_interleaved", 0) != 0;
  query = layers::rotateBy(graph, query, cosine, sine, isInterleaved);
  key = layers::rotateBy(graph, key, cosine, sine, isInterleaved);
  return query && key;
}

/// A row sees the keys up to its own, or so many of them.
void GroupQueryAttentionImport::takeMask() {
  scores.softcap = node.number("softcap", 0);
  scores.bias = node.input(10);
  scores.position = first;
  scores.after = 0;
  if (int64_t window = node.integer("local_window_size", -1); window >= 0)
    scores.before = window - 1;
}

/// One score more of each row, a head's own or 0.
bool GroupQueryAttentionImport::takeSink() {
  Type element = getElementTypeOrSelf(query), number = element.isF64() ? element : graph.f32();
  if (Value sink = node.input(11)) {
    if (!node.hasRank(sink, 1, "head_sink") ||
        !node.requireDim(sink, 0, node.integer("num_heads", 0), "head_sink"))
      return false;
    scores.sink = graph.cast(graph.unsqueeze(sink, {1, 2}), number);
  } else if (node.integer("smooth_softmax", 0) > 0) {
    scores.sink = node.scalar(number, 0);
  }
  return true;
}

Value GroupQueryAttentionImport::run() {
  if (!checkForm() || !takeHeads() || (node.input(3) && !node.hasRank(node.input(3), 4, "past_key")))
    return nullptr;
  first = checkLengths();
  if (node.input(3))
    first = graph.addition(node.size(node.input(3), 2), first);
  if (!first || !rotate() || !onnx::prependPast(node, 3, key, value))
    return nullptr;
  node.setOutput(1, key);
  node.setOutput(2, value);
  takeMask();
  if (!takeSink())
    return nullptr;
  double scale = onnx::takeContribScale(node, query);
  Value result = graph.attention(query, key, value, scale, EmptyRows::Zero, scores);
  return result ? onnx::mergeHeads(graph, result) : Value();
}

void weft::onnx::addGroupQueryAttention(OpTable &table) {
  const AttributeRow attributes[] = {{"do_rotary", AttributeKind::Int},
                                     {"k_quant_type", AttributeKind::String},
                                     {"kv_cache_bit_width", AttributeKind::Int},
                                     {"kv_num_heads", AttributeKind::Int, true},
                                     {"local_window_size", AttributeKind::Int},
                                     {"num_heads", AttributeKind::Int, true},
                                     {"qk_output", AttributeKind::Int},
                                     {"rotary_interleaved", AttributeKind::Int},
                                     {"scale", AttributeKind::Float},
                                     {"smooth_softmax", AttributeKind::Int},
                                     {"softcap", AttributeKind::Float},
                                     {"v_quant_type", AttributeKind::String}};
  auto build = [](NodeImport &node) { return GroupQueryAttentionImport(node).run(); };
  table.add("com.microsoft.GroupQueryAttention", {1}, {1, 14}, attributes, build, /*maxOutputs=*/4);
}
