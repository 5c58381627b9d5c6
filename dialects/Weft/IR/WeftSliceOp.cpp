// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft.slice: what ONNX's starts, ends and steps mean on symbolic dims.
#include "dialects/Weft/IR/KnownElements.h"
#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

namespace {
/// One dim of a slice: where it begins, how it strides and how many it takes; null where unknown.
struct SlicedDim {
  Dim offset, size;
  int64_t stride = 1;
};
} // namespace

/// A bound that counts from the end if it is negative, as a place.
static Dim fromStart(Dim bound, Dim dim) {
  if (provablyNonNegative(bound))
    return bound;
  if (provablyNonNegative(-bound - 1))
    return bound + dim;
  // Sizes decide its sign. 1 where it is negative, 0 elsewhere:
  MLIRContext *context = dim.getContext();
  Dim isNegative = Dim::min(Dim::constant(context, 1), Dim::max(-bound, Dim::constant(context, 0)));
  return bound + dim * isNegative;
}

/// Further than any dim is long; INT64_MAX and its like are.
constexpr int64_t kFar = int64_t(1) << 40;

/// ONNX's rule: count from the end if negative, then clamp to [low, high].
static Dim clampBound(Dim bound, Dim dim, Dim low, Dim high) {
  std::optional<int64_t> value = bound.getConstant();
  if (value && *value <= -kFar)
    return Dim::min(low, high); // of no elements high is before low
  if (value && *value > kFar)
    return high;
  bound = fromStart(bound, dim);
  if (!bound)
    return Dim();
  Dim least = Dim::max(bound, low);
  return least ? Dim::min(least, high) : Dim();
}

static SlicedDim sliceDim(Dim dim, Dim start, Dim end, int64_t step) {
  step = std::clamp(step, -kFar, kFar); // takes one element, as longer steps do, and does not overflow
  SlicedDim result;
  result.stride = step;
  if (!dim || !start || !end)
    return result;
  MLIRContext *context = dim.getContext();
  Dim zero = Dim::constant(context, 0), minusOne = Dim::constant(context, -1);
  Dim low = zero, high = dim, lowEnd = zero, highEnd = dim;
  if (step < 0) { // A start is a place in the tensor; an end may be one before it.
    high = dim - 1;
    lowEnd = minusOne;
    highEnd = dim - 1;
  }
  Dim from = clampBound(start, dim, low, high), to = clampBound(end, dim, lowEnd, highEnd);
  if (!from || !to)
    return result;
  Dim span = step > 0 ? to - from : from - to;
  int64_t width = step > 0 ? step : -step;
  if (!span)
    return result;
  Dim count = Dim::floorDiv(span + (width - 1), Dim::constant(context, width));
  result.offset = from;
  result.size = count ? Dim::max(count, zero) : Dim();
  return result;
}

/// Whether a tensor has rank 1 and `length` elements, as far as its type tells.
static bool mayHaveLength(Value value, int64_t length) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return !type || (type.getRank() == 1 && (type.isDynamicDim(0) || type.getDimSize(0) == length));
}

/// slice-c1 and slice-c2, and each dim's part where it is known; the contents of `steps` default to 1.
static LogicalResult inferParts(SliceOp op, InferContext &context, ArrayRef<Dim> input,
                                SmallVectorImpl<SlicedDim> &parts) {
  ArrayRef<int64_t> axes = op.getAxes();
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis < 0 || axis >= int64_t(input.size()) || llvm::is_contained(axes.take_front(i), axis))
      return op.emitOpError() << "slice-c2: expects distinct axes within rank " << input.size();
  auto known = [&](Value value) { return value ? context.elements(value) : std::nullopt; };
  Contents starts = known(op.getStarts()), ends = known(op.getEnds()), steps = known(op.getSteps());
  for (Value value : {op.getStarts(), op.getEnds(), op.getSteps()})
    if (value && !mayHaveLength(value, axes.size()))
      return op.emitOpError() << "slice-c1: expects " << axes.size() << " starts, ends and steps";
  for (Dim dim : input)
    parts.push_back({Dim::constant(op.getContext(), 0), dim, 1});
  for (auto [i, axis] : llvm::enumerate(axes)) {
    std::optional<int64_t> step = 1;
    if (op.getSteps())
      step = steps ? (*steps)[i].getConstant() : std::nullopt;
    if (step == 0)
      return op.emitOpError("slice-c1: a step is 0");
    bool isKnown = starts && ends && step;
    parts[axis] = isKnown ? sliceDim(input[axis], (*starts)[i], (*ends)[i], *step) : SlicedDim();
  }
  return success();
}

LogicalResult SliceOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getInput());
  auto input = getDims(getInput());
  if (!getStarts()) {
    auto result = getDims(getResult());
    size_t rank = input ? input->size() : 0;
    if (!input || !result || result->size() != rank || !getOffsets() ||
        getOffsets()->getDims().size() != rank || getStrides().size() != rank ||
        getElementTypeOrSelf(getResult()) != element)
      return emitOpError(
          "slice-c3: without starts expects offsets, strides and a result of the input's rank");
    types.push_back(getType());
    return success();
  }
  if (!input) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  SmallVector<SlicedDim> parts;
  if (failed(inferParts(*this, context, *input, parts)))
    return failure();
  types.push_back(
      getTensorType(context, llvm::map_to_vector(parts, [](SlicedDim part) { return part.size; }), element));
  return success();
}

bool SliceOp::resolveParts(InferContext &context, SmallVectorImpl<Dim> &offsets,
                           SmallVectorImpl<int64_t> &strides) {
  if (!getStarts()) {
    llvm::append_range(offsets, getOffsets()->getDims());
    llvm::append_range(strides, getStrides());
    return true;
  }
  auto input = getDims(getInput());
  SmallVector<SlicedDim> parts;
  if (!input || failed(inferParts(*this, context, *input, parts)))
    return false;
  for (const SlicedDim &part : parts) {
    if (!part.offset || !part.size)
      return false;
    offsets.push_back(part.offset);
    strides.push_back(part.stride);
  }
  return true;
}
