// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tile/LowerToSteps/Parts.h"
#include "compiler/Tile/LowerToSteps/Families.h"
#include "compiler/Tile/LowerToSteps/PointwiseStep.h"

using namespace mlir;
using namespace weft;

LogicalResult weft::computeLeft(StepBuilder &steps, Value graphValue) {
  if (steps.countOperations(graphValue) == 0)
    return success();
  FailureOr<Value> computed = buildElementwiseStep(steps, graphValue.getDefiningOp());
  if (succeeded(computed))
    steps.map(graphValue, *computed);
  return computed;
}

bool weft::areRowsWhole(const StridedView &view) {
  for (auto [size, stride] : llvm::reverse(llvm::zip_equal(view.sizes, view.strides)))
    if (size.getConstant() != 1)
      return stride.getConstant() == 1;
  return true;
}

FailureOr<Value> weft::placePart(StepBuilder &steps, StringRef name, Value graphValue, const StridedView &to,
                                 int64_t axis, int64_t tensorAxis) {
  bool isRows = isKnown(to) && areRowsWhole(to), isComputed = steps.countOperations(graphValue) > 0;
  if (isRows && isComputed)
    return buildElementwiseStep(steps, graphValue.getDefiningOp(), &to);
  if (failed(computeLeft(steps, graphValue)))
    return failure();
  StridedView from = viewOf(steps, graphValue);
  if (isRows && !isWhole(steps, from) && areRowsWhole(from))
    return buildPointwiseStepInto(steps, name, inputOf(from), to, copyElement);
  Dim rows = steps.product(ArrayRef(to.sizes).take_front(axis));
  Dim width = steps.product(ArrayRef(to.sizes).drop_front(axis));
  return fillColumns(steps, name, steps.view(steps.tensor(graphValue), {rows, width}), {rows, width},
                     to.offset, to.tensor, tensorAxis);
}
