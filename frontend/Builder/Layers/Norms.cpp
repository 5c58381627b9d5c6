// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Norms over the last dim.
#include "frontend/Builder/Layers/Norms.h"

using namespace mlir;
using namespace weft;
using namespace weft::layers;

/// Of one element the variance is 0 / 0, as PyTorch's is.
static Value normByDeviation(GraphBuilder &graph, Value x, Value weight, Value bias, int64_t width,
                             float epsilon) {
  int64_t axis = cast<RankedTensorType>(x.getType()).getRank() - 1;
  Value centred = graph.subtract(x, graph.reduce(ReduceKind::Mean, x, axis, /*keepdims=*/true));
  Value squares = graph.reduce(ReduceKind::Sum, graph.multiply(centred, centred), axis, /*keepdims=*/true);
  Value deviation = graph.sqrt(graph.divide(squares, graph.scalar(float(width - 1))));
  Value divisor = graph.addition(deviation, graph.scalar(epsilon));
  return graph.addition(graph.divide(graph.multiply(weight, centred), divisor), bias);
}

Value layers::norm(Scope scope, Value x, int64_t width, const NormConfig &config) {
  scope.enter();
  GraphBuilder &graph = scope.graph();
  Value weight = scope.weight("weight", {width});
  if (!x || !weight)
    return nullptr;
  int64_t axis = cast<RankedTensorType>(x.getType()).getRank() - 1;
  if (config.kind == NormKind::RootMeanSquare)
    return graph.rmsNorm(x, weight, axis, config.epsilon);
  Value bias = scope.weight("bias", {width});
  if (!bias)
    return nullptr;
  if (config.kind == NormKind::Layer)
    return graph.layerNorm(x, weight, bias, axis, config.epsilon);
  return normByDeviation(graph, x, weight, bias, width, config.epsilon);
}
