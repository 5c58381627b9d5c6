// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gather as a step that copies rows.
#include "compiler/Tile/LowerToSteps/Families.h"

using namespace mlir;
using namespace weft;

namespace {

struct GatherLowering : StepLoweringInterface::ExternalModel<GatherLowering, GatherOp> {
  FailureOr<Value> lowerToSteps(Operation *operation, StepBuilder &steps) const {
    auto op = cast<GatherOp>(operation);
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<Dim> data = *getDims(op.getData());
    Dim outer = steps.product(ArrayRef(data).take_front(op.getAxis()));
    Dim inner = steps.product(ArrayRef(data).drop_front(op.getAxis() + 1));
    Dim count = steps.product(*getDims(op.getIndices()));
    SmallVector<Value> inputs{steps.view(steps.tensor(op.getData()), {outer, data[op.getAxis()], inner}),
                              steps.view(steps.tensor(op.getIndices()), count)};
    Value output = steps.empty({outer, count, inner}, getStoredElement(type.getElementType()));
    int64_t rows = chooseRows(steps, inner);
    auto kernel = steps.beginKernel("gather", inputs, output, {{"rows", rows}});
    GatherTileOp::create(kernel.body, op.getLoc(), kernel.inputs[0], kernel.inputs[1], kernel.output);
    Value result = steps.endKernel(kernel, steps.tiles(outer * count, rows), inputs, output);
    return steps.view(result, getDims(type));
  }
};

} // namespace

void weft::attachIndexLowering(MLIRContext *context) { GatherOp::attachInterface<GatherLowering>(*context); }
