// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and softmaxes as row-wise steps. Their axes are the last ones (weft-normalize-contractions sees to it).
#include "compiler/Tile/LowerToSteps/Families.h"

using namespace mlir;
using namespace weft;

int64_t weft::chooseRows(StepBuilder &steps, Dim length) {
  constexpr int64_t kElements = 8192; // as of pointwise steps
  int64_t columns = std::max<int64_t>(length.getConstant().value_or(256), 1);
  return steps.scheduled("rows", std::clamp<int64_t>(kElements / columns, 1, 64));
}

LogicalResult weft::requireComputedElement(Operation *op, Type element) {
  if (element.isF32() || element.isF64())
    return success();
  return op->emitError() << "node \"" << getNodeName(op) << "\" (" << op->getName() << "): computes in " << element
                         << ", for which there is no kernel; expects f32 or f64; hint: cast the model to f32 "
                            "[weft-0301]";
}

/// The input as a matrix whose rows are the last dims, from `axis` on.
static SmallVector<Dim> asRows(StepBuilder &steps, ArrayRef<Dim> dims, size_t axis) {
  return {steps.product(dims.take_front(axis)), steps.product(dims.drop_front(axis))};
}

static FailureOr<Value> lowerSoftmax(Operation *op, StepBuilder &steps, bool log) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (failed(requireComputedElement(op, type.getElementType())))
    return failure();
  SmallVector<Dim> dims = getDims(type), matrix = asRows(steps, dims, dims.size() - 1);
  Value input = steps.view(steps.tensor(op->getOperand(0)), matrix);
  Value output = steps.empty(matrix, type.getElementType());
  int64_t rows = chooseRows(steps, matrix[1]);
  auto kernel = steps.beginKernel(op->getName().stripDialect(), input, output, {{"rows", rows}});
  SoftmaxTileOp::create(kernel.body, op->getLoc(), kernel.inputs[0], kernel.output, log);
  Value result = steps.endKernel(kernel, steps.tiles(matrix[0], rows), input, output);
  return steps.view(result, dims);
}

namespace {

struct SoftmaxLowering : StepLoweringInterface::ExternalModel<SoftmaxLowering, SoftmaxOp> {
  FailureOr<Value> lowerToSteps(Operation *op, StepBuilder &steps) const { return lowerSoftmax(op, steps, false); }
};

struct LogSoftmaxLowering : StepLoweringInterface::ExternalModel<LogSoftmaxLowering, LogSoftmaxOp> {
  FailureOr<Value> lowerToSteps(Operation *op, StepBuilder &steps) const { return lowerSoftmax(op, steps, true); }
};

struct ReduceLowering : StepLoweringInterface::ExternalModel<ReduceLowering, ReduceOp> {
  FailureOr<Value> lowerToSteps(Operation *operation, StepBuilder &steps) const {
    auto op = cast<ReduceOp>(operation);
    auto type = cast<RankedTensorType>(op.getType());
    Type element = getStoredElement(type.getElementType());
    if (isa<FloatType>(element) && failed(requireComputedElement(op, element)))
      return failure();
    SmallVector<Dim> dims = *getDims(op.getInput());
    SmallVector<Dim> matrix = asRows(steps, dims, dims.size() - op.getAxes().size());
    Value input = steps.view(steps.tensor(op.getInput()), matrix);
    Value output = steps.empty(matrix[0], element);
    int64_t rows = chooseRows(steps, matrix[1]);
    auto kernel = steps.beginKernel("reduce_" + stringifyReduceKind(op.getKind()).str(), input, output,
                                    {{"rows", rows}});
    ReduceTileOp::create(kernel.body, op.getLoc(), kernel.inputs[0], kernel.output, op.getKind());
    Value result = steps.endKernel(kernel, steps.tiles(matrix[0], rows), input, output);
    return steps.view(result, getDims(type));
  }
};

} // namespace

void weft::attachReductionLowering(MLIRContext *context) {
  SoftmaxOp::attachInterface<SoftmaxLowering>(*context);
  LogSoftmaxOp::attachInterface<LogSoftmaxLowering>(*context);
  ReduceOp::attachInterface<ReduceLowering>(*context);
}
