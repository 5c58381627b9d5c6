// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantize: in f32 and in the order of operations that weft.quantize_rows states, so that bytes are exactly
// those.
#include "dialects/Weft/Evaluate/Models.h"
#include "dialects/Weft/IR/PackedWeights.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace weft;

/// A NaN is 0: its row's scale tells.
static float clampToByte(float value) { return std::fmin(std::fmax(value, 0.F), 255.F); }

static FailureOr<SmallVector<Tensor>> evaluateQuantizeRows(QuantizeRowsOp op, ArrayRef<Tensor> operands,
                                                           EvaluateContext &) {
  const Tensor &input = operands[0];
  Shape shape(input.getShape());
  if (shape.empty())
    return evaluateError(op) << "quantize-rows-c1: expects rank 1 or more, got a scalar";
  int64_t length = shape.back(), padded = llvm::alignTo(length, Quads::kPadding), rows;
  shape.back() = 1;
  rows = countElements(shape);
  SmallVector<Tensor> results;
  for (Value result : op.getResults()) {
    shape.back() = results.empty() ? padded : 1;
    results.push_back(Tensor::zeros(getElementTypeOrSelf(result), shape));
    if (!results.back())
      return evaluateError(op) << "no room for a result of shape " << describeShape(shape);
  }
  for (int64_t row = 0; row < rows; ++row) {
    auto element = [&](int64_t i) { return float(input.getFloat(row * length + i)); };
    float greatest = 0, least = 0;
    bool isFinite = true;
    for (int64_t i = 0; i < length; ++i) {
      greatest = std::fmax(greatest, element(i));
      least = std::fmin(least, element(i));
      isFinite &= std::isfinite(element(i));
    }
    float scale = std::fmax(greatest / 255 - least / 255, std::numeric_limits<float>::min());
    if (!isFinite)
      scale = std::numeric_limits<float>::quiet_NaN();
    float inverse = 1 / scale;
    float zero = clampToByte(std::nearbyint(-least * inverse));
    for (int64_t i = 0; i < length; ++i)
      results[0].setFloat(row * padded + i, clampToByte(std::nearbyint(element(i) * inverse) + zero));
    results[1].setFloat(row, scale);
    results[2].setInteger(row, int64_t(zero));
  }
  return results;
}

static FailureOr<Tensor> evaluateDequantize(DequantizeOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  const Tensor &numbers = operands[0], &scales = operands[1], &zeros = operands[2];
  int64_t bits = op.getBits(), perByte = 8 / bits, group = op.getGroup(), length = op.getLength();
  int64_t groups = llvm::divideCeil(length, group);
  Shape shape(numbers.getShape()), ofGroups = shape;
  if (shape.empty())
    return evaluateError(op) << "dequantize-c1: expects rank 1 or more, got a scalar";
  int64_t bytes = shape.back();
  ofGroups.back() = groups;
  shape.back() = length;
  bool isOneZero = zeros.getShape().empty();
  if (length > bytes * perByte)
    return evaluateError(op) << "dequantize-c2: expects " << length << " numbers a row, got " << bytes
                             << " bytes";
  if (scales.getShape() != ArrayRef(ofGroups) || (!isOneZero && zeros.getShape() != ArrayRef(ofGroups)))
    return evaluateError(op) << "dequantize-c3: expects scales and zeros of shape " << describeShape(ofGroups)
                             << ", got " << describeShape(scales.getShape()) << " and "
                             << describeShape(zeros.getShape());
  FailureOr<Tensor> result = makeResult(op, shape);
  if (failed(result))
    return failure();
  int64_t rows = length == 0 ? 0 : result->getNumElements() / length;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t k = 0; k < length; ++k) {
      auto byte = uint64_t(numbers.getInteger(row * bytes + k / perByte));
      uint64_t place = byte >> (k % perByte * bits) & ((1 << bits) - 1);
      float number = op.getTable() ? (*op.getTable())[place] : float(place);
      int64_t at = row * groups + k / group;
      float difference = number - float(zeros.getFloat(isOneZero ? 0 : at));
      result->setFloat(row * length + k, difference * float(scales.getFloat(at)));
    }
  return result;
}

void weft::attachQuantizeModels(MLIRContext *context) {
  attachModel<DequantizeOp, evaluateDequantize>(context);
  attachModel<QuantizeRowsOp, evaluateQuantizeRows>(context);
}
