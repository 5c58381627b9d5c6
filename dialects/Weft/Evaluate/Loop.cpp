// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control: a body, iteration by iteration.
#include "dialects/Weft/Evaluate/Models.h"

using namespace mlir;
using namespace weft;

static FailureOr<int64_t> countIterations(LoopOp op, ArrayRef<Tensor> operands, EvaluateContext &context) {
  if (op.getCount()) {
    FailureOr<int64_t> count = context.value(op, Dim(*op.getCount()));
    if (succeeded(count) && *count < 0)
      return evaluateError(op) << "loop-c2: expects a count of 0 or more, got " << *count;
    return count;
  }
  const Tensor &trips = operands.front();
  if (trips.getNumElements() != 1)
    return evaluateError(op) << "loop-c2: expects trips of one element, got shape "
                             << describeShape(trips.getShape());
  return trips.getInteger(0);
}

/// The shape of what no iteration left behind: what the type in the body says.
static FailureOr<Shape> emptyShape(LoopOp op, OpResult result, EvaluateContext &context) {
  auto dims = getDims(op.getYielded()[result.getResultNumber()]);
  if (!dims || llvm::is_contained(*dims, Dim()))
    return evaluateError(op) << "has no iterations, and result " << result.getResultNumber()
                             << " does not say its shape";
  Shape shape{0};
  for (Dim dim : *dims) {
    FailureOr<int64_t> size = context.value(op, dim);
    if (failed(size))
      return failure();
    shape.push_back(*size);
  }
  return shape;
}

/// What iterations left behind, along a new first dim.
static FailureOr<Tensor> stack(LoopOp op, OpResult result, ArrayRef<Tensor> elements,
                               EvaluateContext &context) {
  FailureOr<Shape> shape = Shape();
  if (elements.empty()) {
    shape = emptyShape(op, result, context);
    if (failed(shape))
      return failure();
  } else {
    *shape = Shape(elements.front().getShape());
    shape->insert(shape->begin(), elements.size());
  }
  Tensor stacked = Tensor::zeros(getElementTypeOrSelf(result), *shape);
  if (!stacked)
    return evaluateError(op) << "no room for a result of shape " << describeShape(*shape);
  int64_t place = 0;
  for (const Tensor &element : elements) {
    if (element.getShape() != elements.front().getShape())
      return evaluateError(op) << "iterations leave tensors of shapes " << describeShape(element.getShape())
                               << " and " << describeShape(elements.front().getShape());
    stacked.copyElements(place, element, 0, element.getNumElements());
    place += element.getNumElements();
  }
  return stacked;
}

static FailureOr<Results> evaluateLoop(LoopOp op, ArrayRef<Tensor> operands, EvaluateContext &context) {
  FailureOr<int64_t> count = countIterations(op, operands, context);
  if (failed(count))
    return failure();
  operands = operands.drop_front(op.getTrips() ? 1 : 0);
  Results states(operands.take_front(op.getStates().size()));
  ArrayRef<Tensor> captures = operands.drop_front(states.size());
  SmallVector<Results> stacked(op.getNumResults() - states.size());
  for (int64_t i = 0; i < *count; ++i) {
    Results inputs{Tensor::fromIntegers(IntegerType::get(op.getContext(), 64), {}, {i})};
    llvm::append_range(inputs, states);
    llvm::append_range(inputs, captures);
    FailureOr<Results> yielded = evaluateBlock(op.getBlock(), inputs, context);
    if (failed(yielded))
      return failure();
    for (auto [number, state] : llvm::enumerate(states))
      if ((*yielded)[number].getShape() != state.getShape())
        return evaluateError(op) << "loop-c3: state " << number << " was of shape "
                                 << describeShape(state.getShape()) << ", and became one of "
                                 << describeShape((*yielded)[number].getShape());
    for (auto [elements, element] : llvm::zip(stacked, ArrayRef(*yielded).drop_front(states.size())))
      elements.push_back(element);
    yielded->truncate(states.size());
    states = std::move(*yielded);
  }
  for (auto [result, elements] : llvm::zip(op->getResults().drop_front(op.getStates().size()), stacked)) {
    FailureOr<Tensor> whole = stack(op, result, elements, context);
    if (failed(whole))
      return failure();
    states.push_back(std::move(*whole));
  }
  return states;
}

void weft::attachLoopModels(MLIRContext *context) { attachModel<LoopOp, evaluateLoop>(context); }
