// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// top_k as a row-wise step.
#include "compiler/Tile/LowerToSteps/Families.h"

using namespace mlir;
using namespace weft;

namespace {

struct TopKLowering : StepLoweringInterface::ExternalModel<TopKLowering, TopKOp> {
  FailureOr<Value> lowerToSteps(Operation *operation, StepBuilder &steps) const {
    auto op = cast<TopKOp>(operation);
    if (failed(requireForm(op, !op.getK(), "a k that the result's type says")))
      return failure();
    Type element = getElementTypeOrSelf(op.getInput());
    SmallVector<Dim> dims = *getDims(op.getInput()), out = *getDims(op.getResult());
    Dim outer = steps.product(ArrayRef(dims).take_front(op.getAxis())), size = dims[op.getAxis()];
    Dim inner = steps.product(ArrayRef(dims).drop_front(op.getAxis() + 1));
    Value input = steps.view(steps.tensor(op.getInput()), {outer, size, inner});
    Value output = steps.empty({outer, out[op.getAxis()], inner}, steps.host().getI64Type());
    int64_t rows = chooseRows(steps, size);
    auto kernel = steps.beginKernel("top_k", input, output, {{"rows", rows}});
    auto tile = TopKTileOp::create(kernel.body, op.getLoc(), kernel.inputs[0], kernel.output, op.getLargest(),
                                   element.isUnsignedInteger());
    markElement(tile, element);
    Value result = steps.endKernel(kernel, steps.tiles(outer * inner, rows), input, output);
    return steps.view(result, out);
  }
};

} // namespace

void weft::attachTopKLowering(MLIRContext *context) { TopKOp::attachInterface<TopKLowering>(*context); }
