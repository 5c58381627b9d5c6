// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Norm: layer and root mean square normalization.
#include "dialects/Weft/Evaluate/Models.h"
#include <cmath>

using namespace mlir;
using namespace weft;

/// Brings the elements of one row to mean 0 and variance 1.
static void normalizeRow(MutableArrayRef<double> row, double epsilon) {
  double sum = 0, squares = 0, count = double(row.size());
  for (double element : row)
    sum += element;
  double mean = sum / count;
  for (double element : row)
    squares += (element - mean) * (element - mean);
  double variance = squares / count;
  for (double &element : row)
    element = (element - mean) / std::sqrt(variance + epsilon);
}

/// Brings the mean of the squares of one row to 1.
static void divideRowByRoot(MutableArrayRef<double> row, double epsilon) {
  double squares = 0;
  for (double element : row)
    squares += element * element;
  double root = std::sqrt(squares / double(row.size()) + epsilon);
  for (double &element : row)
    element /= root;
}

template <typename Op, void normalize(MutableArrayRef<double>, double)>
static FailureOr<Tensor> evaluateNorm(Op op, ArrayRef<Tensor> operands, EvaluateContext &) {
  std::string name = std::is_same_v<Op, LayerNormOp> ? "layer-norm" : "rms-norm";
  const Tensor &input = operands[0];
  ArrayRef<int64_t> shape = input.getShape();
  int64_t axis = op.getAxis();
  if (failed(requireAxis(op, name + "-c1", axis, input.getRank())))
    return failure();
  SmallVector<Tensor> parameters;
  for (const Tensor &parameter : operands.drop_front()) {
    if (!broadcastsTo(parameter.getShape(), shape))
      return evaluateError(op) << name << "-c2: scale or bias of shape "
                               << describeShape(parameter.getShape())
                               << " does not broadcast to the input's, " << describeShape(shape);
    FailureOr<Tensor> wide = broadcastOperand(op, parameter, shape);
    if (failed(wide))
      return failure();
    parameters.push_back(std::move(*wide));
  }
  FailureOr<Tensor> result = makeResult(op, shape);
  if (failed(result))
    return failure();

  std::vector<double> values = input.toFloats();
  int64_t length = countElements(shape.drop_front(axis));
  double epsilon = op.getEpsilon().convertToDouble();
  for (int64_t first = 0; first < input.getNumElements(); first += length)
    normalize(MutableArrayRef<double>(values).slice(first, length), epsilon);
  // f16 and bf16 are rounded between normalizing and scaling.
  if (input.getElementType().getIntOrFloatBitWidth() == 16)
    values = Tensor::fromFloats(input.getElementType(), shape, values).toFloats();
  for (int64_t i = 0; i < input.getNumElements(); ++i) {
    double bias = parameters.size() > 1 ? parameters[1].getFloat(i) : 0;
    result->setFloat(i, values[i] * parameters[0].getFloat(i) + bias);
  }
  return result;
}

void weft::attachNormModels(MLIRContext *context) {
  attachModel<LayerNormOp, evaluateNorm<LayerNormOp, normalizeRow>>(context);
  attachModel<RMSNormOp, evaluateNorm<RMSNormOp, divideRowByRoot>>(context);
}
