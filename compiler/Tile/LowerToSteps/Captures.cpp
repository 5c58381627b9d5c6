// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What regions capture, as their kernels read it.
#include "compiler/Tile/LowerToSteps/Captures.h"
#include "compiler/Tile/LowerToSteps/Families.h"
#include "compiler/Tile/LowerToSteps/PointwiseStep.h"

using namespace mlir;
using namespace weft;

SmallVector<Capture> weft::spreadCaptures(StepBuilder &steps, ValueRange captures, ArrayRef<Dim> to) {
  return findCaptures(steps, captures, to, [](const StridedView &) { return false; });
}

SmallVector<Capture> weft::findCaptures(StepBuilder &steps, ValueRange captures, ArrayRef<Dim> to,
                                        llvm::function_ref<bool(const StridedView &)> canRead) {
  return llvm::map_to_vector(captures, [&](Value value) {
    StridedView view = viewOf(steps, value);
    if (!isWhole(steps, view) && provablyBroadcastsTo(view.sizes, to) && canRead(view))
      return Capture{{view.tensor, view}, view.sizes};
    Capture capture{{steps.tensor(value)}, *getDims(value)};
    if (provablyBroadcastsTo(capture.dims, to))
      return capture;
    SmallVector<Dim> spread(to.take_back(capture.dims.size()));
    return Capture{{spreadOver(steps, capture.tensor, capture.dims, spread)}, spread};
  });
}

LogicalResult weft::requireReadable(Operation *op, ValueRange captures, StringRef region) {
  for (Value capture : captures)
    if (getElementTypeOrSelf(capture).isUnsignedInteger())
      return op->emitError() << "node \"" << getNodeName(op) << "\" (" << op->getName().stripDialect()
                             << "): " << region << " cannot read " << describeType(capture.getType())
                             << " [weft-0301]";
  return success();
}

void weft::readStored(Region &region) {
  if (region.empty())
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(&region.front());
  for (BlockArgument argument : region.getArguments()) {
    Type element = argument.getType();
    if (!element.isBF16())
      continue;
    argument.setType(getStoredElement(element));
    Value value = loadStored(builder, argument.getLoc(), argument, element);
    argument.replaceAllUsesExcept(value, value.getDefiningOp());
  }
}
