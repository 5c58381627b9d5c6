// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index: top_k, by sorting each row.
#include "dialects/Weft/Evaluate/Models.h"
#include "dialects/Weft/Evaluate/Scalar.h"

using namespace mlir;
using namespace weft;

/// Whether one element is smaller than another; NaN is larger than any number.
static bool isLess(const Tensor &input, int64_t left, int64_t right) {
  if (!input.isFloat())
    return scalar::less(input.getInteger(left), input.getInteger(right), input.isUnsigned());
  double a = input.getFloat(left), b = input.getFloat(right);
  return std::isnan(a) || std::isnan(b) ? !std::isnan(a) : a < b;
}

/// How many elements are asked for: data at import, what the type says from graph level on.
static FailureOr<int64_t> countAsked(TopKOp op, ArrayRef<Tensor> operands, EvaluateContext &context) {
  int64_t count = -1, size = operands[0].getShape()[op.getAxis()];
  if (op.getK()) {
    if (operands[1].getNumElements() != 1)
      return evaluateError(op) << "top-k-c2: expects one k, got " << operands[1].getNumElements();
    count = operands[1].getInteger(0);
  } else {
    FailureOr<Shape> declared = context.declaredShape(op);
    if (failed(declared))
      return failure();
    count = (*declared)[op.getAxis()];
  }
  if (count < 0 || count > size)
    return evaluateError(op) << "top-k-c2: expects k to be from 0 to the axis's size " << size << ", got "
                             << count;
  return count;
}

static FailureOr<Tensor> evaluateTopK(TopKOp op, ArrayRef<Tensor> operands, EvaluateContext &context) {
  const Tensor &input = operands[0];
  int64_t axis = op.getAxis();
  if (failed(requireAxis(op, "top-k-c1", axis, input.getRank())))
    return failure();
  FailureOr<int64_t> count = countAsked(op, operands, context);
  if (failed(count))
    return failure();
  Shape shape(input.getShape());
  shape[axis] = *count;
  FailureOr<Tensor> result = makeResult(op, shape);
  if (failed(result))
    return failure();
  int64_t size = input.getShape()[axis], inner = countElements(input.getShape().drop_front(axis + 1));
  Shape rows(input.getShape());
  rows[axis] = 1;
  for (int64_t row = 0; row < countElements(rows); ++row) {
    int64_t outer = row / inner, column = row % inner;
    auto place = [&](int64_t i) { return (outer * size + i) * inner + column; };
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, size));
    llvm::sort(order, [&](int64_t left, int64_t right) {
      bool isBetter = isLess(input, place(left), place(right)),
           isWorse = isLess(input, place(right), place(left));
      if (op.getLargest())
        std::swap(isBetter, isWorse);
      return isBetter || (!isWorse && left < right);
    });
    for (int64_t i = 0; i < *count; ++i)
      result->setInteger((outer * *count + i) * inner + column, order[i]);
  }
  return result;
}

void weft::attachTopKModels(MLIRContext *context) { attachModel<TopKOp, evaluateTopK>(context); }
