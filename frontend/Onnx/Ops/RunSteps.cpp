// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signs are told by min and max, as shape arithmetic writes comparisons, too.
#include "frontend/Onnx/Ops/RunSteps.h"

using namespace mlir;
using namespace weft;
using weft::onnx::NodeImport;
using weft::onnx::RunSteps;

RunSteps::RunSteps(NodeImport &node, Value steps)
    : node(node), graph(node.graph), steps(node.castTo(steps, node.graph.i64())),
      backward(isNegative(this->steps)),
      // The absolute value, in a form that is known not to be negative, and that none overflows.
      width(graph.addition(most(this->steps, scalar(0)),
                           most(graph.negate(most(this->steps, scalar(-(int64_t(1) << 62)))), scalar(0)))) {}

Value RunSteps::checked(Value x) const {
  Value areNotZero =
      graph.reduce(ReduceKind::Prod, least(graph.reshape(width, {-1}), scalar(1)), {0}, /*keepdims=*/true);
  return node.withDim(x, 0, graph.multiply(graph.shape(x, 0, 1), areNotZero));
}

Value RunSteps::isNegative(Value numbers) const {
  return least(scalar(1), most(graph.negate(numbers), scalar(0)));
}

Value RunSteps::count(Value from, Value to) const {
  Value start = node.castTo(from, graph.i64()), end = node.castTo(to, graph.i64());
  auto distance = [&](Value left, Value right, Value isThisWay) {
    return graph.multiply(most(graph.subtract(right, left), scalar(0)), isThisWay);
  };
  Value span = graph.addition(distance(start, end, graph.subtract(scalar(1), backward)),
                              distance(end, start, backward));
  // The first step, if there is room for one, and those behind it.
  Value behind = most(graph.subtract(span, scalar(1)), scalar(0));
  return graph.addition(least(span, scalar(1)), graph.divide(behind, width));
}

RunSteps::Bounds RunSteps::clampBounds(Value starts, Value ends, Value sizes) const {
  auto fromFront = [&](Value bounds) {
    return graph.addition(bounds, graph.multiply(sizes, isNegative(bounds)));
  };
  // Backward the last place is the greatest start, and an end may be before the first: so both are one more
  // than the place, and never negative. What is far away is clamped before that.
  Value start = least(most(fromFront(starts), scalar(0)), sizes), end = least(fromFront(ends), sizes);
  Value from = least(graph.addition(start, backward), sizes);
  Value to = least(most(graph.addition(end, backward), scalar(0)), sizes);
  return {graph.subtract(from, backward), count(from, to)};
}

Value RunSteps::places(Value count) const { return graph.range(scalar(0), count, scalar(1)); }
