// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feed-forward blocks.
#include "frontend/Builder/Layers/FeedForward.h"
#include "frontend/Builder/Layers/Basics.h"

using namespace mlir;
using namespace weft;
using namespace weft::layers;

Value layers::activate(GraphBuilder &graph, Value x, Activation activation) {
  switch (activation) {
  case Activation::Relu:
    return graph.relu(x);
  case Activation::GeluErf:
    return graph.gelu(x, GeluForm::Erf);
  case Activation::GeluTanh:
    return graph.gelu(x, GeluForm::Tanh);
  case Activation::Silu:
    return graph.multiply(x, graph.sigmoid(x));
  }
  return nullptr;
}

Value layers::feedForward(Scope scope, Value x, const FeedForwardConfig &config) {
  GraphBuilder &graph = scope.graph();
  auto map = [&](StringRef name, Value value, int64_t from, int64_t to) {
    return linear(scope.in(name), value, from, to, config.bias, config.isConv);
  };
  Value hidden = map(config.expand, x, config.width, config.hidden);
  if (config.gated) {
    Value gate = activate(graph, map(config.gate, x, config.width, config.hidden), config.activation);
    hidden = graph.multiply(gate, hidden);
  } else {
    hidden = activate(graph, hidden, config.activation);
  }
  return map(config.contract, hidden, config.hidden, config.width);
}
