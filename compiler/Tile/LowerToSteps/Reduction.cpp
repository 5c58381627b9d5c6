// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and softmaxes as row-wise steps. Their axes are the last ones (weft-normalize-contractions sees
// to it).
#include "compiler/Tile/LowerToSteps/Families.h"
#include "compiler/Tile/LowerToSteps/Parts.h"
#include "compiler/Tile/LowerToSteps/PointwiseStep.h"
#include "dialects/Weft/IR/ScalarBody.h"

using namespace mlir;
using namespace weft;

int64_t weft::chooseRows(StepBuilder &steps, Dim length) {
  int64_t columns = std::max<int64_t>(length.getConstant().value_or(256), 1);
  return steps.scheduled("rows", std::clamp<int64_t>(steps.elementsOfTile() / columns, 1, 64));
}

void weft::markElement(Operation *work, Type element) {
  if (element.isBF16())
    work->setAttr(names::kBF16, UnitAttr::get(work->getContext()));
}

LogicalResult weft::requireForm(Operation *op, bool holds, StringRef expected) {
  if (holds)
    return success();
  return op->emitError() << "node \"" << getNodeName(op) << "\" (" << op->getName()
                         << "): is not in the form of the graph level; expects " << expected
                         << " [weft-0304]";
}

/// The input as a matrix whose rows are the last dims, from `axis` on.
static SmallVector<Dim> asRows(StepBuilder &steps, ArrayRef<Dim> dims, size_t axis) {
  return {steps.product(dims.take_front(axis)), steps.product(dims.drop_front(axis))};
}

static FailureOr<Value> lowerSoftmax(Operation *op, StepBuilder &steps, bool log) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<Dim> dims = getDims(type);
  int64_t axis = op->getAttrOfType<IntegerAttr>("axis").getInt();
  if (failed(requireForm(op, axis + 1 == int64_t(dims.size()), "the last axis")))
    return failure();
  SmallVector<Dim> matrix = asRows(steps, dims, axis);
  Value input = steps.view(steps.tensor(op->getOperand(0)), matrix);
  Value output = steps.empty(matrix, getStoredElement(type.getElementType()));
  int64_t rows = chooseRows(steps, matrix[1]);
  auto kernel = steps.beginKernel(op->getName().stripDialect(), input, output, {{"rows", rows}});
  auto tile = SoftmaxTileOp::create(kernel.body, op->getLoc(), kernel.inputs[0], kernel.output, log,
                                    /*zero_empty_rows=*/false);
  markElement(tile, type.getElementType());
  Value result = steps.endKernel(kernel, steps.tiles(matrix[0], rows), input, output);
  return steps.view(result, dims);
}

/// Integers as others, of another width.
static Value resize(StepBuilder &steps, Value tensor, ArrayRef<Dim> dims, Type element, bool isUnsigned) {
  auto body = [&](OpBuilder &builder, Location location, ValueRange elements,
                  ValueRange) -> FailureOr<Value> {
    Value from = elements.front();
    if (element.getIntOrFloatBitWidth() < from.getType().getIntOrFloatBitWidth())
      return Value(arith::TruncIOp::create(builder, location, element, from));
    return isUnsigned ? Value(arith::ExtUIOp::create(builder, location, element, from))
                      : Value(arith::ExtSIOp::create(builder, location, element, from));
  };
  PointwiseInput input{tensor, SmallVector<Dim>(dims)};
  return *buildPointwiseStep(steps, "resize", input, dims, element, body); // the body cannot fail
}

/// The most elements that are reduced side by side: each is an operation of the step.
static constexpr int64_t kMostSlices = 64;

/// The slices that are reduced to the result element by element, if they are few, and have rows in one piece
/// where what is reduced has not: a pool's windows, say, none of which then need be copied. None otherwise.
static SmallVector<PointwiseInput> findSlices(ReduceOp op, StepBuilder &steps) {
  SmallVector<Dim> dims = *getDims(op.getInput());
  size_t count = op.getAxes().size(), first = dims.size() - count;
  ArrayRef<Dim> axes = ArrayRef(dims).drop_front(first);
  if (!llvm::all_of(axes, [](Dim dim) { return dim.isConstant(); }))
    return {};
  std::optional<int64_t> reduced = steps.product(axes).getConstant();
  StridedView view = viewOf(steps, op.getInput());
  if (!reduced || *reduced < 2 || *reduced > kMostSlices || isWhole(steps, view))
    return {};
  SmallVector<PointwiseInput> slices;
  for (const StridedView &slice : slicesAlong(view, first, count)) {
    if (!isKnown(slice) || !areRowsWhole(slice))
      return {};
    slices.push_back(inputOf(slice));
  }
  return slices;
}

static FailureOr<Value> reduceSlices(ReduceOp op, StepBuilder &steps, ArrayRef<PointwiseInput> slices) {
  Type element = getElementTypeOrSelf(op.getType());
  auto body = [&](OpBuilder &builder, Location location, ValueRange elements,
                  ValueRange) -> FailureOr<Value> {
    Value total;
    for (Value stored : elements) {
      Value number = loadComputed(builder, location, stored, element);
      total =
          total ? buildReduction(builder, location, op.getKind(), element.isUnsignedInteger(), total, number)
                : number;
    }
    if (op.getKind() == ReduceKind::Mean) {
      auto count = builder.getFloatAttr(total.getType(), double(slices.size()));
      total = arith::DivFOp::create(builder, location, total,
                                    arith::ConstantOp::create(builder, location, count));
    }
    return storeComputed(builder, location, total, element);
  };
  FailureOr<Value> result = buildPointwiseStep(steps, "reduce_" + stringifyReduceKind(op.getKind()).str(),
                                               slices, slices.front().dims, getStoredElement(element), body);
  return failed(result) ? result
                        : FailureOr<Value>(steps.view(*result, getDims(cast<ShapedType>(op.getType()))));
}

static FailureOr<Value> lowerReduce(ReduceOp op, StepBuilder &steps) {
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType(), stored = getStoredElement(element);
  SmallVector<Dim> dims = *getDims(op.getInput());
  ArrayRef<int64_t> axes = op.getAxes();
  size_t first = dims.size() - axes.size();
  if (failed(requireForm(op, axes.empty() || axes.front() == int64_t(first), "the last axes")))
    return failure();
  if (op.getKind() != ReduceKind::Mean || isa<FloatType>(element))
    if (SmallVector<PointwiseInput> slices = findSlices(op, steps); !slices.empty())
      return reduceSlices(op, steps, slices);
  SmallVector<Dim> matrix = asRows(steps, dims, first);
  Value input = steps.view(steps.tensor(op.getInput()), matrix);
  // The sum of a mean must not wrap where the mean would fit.
  bool isUnsigned = element.isUnsignedInteger();
  bool isWidened = op.getKind() == ReduceKind::Mean && isa<IntegerType>(element) && !stored.isInteger(64);
  Type computed = isWidened ? steps.host().getI64Type() : stored;
  if (isWidened)
    input = steps.view(resize(steps, input, matrix, computed, isUnsigned), matrix);
  Value output = steps.empty(matrix[0], computed);
  int64_t rows = chooseRows(steps, matrix[1]);
  auto kernel =
      steps.beginKernel("reduce_" + stringifyReduceKind(op.getKind()).str(), input, output, {{"rows", rows}});
  auto tile = ReduceTileOp::create(kernel.body, op.getLoc(), kernel.inputs[0], kernel.output, op.getKind(),
                                   isUnsigned);
  markElement(tile, element);
  Value result = steps.endKernel(kernel, steps.tiles(matrix[0], rows), input, output);
  if (isWidened)
    result = resize(steps, result, matrix[0], stored, isUnsigned);
  return steps.view(result, getDims(type));
}

namespace {

struct SoftmaxLowering : StepLoweringInterface::ExternalModel<SoftmaxLowering, SoftmaxOp> {
  FailureOr<Value> lowerToSteps(Operation *op, StepBuilder &steps) const {
    return lowerSoftmax(op, steps, false);
  }
};

struct LogSoftmaxLowering : StepLoweringInterface::ExternalModel<LogSoftmaxLowering, LogSoftmaxOp> {
  FailureOr<Value> lowerToSteps(Operation *op, StepBuilder &steps) const {
    return lowerSoftmax(op, steps, true);
  }
};

struct ReduceLowering : StepLoweringInterface::ExternalModel<ReduceLowering, ReduceOp> {
  FailureOr<Value> lowerToSteps(Operation *op, StepBuilder &steps) const {
    return lowerReduce(cast<ReduceOp>(op), steps);
  }
};

} // namespace

void weft::attachReductionLowering(MLIRContext *context) {
  SoftmaxOp::attachInterface<SoftmaxLowering>(*context);
  LogSoftmaxOp::attachInterface<LogSoftmaxLowering>(*context);
  ReduceOp::attachInterface<ReduceLowering>(*context);
}
