// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running error analysis: every value carries a bound of its error.
#include "tools/weft/verify/ScalarErrors.h"
#include "dialects/Weft/Evaluate/ScalarRegion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>

using namespace mlir;
using namespace weft;

using Errors = std::vector<double>; ///< by element; empty: exact

double verify::getEpsilon(Type element) {
  return std::ldexp(1.0,
                    1 - int(llvm::APFloat::semanticsPrecision(cast<FloatType>(element).getFloatSemantics())));
}

/// What one operation adds, as a multiple of its result: a rounding here and one in the evaluator, or a
/// polynomial's error (docs/numerics.md). Operations that only choose or turn a sign add nothing.
static double getRounding(Operation *op, Type type) {
  if (!isa<FloatType>(type) || isa<arith::ConstantOp, arith::SelectOp, arith::NegFOp, arith::MaximumFOp,
                                   arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, math::AbsFOp>(op))
    return 0;
  return (isa<math::MathDialect>(op->getDialect()) ? 4 : 1) * verify::getEpsilon(type);
}

/// A tensor with each element moved by its error.
static Tensor shift(const Tensor &tensor, const Errors &errors, double sign) {
  Tensor shifted = tensor;
  for (int64_t i = 0; i < tensor.getNumElements(); ++i) {
    if (tensor.isFloat())
      shifted.setFloat(i, tensor.getFloat(i) + sign * errors[i]);
    else if (errors[i] > 0) // a bool that may be the other one; other integers move by as much
      shifted.setInteger(i, tensor.getElementType().isInteger(1)
                                ? !tensor.getInteger(i)
                                : tensor.getInteger(i) + int64_t(sign * errors[i]));
  }
  return shifted;
}

/// By how much a result moved; no finite number where it became NaN or infinite.
static double getDistance(const Tensor &moved, const Tensor &result, int64_t place) {
  double x = moved.getFloat(place), y = result.getFloat(place);
  return x == y || (std::isnan(x) && std::isnan(y)) ? 0 : std::abs(x - y);
}

namespace {
class ErrorAnalysis {
public:
  explicit ErrorAnalysis(ArrayRef<int64_t> shape) : shape(shape) {}

  void set(Value value, Tensor tensor, Errors error) {
    values[value] = {std::move(tensor), std::move(error)};
  }
  LogicalResult visit(Operation &op);
  const Errors &getErrors(Value value) { return values[value].second; }

private:
  ArrayRef<int64_t> shape;
  DenseMap<Value, std::pair<Tensor, Errors>> values;
};
} // namespace

LogicalResult ErrorAnalysis::visit(Operation &op) {
  SmallVector<Tensor> operands;
  for (Value operand : op.getOperands())
    operands.push_back(values[operand].first);
  FailureOr<Tensor> result = evaluateScalarOperation(&op, operands, shape);
  if (failed(result))
    return failure();
  Errors errors(result->getNumElements(), 0);
  double rounding = getRounding(&op, op.getResult(0).getType());
  for (size_t i = 0; rounding > 0 && i < errors.size(); ++i)
    errors[i] = rounding * std::abs(result->getFloat(i));
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    const Errors &operandErrors = values[operand].second;
    if (operandErrors.empty())
      continue;
    Errors moves(errors.size(), 0);
    for (double sign : {-1.0, 1.0}) {
      SmallVector<Tensor> moved(operands);
      moved[i] = shift(operands[i], operandErrors, sign);
      FailureOr<Tensor> movedResult = evaluateScalarOperation(&op, moved, shape);
      if (failed(movedResult))
        return failure();
      for (size_t place = 0; place < errors.size(); ++place)
        if (double distance = getDistance(*movedResult, *result, place); !(distance <= moves[place]))
          moves[place] = distance;
    }
    for (size_t place = 0; place < errors.size(); ++place)
      errors[place] += moves[place];
  }
  bool isExact =
      llvm::all_of(op.getOperands(), [&](Value operand) { return values[operand].second.empty(); }) &&
      rounding == 0;
  set(op.getResult(0), std::move(*result), isExact ? Errors() : std::move(errors));
  return success();
}

FailureOr<Errors> verify::propagateErrors(Region &region, ArrayRef<int64_t> shape, ArrayRef<Tensor> arguments,
                                          Errors errors) {
  ErrorAnalysis analysis(shape);
  Block &block = region.front();
  for (auto [i, argument] : llvm::enumerate(block.getArguments()))
    analysis.set(argument, arguments[i], i == 0 ? std::move(errors) : Errors());
  for (Operation &op : block.without_terminator())
    if (failed(analysis.visit(op)))
      return failure();
  return analysis.getErrors(block.back().getOperand(0));
}
