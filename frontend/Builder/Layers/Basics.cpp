// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What layers are written with.
#include "frontend/Builder/Layers/Basics.h"

using namespace mlir;
using namespace weft;

Value layers::sizeOf(GraphBuilder &graph, Value x, int64_t axis) { return graph.shape(x, axis, axis + 1); }

Value layers::positions(GraphBuilder &graph, Value first, Value count) {
  auto scalar = [&](Value vector) { return graph.squeeze(vector, {0}); };
  Value zero = graph.scalar(int64_t(0)), one = graph.scalar(int64_t(1));
  if (!first)
    return graph.range(zero, scalar(count), one);
  return graph.range(scalar(first), scalar(graph.addition(first, count)), one);
}

Value layers::slice(GraphBuilder &graph, Value x, int64_t axis, int64_t start, int64_t end, int64_t step) {
  return graph.slice(x, graph.vector(start), graph.vector(end), graph.vector(step), axis);
}

Value layers::splitHeads(GraphBuilder &graph, Value x, int64_t heads, int64_t width) {
  return graph.transpose(graph.reshape(x, {0, 0, heads, width}), {0, 2, 1, 3});
}

Value layers::mergeHeads(GraphBuilder &graph, Value x, int64_t heads, int64_t width) {
  return graph.reshape(graph.transpose(x, {0, 2, 1, 3}), {0, 0, heads * width});
}

Value layers::linear(Scope scope, Value x, int64_t from, int64_t to, bool bias, bool isConv) {
  scope.enter();
  GraphBuilder &graph = scope.graph();
  Value weight = isConv ? graph.reshape(scope.weight("weight", {to, from, 1}), {to, from})
                        : scope.weight("weight", {to, from});
  Value result = graph.matmul(x, graph.transpose(weight, {1, 0}));
  return bias ? graph.addition(result, scope.weight("bias", {to})) : result;
}
