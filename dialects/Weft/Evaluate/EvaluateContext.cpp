// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dim symbols of one run, and what families' files share.
#include "dialects/Weft/Evaluate/Models.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

std::optional<int64_t> EvaluateContext::symbol(StringRef name) const {
  auto found = symbols.find(name);
  return found == symbols.end() ? std::nullopt : std::optional<int64_t>(found->second);
}

std::optional<int64_t> EvaluateContext::value(Dim dim, std::string *error) const {
  return dim.evaluate([&](StringRef name) { return symbol(name); }, error);
}

FailureOr<int64_t> EvaluateContext::value(Operation *op, Dim dim) const {
  std::string why;
  if (std::optional<int64_t> number = value(dim, &why))
    return *number;
  return evaluateError(op) << why;
}

FailureOr<Shape> EvaluateContext::declaredShape(Operation *op) const {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return evaluateError(op) << "expects a result type that says its shape, got "
                             << describeType(op->getResult(0).getType());
  Shape shape;
  for (Dim dim : getDims(type)) {
    if (!dim)
      return evaluateError(op) << "expects a result type that says its shape, got " << describeType(type);
    FailureOr<int64_t> size = value(op, dim);
    if (failed(size))
      return failure();
    if (*size < 0)
      return evaluateError(op) << "dim " << dim.toString() << " of the result is negative: " << *size;
    shape.push_back(*size);
  }
  return shape;
}

void EvaluateContext::bindSymbols(Type type, ArrayRef<int64_t> shape) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked || ranked.getRank() != int64_t(shape.size()))
    return;
  for (auto [dim, size] : llvm::zip(getDims(ranked), shape))
    if (dim && dim.getSymbol())
      bind(*dim.getSymbol(), size);
}

LogicalResult EvaluateContext::bindInputs(func::FuncOp function, ArrayRef<Tensor> inputs) {
  for (auto [i, input] : llvm::enumerate(inputs)) {
    bindSymbols(function.getArgumentTypes()[i], input.getShape());
    auto elements = function.getArgAttrOfType<ArrayAttr>(i, names::kElementSymbols);
    if (elements && !bindElements(elements, input))
      return function.emitError() << "input " << i
                                  << " has an element that decides sizes and is below 0, no whole number, "
                                     "or further than 2^61 from 0";
  }
  forEachDefinition(function, [&](StringAttr name, Dim dim) {
    if (std::optional<int64_t> known = value(dim))
      bind(name.getValue(), *known);
  });
  return success();
}

/// False if an element that has to be a size is negative, or one is a fraction or too large for expressions
/// to be made of it: what a session refuses (readElement of runtime/src/Session.cpp).
bool EvaluateContext::bindElements(ArrayAttr elements, const Tensor &input) {
  constexpr int64_t mostElement = int64_t(1) << 61;
  bool isValid = true;
  forEachElement(elements, [&](size_t place, StringAttr above, StringAttr below) {
    if (int64_t(place) >= input.getNumElements())
      return;
    int64_t element = input.getInteger(place);
    isValid &= (below || element >= 0) && element >= -mostElement && element <= mostElement;
    isValid &= !input.isFloat() || input.getFloat(place) == double(element);
    bind(above.getValue(), std::max<int64_t>(element, 0));
    if (below)
      bind(below.getValue(), element < 0 ? -std::max(element, -mostElement) : 0);
  });
  return isValid;
}

std::string EvaluateContext::mismatch(Type type, const Tensor &tensor) const {
  auto declared = dyn_cast<TensorType>(type);
  if (!tensor)
    return "there is no tensor";
  if (!declared || declared.getElementType() != tensor.getElementType())
    return "expects " + describeType(type) + ", got elements of type " +
           describeType(tensor.getElementType());
  if (!declared.hasRank())
    return "";
  if (declared.getRank() != tensor.getRank())
    return "expects rank " + std::to_string(declared.getRank()) + ", got shape " +
           describeShape(tensor.getShape());
  for (auto [i, dim] : llvm::enumerate(getDims(declared))) {
    if (!dim)
      continue;
    std::optional<int64_t> expected = value(dim);
    if (expected && *expected != tensor.getShape()[i])
      return "expects dim " + std::to_string(i) + (dim.isConstant() ? "" : " (" + dim.toString() + ")") +
             " to be " + std::to_string(*expected) + ", got shape " + describeShape(tensor.getShape());
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Shared by the families
//===----------------------------------------------------------------------===//

InFlightDiagnostic weft::evaluateError(Operation *op) {
  return op->emitError() << "node \"" << getNodeName(op) << "\": ";
}

FailureOr<Tensor> weft::makeResult(Operation *op, ArrayRef<int64_t> shape) {
  Type element = getElementTypeOrSelf(op->getResult(0));
  if (!Tensor::countBytes(element, shape))
    return evaluateError(op) << "a result of shape " << describeShape(shape) << " and elements " << element
                             << " is larger than the evaluator's limit of " << Tensor::kMaxBytes << " bytes";
  Tensor result = Tensor::zeros(element, shape);
  if (!result)
    return evaluateError(op) << "no memory for a result of shape " << describeShape(shape);
  return result;
}

FailureOr<Tensor> weft::broadcastOperand(Operation *op, const Tensor &operand, ArrayRef<int64_t> shape) {
  Tensor result = operand.broadcastTo(shape);
  if (!result)
    return evaluateError(op) << "no room for an operand broadcast to shape " << describeShape(shape);
  return result;
}

LogicalResult weft::requireAxis(Operation *op, StringRef constraint, int64_t axis, int64_t rank) {
  if (axis >= 0 && axis < rank)
    return success();
  return evaluateError(op) << constraint << ": expects an axis within rank " << rank << ", got " << axis;
}

LogicalResult weft::requireAxes(Operation *op, StringRef constraint, ArrayRef<int64_t> axes, int64_t rank) {
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i] < 0 || axes[i] >= rank || (i > 0 && axes[i - 1] >= axes[i]))
      return evaluateError(op) << constraint << ": expects sorted, distinct axes within rank " << rank
                               << ", got " << describeShape(axes);
  return success();
}
