// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operations as pointwise steps; splat constants become scalars in the kernel.
#include "compiler/Tile/LowerToSteps/Families.h"
#include "compiler/Tile/LowerToSteps/PointwiseStep.h"
#include "dialects/Weft/IR/ScalarBody.h"

using namespace mlir;
using namespace weft;

/// A splat constant's element, as a scalar attribute.
static TypedAttr getSplat(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!dense || !dense.isSplat())
    return nullptr;
  auto scalar = cast<TypedAttr>(dense.getSplatValue<Attribute>());
  if (isCompact(dense.getElementType())) {
    SmallVector<char> byte;
    spreadConstant(dense.resizeSplat(RankedTensorType::get({}, dense.getElementType())), byte);
    return IntegerAttr::get(getStoredElement(dense.getElementType()), byte.front());
  }
  if (auto integer = dyn_cast<IntegerAttr>(scalar); integer && !integer.getType().isSignlessInteger())
    return IntegerAttr::get(getStoredElement(dense.getElementType()), integer.getValue());
  return scalar;
}

Value weft::loadStored(OpBuilder &body, Location location, Value element, Type type) {
  if (type.isBF16())
    return arith::BitcastOp::create(body, location, type, element);
  if (!type.isInteger(1))
    return element;
  Value zero = arith::ConstantIntOp::create(body, location, body.getI8Type(), 0);
  return arith::CmpIOp::create(body, location, arith::CmpIPredicate::ne, element, zero);
}

Value weft::toStored(OpBuilder &body, Location location, Value element) {
  if (element.getType().isBF16())
    return arith::BitcastOp::create(body, location, body.getI16Type(), element);
  if (!element.getType().isInteger(1))
    return element;
  return arith::ExtUIOp::create(body, location, body.getI8Type(), element);
}

static FailureOr<Value> lowerElementwise(Operation *op, StepBuilder &steps) {
  SmallVector<PointwiseInput> inputs;
  for (Value operand : op->getOperands())
    if (!getSplat(operand))
      inputs.push_back({steps.tensor(operand), *getDims(operand)});
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto body = [&](OpBuilder &builder, Location location, ValueRange elements,
                  ValueRange) -> FailureOr<Value> {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (TypedAttr splat = getSplat(operand)) {
        operands.push_back(arith::ConstantOp::create(builder, location, splat));
        continue;
      }
      operands.push_back(loadStored(builder, location, elements.front(), getElementTypeOrSelf(operand)));
      elements = elements.drop_front();
    }
    FailureOr<Value> element = buildScalarBody(builder, op, operands);
    if (failed(element))
      return failure();
    return toStored(builder, location, *element);
  };
  StringRef name = op->getName().stripDialect();
  return buildPointwiseStep(steps, name, inputs, getDims(type), getStoredElement(type.getElementType()),
                            body);
}

namespace {
template <typename Op>
struct ElementwiseLowering : StepLoweringInterface::ExternalModel<ElementwiseLowering<Op>, Op> {
  FailureOr<Value> lowerToSteps(Operation *op, StepBuilder &steps) const {
    return lowerElementwise(op, steps);
  }
};
} // namespace

template <typename... Ops> static void attach(MLIRContext *context) {
  (Ops::template attachInterface<ElementwiseLowering<Ops>>(*context), ...);
}

void weft::attachElementwiseLowering(MLIRContext *context) {
  attach<AddOp, SubOp, MulOp, DivOp, RemOp, PowOp, MinOp, MaxOp, AndOp, OrOp, BitAndOp, BitOrOp, BitXorOp,
         ShiftLeftOp, ShiftRightOp, NegOp, AbsOp, SqrtOp, ExpOp, LogOp, ErfOp, TanhOp, SigmoidOp,
         ReciprocalOp, SinOp, CosOp, FloorOp, CeilOp, RoundOp, ReluOp, NotOp, GeluOp, CompareOp, WhereOp,
         CastOp, BitcastOp>(context);
}
