// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Encoder and decoder layers, and stacks of them.
#include "frontend/Builder/Layers/Stacks.h"

using namespace mlir;
using namespace weft;
using namespace weft::layers;

Value layers::layer(Scope scope, Value x, const LayerConfig &config, const Surroundings &surroundings,
                    KeyValue past, KeyValue *present) {
  GraphBuilder &graph = scope.graph();
  int64_t width = config.attention.width, norms = 0;
  auto addBlock = [&](llvm::function_ref<Value(Value)> block) {
    Scope normScope = scope.in("norm" + Twine(++norms));
    auto normalize = [&](Value value) { return norm(normScope, value, width, config.norm); };
    bool isBefore = config.normPlace == NormPlace::Before;
    Value y = block(isBefore ? normalize(x) : x);
    scope.enter();
    x = graph.addition(x, y);
    if (!isBefore)
      x = normalize(x);
  };
  addBlock([&](Value y) {
    AttentionResult result =
        attention(scope.in(config.selfName), y, y, config.attention, surroundings.mask, past);
    if (present)
      *present = result.present;
    return result.result;
  });
  if (surroundings.memory)
    addBlock([&](Value y) {
      return attention(scope.in(config.crossName), y, surroundings.memory, config.attention,
                       surroundings.crossMask)
          .result;
    });
  addBlock([&](Value y) { return feedForward(scope.in(config.feedForwardName), y, config.feedForward); });
  return x;
}

Value layers::stack(Scope scope, Value x, int64_t layers, const LayerConfig &config,
                    const Surroundings &surroundings, ArrayRef<KeyValue> past,
                    SmallVectorImpl<KeyValue> *present) {
  for (int64_t i = 0; i < layers; ++i) {
    KeyValue now;
    x = layer(scope.in(Twine(i)), x, config, surroundings, past.empty() ? KeyValue() : past[i], &now);
    if (present)
      present->push_back(now);
  }
  return x;
}
