// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gathers as steps: rows are copied by a kernel of their own, single elements are read by pointwise
// steps.
#include "compiler/Tile/LowerToSteps/Indexing.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Value HostSizes::get(OpBuilder &body, Location location, Dim dim, ValueRange scalars) const {
  if (std::optional<int64_t> constant = dim ? dim.getConstant() : std::nullopt)
    return arith::ConstantIndexOp::create(body, location, *constant);
  return scalars[llvm::find(dims, dim) - dims.begin()];
}

void HostSizes::add(StepBuilder &steps, Dim dim) {
  if ((dim && dim.isConstant()) || llvm::is_contained(dims, dim))
    return;
  dims.push_back(dim);
  values.push_back(steps.index(dim));
}

/// left + index * size.
static Value addScaled(OpBuilder &body, Location location, Value left, Value index, Value size) {
  Value product = arith::MulIOp::create(body, location, index, size);
  return left ? Value(arith::AddIOp::create(body, location, left, product)) : product;
}

static Value checkIndex(OpBuilder &body, Location location, Value stored, Value bound) {
  Value index = arith::IndexCastOp::create(body, location, body.getIndexType(), stored);
  return CheckIndexOp::create(body, location, body.getIndexType(), index, bound);
}

/// Merges neighbouring dims on the same side of the axis wherever the inner one is whole: [a, b] of [c, b] is
/// a * b of c * b.
static void mergeDims(StepBuilder &steps, SmallVector<Dim> &data, SmallVector<Dim> &indices, int64_t &axis) {
  for (int64_t i = int64_t(data.size()) - 1; i > 0; --i) {
    if (i == axis || i - 1 == axis || data[i] != indices[i])
      continue;
    data[i - 1] = steps.product({data[i - 1], data[i]});
    indices[i - 1] = steps.product({indices[i - 1], indices[i]});
    data.erase(data.begin() + i);
    indices.erase(indices.begin() + i);
    axis -= i <= axis;
  }
}

FailureOr<Value> weft::buildElementStep(StepBuilder &steps, StringRef name, Value data, Value indices,
                                        int64_t axis, Type storedElement, ElementBody finish) {
  SmallVector<Dim> from = *getDims(data), at = *getDims(indices), result = at;
  mergeDims(steps, from, at, axis);
  SmallVector<Dim> strides = contiguousStrides(data.getContext(), from);
  HostSizes sizes;
  sizes.add(steps, from[axis]);
  for (Dim stride : strides)
    sizes.add(steps, stride);
  SmallVector<Value> scalars(sizes.values);
  scalars.push_back(steps.view(steps.tensor(data), steps.product(from)));
  auto body = [&](OpBuilder &builder, Location location, ValueRange elements,
                  ValueRange arguments) -> FailureOr<Value> {
    Value place;
    for (int64_t i = 0; i < int64_t(from.size()); ++i) {
      Value position = i == axis ? checkIndex(builder, location, elements.front(),
                                              sizes.get(builder, location, from[axis], arguments))
                                 : Value(linalg::IndexOp::create(builder, location, i));
      place =
          addScaled(builder, location, place, position, sizes.get(builder, location, strides[i], arguments));
    }
    return finish(builder, location, place, arguments.back());
  };
  FailureOr<Value> step =
      buildPointwiseStep(steps, name, PointwiseInput{steps.view(steps.tensor(indices), at), at}, at,
                         storedElement, body, scalars, /*keepDims=*/true);
  if (failed(step))
    return failure();
  return steps.view(*step, result);
}

FailureOr<Value> weft::buildTupleStep(StepBuilder &steps, StringRef name, Value data, Value indices,
                                      int64_t batch, Type storedElement, ElementBody finish) {
  SmallVector<Dim> from = *getDims(data), at = *getDims(indices);
  int64_t length = *at.back().getConstant();
  ArrayRef<Dim> tuples = ArrayRef(at).drop_back();
  ArrayRef<Dim> indexed = ArrayRef(from).slice(batch, length);
  // One loop over all tuples, or one over batches and one over the tuples of each.
  SmallVector<Dim> loops;
  if (batch > 0)
    loops.push_back(steps.product(tuples.take_front(batch)));
  loops.push_back(steps.product(tuples.drop_front(batch)));
  SmallVector<Dim> strides = contiguousStrides(data.getContext(), indexed);
  HostSizes sizes;
  Dim batchStride = steps.product(indexed);
  for (Dim dim : {loops.back(), batchStride})
    sizes.add(steps, dim);
  for (Dim dim : indexed)
    sizes.add(steps, dim);
  for (Dim stride : strides)
    sizes.add(steps, stride);
  SmallVector<Value> scalars(sizes.values);
  scalars.push_back(steps.view(steps.tensor(indices), steps.product(at)));
  scalars.push_back(steps.view(steps.tensor(data), steps.product(from)));
  Type indexElement = getElementTypeOrSelf(indices);
  auto body = [&](OpBuilder &builder, Location location, ValueRange,
                  ValueRange arguments) -> FailureOr<Value> {
    auto size = [&](Dim dim) { return sizes.get(builder, location, dim, arguments); };
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, location, value);
    };
    Value tuple = linalg::IndexOp::create(builder, location, loops.size() - 1), place;
    if (batch > 0) {
      Value group = linalg::IndexOp::create(builder, location, 0);
      place = addScaled(builder, location, Value(), group, size(batchStride));
      tuple = addScaled(builder, location, tuple, group, size(loops.back()));
    }
    Value first = addScaled(builder, location, Value(), tuple, number(length));
    Value none = arith::ConstantOp::create(builder, location, builder.getZeroAttr(indexElement));
    for (int64_t i = 0; i < length; ++i) {
      Value at = arith::AddIOp::create(builder, location, first, number(i));
      Value index = ReadOp::create(builder, location, indexElement, arguments.drop_back().back(), at, none);
      place = addScaled(builder, location, place, checkIndex(builder, location, index, size(indexed[i])),
                        size(strides[i]));
    }
    return finish(builder, location, place ? place : number(0), arguments.back());
  };
  FailureOr<Value> step = buildPointwiseStep(steps, name, {}, loops, storedElement, body, scalars,
                                             /*keepDims=*/true);
  if (failed(step))
    return failure();
  return steps.view(*step, steps.product(loops));
}

FailureOr<Value> weft::storePlace(OpBuilder &body, Location location, Value place, Value) {
  return Value(arith::IndexCastOp::create(body, location, body.getI64Type(), place));
}

/// The element of the data at the place.
static FailureOr<Value> readPlace(OpBuilder &body, Location location, Value place, Value data) {
  Type element = cast<MemRefType>(data.getType()).getElementType();
  Value none = arith::ConstantOp::create(body, location, body.getZeroAttr(element));
  return Value(ReadOp::create(body, location, element, data, place, none));
}

//===----------------------------------------------------------------------===//
// The gathers
//===----------------------------------------------------------------------===//

/// Copies rows of data [outer, axis, inner] chosen by indices [count].
static Value buildGatherStep(StepBuilder &steps, Location location, Value data, ArrayRef<Dim> dataDims,
                             Value indices, Dim count) {
  Dim outer = dataDims[0], inner = dataDims[2];
  SmallVector<Value> inputs{steps.view(data, dataDims), steps.view(indices, count)};
  Value output = steps.empty({outer, count, inner}, cast<RankedTensorType>(data.getType()).getElementType());
  int64_t rows = chooseRows(steps, inner);
  auto kernel = steps.beginKernel("gather", inputs, output, {{"rows", rows}});
  GatherTileOp::create(kernel.body, location, kernel.inputs[0], kernel.inputs[1], kernel.output);
  // Of the table it reads what it writes.
  Dim bytes = steps.bytesOf(output) * 2 + steps.bytesOf(inputs[1]);
  return steps.endKernel(kernel, steps.tiles(outer * count, rows), inputs, output, {{}, bytes});
}

static FailureOr<Value> lower(GatherOp op, StepBuilder &steps) {
  SmallVector<Dim> data = *getDims(op.getData());
  Dim outer = steps.product(ArrayRef(data).take_front(op.getAxis()));
  Dim inner = steps.product(ArrayRef(data).drop_front(op.getAxis() + 1));
  Dim count = steps.product(*getDims(op.getIndices()));
  Value result = buildGatherStep(steps, op.getLoc(), steps.tensor(op.getData()),
                                 {outer, data[op.getAxis()], inner}, steps.tensor(op.getIndices()), count);
  return steps.view(result, *getDims(op.getResult()));
}

static FailureOr<Value> lower(GatherElementsOp op, StepBuilder &steps) {
  return buildElementStep(steps, "gather_elements", op.getData(), op.getIndices(), op.getAxis(),
                          getStoredElement(getElementTypeOrSelf(op.getType())), readPlace);
}

static FailureOr<Value> lower(GatherNDOp op, StepBuilder &steps) {
  SmallVector<Dim> data = *getDims(op.getData()), indices = *getDims(op.getIndices());
  SmallVector<Dim> dims = *getDims(op.getResult());
  int64_t batch = op.getBatchDims(), length = *indices.back().getConstant();
  Dim count = steps.product(ArrayRef(indices).drop_back());
  Dim inner = steps.product(ArrayRef(data).drop_front(batch + length));
  Type stored = getStoredElement(getElementTypeOrSelf(op.getType()));
  if (batch == 0 && length == 1) // rows of the first dim
    return steps.view(buildGatherStep(steps, op.getLoc(), steps.tensor(op.getData()),
                                      {steps.constant(1), data.front(), inner}, steps.tensor(op.getIndices()),
                                      count),
                      dims);
  bool isElement = inner.getConstant() == 1;
  FailureOr<Value> step =
      isElement ? buildTupleStep(steps, "gather_nd", op.getData(), op.getIndices(), batch, stored, readPlace)
                : buildTupleStep(steps, "gather_nd_places", op.getData(), op.getIndices(), batch,
                                 steps.host().getI64Type(), storePlace);
  if (failed(step))
    return failure();
  if (isElement)
    return steps.view(*step, dims);
  Dim rows = steps.product(ArrayRef(data).take_front(batch + length));
  return steps.view(buildGatherStep(steps, op.getLoc(), steps.tensor(op.getData()),
                                    {steps.constant(1), rows, inner}, *step, count),
                    dims);
}

namespace {
template <typename Op> struct IndexLowering : StepLoweringInterface::ExternalModel<IndexLowering<Op>, Op> {
  FailureOr<Value> lowerToSteps(Operation *op, StepBuilder &steps) const {
    return lower(cast<Op>(op), steps);
  }
};
} // namespace

void weft::attachIndexLowering(MLIRContext *context) {
  GatherOp::attachInterface<IndexLowering<GatherOp>>(*context);
  GatherElementsOp::attachInterface<IndexLowering<GatherElementsOp>>(*context);
  GatherNDOp::attachInterface<IndexLowering<GatherNDOp>>(*context);
}
