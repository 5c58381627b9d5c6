// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models of one stack: BERT's encoder and GPT-2.
#include "examples/models/Models.h"
#include "frontend/Builder/Layers/Basics.h"
#include "frontend/Builder/Layers/Stacks.h"

using namespace mlir;
using namespace weft;
using namespace weft::layers;
using build::ModelConfig;

static LayerConfig makeLayer(const ModelConfig &config, Activation activation, NormPlace place) {
  LayerConfig layer;
  layer.attention.width = layer.feedForward.width = config.width;
  layer.attention.heads = config.heads;
  layer.feedForward.hidden = config.hidden;
  layer.feedForward.activation = activation;
  layer.normPlace = place;
  return layer;
}

void build::buildBert(GraphBuilder &graph, Weights &weights, const ModelConfig &config) {
  Scope model(graph, weights);
  Dim batch = graph.symbol("batch"), length = graph.symbol("seq");
  Value ids = graph.input("ids", graph.i64(), {batch, length});
  Value segments = graph.input("segments", graph.i64(), {batch, length});
  Value lengths = graph.input("valid_lengths", graph.i64(), {batch});

  Value x = graph.addition(embedding(model.in("embed"), ids, config.vocabulary, config.width),
                           embedding(model.in("segment_embed"), segments, 2, config.width));
  x = graph.addition(x, learnedPositions(model, "position_embed", ids, config.longest, config.width, {},
                                         /*leadingOnes=*/1));
  Surroundings surroundings;
  surroundings.mask.lengths = lengths;
  surroundings.mask.hiddenScore = -1e6; // an entry of length 0 attends to everything equally
  LayerConfig layer = makeLayer(config, Activation::GeluErf, NormPlace::After);
  x = stack(model.in("layers"), x, config.layers, layer, surroundings);
  graph.output("y", x);
  Value first = graph.squeeze(slice(graph, x, 1, 0, 1), {1});
  graph.output("pooled", graph.tanh(linear(model.in("pool"), first, config.width, config.width)));
}

void build::buildGpt2(GraphBuilder &graph, Weights &weights, const ModelConfig &config) {
  Scope model(graph, weights);
  Dim batch = graph.symbol("batch"), length = graph.symbol("seq");
  Value ids = graph.input("ids", graph.i64(), {batch, length});
  SmallVector<KeyValue> past, present;
  auto cacheInput = [&](const char *kind, int64_t i) {
    return graph.input(
        ("past_" + Twine(kind) + "_" + Twine(i)).str(), graph.f32(),
        {batch, graph.dim(config.heads), graph.symbol("past"), graph.dim(config.width / config.heads)});
  };
  for (int64_t i = 0; config.cache && i < config.layers; ++i) {
    Value key = cacheInput("key", i); // inputs are in the order of these calls
    past.push_back({key, cacheInput("value", i)});
  }

  Value first = config.cache ? sizeOf(graph, past[0].key, 2) : Value();
  Value x = graph.addition(
      embedding(model.in("embed"), ids, config.vocabulary, config.width),
      learnedPositions(model.in("position_embed"), "weight", ids, config.longest, config.width, first));
  LayerConfig layer = makeLayer(config, Activation::GeluTanh, NormPlace::Before);
  layer.attention.fused = "project";
  Surroundings surroundings;
  surroundings.mask.causal = true;
  x = stack(model.in("layers"), x, config.layers, layer, surroundings, past, &present);
  x = norm(model.in("norm"), x, config.width, layer.norm);
  // The output is tied to the embedding.
  Value table = model.in("embed").weight("weight", {config.vocabulary, config.width});
  graph.output("logits", graph.matmul(x, graph.transpose(table, {1, 0})));
  for (int64_t i = 0; config.cache && i < config.layers; ++i) {
    graph.output("present_key_" + std::to_string(i), present[i].key);
    graph.output("present_value_" + std::to_string(i), present[i].value);
  }
}
