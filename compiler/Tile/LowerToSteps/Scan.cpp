// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places of extremes, and running sums and products, as steps along the middle of [outer, axis, inner].
#include "compiler/Tile/LowerToSteps/Families.h"

using namespace mlir;
using namespace weft;

namespace {

/// How an operation along one axis is tiled.
struct AlongAxis {
  AlongAxis(StepBuilder &steps, ArrayRef<Dim> dims, int64_t axis)
      : outer(steps.product(dims.take_front(axis))), axis(dims[axis]),
        inner(steps.product(dims.drop_front(axis + 1))) {
    constexpr int64_t kColumns = 256;
    columns = steps.scheduled("columns", kColumns);
    // Without columns the axis is a row.
    rows = inner.getConstant() == 1 ? chooseRows(steps, this->axis) : chooseRows(steps, this->axis * columns);
    rows = steps.scheduled("rows", rows);
    grid = steps.tiles(outer, rows) * steps.tiles(inner, columns);
  }
  SmallVector<Dim> dims() const { return {outer, axis, inner}; }

  Dim outer, axis, inner, grid;
  int64_t rows, columns;
};

struct ArgReduceLowering : StepLoweringInterface::ExternalModel<ArgReduceLowering, ArgReduceOp> {
  FailureOr<Value> lowerToSteps(Operation *operation, StepBuilder &steps) const {
    auto op = cast<ArgReduceOp>(operation);
    Type element = getElementTypeOrSelf(op.getInput());
    AlongAxis loop(steps, *getDims(op.getInput()), op.getAxis());
    Value input = steps.view(steps.tensor(op.getInput()), loop.dims());
    Value output = steps.empty({loop.outer, loop.inner}, steps.host().getI64Type());
    auto kernel = steps.beginKernel("arg_" + stringifyReduceKind(op.getKind()).str(), input, output,
                                    {{"rows", loop.rows}, {"columns", loop.columns}});
    auto tile = ArgReduceTileOp::create(kernel.body, op.getLoc(), kernel.inputs[0], kernel.output,
                                        op.getKind(), op.getLast(), element.isUnsignedInteger());
    markElement(tile, element);
    Value result = steps.endKernel(kernel, loop.grid, input, output);
    return steps.view(result, getDims(cast<ShapedType>(op.getType())));
  }
};

struct CumulativeLowering : StepLoweringInterface::ExternalModel<CumulativeLowering, CumulativeOp> {
  FailureOr<Value> lowerToSteps(Operation *operation, StepBuilder &steps) const {
    auto op = cast<CumulativeOp>(operation);
    Type element = getElementTypeOrSelf(op.getInput());
    AlongAxis loop(steps, *getDims(op.getInput()), op.getAxis());
    Value input = steps.view(steps.tensor(op.getInput()), loop.dims());
    Value output = steps.empty(loop.dims(), getStoredElement(element));
    auto kernel = steps.beginKernel("cumulative_" + stringifyReduceKind(op.getKind()).str(), input, output,
                                    {{"rows", loop.rows}, {"columns", loop.columns}});
    auto tile = ScanTileOp::create(kernel.body, op.getLoc(), kernel.inputs[0], kernel.output, op.getKind(),
                                   op.getExclusive(), op.getReverse());
    markElement(tile, element);
    Value result = steps.endKernel(kernel, loop.grid, input, output);
    return steps.view(result, getDims(cast<ShapedType>(op.getType())));
  }
};

} // namespace

void weft::attachScanLowering(MLIRContext *context) {
  ArgReduceOp::attachInterface<ArgReduceLowering>(*context);
  CumulativeOp::attachInterface<CumulativeLowering>(*context);
}
