// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multi-head attention; masks become score regions, so that no mask is ever as large as the scores.
#include "frontend/Builder/Layers/Attention.h"
#include "frontend/Builder/Layers/Basics.h"
#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::layers;

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
  ScoreMask scores;
  if (mask.seen) {
    scores.seen = asSeen(graph, mask.seen);
    if (!scores.seen)
      return nullptr;
  }
  if (mask.lengths)
    scores.lengths = graph.unsqueeze(mask.lengths, {1, 2, 3});
  scores.bias = mask.bias;
  scores.hiddenScore = mask.hiddenScore;
  if (mask.causal) {
    scores.position = graph.subtract(sizeOf(graph, key, 2), sizeOf(graph, query, 2));
    scores.after = 0;
  }
  return graph.attention(query, key, value, scale, mask.emptyRows, scores);
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
