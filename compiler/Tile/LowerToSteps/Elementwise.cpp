// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operations as pointwise steps: trees of them that are read once are one step; splat constants
// become scalars in the kernel.
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

static bool isWidened(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32; }

Value weft::loadComputed(OpBuilder &body, Location location, Value element, Type type) {
  Value number = loadStored(body, location, element, type);
  return isWidened(type) ? Value(arith::ExtFOp::create(body, location, body.getF32Type(), number)) : number;
}

Value weft::storeComputed(OpBuilder &body, Location location, Value number, Type type) {
  if (isWidened(type))
    number = arith::TruncFOp::create(body, location, type, number);
  return toStored(body, location, number);
}

/// The most operations that go into the step of the one that reads them: registers hold what is between them.
constexpr unsigned kMostOperations = 16;

/// Whether an operation can be computed in the step of the only one that reads its result, element by
/// element, or that joins it with others. A result that is broadcast is computed once.
static bool canBePartOfUser(Operation *op) {
  if (!op->hasOneUse())
    return false;
  Operation *user = *op->user_begin();
  if (user->getBlock() != op->getBlock())
    return false;
  if (isa<ConcatOp>(user))
    return true;
  if (auto pad = dyn_cast<PadOp>(user))
    return pad.getInput() == op->getResult(0);
  return isElementwise(user) && *getDims(op->getResult(0)) == *getDims(user->getResult(0));
}

namespace {
/// An operation and those that are part of its step, as a tree whose leaves are inputs and numbers.
class ElementwiseTree {
public:
  ElementwiseTree(Operation *root, StepBuilder &steps) : root(root), steps(steps) { findInputs(root); }

  ArrayRef<PointwiseInput> getInputs() const { return inputs; }
  /// The root's element, as it is stored, from the inputs'.
  FailureOr<Value> build(OpBuilder &builder, ValueRange elements) const;

private:
  void findInputs(Operation *op);
  FailureOr<Value> build(OpBuilder &builder, Operation *op, ValueRange elements) const;

  Operation *root;
  StepBuilder &steps;
  SmallVector<Value> leaves; ///< each once
  SmallVector<PointwiseInput> inputs;
};
} // namespace

void ElementwiseTree::findInputs(Operation *op) {
  for (Value operand : op->getOperands()) {
    if (getSplat(operand))
      continue;
    if (steps.countOperations(operand) > 0) {
      findInputs(operand.getDefiningOp());
      continue;
    }
    if (llvm::is_contained(leaves, operand))
      continue;
    leaves.push_back(operand);
    inputs.push_back(findPointwiseInput(steps, operand, *getDims(root->getResult(0))));
  }
}

FailureOr<Value> ElementwiseTree::build(OpBuilder &builder, ValueRange elements) const {
  FailureOr<Value> element = build(builder, root, elements);
  return succeeded(element) ? toStored(builder, root->getLoc(), *element) : element;
}

FailureOr<Value> ElementwiseTree::build(OpBuilder &builder, Operation *op, ValueRange elements) const {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (TypedAttr splat = getSplat(operand)) {
      operands.push_back(arith::ConstantOp::create(builder, op->getLoc(), splat));
    } else if (steps.countOperations(operand) > 0) {
      FailureOr<Value> element = build(builder, operand.getDefiningOp(), elements);
      if (failed(element))
        return failure();
      operands.push_back(*element);
    } else {
      Value stored = elements[llvm::find(leaves, operand) - leaves.begin()];
      operands.push_back(loadStored(builder, op->getLoc(), stored, getElementTypeOrSelf(operand)));
    }
  }
  return buildScalarBody(builder, op, operands);
}

static FailureOr<Value> lowerElementwise(Operation *op, StepBuilder &steps) {
  unsigned count = 1;
  for (Value operand : op->getOperands())
    count += steps.countOperations(operand);
  if (count <= kMostOperations && canBePartOfUser(op)) {
    steps.leaveToUser(op->getResult(0), count);
    return Value();
  }
  return buildElementwiseStep(steps, op);
}

FailureOr<Value> weft::buildElementwiseStep(StepBuilder &steps, Operation *op, const StridedView *into) {
  ElementwiseTree tree(op, steps);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto body = [&](OpBuilder &builder, Location, ValueRange elements, ValueRange) {
    return tree.build(builder, elements);
  };
  StringRef name = op->getName().stripDialect();
  if (into)
    return buildPointwiseStepInto(steps, name, tree.getInputs(), *into, body);
  return buildPointwiseStep(steps, name, tree.getInputs(), getDims(type),
                            getStoredElement(type.getElementType()), body);
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
         ReciprocalOp, SinOp, CosOp, AtanOp, FloorOp, CeilOp, RoundOp, ReluOp, NotOp, GeluOp, CompareOp,
         WhereOp, CastOp, BitcastOp>(context);
}
