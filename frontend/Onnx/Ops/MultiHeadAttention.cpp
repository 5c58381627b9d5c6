// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention: MultiHeadAttention, Attention and QAttention of com.microsoft, which exporters and optimizers of
// ONNX Runtime write.
#include "frontend/Builder/Layers/Basics.h"
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Heads.h"
#include "frontend/Onnx/Ops/IntegerProduct.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

namespace {
/// What both operators compute, of heads [batch, heads, length, width].
class MultiHeadAttentionImport {
public:
  explicit MultiHeadAttentionImport(NodeImport &node)
      : node(node), graph(node.graph), heads(node.integer("num_heads", 0)) {}
  Value runMultiHeadAttention();
  Value runAttention();
  Value runQAttention();

private:
  bool takeQuery();
  bool takeMemory();
  bool requireBias();
  Value widthsOf(Value all);
  bool canProject();
  bool project(Value all);
  Value attendToBoth(size_t past, size_t mask, size_t bias);
  bool takePastOfBoth(size_t index);
  bool takeMask(size_t index);
  bool takeBias(size_t index);
  Value keepsOf(Value mask, int64_t rank);
  Value split(size_t index, Value &from);
  bool requirePacked(Value &value, int64_t parts);
  Value unpack(Value packed, int64_t index);
  Value attend();
  /// What scores are computed in, which holds a filter value that 16 bits may not.
  Type computed() const {
    return getElementTypeOrSelf(query).isF64() ? getElementTypeOrSelf(query) : graph.f32();
  }
  std::nullptr_t fail(const Twine &text) { return node.error(DiagnosticId::OperandType, text); }

  NodeImport &node;
  GraphBuilder &graph;
  int64_t heads;
  Value query, key, value; ///< keys and values with those of the past
  Value newKey;            ///< without
  Value bias;              ///< of query, key and value, [all their widths]
  ScoreMask scores;
};
} // namespace

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Which keys count, as bools that broadcast to [batch, heads, rows, keys], of integers: how many of each
/// entry [batch], where they end and begin [2 * batch], or which [batch, keys], [batch, rows, keys]. Null
/// after an error. A vector that is not provably twice as long as the batch is lengths.
Value MultiHeadAttentionImport::keepsOf(Value mask, int64_t rank) {
  if (rank != 1) {
    Value none = node.scalar(getElementTypeOrSelf(mask), 0);
    Value keep = graph.compare(ComparePredicate::Less, none, mask);
    if (rank == 2)
      return graph.unsqueeze(keep, {1, 2});
    if (rank == 3)
      return graph.unsqueeze(keep, {1});
    return fail("expects a mask of rank 1, 2 or 3, got " + describeType(mask.getType()));
  }
  Dim count = getDims(mask)->front(), batch = (*getDims(query))[0];
  bool isPair = count && batch && count == batch * 2;
  if (count && count.getConstant() && (!batch || !batch.getConstant()))
    return fail(
        "expects as many lengths as entries, or ends and starts, of a batch whose size is known, got " +
        describeType(mask.getType()) + " for " + describeType(query.getType()) + "; set it with --dim");
  if (!isPair && !node.requireDim(mask, 0, query, 0, "how many lengths there are, or twice as many,"))
    return nullptr;
  Value places = node.places(key, 2), lengths = graph.cast(mask, graph.i64());
  auto perEntry = [&](Value numbers) { return graph.unsqueeze(numbers, {1, 2, 3}); };
  if (!isPair)
    return graph.compare(ComparePredicate::Less, places, perEntry(lengths));
  Value two = graph.reshape(lengths, {2, -1});
  auto row = [&](int64_t index) {
    return perEntry(graph.squeeze(layers::slice(graph, two, 0, index, index + 1), {0}));
  };
  return graph.add("weft.and", {graph.compare(ComparePredicate::Less, places, row(0)),
                                graph.compare(ComparePredicate::GreaterEqual, places, row(1))});
}

/// What does not count has a number added, which is large but finite.
bool MultiHeadAttentionImport::takeMask(size_t index) {
  Value mask = node.input(index);
  if (!mask)
    return true;
  std::optional<int64_t> rank = node.requireRank(mask, "its mask");
  if (!rank)
    return false;
  if (!isa<IntegerType>(getElementTypeOrSelf(mask)))
    return fail("expects a mask of integers, got " + describeType(mask.getType())), false;
  // One of a single column, where keys are more, says that nothing is masked.
  if (*rank == 2 && NodeImport::knownSize(mask, -1) == 1 && (*getDims(key))[2] &&
      NodeImport::knownSize(key, 2) != 1)
    return true;
  Value keep = keepsOf(mask, *rank);
  Value hidden = node.scalar(computed(), node.number("mask_filter_value", -10000));
  if (keep)
    scores.bias = graph.where(keep, node.scalar(computed(), 0), hidden);
  return bool(scores.bias);
}

/// What is added to scores, [batch or 1, heads or 1, rows, keys].
bool MultiHeadAttentionImport::takeBias(size_t index) {
  Value bias = node.input(index);
  if (!bias)
    return true;
  if (getElementTypeOrSelf(bias) != getElementTypeOrSelf(query))
    return fail("expects an attention_bias of its query's type, got " + describeType(bias.getType())), false;
  scores.bias = scores.bias ? graph.addition(scores.bias, graph.cast(bias, computed())) : bias;
  return bool(scores.bias);
}

//===----------------------------------------------------------------------===//
// Queries, keys and values
//===----------------------------------------------------------------------===//

/// Input `index` as heads. The next part of the bias, from `from` on, is added before, if there is one.
Value MultiHeadAttentionImport::split(size_t index, Value &from) {
  Value rows = node.input(index);
  if (std::optional<int64_t> rank = node.requireRank(rows, "its input"); bias && rank == 3) {
    Value width = graph.unsqueeze(node.size(rows, 2), {0}), end = graph.addition(from, width);
    Value part = graph.slice(bias, from, end, graph.vector({1}), {0});
    rows = graph.addition(rows, graph.reshape(part, width)); // as many as there are columns
    from = end;
  }
  return onnx::splitHeads(node, rows, heads, "num_heads");
}

/// Has a value be [batch, length, heads, parts, width]; false after an error.
bool MultiHeadAttentionImport::requirePacked(Value &value, int64_t parts) {
  return node.requireDim(value, 2, heads, "heads of what is packed") &&
         node.requireDim(value, 3, parts, "what is packed");
}

/// Part `index` of [batch, length, heads, parts, width], by head.
Value MultiHeadAttentionImport::unpack(Value packed, int64_t index) {
  Value part = graph.squeeze(layers::slice(graph, packed, 3, index, index + 1), {3});
  return graph.transpose(part, {0, 2, 1, 3});
}

/// A query of rank 5 is all three.
bool MultiHeadAttentionImport::takeQuery() {
  bias = node.input(3);
  if (bias && !node.hasRank(bias, 1, "its bias"))
    return false;
  if (NodeImport::rankOf(node.input(0)) == 5) {
    Value packed = node.input(0);
    if (!requirePacked(packed, 3))
      return false;
    if (node.input(1) || node.input(2) || node.input(3))
      return fail("expects no key, value or bias beside a packed query"), false;
    query = unpack(packed, 0);
    key = unpack(packed, 1);
    value = unpack(packed, 2);
    return query && key && value;
  }
  return takeMemory();
}

/// Has the bias be as long as rows of queries, keys and values together; false after an error.
bool MultiHeadAttentionImport::requireBias() {
  Dim total = Dim::constant(graph.getContext(), 0);
  Value size = graph.scalar(int64_t(0));
  for (size_t index : {0, 1, 2}) {
    if (!node.hasRank(node.input(index), 3, "its input"))
      return false;
    Dim width = getDims(node.input(index))->back();
    total = total && width ? total + width : Dim();
    size = graph.addition(size, node.size(node.input(index), 2));
  }
  return node.requireDim(bias, 0, total, size, "its bias");
}

/// Queries are rows; keys and values, too, or both of them are of rank 5, or by head already.
bool MultiHeadAttentionImport::takeMemory() {
  Value keys = node.input(1), values = node.input(2);
  std::optional<int64_t> rank = keys ? node.requireRank(keys, "its key") : std::nullopt;
  if (!rank || (!values && *rank != 5) || (values && node.requireRank(values, "its value") != rank))
    return fail("expects a key and a value of one rank"), false;
  if (node.input(3) && *rank == 3 && !requireBias())
    return false;
  Value from = graph.vector({0});
  query = split(0, from);
  if (*rank == 3) {
    key = query ? split(1, from) : Value();
    value = key ? split(2, from) : Value();
  } else if (*rank == 5 && !values && !node.input(3)) {
    if (!requirePacked(keys, 2))
      return false;
    key = unpack(keys, 0);
    value = unpack(keys, 1);
  } else if (*rank == 4) { // a bias is the query's alone
    if (!node.requireDim(keys, 1, heads, "heads of keys") ||
        !node.requireDim(values, 1, heads, "heads of values"))
      return false;
    key = keys;
    value = values;
  } else {
    return fail("expects keys of rank 3, 4, or 5 without a bias, got " + describeType(keys.getType())), false;
  }
  return query && key && value;
}

/// The widths of query, key and value, [3]: given, or a third of all each. Null after an error.
Value MultiHeadAttentionImport::widthsOf(Value all) {
  onnx::OptionalInts sizes = node.integers("qkv_hidden_sizes");
  std::optional<int64_t> width = NodeImport::knownSize(all, -1);
  bool isGood = !sizes ? !width || *width % 3 == 0
                       : sizes->size() == 3 && llvm::all_of(*sizes, [](int64_t size) { return size > 0; }) &&
                             (!width || (*sizes)[0] + (*sizes)[1] + (*sizes)[2] == *width);
  if (!isGood)
    return fail(
        "expects weights of a width that three \"qkv_hidden_sizes\" make, or three equal parts, got " +
        describeType(node.input(1).getType()));
  if (sizes)
    return graph.vector(*sizes);
  Value third = graph.divide(node.size(all, 2), graph.scalar(int64_t(3)));
  return graph.expand(third, graph.vector({3}));
}

/// Takes input * weights, [batch, length, widths of query, key and value], and adds the bias.
bool MultiHeadAttentionImport::project(Value all) {
  bias = node.input(2);
  if (all && bias) {
    if (!node.requireDim(bias, 0, node.input(1), 1, "its bias"))
      return false;
    all = graph.addition(all, bias);
  }
  Value widths = all ? widthsOf(all) : Value();
  if (!widths)
    return false;
  // Where the width of all is not known, this makes sure that it is the sum of the parts.
  Value sum = graph.reduce(ReduceKind::Sum, widths, {0}, /*keepdims=*/true);
  all = graph.reshape(all, graph.concat({graph.shape(all, 0, 2), sum}, 0), /*allowZero=*/true);
  Value *parts[] = {&query, &key, &value};
  Value from = graph.vector({0});
  for (int64_t i = 0; i < 3; ++i) {
    Value end = graph.addition(from, layers::slice(graph, widths, 0, i, i + 1));
    Value rows = graph.slice(all, from, end, graph.vector({1}), {2});
    *parts[i] = rows ? onnx::splitHeads(node, rows, heads, "num_heads") : Value();
    if (!*parts[i])
      return false;
    from = end;
  }
  return true;
}

/// A past [2, batch, heads, length, width] of keys and values, and the same of the present.
bool MultiHeadAttentionImport::takePastOfBoth(size_t index) {
  if (Value past = node.input(index)) {
    if (!node.hasRank(past, 5, "its past") || !node.requireDim(past, 0, 2, "its past"))
      return false;
    auto part = [&](int64_t i) { return graph.squeeze(layers::slice(graph, past, 0, i, i + 1), {0}); };
    key = graph.concat({part(0), key}, 2);
    value = graph.concat({part(1), value}, 2);
  }
  if (node.isRead(1))
    node.setOutput(1, graph.concat({graph.unsqueeze(key, {0}), graph.unsqueeze(value, {0})}, 0));
  return key && value;
}

//===----------------------------------------------------------------------===//
// The nodes
//===----------------------------------------------------------------------===//

Value MultiHeadAttentionImport::attend() {
  if (node.integer("unidirectional", 0)) {
    // What ONNX Runtime computes otherwise is no causal mask, but for one row, which sees everything.
    if (NodeImport::knownSize(query, 2) != 1 &&
        !node.requireDim(query, 2, newKey, 2, "for \"unidirectional\", the length of queries"))
      return nullptr;
    scores.position = graph.subtract(node.size(key, 2), node.size(query, 2));
    scores.after = 0;
  }
  double scale = onnx::takeContribScale(node, query);
  Value result = graph.attention(query, key, value, scale, EmptyRows::Zero, scores);
  return result ? onnx::mergeHeads(graph, result) : Value();
}

/// query, key, value, bias, key_padding_mask, attention_bias, past_key, past_value.
Value MultiHeadAttentionImport::runMultiHeadAttention() {
  if (node.input(8) || node.input(9))
    return fail("expects no past_sequence_length and no cache_indirection, which are of buffers that are "
                "shared");
  if (node.isRead(3))
    return fail("expects that nothing reads output 3, the scores");
  if (!takeQuery())
    return nullptr;
  newKey = key;
  if (!onnx::prependPast(node, 6, key, value))
    return nullptr;
  node.setOutput(1, key);
  node.setOutput(2, value);
  return takeMask(4) && takeBias(5) ? attend() : Value();
}

/// What both do behind `project`: inputs of that number are the past, the mask, and what is added to scores.
Value MultiHeadAttentionImport::attendToBoth(size_t past, size_t mask, size_t bias) {
  newKey = key;
  return takePastOfBoth(past) && takeMask(mask) && takeBias(bias) ? attend() : Value();
}

/// Whether input, weights and bias have their ranks, and attributes ask for nothing else; reports an error if
/// not.
bool MultiHeadAttentionImport::canProject() {
  for (StringRef name : {"do_rotary", "past_present_share_buffer"})
    if (node.integer(name, 0) != 0)
      return fail("expects no \"" + name + "\", which is not supported yet"), false;
  return node.hasRank(node.input(0), 3, "its input") && node.hasRank(node.input(1), 2, "its weights") &&
         (!node.input(2) || node.hasRank(node.input(2), 1, "its bias"));
}

/// input, weights, bias, mask_index, past, attention_bias.
Value MultiHeadAttentionImport::runAttention() {
  bool isProjected = canProject() && project(graph.matmul(node.input(0), node.input(1)));
  return isProjected ? attendToBoth(4, 3, 5) : Value();
}

/// input and weights of bytes, bias, their scales, mask_index, their zero points, past.
Value MultiHeadAttentionImport::runQAttention() {
  if (!canProject())
    return nullptr;
  Value all = onnx::multiplyBytes(node, node.input(0), node.scalarInput(6), node.scalarInput(3),
                                  node.input(1), node.input(7), node.input(4));
  constexpr size_t kNone = -1;
  return project(all) ? attendToBoth(8, 5, kNone) : Value();
}

void weft::onnx::addMultiHeadAttentionOps(OpTable &table) {
  SmallVector<AttributeRow> attributes{{"mask_filter_value", AttributeKind::Float},
                                       {"num_heads", AttributeKind::Int, true},
                                       {"scale", AttributeKind::Float},
                                       {"unidirectional", AttributeKind::Int}};
  table.add(
      "com.microsoft.MultiHeadAttention", {1}, {1, 10}, attributes,
      [](NodeImport &node) { return MultiHeadAttentionImport(node).runMultiHeadAttention(); },
      /*maxOutputs=*/4);
  attributes.append({{"do_rotary", AttributeKind::Int},
                     {"past_present_share_buffer", AttributeKind::Int},
                     {"qkv_hidden_sizes", AttributeKind::Ints},
                     {"rotary_embedding_dim", AttributeKind::Int}});
  table.add(
      "com.microsoft.Attention", {1}, {2, 7}, attributes,
      [](NodeImport &node) { return MultiHeadAttentionImport(node).runAttention(); }, /*maxOutputs=*/2);
  table.add(
      "com.microsoft.QAttention", {1}, {5, 9}, attributes,
      [](NodeImport &node) { return MultiHeadAttentionImport(node).runQAttention(); }, /*maxOutputs=*/2);
}
