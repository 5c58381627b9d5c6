// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index: gather.
#include "dialects/Weft/Evaluate/Models.h"

using namespace mlir;
using namespace weft;

/// An index that may count from the end, as a place on the axis.
static FailureOr<int64_t> resolveIndex(GatherOp op, const Tensor &indices, int64_t place, int64_t size) {
  int64_t index = indices.getInteger(place);
  if (index < -size || index >= size)
    return evaluateError(op) << "index " << index << " at "
                             << describeShape(unravel(place, indices.getShape()))
                             << " of the indices is out of range for axis " << int64_t(op.getAxis())
                             << " of size " << size;
  return index < 0 ? index + size : index;
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
    FailureOr<int64_t> index = resolveIndex(op, indices, i, size);
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

void weft::attachIndexModels(MLIRContext *context) { attachModel<GatherOp, evaluateGather>(context); }
