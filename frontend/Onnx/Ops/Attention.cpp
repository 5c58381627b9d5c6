// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention: ONNX's operator, whose masks become a score region.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Pad.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

namespace {
/// What becomes of scores, in this order: they are capped, a mask of floats is added, and they are left out
/// where a mask of bools, lengths, causality or a window says so. Values are null where there is no such
/// thing.
struct Scores {
  double softcap = 0; ///< 0: none
  Value mask;         ///< broadcasts to [batch, heads, rows, keys]
  Value lengths;      ///< [batch, 1, 1, 1], i64: how many keys count
  Value ahead;        ///< i64, of one element or [batch, 1, 1, 1]: the position of the first row
  std::optional<int64_t> left, right; ///< how far before and behind its own position a row sees

  bool addsMask() const { return mask && isa<FloatType>(getElementTypeOrSelf(mask)); }
  SmallVector<Value> captures() const {
    SmallVector<Value> values;
    for (Value value : {mask, lengths, ahead})
      if (value)
        values.push_back(value);
    return values;
  }
};

/// Writes them as a score region.
class RegionWriter {
public:
  RegionWriter(const Scores &scores, OpBuilder &body, Location location, ValueRange arguments)
      : scores(scores), body(body), location(location), score(arguments[0]), row(arguments[3]),
        column(arguments[4]), elements(arguments.drop_front(5)) {}

  std::pair<Value, Value> write();

private:
  template <typename Op, typename... Arguments> Value make(Arguments... arguments) {
    return Op::create(body, location, arguments...);
  }
  Value asIndex(Value integer) { return make<arith::IndexCastOp>(body.getIndexType(), integer); }
  Value asScore(Value number);
  void keepIf(Value condition) { keep = keep ? make<arith::AndIOp>(keep, condition) : condition; }
  void keepWithin(Value position);

  const Scores &scores;
  OpBuilder &body;
  Location location;
  Value score, row, column, keep;
  ValueRange elements;
};
} // namespace

/// A float of the mask's type as one of the score's.
Value RegionWriter::asScore(Value number) {
  unsigned from = number.getType().getIntOrFloatBitWidth(), to = score.getType().getIntOrFloatBitWidth();
  if (from == to)
    return number;
  return from < to ? make<arith::ExtFOp>(score.getType(), number)
                   : make<arith::TruncFOp>(score.getType(), number);
}

void RegionWriter::keepWithin(Value position) {
  auto at = [&](int64_t distance) -> Value {
    return make<arith::AddIOp>(position, make<arith::ConstantIndexOp>(distance));
  };
  if (scores.right)
    keepIf(make<arith::CmpIOp>(arith::CmpIPredicate::sle, column, at(*scores.right)));
  if (scores.left)
    keepIf(make<arith::CmpIOp>(arith::CmpIPredicate::sge, column, at(-*scores.left)));
}

std::pair<Value, Value> RegionWriter::write() {
  size_t next = 0;
  if (scores.softcap > 0) {
    Value cap = make<arith::ConstantOp>(body.getFloatAttr(score.getType(), scores.softcap));
    score = make<arith::MulFOp>(make<math::TanhOp>(make<arith::DivFOp>(score, cap)), cap);
  }
  if (scores.addsMask())
    score = make<arith::AddFOp>(score, asScore(elements[next++]));
  else if (scores.mask)
    keepIf(elements[next++]);
  if (scores.lengths)
    keepIf(make<arith::CmpIOp>(arith::CmpIPredicate::slt, column, asIndex(elements[next++])));
  if (scores.ahead)
    keepWithin(make<arith::AddIOp>(row, asIndex(elements[next])));
  if (!keep)
    keep = make<arith::ConstantIntOp>(1, 1);
  return {score, keep};
}

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
  Value splitHeads(size_t input, int64_t heads);
  bool takePast();
  bool takeScores();
  Value padMask(Value mask);
  double takeScale();
  Value writeScores(double scale, bool isMasked);
  Value sizeOf(Value value, int64_t dim) { return node.element(graph.shape(value), dim); }
  std::nullptr_t fail(const Twine &text) { return node.error(DiagnosticId::OperandType, text); }

  NodeImport &node;
  GraphBuilder &graph;
  Value query, key, value; ///< [batch, heads, length, width], keys and values with those of the past
  Scores scores;
  bool isOfRank3 = false;
};
} // namespace

/// [batch, length, heads * width] by head.
Value AttentionImport::splitHeads(size_t input, int64_t heads) {
  Value from = node.input(input);
  Dim hidden = (*getDims(from))[2];
  std::optional<int64_t> size = hidden ? hidden.getConstant() : std::nullopt;
  if (heads <= 0 || (size && *size % heads != 0))
    return fail("expects \"q_num_heads\" and \"kv_num_heads\" that divide the last dim, got " + Twine(heads) +
                " heads of " + describeType(from.getType()));
  Value split = graph.reshape(from, {0, 0, heads, size ? *size / heads : -1});
  return graph.transpose(split, {0, 2, 1, 3});
}

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
  query = splitHeads(0, heads);
  key = query ? splitHeads(1, keyHeads) : Value();
  value = key ? splitHeads(2, keyHeads) : Value();
  return bool(value);
}

/// Puts the past before the keys and values, which are the present then.
bool AttentionImport::takePast() {
  Value pastKey = node.input(4), pastValue = node.input(5);
  if (bool(pastKey) != bool(pastValue))
    return fail("expects both of past_key and past_value, or neither"), false;
  if (pastKey && node.input(6))
    return fail("expects no past beside nonpad_kv_seqlen"), false;
  if (pastKey) {
    key = graph.concat({pastKey, key}, 2);
    value = graph.concat({pastValue, value}, 2);
  }
  node.setOutput(1, key);
  node.setOutput(2, value);
  return key && value;
}

/// From opset 24 on a mask may be shorter than the keys: what it lacks is left out. One that is longer stays
/// so, and does not fit.
Value AttentionImport::padMask(Value mask) {
  Dim have = getDims(mask)->back(), need = (*getDims(key))[2];
  std::optional<int64_t> size = have ? have.getConstant() : std::nullopt;
  if (node.opset < 24 || (have && have == need) || size == 1)
    return mask;
  int64_t last = int64_t(getDims(mask)->size()) - 1;
  Value missing =
      graph.add("weft.max", {graph.subtract(sizeOf(key, 2), sizeOf(mask, last)), graph.scalar(int64_t(0))});
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
    scores.mask = padMask(mask);
    if (!scores.mask)
      return false;
  }
  if (node.input(6))
    scores.lengths = graph.unsqueeze(node.input(6), {1, 2, 3});
  if (node.integer("is_causal", 0))
    scores.right = 0;
  if (int64_t left = node.integer("left_window_size", -1); left >= 0)
    scores.left = left;
  if (int64_t right = node.integer("right_window_size", -1); right >= 0 && !scores.right)
    scores.right = right;
  if (!scores.left && !scores.right)
    return true;
  // Positions count from the past's, or so that the last row is the last key that counts.
  if (node.input(4))
    scores.ahead = sizeOf(node.input(4), 2);
  else
    scores.ahead =
        scores.lengths ? graph.subtract(scores.lengths, sizeOf(query, 2)) : graph.scalar(int64_t(0));
  return bool(scores.ahead);
}

/// The factor of products. One that depends on a width that is not known multiplies the query.
double AttentionImport::takeScale() {
  if (node.has("scale"))
    return node.number("scale", 1);
  Dim width = (*getDims(query))[3];
  if (std::optional<int64_t> known = width ? width.getConstant() : std::nullopt)
    return 1 / std::sqrt(double(*known));
  Value root = graph.sqrt(graph.cast(sizeOf(query, 3), graph.f32()));
  query =
      graph.multiply(query, graph.cast(graph.divide(graph.scalar(1.F), root), getElementTypeOrSelf(query)));
  return 1;
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
  if (scores.addsMask())
    result = graph.addition(result, graph.cast(scores.mask, element));
  else if (scores.mask)
    keepIf(scores.mask);
  auto count = [&](Value size) {
    return graph.range(graph.scalar(int64_t(0)), size, graph.scalar(int64_t(1)));
  };
  Value columns = count(sizeOf(key, 2));
  if (scores.lengths)
    keepIf(graph.compare(ComparePredicate::Less, columns, scores.lengths));
  if (scores.ahead) {
    Value positions = graph.addition(graph.unsqueeze(count(sizeOf(query, 2)), {1}), scores.ahead);
    if (scores.right)
      keepIf(graph.compare(ComparePredicate::LessEqual, columns,
                           graph.addition(positions, graph.scalar(*scores.right))));
    if (scores.left)
      keepIf(graph.compare(ComparePredicate::GreaterEqual, columns,
                           graph.subtract(positions, graph.scalar(*scores.left))));
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
  double scale = takeScale();
  bool hasScores = node.isRead(3);
  Value weights;
  Value result = graph.attention(
      query, key, value, scale, EmptyRows::Zero, scores.captures(),
      [&](OpBuilder &body, Location location, ValueRange arguments) {
        return RegionWriter(scores, body, location, arguments).write();
      },
      hasScores && mode == 3 ? &weights : nullptr);
  if (!result)
    return nullptr;
  if (hasScores)
    node.setOutput(3, mode == 3 ? weights : writeScores(scale, mode == 2));
  if (!isOfRank3)
    return result;
  std::optional<int64_t> width;
  if (Dim last = (*getDims(result))[3], heads = (*getDims(result))[1]; last && heads)
    if (last.getConstant() && heads.getConstant())
      width = *last.getConstant() * *heads.getConstant();
  return graph.reshape(graph.transpose(result, {0, 2, 1, 3}), {0, 0, width.value_or(-1)});
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
