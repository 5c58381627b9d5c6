// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depthwise convolutions as pointwise steps: an input for each tap, which is the whole one seen from there.
#include "compiler/Tile/LowerToSteps/Families.h"
#include "compiler/Tile/LowerToSteps/PointwiseStep.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace weft;

/// total + left * right; without a total the product.
static Value addProduct(OpBuilder &builder, Location location, Value left, Value right, Value total) {
  if (isa<FloatType>(left.getType()))
    return total ? Value(math::FmaOp::create(builder, location, left, right, total))
                 : Value(arith::MulFOp::create(builder, location, left, right));
  Value product = arith::MulIOp::create(builder, location, left, right);
  return total ? Value(arith::AddIOp::create(builder, location, total, product)) : product;
}

static FailureOr<Value> lower(DepthwiseConvOp op, StepBuilder &steps) {
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<Dim> dims = getDims(type), filter = *getDims(op.getFilter());
  size_t spatial = filter.size() - 1;
  int64_t taps = *steps.product(ArrayRef(filter).drop_back()).getConstant();
  if (failed(requireForm(op, taps <= DepthwiseConvOp::kMostTaps, "few taps")))
    return failure();
  StridedView input = viewOf(steps, op.getInput());
  if (input.strides.back().getConstant() != 1)
    input = wholeOf(steps, steps.tensor(op.getInput()), *getDims(op.getInput()));
  SmallVector<Dim> sizes(ArrayRef(dims).drop_back());
  llvm::append_range(sizes, filter);
  StridedView windows = windowsOf(input, sizes, op.getStrides(), op.getDilations());
  StridedView weights = wholeOf(steps, steps.tensor(op.getFilter()), filter);
  SmallVector<PointwiseInput> inputs =
      llvm::map_to_vector(slicesAlong(windows, dims.size() - 1, spatial), inputOf);
  llvm::append_range(inputs, llvm::map_range(slicesAlong(weights, 0, spatial), inputOf));
  if (!llvm::all_of(inputs, [](const PointwiseInput &each) { return isKnown(*each.view); }))
    return op.emitError() << "node \"" << getNodeName(op)
                          << "\" (depthwise_conv): a place in the input is no formula of at most 64 bits "
                             "[weft-0303]";
  Type element = type.getElementType();
  auto body = [&](OpBuilder &builder, Location location, ValueRange elements,
                  ValueRange) -> FailureOr<Value> {
    Value total;
    for (auto [x, weight] : llvm::zip_equal(elements.take_front(taps), elements.drop_front(taps))) {
      Value left = loadComputed(builder, location, x, element),
            right = loadComputed(builder, location, weight, element);
      total = addProduct(builder, location, left, right, total);
    }
    return storeComputed(builder, location, total, element);
  };
  return buildPointwiseStep(steps, "depthwise_conv", inputs, dims, getStoredElement(element), body,
                            /*scalars=*/{}, /*keepDims=*/false, /*flopsOfEach=*/2 * taps);
}

namespace {
struct DepthwiseConvLowering : StepLoweringInterface::ExternalModel<DepthwiseConvLowering, DepthwiseConvOp> {
  FailureOr<Value> lowerToSteps(Operation *op, StepBuilder &steps) const {
    return lower(cast<DepthwiseConvOp>(op), steps);
  }
};
} // namespace

void weft::attachDepthwiseConvLowering(MLIRContext *context) {
  DepthwiseConvOp::attachInterface<DepthwiseConvLowering>(*context);
}
