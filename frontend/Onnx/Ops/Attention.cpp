// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention: ONNX's operator, whose masks become a score region.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Heads.h"
#include "frontend/Onnx/Ops/Pad.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

//===----------------------------------------------------------------------===//
// The node
//===----------------------------------------------------------------------===//

namespace {
/// Imports one node.
class AttentionImport {
public:
  explicit AttentionImport(NodeImport &node) : node(node), graph(node.graph) {}
  Value run();

private:
  bool takeHeads();
  bool takePast();
  bool takeScores();
  Value padMask(Value mask);
  Value writeScores(double scale, bool isMasked);
  std::nullptr_t fail(const Twine &text) { return node.error(DiagnosticId::OperandType, text); }

  NodeImport &node;
  GraphBuilder &graph;
  Value query, key, value; ///< [batch, heads, length, width], keys and values with those of the past
  ScoreMask scores;
  bool isOfRank3 = false;
};
} // namespace

bool AttentionImport::takeHeads() {
  std::optional<int64_t> rank = node.requireRank(node.input(0), "its query");
  for (size_t i : {1, 2})
    if (rank && node.requireRank(node.input(i), "its keys and values") != rank)
      return fail("expects query, keys and values of one rank, got " + describeType(node.input(0).getType()) +
                  " and " + describeType(node.input(i).getType())),
             false;
  if (!rank || (*rank != 3 && *rank != 4))
    return rank &&
           (fail("expects a query of rank 3 or 4, got " + describeType(node.input(0).getType())), false);
  isOfRank3 = *rank == 3;
  query = node.input(0), key = node.input(1), value = node.input(2);
  if (!isOfRank3)
    return true;
  if (!node.has("q_num_heads") || !node.has("kv_num_heads"))
    return fail("expects \"q_num_heads\" and \"kv_num_heads\" for a query of rank 3, got none"), false;
  int64_t heads = node.integer("q_num_heads", 0), keyHeads = node.integer("kv_num_heads", 0);
  query = onnx::splitHeads(node, query, heads, "q_num_heads");
  key = query ? onnx::splitHeads(node, key, keyHeads, "kv_num_heads") : Value();
  value = key ? onnx::splitHeads(node, value, keyHeads, "kv_num_heads") : Value();
  return bool(value);
}

/// Puts the past before the keys and values, which are the present then.
bool AttentionImport::takePast() {
  if (node.input(4) && node.input(6))
    return fail("expects no past beside nonpad_kv_seqlen"), false;
  if (!onnx::prependPast(node, 4, key, value))
    return false;
  node.setOutput(1, key);
  node.setOutput(2, value);
  return true;
}

/// From opset 24 on a mask may be shorter than the keys: what it lacks is left out. One that is longer stays
/// so, and does not fit.
Value AttentionImport::padMask(Value mask) {
  Dim have = getDims(mask)->back(), need = (*getDims(key))[2];
  if (node.opset < 24 || (have && have == need) || NodeImport::knownSize(mask, -1) == 1)
    return mask;
  int64_t last = int64_t(getDims(mask)->size()) - 1;
  Value missing = graph.add(
      "weft.max", {graph.subtract(node.size(key, 2), node.size(mask, last)), graph.scalar(int64_t(0))});
  Value pads = graph.concat({graph.vector({0}), graph.unsqueeze(missing, {0})}, 0);
  Type element = getElementTypeOrSelf(mask);
  double fill = isa<FloatType>(element) ? -std::numeric_limits<double>::infinity() : 0;
  return onnx::addPad(node, PadMode::Constant, mask, pads, node.scalar(element, fill), {last});
}

bool AttentionImport::takeScores() {
  scores.softcap = node.number("softcap", 0);
  if (Value mask = node.input(3)) {
    std::optional<int64_t> rank = node.requireRank(mask, "its mask");
    if (!rank || *rank == 0 || *rank > 4)
      return rank && (fail("expects a mask of rank 1 to 4, got " + describeType(mask.getType())), false);
    Type element = getElementTypeOrSelf(mask);
    if (!element.isInteger(1) && !isa<FloatType>(element)) // numbers, which are added
      mask = graph.cast(mask, getElementTypeOrSelf(query));
    Value &place = element.isInteger(1) ? scores.seen : scores.bias;
    place = padMask(mask);
    if (!place)
      return false;
  }
  if (node.input(6))
    scores.lengths = graph.unsqueeze(node.input(6), {1, 2, 3});
  if (node.integer("is_causal", 0))
    scores.after = 0;
  if (int64_t left = node.integer("left_window_size", -1); left >= 0)
    scores.before = left;
  if (int64_t right = node.integer("right_window_size", -1); right >= 0 && !scores.after)
    scores.after = right;
  if (!scores.before && !scores.after)
    return true;
  // Positions count from the past's, or so that the last row is the last key that counts.
  if (node.input(4))
    scores.position = node.size(node.input(4), 2);
  else
    scores.position =
        scores.lengths ? graph.subtract(scores.lengths, node.size(query, 2)) : graph.scalar(int64_t(0));
  return bool(scores.position);
}

/// Scores as a result: of each key head those of its query heads, [batch, heads, rows, keys].
Value AttentionImport::writeScores(double scale, bool isMasked) {
  Type element = getElementTypeOrSelf(query);
  Value batch = graph.shape(query, 0, 1), keyHeads = graph.shape(key, 1, 2), rest = graph.shape(query, 2, 4);
  Value grouped = graph.reshape(query, graph.concat({batch, keyHeads, graph.vector({-1}), rest}, 0));
  Value keys = graph.unsqueeze(graph.transpose(key, {0, 1, 3, 2}), {2});
  Value product = graph.multiply(graph.matmul(grouped, keys), node.scalar(element, scale));
  Value shape = graph.concat({graph.shape(query, 0, 3), graph.shape(key, 2, 3)}, 0);
  Value result = graph.reshape(product, shape);
  if (scores.softcap > 0 && node.integer("qk_matmul_output_mode", 0) > 0) {
    Value cap = node.scalar(element, scores.softcap);
    result = graph.multiply(graph.tanh(graph.divide(result, cap)), cap);
  }
  if (!isMasked)
    return result;
  Value keep;
  auto keepIf = [&](Value condition) { keep = keep ? graph.add("weft.and", {keep, condition}) : condition; };
  if (scores.bias)
    result = graph.addition(result, graph.cast(scores.bias, element));
  if (scores.seen)
    keepIf(scores.seen);
  Value columns = node.places(key, 2);
  if (scores.lengths)
    keepIf(graph.compare(ComparePredicate::Less, columns, scores.lengths));
  if (scores.position) {
    Value positions = graph.addition(graph.unsqueeze(node.places(query, 2), {1}), scores.position);
    if (scores.after)
      keepIf(graph.compare(ComparePredicate::LessEqual, columns,
                           graph.addition(positions, graph.scalar(*scores.after))));
    if (scores.before)
      keepIf(graph.compare(ComparePredicate::GreaterEqual, columns,
                           graph.subtract(positions, graph.scalar(*scores.before))));
  }
  Value nothing = node.scalar(element, -std::numeric_limits<double>::infinity());
  return keep ? graph.where(keep, result, nothing) : result;
}

Value AttentionImport::run() {
  int64_t mode = node.integer("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects a \"qk_matmul_output_mode\" from 0 to 3, got " + Twine(mode));
  if (!takeHeads() || !takePast() || !takeScores())
    return nullptr;
  double scale = onnx::takeScale(node, query);
  bool hasScores = node.isRead(3);
  Value weights;
  Value result = graph.attention(query, key, value, scale, EmptyRows::Zero, scores,
                                 hasScores && mode == 3 ? &weights : nullptr);
  if (!result)
    return nullptr;
  if (hasScores)
    node.setOutput(3, mode == 3 ? weights : writeScores(scale, mode == 2));
  return isOfRank3 ? onnx::mergeHeads(graph, result) : result;
}

void weft::onnx::addAttentionOps(OpTable &table) {
  // Softmax is always of f32 or f64 (softmax_precision).
  SmallVector<AttributeRow> attributes{
      {"is_causal", AttributeKind::Int},        {"kv_num_heads", AttributeKind::Int},
      {"q_num_heads", AttributeKind::Int},      {"qk_matmul_output_mode", AttributeKind::Int},
      {"scale", AttributeKind::Float},          {"softcap", AttributeKind::Float},
      {"softmax_precision", AttributeKind::Int}};
  auto build = [](NodeImport &node) { return AttentionImport(node).run(); };
  table.add("Attention", {23}, {3, 6}, attributes, build, /*maxOutputs=*/4);
  table.add("Attention", {24}, {3, 7}, attributes, build, /*maxOutputs=*/4);
  attributes.push_back({"left_window_size", AttributeKind::Int});
  attributes.push_back({"right_window_size", AttributeKind::Int});
  table.add("Attention", {25}, {3, 7}, attributes, build, /*maxOutputs=*/4);
}
