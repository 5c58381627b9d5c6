// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shape: slices, with ONNX's bounds and with those of the graph level.
#include "dialects/Weft/Evaluate/Models.h"

using namespace mlir;
using namespace weft;

namespace {
/// result[i] = input[offset + i * stride], for `size` elements of one dim.
struct SlicedDim {
  int64_t offset, size, stride;
};
} // namespace

/// ONNX's rule: a negative bound counts from the end, then bounds are clamped, where a negative step may end
/// before the first element.
static SlicedDim resolveBounds(int64_t dim, int64_t start, int64_t end, int64_t step) {
  start = start < 0 ? start + dim : start;
  end = end < 0 ? end + dim : end;
  int64_t first = step > 0 ? 0 : -1, last = step > 0 ? dim : dim - 1;
  start = std::min(std::max<int64_t>(start, 0), last);
  end = std::min(std::max(end, first), last);
  uint64_t span = step > 0 ? std::max<int64_t>(end - start, 0) : std::max<int64_t>(start - end, 0);
  uint64_t width = step > 0 ? uint64_t(step) : -uint64_t(step); // The least step has no positive in int64_t.
  int64_t size = span == 0 ? 0 : int64_t((span - 1) / width + 1);
  return {size == 0 ? 0 : start, size, step};
}

/// The parts that operands ask for.
static FailureOr<SmallVector<SlicedDim>> readBounds(SliceOp op, ArrayRef<Tensor> operands) {
  ArrayRef<int64_t> shape = operands[0].getShape(), axes = op.getAxes();
  if (operands.size() < 3)
    return evaluateError(op) << "slice-c1: expects starts and ends";
  for (const Tensor &bounds : operands.drop_front())
    if (bounds.getShape() != ArrayRef<int64_t>(axes.size()))
      return evaluateError(op) << "slice-c1: expects " << axes.size() << " starts, ends and steps, got shape "
                               << describeShape(bounds.getShape());
  SmallVector<SlicedDim> parts;
  for (int64_t dim : shape)
    parts.push_back({0, dim, 1});
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (axis < 0 || axis >= int64_t(shape.size()) || llvm::is_contained(axes.take_front(i), axis))
      return evaluateError(op) << "slice-c2: expects distinct axes within rank " << shape.size() << ", got "
                               << describeShape(axes);
    int64_t step = operands.size() > 3 ? operands[3].getInteger(i) : 1;
    if (step == 0)
      return evaluateError(op) << "slice-c1: the step of axis " << axis << " is 0";
    parts[axis] = resolveBounds(shape[axis], operands[1].getInteger(i), operands[2].getInteger(i), step);
  }
  return parts;
}

/// The parts that attributes and the result's type say.
static FailureOr<SmallVector<SlicedDim>> readAttributes(SliceOp op, ArrayRef<int64_t> shape,
                                                        EvaluateContext &context) {
  FailureOr<Shape> sizes = context.declaredShape(op);
  if (failed(sizes))
    return failure();
  if (!op.getOffsets() || op.getOffsets()->getDims().size() != shape.size() ||
      op.getStrides().size() != shape.size() || sizes->size() != shape.size())
    return evaluateError(op) << "slice-c3: expects offsets, strides and a result of the input's rank";
  SmallVector<SlicedDim> parts;
  for (auto [i, dim] : llvm::enumerate(op.getOffsets()->getDims())) {
    FailureOr<int64_t> offset = context.value(op, Dim(dim));
    if (failed(offset))
      return failure();
    SlicedDim part{*offset, (*sizes)[i], op.getStrides()[i]};
    __int128 last = part.offset + __int128(part.size - 1) * part.stride;
    bool isWithin = part.offset >= 0 && part.offset < shape[i] && last >= 0 && last < shape[i];
    if (part.size > 0 && !isWithin)
      return evaluateError(op) << "slice-c3: " << part.size << " elements from " << part.offset
                               << " with stride " << part.stride << " leave dim " << i << " of size "
                               << shape[i];
    parts.push_back(part);
  }
  return parts;
}

static FailureOr<Tensor> evaluateSlice(SliceOp op, ArrayRef<Tensor> operands, EvaluateContext &context) {
  const Tensor &input = operands[0];
  FailureOr<SmallVector<SlicedDim>> parts =
      op.getStarts() ? readBounds(op, operands) : readAttributes(op, input.getShape(), context);
  if (failed(parts))
    return failure();
  FailureOr<Tensor> result =
      makeResult(op, llvm::map_to_vector(*parts, [](const SlicedDim &part) { return part.size; }));
  if (failed(result))
    return failure();
  Strides strides = getStrides(input.getShape());
  int64_t place = 0;
  forEachIndex(result->getShape(), [&](ArrayRef<int64_t> index) {
    int64_t from = 0;
    for (auto [i, part] : llvm::enumerate(*parts))
      from += (part.offset + index[i] * part.stride) * strides[i];
    result->copyElement(place++, input, from);
  });
  return result;
}

void weft::attachSliceModels(MLIRContext *context) { attachModel<SliceOp, evaluateSlice>(context); }
