// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// routed_matmul as one step.
#include "compiler/Tile/LowerToSteps/Families.h"

using namespace mlir;
using namespace weft;

/// Bytes of a matrix's rows that stay in the second-level cache while rows of input go by, and how many rows
/// they are at most and, where their length is not known, at all.
constexpr int64_t kTileBytes = 192 * 1024, kMostRows = 96, kRows = 24;
/// What a kernel takes at once, of registers of either size.
constexpr int64_t kUnit = 6;

static int64_t chooseRows(Dim depth, Type element) {
  std::optional<int64_t> known = depth.getConstant();
  if (!known)
    return kRows;
  int64_t fitting = kTileBytes / std::max<int64_t>(*known * getElementBytes(element), 1);
  return std::clamp<int64_t>(fitting / kUnit * kUnit, kUnit, kMostRows);
}

static FailureOr<Value> lowerRoutedMatmul(RoutedMatmulOp op, StepBuilder &steps) {
  if (steps.isForGPU)
    return op.emitOpError("is for CPUs");
  SmallVector<Value> inputs;
  for (Value operand : op.getOperands())
    inputs.push_back(steps.view(steps.tensor(operand), *getDims(operand)));
  SmallVector<Dim> input = *getDims(op.getInput()), weights = *getDims(op.getWeights());
  Type element = getElementTypeOrSelf(op.getInput());
  Value output = steps.empty({input[0], weights[1]}, getStoredElement(element));
  int64_t rows = steps.scheduled("rows", chooseRows(input[1], element));
  auto kernel = steps.beginKernel("routed_matmul", inputs, output, {{"rows", rows}});
  auto tile = RoutedMatmulTileOp::create(kernel.body, op.getLoc(), kernel.inputs[0], kernel.inputs[1],
                                         kernel.inputs[2], kernel.output);
  markElement(tile, element);
  Dim tiles = Dim::max(weights[0], steps.constant(1)) * steps.tiles(weights[1], rows);
  // No more matrices are read than there are rows.
  Dim read = steps.product({Dim::min(input[0], weights[0]), weights[1], weights[2]});
  Dim elements = steps.product(input) + steps.product({input[0], weights[1]}) + read;
  Dim flops = steps.product({input[0], weights[1], input[1]}) * 2;
  return steps.endKernel(kernel, tiles, inputs, output, {flops, elements * getElementBytes(element)});
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
