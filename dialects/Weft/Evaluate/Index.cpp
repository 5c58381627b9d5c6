// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index: the gathers. Scatters and top_k are in Scatter.cpp and TopK.cpp.
#include "dialects/Weft/Evaluate/Models.h"

using namespace mlir;
using namespace weft;

FailureOr<int64_t> weft::resolveIndex(Operation *op, const Tensor &indices, int64_t place, int64_t axis,
                                      int64_t size) {
  int64_t index = indices.getInteger(place);
  if (index < -size || index >= size)
    return evaluateError(op) << "index " << index << " at "
                             << describeShape(unravel(place, indices.getShape()))
                             << " of the indices is out of range for axis " << axis << " of size " << size;
  return index < 0 ? index + size : index;
}

FailureOr<SmallVector<int64_t>> weft::resolveTuples(Operation *op, const Tensor &indices,
                                                    ArrayRef<int64_t> data, int64_t batch) {
  int64_t length = indices.getShape().back(), count = countElements(indices.getShape().drop_back());
  Strides strides = getStrides(data);
  // How many tuples there are for each batch.
  int64_t perBatch = countElements(indices.getShape().drop_back().drop_front(batch));
  int64_t perBatchOfData = countElements(data.drop_front(batch));
  SmallVector<int64_t> places;
  for (int64_t tuple = 0; tuple < count; ++tuple) {
    int64_t place = tuple / perBatch * perBatchOfData;
    for (int64_t i = 0; i < length; ++i) {
      int64_t axis = batch + i;
      FailureOr<int64_t> index = resolveIndex(op, indices, tuple * length + i, axis, data[axis]);
      if (failed(index))
        return failure();
      place += *index * strides[axis];
    }
    places.push_back(place);
  }
  return places;
}

FailureOr<SmallVector<int64_t>> weft::resolveElements(Operation *op, const Tensor &data,
                                                      const Tensor &indices, int64_t axis,
                                                      StringRef constraint) {
  bool fits = data.getRank() == indices.getRank() && axis >= 0 && axis < data.getRank();
  for (int64_t i = 0; fits && i < data.getRank(); ++i)
    fits = i == axis || indices.getShape()[i] <= data.getShape()[i];
  if (!fits)
    return evaluateError(op) << constraint
                             << ": expects indices of data's rank, not larger but along an axis "
                             << "within it; got " << describeShape(indices.getShape()) << " into "
                             << describeShape(data.getShape()) << " along " << axis;
  Strides strides = getStrides(data.getShape());
  SmallVector<int64_t> places;
  for (int64_t i = 0; i < indices.getNumElements(); ++i) {
    FailureOr<int64_t> index = resolveIndex(op, indices, i, axis, data.getShape()[axis]);
    if (failed(index))
      return failure();
    SmallVector<int64_t> position = unravel(i, indices.getShape());
    position[axis] = *index;
    places.push_back(getPlace(position, strides));
  }
  return places;
}

static FailureOr<Tensor> evaluateGather(GatherOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  const Tensor &data = operands[0], &indices = operands[1];
  int64_t axis = op.getAxis();
  if (failed(requireAxis(op, "gather-c1", axis, data.getRank())))
    return failure();
  // result[before..., indices..., after...]
  ArrayRef<int64_t> before = data.getShape().take_front(axis), after = data.getShape().drop_front(axis + 1);
  Shape shape(before);
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, after);
  FailureOr<Tensor> result = makeResult(op, shape);
  if (failed(result))
    return failure();
  int64_t size = data.getShape()[axis], length = countElements(after), place = 0;
  SmallVector<int64_t> resolved;
  for (int64_t i = 0; i < indices.getNumElements(); ++i) {
    FailureOr<int64_t> index = resolveIndex(op, indices, i, axis, size);
    if (failed(index))
      return failure();
    resolved.push_back(*index);
  }
  for (int64_t outer = 0; outer < countElements(before); ++outer)
    for (int64_t index : resolved) {
      result->copyElements(place, data, (outer * size + index) * length, length);
      place += length;
    }
  return result;
}

static FailureOr<Tensor> evaluateGatherElements(GatherElementsOp op, ArrayRef<Tensor> operands,
                                                EvaluateContext &) {
  const Tensor &data = operands[0], &indices = operands[1];
  FailureOr<SmallVector<int64_t>> places =
      resolveElements(op, data, indices, op.getAxis(), "gather-elements-c1");
  if (failed(places))
    return failure();
  FailureOr<Tensor> result = makeResult(op, indices.getShape());
  if (failed(result))
    return failure();
  for (auto [i, place] : llvm::enumerate(*places))
    result->copyElement(i, data, place);
  return result;
}

static FailureOr<Tensor> evaluateGatherND(GatherNDOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  const Tensor &data = operands[0], &indices = operands[1];
  int64_t batch = op.getBatchDims();
  bool fits = batch >= 0 && batch < indices.getRank() && batch < data.getRank() + 1 &&
              data.getShape().take_front(batch) == indices.getShape().take_front(batch) &&
              batch + indices.getShape().back() <= data.getRank();
  if (!fits)
    return evaluateError(op) << "gather-nd-c2: tuples of shape " << describeShape(indices.getShape())
                             << " do not fit data of shape " << describeShape(data.getShape()) << " with "
                             << batch << " batch dims";
  Shape shape(indices.getShape().drop_back());
  ArrayRef<int64_t> slice = data.getShape().drop_front(batch + indices.getShape().back());
  llvm::append_range(shape, slice);
  FailureOr<SmallVector<int64_t>> places = resolveTuples(op, indices, data.getShape(), batch);
  FailureOr<Tensor> result = makeResult(op, shape);
  if (failed(places) || failed(result))
    return failure();
  int64_t length = countElements(slice);
  for (auto [i, place] : llvm::enumerate(*places))
    result->copyElements(i * length, data, place, length);
  return result;
}

void weft::attachIndexModels(MLIRContext *context) {
  attachModel<GatherOp, evaluateGather>(context);
  attachModel<GatherElementsOp, evaluateGatherElements>(context);
  attachModel<GatherNDOp, evaluateGatherND>(context);
}
