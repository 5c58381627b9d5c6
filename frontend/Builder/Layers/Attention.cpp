// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multi-head attention; masks become score regions, so that no mask is ever as large as the scores.
#include "frontend/Builder/Layers/Attention.h"
#include "frontend/Builder/Layers/Basics.h"
#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::layers;

namespace {
/// A mask's tensors in the shapes that they are captured in; null where there is none.
struct Captures {
  Value seen, lengths, bias;
  Value ahead; ///< how many keys come before the first row's own

  SmallVector<Value> all() const {
    SmallVector<Value> values;
    for (Value value : {seen, lengths, bias, ahead})
      if (value)
        values.push_back(value);
    return values;
  }
};

/// Writes the region of a mask.
class MaskWriter {
public:
  MaskWriter(const AttentionMask &mask, const Captures &captures) : mask(mask), captures(captures) {}

  std::pair<Value, Value> write(OpBuilder &builder, Location location, ValueRange arguments);

private:
  Value isSeen(ValueRange arguments);
  Value toIndex(Value integer) {
    return arith::IndexCastOp::create(*body, *at, body->getIndexType(), integer);
  }
  Value isLess(Value left, Value right) {
    return arith::CmpIOp::create(*body, *at, arith::CmpIPredicate::slt, left, right);
  }
  Value toFloat(Value number, Type type);

  const AttentionMask &mask;
  const Captures &captures;
  OpBuilder *body = nullptr;
  std::optional<Location> at;
};
} // namespace

Value MaskWriter::toFloat(Value number, Type type) {
  unsigned from = number.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from == to)
    return number;
  return from < to ? Value(arith::ExtFOp::create(*body, *at, type, number))
                   : Value(arith::TruncFOp::create(*body, *at, type, number));
}

/// Whether everything that the mask says allows this place.
Value MaskWriter::isSeen(ValueRange arguments) {
  Value row = arguments[3], column = arguments[4], result;
  SmallVector<Value> rest(arguments.drop_front(5).begin(), arguments.drop_front(5).end());
  size_t next = 0;
  auto both = [&](Value condition) {
    result = result ? Value(arith::AndIOp::create(*body, *at, result, condition)) : condition;
  };
  if (captures.seen)
    both(rest[next++]);
  if (captures.lengths)
    both(isLess(column, toIndex(rest[next++])));
  next += captures.bias ? 1 : 0;
  if (captures.ahead) {
    Value own = arith::AddIOp::create(*body, *at, row, toIndex(rest[next]));
    both(arith::CmpIOp::create(*body, *at, arith::CmpIPredicate::sle, column, own));
  }
  return result ? result : Value(arith::ConstantIntOp::create(*body, *at, 1, 1));
}

std::pair<Value, Value> MaskWriter::write(OpBuilder &builder, Location location, ValueRange arguments) {
  body = &builder;
  at = location;
  Value score = arguments[0];
  if (captures.bias) {
    size_t before = (captures.seen ? 1 : 0) + (captures.lengths ? 1 : 0);
    score = arith::AddFOp::create(builder, location, score, toFloat(arguments[5 + before], score.getType()));
  }
  Value seen = isSeen(arguments);
  if (!mask.hiddenScore)
    return {score, seen};
  FloatAttr number = builder.getFloatAttr(score.getType(), *mask.hiddenScore);
  Value hidden = arith::ConstantOp::create(builder, location, number);
  score = arith::SelectOp::create(builder, location, seen, score, hidden);
  return {score, arith::ConstantIntOp::create(builder, location, 1, 1)};
}

/// [batch, keys] and [batch, rows, keys] with the dims of scores, as bools.
static Value asSeen(GraphBuilder &graph, Value mask) {
  auto type = dyn_cast<RankedTensorType>(mask.getType());
  if (!type || type.getRank() < 2 || type.getRank() > 4) {
    emitError(graph.getLocation())
        << "attention: expects a mask [batch, keys], [batch, rows, keys] or with all four "
           "dims of scores, got "
        << describeType(mask.getType());
    graph.fail();
    return nullptr;
  }
  if (!type.getElementType().isInteger(1))
    mask = graph.cast(mask, graph.boolean());
  if (type.getRank() == 2)
    return graph.unsqueeze(mask, {1, 2});
  return type.getRank() == 3 ? graph.unsqueeze(mask, {1}) : mask;
}

Value layers::maskedAttention(GraphBuilder &graph, Value query, Value key, Value value, double scale,
                              const AttentionMask &mask) {
  Captures captures;
  if (mask.seen && !(captures.seen = asSeen(graph, mask.seen)))
    return nullptr;
  if (mask.lengths)
    captures.lengths = graph.unsqueeze(mask.lengths, {1, 2, 3});
  captures.bias = mask.bias;
  if (mask.causal)
    captures.ahead = graph.subtract(sizeOf(graph, key, 2), sizeOf(graph, query, 2));
  SmallVector<Value> values = captures.all();
  if (values.empty())
    return graph.attention(query, key, value, scale, mask.emptyRows);
  MaskWriter writer(mask, captures);
  return graph.attention(query, key, value, scale, mask.emptyRows, values,
                         [&](OpBuilder &body, Location location, ValueRange arguments) {
                           return writer.write(body, location, arguments);
                         });
}

//===----------------------------------------------------------------------===//
// With projections
//===----------------------------------------------------------------------===//

namespace {
struct Heads {
  Value query, key, value; ///< [batch, heads, length, head width]
};
} // namespace

static Heads project(Scope scope, Value x, Value memory, const AttentionConfig &config, int64_t headWidth) {
  GraphBuilder &graph = scope.graph();
  int64_t keyHeads = config.keyHeads ? config.keyHeads : config.heads;
  int64_t query = config.heads * headWidth, key = keyHeads * headWidth;
  auto split = [&](Value projected, int64_t heads) {
    scope.enter();
    return splitHeads(graph, projected, heads, headWidth);
  };
  if (config.fused.empty()) {
    auto map = [&](StringRef name, Value from, int64_t heads) {
      return split(linear(scope.in(name), from, config.width, heads * headWidth, config.bias), heads);
    };
    return {map(config.query, x, config.heads), map(config.key, memory, keyHeads),
            map(config.value, memory, keyHeads)};
  }
  Value all = linear(scope.in(config.fused), x, config.width, query + 2 * key, config.bias);
  auto part = [&](int64_t start, int64_t size, int64_t heads) {
    return split(slice(graph, all, 2, start, start + size), heads);
  };
  return {part(0, query, config.heads), part(query, key, keyHeads), part(query + key, key, keyHeads)};
}

AttentionResult layers::attention(Scope scope, Value x, Value memory, const AttentionConfig &config,
                                  const AttentionMask &mask, KeyValue past) {
  GraphBuilder &graph = scope.graph();
  scope.enter();
  if (!config.fused.empty() && x != memory) {
    emitError(graph.getLocation())
        << "attention: one projection for query, key and value expects self-attention";
    graph.fail();
    return {};
  }
  int64_t headWidth = config.headWidth ? config.headWidth : config.width / std::max<int64_t>(config.heads, 1);
  Heads heads = project(scope, x, memory, config, headWidth);
  scope.enter();
  Value first = past.key ? sizeOf(graph, past.key, 2) : Value();
  if (config.rotary) {
    heads.query = rotate(graph, heads.query, *config.rotary, first);
    heads.key = rotate(graph, heads.key, *config.rotary, first);
  }
  if (past.key) {
    heads.key = graph.concat({past.key, heads.key}, 2);
    heads.value = graph.concat({past.value, heads.value}, 2);
  }
  double scale = config.scale.value_or(1 / std::sqrt(double(headWidth)));
  Value context = maskedAttention(graph, heads.query, heads.key, heads.value, scale, mask);
  context = mergeHeads(graph, context, config.heads, headWidth);
  Value result =
      linear(scope.in(config.output), context, config.heads * headWidth, config.width, config.outputBias);
  return {result, {heads.key, heads.value}};
}
