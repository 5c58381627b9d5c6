// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shape: pads, as data and in attributes.
#include "dialects/Weft/Evaluate/Models.h"

using namespace mlir;
using namespace weft;

namespace {
struct Pads {
  Shape before, after; ///< of each dim
};
} // namespace

/// The pads that an operand holds.
static FailureOr<Pads> readPads(PadOp op, int64_t rank, const Tensor &pads) {
  ArrayRef<int64_t> axes = op.getAxes();
  if (pads.getShape() != ArrayRef<int64_t>(2 * axes.size()))
    return evaluateError(op) << "pad-c1: expects " << 2 * axes.size() << " pads, got shape "
                             << describeShape(pads.getShape());
  Pads result{Shape(rank, 0), Shape(rank, 0)};
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (axis < 0 || axis >= rank || llvm::is_contained(axes.take_front(i), axis))
      return evaluateError(op) << "pad-c1: expects distinct axes within rank " << rank << ", got "
                               << describeShape(axes);
    result.before[axis] = pads.getInteger(i);
    result.after[axis] = pads.getInteger(i + axes.size());
  }
  return result;
}

static FailureOr<Pads> readAttributes(PadOp op, int64_t rank, EvaluateContext &context) {
  Pads result;
  for (auto [given, into] :
       {std::pair(op.getBefore(), &result.before), std::pair(op.getAfter(), &result.after)}) {
    if (!given || int64_t(given->getDims().size()) != rank)
      return evaluateError(op) << "pad-c4: expects before and after of " << rank << " dims";
    for (DimAttr dim : given->getDims()) {
      FailureOr<int64_t> value = context.value(op, Dim(dim));
      if (failed(value))
        return failure();
      into->push_back(*value);
    }
  }
  return result;
}

/// pad-c2, and the padded shape. Numbers beyond any tensor are refused, so that nothing overflows.
static FailureOr<Shape> getPaddedShape(PadOp op, ArrayRef<int64_t> shape, const Pads &pads) {
  Shape padded;
  for (auto [size, before, after] : llvm::zip(shape, pads.before, pads.after)) {
    auto isLarge = [](int64_t count) { return count > Tensor::kMaxBytes || count < -Tensor::kMaxBytes; };
    bool fits = !isLarge(before) && !isLarge(after) && before + size + after >= 0;
    for (int64_t added : {before, after})
      if (added > 0 && op.getMode() != PadMode::Constant)
        fits &= op.getMode() == PadMode::Reflect ? added < size : size > 0;
    if (!fits)
      return evaluateError(op) << "pad-c2: cannot pad a dim of " << size << " by " << before << " and "
                               << after << " in mode " << stringifyPadMode(op.getMode());
    padded.push_back(before + size + after);
  }
  return padded;
}

/// The position that a padded one shows, in a dim of `size`; nothing for the fill.
static std::optional<int64_t> getSource(PadMode mode, int64_t position, int64_t size) {
  if (position >= 0 && position < size)
    return position;
  switch (mode) {
  case PadMode::Constant:
    return std::nullopt;
  case PadMode::Edge:
    return position < 0 ? 0 : size - 1;
  case PadMode::Reflect:
    return position < 0 ? -position : 2 * (size - 1) - position;
  case PadMode::Wrap:
    return (position % size + size) % size;
  }
  return std::nullopt;
}

static FailureOr<Tensor> evaluatePad(PadOp op, ArrayRef<Tensor> operands, EvaluateContext &context) {
  const Tensor &input = operands[0];
  FailureOr<Pads> pads = op.getPads() ? readPads(op, input.getRank(), operands[1])
                                      : readAttributes(op, input.getRank(), context);
  FailureOr<Shape> shape = failed(pads) ? FailureOr<Shape>() : getPaddedShape(op, input.getShape(), *pads);
  if (failed(shape))
    return failure();
  FailureOr<Tensor> result = makeResult(op, *shape);
  if (failed(result))
    return failure();
  const Tensor *fill = op.getFill() ? &operands.back() : nullptr;
  Strides strides = getStrides(input.getShape());
  int64_t place = 0;
  forEachIndex(*shape, [&](ArrayRef<int64_t> index) {
    std::optional<int64_t> from = 0;
    for (size_t i = 0; i < index.size(); ++i) {
      auto source = getSource(op.getMode(), index[i] - pads->before[i], input.getShape()[i]);
      from = from && source ? std::optional(*from + *source * strides[i]) : std::nullopt;
    }
    if (from)
      result->copyElement(place, input, *from);
    else if (fill)
      result->copyElement(place, *fill, 0);
    ++place;
  });
  return result;
}

void weft::attachPadModels(MLIRContext *context) { attachModel<PadOp, evaluatePad>(context); }
