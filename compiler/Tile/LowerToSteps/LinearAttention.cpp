// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// linear_attention as one step: heads and columns of their values are independent, positions are not.
#include "compiler/Tile/LowerToSteps/Families.h"

using namespace mlir;
using namespace weft;

/// Columns of a tile: a state's rows of so many stay in the first-level cache. On a GPU a thread has one.
constexpr int64_t kColumns = 64, kColumnsOfWarp = 32;

static LoweredResults lowerLinearAttention(LinearAttentionOp op, StepBuilder &steps) {
  SmallVector<Value> inputs;
  for (Value operand : op.getOperands())
    inputs.push_back(steps.view(steps.tensor(operand), *getDims(operand)));
  SmallVector<Dim> query = *getDims(op.getQuery()), state = *getDims(op.getState());
  SmallVector<Dim> result{query[0], query[1], query[2], state[3]};
  Type element = getElementTypeOrSelf(op.getQuery());
  SmallVector<Value> outputs{steps.empty(result, element), steps.empty(state, element)};
  int64_t columns = steps.scheduled("columns", steps.isForGPU ? kColumnsOfWarp : kColumns);
  auto kernel = steps.beginKernel("linear_attention", inputs, outputs, {{"columns", columns}});
  Value decay = op.getDecay() ? kernel.inputs[4] : Value(),
        rate = op.getRate() ? kernel.inputs.back() : Value();
  LinearAttentionTileOp::create(kernel.body, op.getLoc(), kernel.inputs[0], kernel.inputs[1],
                                kernel.inputs[2], kernel.inputs[3], decay, rate, kernel.outputs[0],
                                kernel.outputs[1]);
  Dim tiles = steps.product({state[0], state[1], steps.tiles(state[3], columns)});
  // For each position the state is changed and read, and with a rate read before that.
  Dim reads = query[2] + state[1] * (op.getRate() ? 2 : 1);
  Dim flops = steps.product({query[0], query[1], reads, state[2], state[3]}) * 2;
  return steps.endKernel(kernel, tiles, inputs, outputs, {flops, {}});
}

namespace {
struct LinearAttentionLowering
    : StepLoweringInterface::ExternalModel<LinearAttentionLowering, LinearAttentionOp> {
  LoweredResults lowerToSteps(Operation *op, StepBuilder &steps) const {
    return lowerLinearAttention(cast<LinearAttentionOp>(op), steps);
  }
};
} // namespace

void weft::attachLinearAttentionLowering(MLIRContext *context) {
  LinearAttentionOp::attachInterface<LinearAttentionLowering>(*context);
}
