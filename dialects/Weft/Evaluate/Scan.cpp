// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction: where an axis's extreme is, and sums and products up to each element.
#include "dialects/Weft/Evaluate/Models.h"
#include "dialects/Weft/Evaluate/Scalar.h"

using namespace mlir;
using namespace weft;

/// Visits the rows along an axis: the place of the first element.
static void forEachRow(ArrayRef<int64_t> shape, int64_t axis, function_ref<void(int64_t first)> visit) {
  Shape rows(shape);
  rows[axis] = 1;
  Strides strides = getStrides(shape);
  forEachIndex(rows, [&](ArrayRef<int64_t> index) { visit(getPlace(index, strides)); });
}

//===----------------------------------------------------------------------===//
// arg_reduce
//===----------------------------------------------------------------------===//

/// Whether an element takes the place of the best so far, which comes before it.
static bool isBetter(ArgReduceOp op, const Tensor &input, int64_t element, int64_t best) {
  bool isMax = op.getKind() == ReduceKind::Max, takesEqual = op.getLast();
  if (input.isFloat()) {
    double now = input.getFloat(element), then = input.getFloat(best);
    if (std::isnan(now) || std::isnan(then))
      return std::isnan(now) && (!std::isnan(then) || takesEqual);
    return (isMax ? now > then : now < then) || (takesEqual && now == then);
  }
  int64_t now = input.getInteger(element), then = input.getInteger(best);
  bool isUnsigned = input.isUnsigned();
  return (isMax ? scalar::less(then, now, isUnsigned) : scalar::less(now, then, isUnsigned)) ||
         (takesEqual && now == then);
}

static FailureOr<Tensor> evaluateArgReduce(ArgReduceOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  const Tensor &input = operands[0];
  int64_t axis = op.getAxis();
  if (failed(requireAxis(op, "arg-reduce-c1", axis, input.getRank())))
    return failure();
  int64_t length = input.getShape()[axis];
  if (length == 0)
    return evaluateError(op) << "arg-reduce-c1: axis " << axis << " is empty, of shape "
                             << describeShape(input.getShape());
  Shape shape(input.getShape());
  if (op.getKeepdims())
    shape[axis] = 1;
  else
    shape.erase(shape.begin() + axis);
  FailureOr<Tensor> result = makeResult(op, shape);
  if (failed(result))
    return failure();
  int64_t stride = getStrides(input.getShape())[axis], place = 0;
  forEachRow(input.getShape(), axis, [&](int64_t first) {
    int64_t best = 0;
    for (int64_t i = 1; i < length; ++i)
      if (isBetter(op, input, first + i * stride, first + best * stride))
        best = i;
    result->setInteger(place++, best);
  });
  return result;
}

//===----------------------------------------------------------------------===//
// cumulative
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateCumulative(CumulativeOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  const Tensor &input = operands[0];
  int64_t axis = op.getAxis();
  if (failed(requireAxis(op, "cumulative-c1", axis, input.getRank())))
    return failure();
  FailureOr<Tensor> result = makeResult(op, input.getShape());
  if (failed(result))
    return failure();
  int64_t stride = getStrides(input.getShape())[axis], length = input.getShape()[axis];
  bool isSum = op.getKind() == ReduceKind::Sum;
  // A float's sum is rounded for each element, and goes on unrounded.
  auto cumulate = [&](int64_t first, auto neutral, auto get, auto set) {
    auto before = neutral;
    for (int64_t step = 0; step < length; ++step) {
      int64_t place = first + (op.getReverse() ? length - 1 - step : step) * stride;
      auto after = isSum ? before + get(place) : before * get(place);
      set(place, op.getExclusive() ? before : after);
      before = after;
    }
  };
  forEachRow(input.getShape(), axis, [&](int64_t first) {
    if (input.isFloat())
      cumulate(
          first, isSum ? 0.0 : 1.0, [&](int64_t place) { return input.getFloat(place); },
          [&](int64_t place, double value) { result->setFloat(place, value); });
    else
      cumulate(
          first, uint64_t(isSum ? 0 : 1), [&](int64_t place) { return uint64_t(input.getInteger(place)); },
          [&](int64_t place, uint64_t value) { result->setInteger(place, int64_t(value)); });
  });
  return result;
}

void weft::attachScanModels(MLIRContext *context) {
  attachModel<ArgReduceOp, evaluateArgReduce>(context);
  attachModel<CumulativeOp, evaluateCumulative>(context);
}
