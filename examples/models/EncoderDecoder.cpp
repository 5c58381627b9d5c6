// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two encoder-decoders: norms after the blocks, and home-made norms before them.
#include "examples/models/Models.h"
#include "frontend/Builder/Layers/Basics.h"
#include "frontend/Builder/Layers/Stacks.h"
#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::layers;
using build::ModelConfig;

/// Rows of the embedding times sqrt(width), plus sinusoids.
static Value embed(Scope scope, Value ids, int64_t vocabulary, const ModelConfig &config,
                   std::function<double(int64_t)> frequency = {}) {
  GraphBuilder &graph = scope.graph();
  Value rows = embedding(scope.in("embed"), ids, vocabulary, config.width);
  scope.enter();
  Value scaled = graph.multiply(rows, graph.scalar(float(std::sqrt(double(config.width)))));
  SinusoidConfig waves;
  waves.width = config.width;
  waves.longest = config.longest;
  waves.frequency = std::move(frequency);
  return graph.addition(scaled, sinusoids(graph, ids, waves));
}

/// A score whose mask is 0 becomes -1e9: a row that sees nothing gives the mean of the values.
static AttentionMask hide(Value mask) {
  AttentionMask result;
  result.seen = mask;
  result.hiddenScore = -1e9;
  return result;
}

static LayerConfig makeLayer(const ModelConfig &config) {
  LayerConfig layer;
  layer.attention.width = layer.feedForward.width = config.width;
  layer.attention.heads = config.heads;
  layer.feedForward.hidden = config.hidden;
  return layer;
}

void build::buildTransformer(GraphBuilder &graph, Weights &weights, const ModelConfig &config) {
  Scope model(graph, weights);
  Dim batch = graph.symbol("batch"), source = graph.symbol("src"), target = graph.symbol("tgt");
  Value src = graph.input("src", graph.i64(), {batch, source}),
        tgt = graph.input("tgt", graph.i64(), {batch, target});
  Value sourceMask = graph.input("src_mask", graph.f32(), {batch, source, source});
  Value crossMask = graph.input("cross_mask", graph.f32(), {batch, target, source});
  Value targetMask = graph.input("tgt_mask", graph.f32(), {batch, target, target});

  LayerConfig layer = makeLayer(config);
  layer.normPlace = NormPlace::After;
  layer.attention.query = "q_proj";
  layer.attention.key = layer.attention.value = "k_proj"; // values go through the projection of keys
  layer.attention.output = "o_proj";
  // 1 / (base**i / width), which is what was written, and not 1 / base**(i / width), which was meant.
  auto frequency = [&](int64_t pair) { return double(config.width) / std::pow(10000.0, 2.0 * pair); };

  Value memory = embed(model.in("src_embedding"), src, config.vocabulary, config, frequency);
  memory = stack(model.in("encoder"), memory, config.layers, layer, {hide(sourceMask), {}, {}});
  Value x = embed(model.in("tgt_embedding"), tgt, config.targetVocabulary, config, frequency);
  layer.selfName = "self_attention";
  x = stack(model.in("decoder"), x, config.layers, layer, {hide(targetMask), memory, hide(crossMask)});
  Value logits = linear(model.in("out"), x, config.width, config.targetVocabulary);
  graph.output("probabilities", graph.softmax(logits, 2));
}

void build::buildPreNorm(GraphBuilder &graph, Weights &weights, const ModelConfig &config) {
  Scope model(graph, weights);
  Dim batch = graph.symbol("batch"), source = graph.symbol("src"), target = graph.symbol("tgt");
  Value src = graph.input("src", graph.i64(), {batch, source}),
        tgt = graph.input("tgt", graph.i64(), {batch, target});
  Value sourceMask = graph.input("src_mask", graph.u8(), {batch, graph.dim(1), source});
  Value targetMask = graph.input("tgt_mask", graph.u8(), {batch, target, target});

  LayerConfig layer = makeLayer(config);
  layer.norm = {NormKind::UnbiasedDeviation, 1e-6f};
  Value memory = embed(model.in("src_embed"), src, config.vocabulary, config);
  memory = stack(model.in("encoder"), memory, config.layers, layer, {hide(sourceMask), {}, {}});
  memory = norm(model.in("src_norm"), memory, config.width, layer.norm);
  Value x = embed(model.in("tgt_embed"), tgt, config.targetVocabulary, config);
  layer.selfName = "self_attention";
  x = stack(model.in("decoder"), x, config.layers, layer, {hide(targetMask), memory, hide(sourceMask)});
  x = norm(model.in("tgt_norm"), x, config.width, layer.norm);
  graph.output("logits", linear(model.in("out"), x, config.width, config.targetVocabulary));
}
