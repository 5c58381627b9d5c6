// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction: reduce and the softmaxes, accumulated in f64, integers modulo 2^64.
#include "dialects/Weft/Evaluate/Models.h"
#include "dialects/Weft/Evaluate/Scalar.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static double getFloatStart(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Max:
    return -kInfinity;
  case ReduceKind::Min:
    return kInfinity;
  case ReduceKind::Prod:
    return 1;
  case ReduceKind::Sum:
  case ReduceKind::Mean:
    return 0;
  }
  return 0;
}

static double accumulate(ReduceKind kind, double total, double element) {
  switch (kind) {
  case ReduceKind::Max:
    return scalar::maximum(total, element);
  case ReduceKind::Min:
    return scalar::minimum(total, element);
  case ReduceKind::Prod:
    return total * element;
  case ReduceKind::Sum:
  case ReduceKind::Mean:
    return total + element;
  }
  return total;
}

static int64_t accumulate(ReduceKind kind, int64_t total, int64_t element, bool isUnsigned) {
  switch (kind) {
  case ReduceKind::Max:
    return scalar::maximum(total, element, isUnsigned);
  case ReduceKind::Min:
    return scalar::minimum(total, element, isUnsigned);
  case ReduceKind::Prod:
    return scalar::multiply(total, element, isUnsigned);
  case ReduceKind::Sum:
  case ReduceKind::Mean:
    return scalar::add(total, element, isUnsigned);
  }
  return total;
}

/// Of no elements: the least or greatest value of the type for a maximum or minimum.
static int64_t getIntegerStart(ReduceKind kind, Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger();
  switch (kind) {
  case ReduceKind::Max:
    return isUnsigned ? 0 : APInt::getSignedMinValue(width).getSExtValue();
  case ReduceKind::Min:
    return isUnsigned ? int64_t(APInt::getMaxValue(width).getZExtValue())
                      : APInt::getSignedMaxValue(width).getSExtValue();
  case ReduceKind::Prod:
    return 1;
  case ReduceKind::Sum:
  case ReduceKind::Mean:
    return 0;
  }
  return 0;
}

namespace {
/// Which elements a reduction brings together: those whose index has one place in the result, where reduced
/// dims have stride 0.
struct ReducePlan {
  Shape kept;                 ///< the input's shape with reduced dims 1
  Strides strides;            ///< of the result, by the input's index
  int64_t elementsPerSum = 1; ///< how many come together
};
} // namespace

static ReducePlan planReduce(ArrayRef<int64_t> input, ArrayRef<int64_t> axes) {
  ReducePlan plan;
  plan.kept = Shape(input);
  for (int64_t axis : axes) {
    plan.elementsPerSum *= input[axis];
    plan.kept[axis] = 1;
  }
  plan.strides = getStrides(plan.kept);
  for (int64_t axis : axes)
    plan.strides[axis] = 0;
  return plan;
}

static void reduceFloats(ReduceKind kind, const Tensor &input, const ReducePlan &plan, Tensor &result) {
  std::vector<double> totals(result.getNumElements(), getFloatStart(kind));
  int64_t from = 0;
  forEachIndex(input.getShape(), [&](ArrayRef<int64_t> index) {
    double &total = totals[getPlace(index, plan.strides)];
    total = accumulate(kind, total, input.getFloat(from++));
  });
  for (auto [place, total] : llvm::enumerate(totals))
    result.setFloat(place, kind == ReduceKind::Mean ? total / double(plan.elementsPerSum) : total);
}

static void reduceIntegers(ReduceKind kind, const Tensor &input, const ReducePlan &plan, Tensor &result) {
  bool isUnsigned = input.isUnsigned();
  std::vector<int64_t> totals(result.getNumElements(), getIntegerStart(kind, input.getElementType()));
  int64_t from = 0;
  forEachIndex(input.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t &total = totals[getPlace(index, plan.strides)];
    total = accumulate(kind, total, input.getInteger(from++), isUnsigned);
  });
  for (auto [place, total] : llvm::enumerate(totals))
    result.setInteger(place, kind == ReduceKind::Mean ? scalar::divide(total, plan.elementsPerSum, isUnsigned)
                                                      : total);
}

static FailureOr<Tensor> evaluateReduce(ReduceOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  const Tensor &input = operands[0];
  if (failed(requireAxes(op, "reduce-c1", op.getAxes(), input.getRank())))
    return failure();
  ReducePlan plan = planReduce(input.getShape(), op.getAxes());
  Shape shape;
  for (auto [i, dim] : llvm::enumerate(plan.kept))
    if (op.getKeepdims() || !llvm::is_contained(op.getAxes(), int64_t(i)))
      shape.push_back(dim);
  FailureOr<Tensor> result = makeResult(op, shape);
  if (failed(result))
    return failure();
  if (input.isFloat())
    reduceFloats(op.getKind(), input, plan, *result);
  else
    reduceIntegers(op.getKind(), input, plan, *result);
  return result;
}

//===----------------------------------------------------------------------===//
// softmax, log_softmax
//===----------------------------------------------------------------------===//

/// Replaces the elements of each row along an axis by what `compute` makes of them.
static FailureOr<Tensor> mapRows(Operation *op, const Tensor &input, int64_t axis,
                                 function_ref<void(MutableArrayRef<double> row)> compute) {
  if (failed(requireAxis(op, "softmax-c1", axis, input.getRank())))
    return failure();
  FailureOr<Tensor> result = makeResult(op, input.getShape());
  if (failed(result))
    return failure();
  Shape rows(input.getShape());
  rows[axis] = 1;
  Strides strides = getStrides(input.getShape());
  std::vector<double> row(input.getShape()[axis]);
  forEachIndex(rows, [&](ArrayRef<int64_t> index) {
    int64_t first = getPlace(index, strides);
    for (size_t i = 0; i < row.size(); ++i)
      row[i] = input.getFloat(first + i * strides[axis]);
    compute(row);
    for (size_t i = 0; i < row.size(); ++i)
      result->setFloat(first + i * strides[axis], row[i]);
  });
  return result;
}

/// Subtracts the row's maximum and returns the sum of exp of what remains. Of a row of minus infinities all
/// is NaN.
static double shiftRow(MutableArrayRef<double> row) {
  double greatest = -kInfinity, sum = 0;
  for (double element : row)
    greatest = scalar::maximum(greatest, element);
  for (double &element : row) {
    element -= greatest;
    sum += std::exp(element);
  }
  return sum;
}

static FailureOr<Tensor> evaluateSoftmax(SoftmaxOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  return mapRows(op, operands[0], op.getAxis(), [](MutableArrayRef<double> row) {
    double sum = shiftRow(row);
    for (double &element : row)
      element = std::exp(element) / sum;
  });
}

static FailureOr<Tensor> evaluateLogSoftmax(LogSoftmaxOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  return mapRows(op, operands[0], op.getAxis(), [](MutableArrayRef<double> row) {
    double sum = shiftRow(row);
    for (double &element : row)
      element -= std::log(sum);
  });
}

void weft::attachReductionModels(MLIRContext *context) {
  attachModel<ReduceOp, evaluateReduce>(context);
  attachModel<SoftmaxOp, evaluateSoftmax>(context);
  attachModel<LogSoftmaxOp, evaluateLogSoftmax>(context);
}
