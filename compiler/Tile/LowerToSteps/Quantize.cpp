// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// quantize_rows as a row-wise step.
#include "compiler/Tile/LowerToSteps/Families.h"

using namespace mlir;
using namespace weft;

namespace {

struct QuantizeRowsLowering : StepLoweringInterface::ExternalModel<QuantizeRowsLowering, QuantizeRowsOp> {
  LoweredResults lowerToSteps(Operation *operation, StepBuilder &steps) const {
    auto op = cast<QuantizeRowsOp>(operation);
    SmallVector<Dim> dims = *getDims(op.getInput());
    Dim number = steps.product(ArrayRef(dims).drop_back()), length = dims.back();
    Value input = steps.view(steps.tensor(op.getInput()), {number, length});
    SmallVector<Value> outputs;
    for (Value result : op.getResults())
      outputs.push_back(
          steps.empty({number, getDims(result)->back()}, getStoredElement(getElementTypeOrSelf(result))));
    int64_t rows = chooseRows(steps, length);
    auto kernel = steps.beginKernel("quantize_rows", input, outputs, {{"rows", rows}});
    QuantizeRowsTileOp::create(kernel.body, op.getLoc(), kernel.inputs[0], kernel.outputs[0],
                               kernel.outputs[1], kernel.outputs[2]);
    SmallVector<Value> results = steps.endKernel(kernel, steps.tiles(number, rows), input, outputs);
    for (auto [result, value] : llvm::zip(results, op.getResults()))
      result = steps.view(result, *getDims(value));
    return results;
  }
};

} // namespace

void weft::attachQuantizeLowering(MLIRContext *context) {
  QuantizeRowsOp::attachInterface<QuantizeRowsLowering>(*context);
}
