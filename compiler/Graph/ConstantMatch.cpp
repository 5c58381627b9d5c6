// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers among a graph's constants.
#include "compiler/Graph/ConstantMatch.h"
#include "dialects/Weft/IR/Weft.h"
#include <cmath>

using namespace mlir;
using namespace weft;

TypedAttr weft::graph::getSplatElement(Value value) {
  while (auto expand = value.getDefiningOp<ExpandOp>())
    value = expand.getInput();
  auto constant = value.getDefiningOp<ConstantOp>();
  auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!dense || !dense.isSplat())
    return nullptr;
  return cast<TypedAttr>(dense.getSplatValue<Attribute>());
}

std::optional<double> weft::graph::getSplatNumber(Value value) {
  auto number = dyn_cast_if_present<FloatAttr>(getSplatElement(value));
  return number ? std::optional<double>(number.getValueAsDouble()) : std::nullopt;
}

std::optional<double> weft::graph::getConstantFactor(Operation *op) {
  if (!isa_and_present<MulOp, DivOp>(op) || op->getOperand(0).getType() != op->getResult(0).getType())
    return std::nullopt;
  std::optional<double> number = getSplatNumber(op->getOperand(1));
  if (!number || *number == 0 || !std::isfinite(*number))
    return std::nullopt;
  return isa<DivOp>(op) ? 1 / *number : *number;
}

bool weft::graph::isAbout(double number, double wanted, Type type) {
  // Half a unit of the last place of each type, and some room; for f32 the five digits of "0.79788".
  double tolerance = type.isF64() ? 1e-9 : type.isF32() ? 2e-5 : type.isF16() ? 1e-3 : 8e-3;
  return std::abs(number - wanted) <= tolerance * std::abs(wanted);
}
