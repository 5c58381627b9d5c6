// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Norms, feed-forward blocks, positions and stacks, against plain loops in f64 or against each other.
#include "LayersFixture.h"
#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::layers;

namespace {

double relu(double x) { return std::max(x, 0.0); }
double silu(double x) { return x / (1 + std::exp(-x)); }
double geluErf(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
double geluTanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

/// x [.., from] times the transposed weight plus bias, row by row.
Array applyLinear(const Array &x, const Array &weight, const Array *bias) {
  int64_t from = x.shape.back(), to = weight.shape[0];
  Array result{x.shape, {}};
  result.shape.back() = to;
  for (size_t row = 0; row < x.values.size() / from; ++row)
    for (int64_t o = 0; o < to; ++o) {
      double sum = bias ? bias->values[o] : 0;
      for (int64_t i = 0; i < from; ++i)
        sum += x.values[row * from + i] * weight.values[o * from + i];
      result.values.push_back(sum);
    }
  return result;
}

Array map(Array x, double function(double)) {
  for (double &value : x.values)
    value = function(value);
  return x;
}

} // namespace

TEST_F(LayersTest, Norms) {
  constexpr int64_t kWidth = 6;
  for (NormKind kind : {NormKind::Layer, NormKind::RootMeanSquare, NormKind::UnbiasedDeviation}) {
    Array x = draw({2, 3, kWidth});
    Array y = evaluateOne(x, [&](Scope scope, ArrayRef<Value> values) {
      return norm(scope.in("n"), values[0], kWidth, {kind, 0.1f});
    });
    Array expected{x.shape, {}};
    for (int64_t row = 0; row < 6; ++row) {
      const double *in = x.values.data() + row * kWidth;
      double mean = 0, squares = 0;
      for (int64_t i = 0; i < kWidth; ++i)
        mean += in[i] / kWidth;
      if (kind == NormKind::RootMeanSquare)
        mean = 0;
      for (int64_t i = 0; i < kWidth; ++i)
        squares += (in[i] - mean) * (in[i] - mean);
      double divisor = kind == NormKind::UnbiasedDeviation ? std::sqrt(squares / (kWidth - 1)) + 0.1f
                                                           : std::sqrt(squares / kWidth + 0.1f);
      for (int64_t i = 0; i < kWidth; ++i)
        expected.values.push_back((in[i] - mean) / divisor * weights["n.weight"].values[i] +
                                  (kind == NormKind::RootMeanSquare ? 0 : weights["n.bias"].values[i]));
    }
    expectNear(y, expected);
  }
}

TEST_F(LayersTest, FeedForward) {
  using Function = double(double);
  std::pair<Activation, Function *> activations[] = {{Activation::Relu, relu},
                                                     {Activation::Silu, silu},
                                                     {Activation::GeluErf, geluErf},
                                                     {Activation::GeluTanh, geluTanh}};
  for (auto [activation, function] : activations)
    for (int variant = 0; variant < 8; ++variant) {
      FeedForwardConfig config;
      config.width = 4;
      config.hidden = 5;
      config.activation = activation;
      config.bias = variant & 1;
      config.gated = variant & 2;
      config.isConv = variant & 4;
      std::string name = config.isConv ? "conv" : "linear";
      Array x = draw({2, 3, 4});
      Array y = evaluateOne(x, [&](Scope scope, ArrayRef<Value> values) {
        return feedForward(scope.in(name), values[0], config);
      });
      auto apply = [&](const std::string &map, const Array &from) {
        const Array *bias = config.bias ? &weights[name + "." + map + ".bias"] : nullptr;
        return applyLinear(from, weights[name + "." + map + ".weight"], bias);
      };
      Array hidden = apply("expand", x);
      if (config.gated) {
        Array gate = map(apply("gate", x), function);
        for (size_t i = 0; i < hidden.values.size(); ++i)
          hidden.values[i] *= gate.values[i];
      } else {
        hidden = map(hidden, function);
      }
      expectNear(y, apply("contract", hidden));
    }
}

TEST_F(LayersTest, Sinusoids) {
  for (int64_t width : {1, 4, 5})
    for (bool interleaved : {true, false})
      for (int64_t longest : {0, 9}) {
        if (!interleaved && width % 2 != 0)
          continue;
        SinusoidConfig config;
        config.width = width;
        config.interleaved = interleaved;
        config.longest = longest;
        Array y = evaluateOne(draw({2, 7, 3}), [&](Scope scope, ArrayRef<Value> values) {
          return sinusoids(scope.graph(), values[0], config, scope.graph().vector(int64_t(2)));
        });
        Array expected{{7, width}, {}};
        for (int64_t row = 0; row < 7; ++row)
          for (int64_t i = 0; i < width; ++i) {
            int64_t pair = interleaved ? i / 2 : i % (width / 2);
            bool isSine = interleaved ? i % 2 == 0 : i < width / 2;
            double angle = (row + 2) * std::pow(10000, -2.0 * pair / width);
            expected.values.push_back(isSine ? std::sin(angle) : std::cos(angle));
          }
        expectNear(y, expected, 1e-5);
      }
}

TEST_F(LayersTest, SinusoidsOfOtherFrequencies) {
  SinusoidConfig config;
  config.width = 2;
  config.longest = 4;
  config.frequency = [](int64_t) { return 3.0; };
  Array y = evaluateOne(draw({1, 4, 2}), [&](Scope scope, ArrayRef<Value> values) {
    return sinusoids(scope.graph(), values[0], config);
  });
  for (int64_t row = 0; row < 4; ++row) {
    EXPECT_NEAR(y({row, 0}), std::sin(3.0 * row), 1e-6);
    EXPECT_NEAR(y({row, 1}), std::cos(3.0 * row), 1e-6);
  }
}

TEST_F(LayersTest, RotaryPositions) {
  for (bool interleaved : {true, false})
    for (int64_t width : {2, 4, 6}) // of 6: in part or in full
      for (int64_t longest : {0, 8}) {
        RotaryConfig config;
        config.width = width;
        config.base = 100;
        config.interleaved = interleaved;
        config.longest = longest;
        Array x = draw({2, 3, 5, 6});
        Array y = evaluateOne(x, [&](Scope scope, ArrayRef<Value> values) {
          return rotate(scope.graph(), values[0], config, scope.graph().vector(int64_t(3)));
        });
        Array expected = x;
        for (int64_t row = 0; row < 2 * 3 * 5; ++row)
          for (int64_t pair = 0; pair < width / 2; ++pair) {
            int64_t left = row * 6 + (interleaved ? 2 * pair : pair);
            int64_t right = interleaved ? left + 1 : left + width / 2;
            double angle = (row % 5 + 3) * std::pow(100, -2.0 * pair / width);
            double a = x.values[left], b = x.values[right];
            expected.values[left] = a * std::cos(angle) - b * std::sin(angle);
            expected.values[right] = b * std::cos(angle) + a * std::sin(angle);
          }
        expectNear(y, expected);
      }
}

TEST_F(LayersTest, RotaryPositionsThatDoNotFitAreRefused) {
  RotaryConfig config;
  config.width = 8;
  EXPECT_TRUE(evaluate(draw({1, 2, 3, 6}), [&](Scope scope, ArrayRef<Value> values) {
                return SmallVector<Value>{rotate(scope.graph(), values[0], config)};
              }).empty());
  EXPECT_NE(errors.find("expects heads of rank 4 with at least 8 channels"), std::string::npos) << errors;
}

TEST_F(LayersTest, LearnedPositionsAndEmbeddings) {
  Array y = evaluateOne(draw({2, 3, 4}), [&](Scope scope, ArrayRef<Value> values) {
    GraphBuilder &graph = scope.graph();
    Value rows =
        learnedPositions(scope, "table", values[0], 9, 4, graph.vector(int64_t(5)), /*leadingOnes=*/1);
    Value ids = graph.constant({3}, ArrayRef<int64_t>{2, 0, 2});
    return graph.addition(rows, embedding(scope.in("embed"), ids, 3, 4));
  });
  for (int64_t row = 0; row < 3; ++row)
    for (int64_t i = 0; i < 4; ++i)
      EXPECT_NEAR(y({row, i}),
                  weights["table"]({0, row + 5, i}) + weights["embed.weight"]({row == 1 ? 0 : 2, i}), 1e-6);
}

static LayerConfig makeLayer(NormPlace place) {
  LayerConfig config;
  config.attention.width = config.feedForward.width = 8;
  config.attention.heads = 4;
  config.attention.keyHeads = 2;
  RotaryConfig rotary;
  rotary.width = 2;
  config.attention.rotary = rotary;
  config.feedForward.hidden = 6;
  config.normPlace = place;
  return config;
}

/// A sequence that is computed in two parts, the second after the first's keys and values, is what it is in
/// one.
TEST_F(LayersTest, ACacheChangesNothing) {
  for (NormPlace place : {NormPlace::Before, NormPlace::After}) {
    LayerConfig config = makeLayer(place);
    Surroundings surroundings;
    surroundings.mask.causal = true;
    Array x = draw({2, 5, 8});
    auto whole = evaluate(x, [&](Scope scope, ArrayRef<Value> values) {
      return SmallVector<Value>{stack(scope.in("layers"), values[0], 2, config, surroundings)};
    });
    auto parts = evaluate(x, [&](Scope scope, ArrayRef<Value> values) {
      GraphBuilder &graph = scope.graph();
      Value first = slice(graph, values[0], 1, 0, 3), second = slice(graph, values[0], 1, 3, 5);
      SmallVector<KeyValue> past;
      Value y = stack(scope.in("layers"), first, 2, config, surroundings, {}, &past);
      Value z = stack(scope.in("layers"), second, 2, config, surroundings, past);
      return SmallVector<Value>{graph.concat({y, z}, 1), past[1].key};
    });
    ASSERT_EQ(parts.size(), 2u) << errors;
    expectNear(parts[0], whole[0]);
    EXPECT_EQ(parts[1].shape, (std::vector<int64_t>{2, 2, 3, 2})); // two key heads
  }
}

TEST_F(LayersTest, NormsAreBeforeOrAfterTheBlocks) {
  Array x = draw({1, 2, 8});
  auto build = [&](NormPlace place) {
    return evaluateOne(x, [&](Scope scope, ArrayRef<Value> values) {
      LayerConfig config = makeLayer(place);
      Surroundings surroundings;
      surroundings.memory = values[0];
      return layer(scope.in("layer"), values[0], config, surroundings);
    });
  };
  Array byHand = evaluateOne(x, [&](Scope scope, ArrayRef<Value> values) {
    GraphBuilder &graph = scope.graph();
    Scope own = scope.in("layer");
    LayerConfig config = makeLayer(NormPlace::After);
    Value y = values[0];
    auto after = [&](StringRef name, Value block) {
      y = norm(own.in(name), graph.addition(y, block), 8, config.norm);
    };
    after("norm1", attention(own.in("attention"), y, y, config.attention, {}).result);
    after("norm2", attention(own.in("cross_attention"), y, values[0], config.attention, {}).result);
    after("norm3", feedForward(own.in("feed_forward"), y, config.feedForward));
    return y;
  });
  expectNear(build(NormPlace::After), byHand);
  Array before = build(NormPlace::Before);
  EXPECT_GT(std::fabs(before.values[0] - byHand.values[0]), 1e-3);
}
