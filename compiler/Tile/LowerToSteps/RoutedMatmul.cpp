// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// routed_matmul as one gemm step.
#include "compiler/Tile/LowerToSteps/Families.h"

using namespace mlir;
using namespace weft;

/// Rows that are routed to one matrix and multiplied with a panel of it before the next ones are.
static constexpr int64_t kRows = 128;

static FailureOr<Value> lowerRoutedMatmul(RoutedMatmulOp op, StepBuilder &steps) {
  if (steps.isForGPU)
    return op.emitOpError("is for CPUs");
  SmallVector<Value> inputs;
  for (Value operand : op.getOperands())
    inputs.push_back(steps.view(steps.tensor(operand), *getDims(operand)));
  SmallVector<Dim> input = *getDims(op.getInput()), weights = *getDims(op.getWeights()),
                   result = getDims(op.getType());
  Type element = getElementTypeOrSelf(op.getInput()), stored = getElementTypeOrSelf(op.getWeights());
  bool isPacked = op.getPackedColumns().has_value();
  constexpr int64_t columns = MatmulOp::kPanelColumns;

  Value output = steps.empty(result, getStoredElement(element));
  auto kernel = steps.beginKernel("routed_matmul", inputs, output,
                                  {{"rows", steps.scheduled("rows", kRows)}, {"columns", columns}});
  auto tile =
      GemmTileOp::create(kernel.body, op.getLoc(), kernel.inputs[0], kernel.inputs[1],
                         /*experts=*/kernel.inputs[2], /*captures=*/ValueRange(), kernel.output, isPacked,
                         op.getGroupsAttr(), /*tf32=*/false, /*parts=*/false, /*row_dims=*/IntegerAttr());
  // Weights may be bf16 where all else is f32; those of groups are words.
  markElement(tile, op.getGroups() ? element : stored);

  // Packed matrices are of constants, and there is a first one, which checks the experts.
  Dim panels =
      isPacked ? weights[0] : Dim::max(weights[0], steps.constant(1)) * steps.tiles(result[1], columns);
  // No more matrices are read than there are rows.
  Dim matrices = isPacked ? Dim::floorDiv(weights[0], steps.tiles(result[1], columns)) : weights[0];
  Dim bytesOfEach =
      Dim::floorDiv(steps.product(weights) * getElementBytes(stored), Dim::max(matrices, steps.constant(1)));
  Dim bytes = (steps.product(input) + steps.product(result)) * getElementBytes(element) +
              Dim::min(input[0], matrices) * bytesOfEach;
  return steps.endKernel(kernel, panels, inputs, output, {steps.product(result) * input[1] * 2, bytes});
}

namespace {
struct RoutedMatmulLowering : StepLoweringInterface::ExternalModel<RoutedMatmulLowering, RoutedMatmulOp> {
  FailureOr<Value> lowerToSteps(Operation *op, StepBuilder &steps) const {
    return lowerRoutedMatmul(cast<RoutedMatmulOp>(op), steps);
  }
};
} // namespace

void weft::attachRoutedMatmulLowering(MLIRContext *context) {
  RoutedMatmulOp::attachInterface<RoutedMatmulLowering>(*context);
}
