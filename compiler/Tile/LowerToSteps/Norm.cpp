// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Norms as row-wise steps.
#include "compiler/Tile/LowerToSteps/Families.h"
#include "compiler/Tile/LowerToSteps/PointwiseStep.h"

using namespace mlir;
using namespace weft;

/// Scale or bias with an element for each of a row's, spread out by a step of its own if it is broadcast
/// within the row.
static FailureOr<Value> spreadOverRow(Operation *op, StepBuilder &steps, Value parameter, ArrayRef<Dim> row) {
  SmallVector<Dim> dims = *getDims(parameter);
  ArrayRef<Dim> inner = ArrayRef(dims).take_back(row.size());
  for (Dim outer : ArrayRef(dims).drop_back(inner.size()))
    if (outer.getConstant() != 1)
      return op->emitError() << "node \"" << getNodeName(op) << "\" (" << op->getName().stripDialect()
                             << "): a scale or bias that differs from row to row ("
                             << describeType(parameter.getType()) << ") has no kernel [weft-0302]";
  return steps.view(spreadOver(steps, steps.tensor(parameter), inner, row), steps.product(row));
}

namespace {

/// The kernel's work, on the inputs that it was begun with.
Operation *createTile(LayerNormOp op, StepBuilder::Kernel &kernel) {
  return LayerNormTileOp::create(kernel.body, op.getLoc(), kernel.inputs[0], kernel.inputs[1],
                                 op.getBias() ? kernel.inputs[2] : Value(), kernel.output,
                                 op.getEpsilonAttr());
}
Operation *createTile(RMSNormOp op, StepBuilder::Kernel &kernel) {
  return RMSNormTileOp::create(kernel.body, op.getLoc(), kernel.inputs[0], kernel.inputs[1], kernel.output,
                               op.getEpsilonAttr());
}

template <typename Op> struct NormLowering : StepLoweringInterface::ExternalModel<NormLowering<Op>, Op> {
  FailureOr<Value> lowerToSteps(Operation *operation, StepBuilder &steps) const {
    auto op = cast<Op>(operation);
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<Dim> dims = getDims(type);
    ArrayRef<Dim> row = ArrayRef(dims).drop_front(op.getAxis());
    SmallVector<Dim> matrix{steps.product(ArrayRef(dims).take_front(op.getAxis())), steps.product(row)};
    SmallVector<Value> inputs{steps.view(steps.tensor(op.getInput()), matrix)};
    for (Value parameter : op->getOperands().drop_front()) {
      FailureOr<Value> spread = spreadOverRow(op, steps, parameter, row);
      if (failed(spread))
        return failure();
      inputs.push_back(*spread);
    }
    Value output = steps.empty(matrix, getStoredElement(type.getElementType()));
    int64_t rows = chooseRows(steps, matrix[1]);
    auto kernel = steps.beginKernel(op->getName().stripDialect(), inputs, output, {{"rows", rows}});
    markElement(createTile(op, kernel), type.getElementType());
    Value result = steps.endKernel(kernel, steps.tiles(matrix[0], rows), inputs, output);
    return steps.view(result, dims);
  }
};

} // namespace

void weft::attachNormLowering(MLIRContext *context) {
  LayerNormOp::attachInterface<NormLowering<LayerNormOp>>(*context);
  RMSNormOp::attachInterface<NormLowering<RMSNormOp>>(*context);
}
