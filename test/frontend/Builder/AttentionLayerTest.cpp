// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks of attention, shared key heads and projections, against plain loops in f64.
#include "LayersFixture.h"
#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::layers;

namespace {

/// Sizes that all differ.
constexpr int64_t kBatch = 2, kHeads = 4, kGroups = 2, kRows = 3, kKeys = 5, kWidth = 6;

/// Whether a key is seen, what is added to its score.
struct Rule {
  std::function<bool(int64_t b, int64_t i, int64_t j)> isSeen = [](int64_t, int64_t, int64_t) {
    return true;
  };
  std::function<double(int64_t h, int64_t i, int64_t j)> bias = [](int64_t, int64_t, int64_t) { return 0.0; };
  std::optional<double> hidden;
};

Array attend(const Array &q, const Array &k, const Array &v, double scale, const Rule &rule) {
  Array result{{kBatch, kHeads, kRows, kWidth}, {}};
  for (int64_t b = 0; b < kBatch; ++b)
    for (int64_t h = 0; h < kHeads; ++h)
      for (int64_t i = 0; i < kRows; ++i) {
        int64_t g = h / (kHeads / kGroups);
        double weight[kKeys], total = 0;
        for (int64_t j = 0; j < kKeys; ++j) {
          double score = 0;
          for (int64_t c = 0; c < kWidth; ++c)
            score += scale * q({b, h, i, c}) * k({b, g, j, c});
          score += rule.bias(h, i, j);
          bool seen = rule.isSeen(b, i, j);
          weight[j] = seen ? std::exp(score) : rule.hidden ? std::exp(*rule.hidden) : 0;
          total += weight[j];
        }
        for (int64_t c = 0; c < kWidth; ++c) {
          double sum = 0;
          for (int64_t j = 0; j < kKeys; ++j)
            sum += total == 0 ? 0 : weight[j] / total * v({b, g, j, c});
          result.values.push_back(sum);
        }
      }
  return result;
}

struct AttentionLayerTest : LayersTest {
  /// Runs masked attention on drawn heads; `makeMask` may use the values after query, key and value.
  void check(const Rule &rule, std::vector<Array> more,
             llvm::function_ref<AttentionMask(GraphBuilder &, ArrayRef<Value>)> makeMask) {
    std::vector<Array> inputs{draw({kBatch, kHeads, kRows, kWidth}), draw({kBatch, kGroups, kKeys, kWidth}),
                              draw({kBatch, kGroups, kKeys, kWidth})};
    llvm::append_range(inputs, more);
    Array y = evaluateOne(inputs, [&](Scope scope, ArrayRef<Value> values) {
      return maskedAttention(scope.graph(), values[0], values[1], values[2], 0.3,
                             makeMask(scope.graph(), values.drop_front(3)));
    });
    expectNear(y, attend(inputs[0], inputs[1], inputs[2], 0.3, rule));
  }
};

} // namespace

TEST_F(AttentionLayerTest, WithoutAMask) {
  check({}, {}, [](GraphBuilder &, ArrayRef<Value>) { return AttentionMask(); });
}

TEST_F(AttentionLayerTest, CausalAfterEarlierKeys) {
  Rule rule;
  rule.isSeen = [](int64_t, int64_t i, int64_t j) { return j <= i + kKeys - kRows; };
  check(rule, {}, [](GraphBuilder &, ArrayRef<Value>) {
    AttentionMask mask;
    mask.causal = true;
    return mask;
  });
}

TEST_F(AttentionLayerTest, LengthsOfWhichOneIsZero) {
  const int64_t lengths[] = {3, 0};
  for (std::optional<double> hidden : {std::optional<double>(), std::optional<double>(-3.0)}) {
    Rule rule;
    rule.hidden = hidden;
    rule.isSeen = [&](int64_t b, int64_t, int64_t j) { return j < lengths[b]; };
    check(rule, {}, [&](GraphBuilder &graph, ArrayRef<Value>) {
      AttentionMask mask;
      mask.lengths = graph.vector(lengths);
      mask.hiddenScore = hidden;
      return mask;
    });
  }
}

TEST_F(AttentionLayerTest, MasksOfEveryRank) {
  std::vector<std::vector<int64_t>> shapes = {
      {kBatch, kKeys}, {kBatch, kRows, kKeys}, {kBatch, 1, kKeys}, {kBatch, 1, kRows, kKeys}};
  for (std::vector<int64_t> &shape : shapes) {
    Array seen{shape, {}};
    for (int64_t i = 0; i < countOf(shape); ++i)
      seen.values.push_back(i % 3 == 0 ? 0 : 0.5);
    Rule rule;
    rule.isSeen = [&](int64_t b, int64_t i, int64_t j) {
      int64_t rows = shape.size() == 2 ? 1 : shape[shape.size() - 2];
      return seen.values[(b * rows + i % rows) * kKeys + j] != 0;
    };
    check(rule, {seen}, [](GraphBuilder &, ArrayRef<Value> values) {
      AttentionMask mask;
      mask.seen = values[0];
      return mask;
    });
  }
}

TEST_F(AttentionLayerTest, EverythingTogether) {
  Array bias = draw({kHeads, kRows, kKeys}), seen{{kBatch, kKeys}, {1, 0, 1, 1, 1, 1, 1, 1, 0, 1}};
  const int64_t lengths[] = {4, 5};
  Rule rule;
  rule.bias = [&](int64_t h, int64_t i, int64_t j) { return bias({h, i, j}); };
  rule.isSeen = [&](int64_t b, int64_t i, int64_t j) {
    return seen({b, j}) != 0 && j < lengths[b] && j <= i + kKeys - kRows;
  };
  check(rule, {bias, seen}, [&](GraphBuilder &graph, ArrayRef<Value> values) {
    AttentionMask mask;
    mask.bias = values[0];
    mask.seen = values[1];
    mask.lengths = graph.vector(lengths);
    mask.causal = true;
    return mask;
  });
}

TEST_F(AttentionLayerTest, AMaskOfAnotherRankIsRefused) {
  EXPECT_TRUE(evaluate({draw({1, 1, 2, 4}), draw({5})}, [&](Scope scope, ArrayRef<Value> values) {
                AttentionMask mask;
                mask.seen = values[1];
                return SmallVector<Value>{
                    maskedAttention(scope.graph(), values[0], values[0], values[0], 1, mask)};
              }).empty());
  EXPECT_NE(errors.find("expects a mask [batch, keys], [batch, rows, keys]"), std::string::npos) << errors;
}

/// One projection for query, key and value is the three of them, one above the other.
TEST_F(AttentionLayerTest, FusedProjection) {
  AttentionConfig config;
  config.width = 8;
  config.heads = 4;
  config.keyHeads = 1;
  Array x = draw({2, 3, 8});
  config.fused = "all";
  Array fused = evaluateOne(x, [&](Scope scope, ArrayRef<Value> values) {
    return attention(scope, values[0], values[0], config, {}).result;
  });
  // The same by hand: rows of the fused weight as three weights.
  Array all = weights["all.weight"], bias = weights["all.bias"], output = weights["output.weight"];
  Array byHand = evaluateOne(x, [&](Scope scope, ArrayRef<Value> values) {
    GraphBuilder &graph = scope.graph();
    auto project = [&](int64_t first, int64_t count, int64_t heads) {
      SmallVector<float> weight(all.values.begin() + first * 8, all.values.begin() + (first + count) * 8);
      SmallVector<float> part(bias.values.begin() + first, bias.values.begin() + first + count);
      Value product = graph.matmul(
          values[0], graph.transpose(graph.constant({count, 8}, ArrayRef<float>(weight)), {1, 0}));
      Value sum = graph.addition(product, graph.constant({count}, ArrayRef<float>(part)));
      return splitHeads(graph, sum, heads, 2);
    };
    Value context =
        maskedAttention(graph, project(0, 8, 4), project(8, 2, 1), project(10, 2, 1), 1 / std::sqrt(2.0), {});
    return linear(scope.in("output"), mergeHeads(graph, context, 4, 2), 8, 8);
  });
  expectNear(fused, byHand);
  EXPECT_EQ(all.shape, (std::vector<int64_t>{12, 8}));
}

TEST_F(AttentionLayerTest, AFusedProjectionHasNoOtherMemory) {
  AttentionConfig config;
  config.width = 8;
  config.heads = 2;
  config.fused = "all";
  EXPECT_TRUE(evaluate({draw({1, 2, 8}), draw({1, 3, 8})}, [&](Scope scope, ArrayRef<Value> values) {
                return SmallVector<Value>{attention(scope, values[0], values[1], config, {}).result};
              }).empty());
  EXPECT_NE(errors.find("expects self-attention"), std::string::npos) << errors;
}
