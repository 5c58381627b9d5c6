// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft.pad: what ONNX's pads mean on symbolic dims.
#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

bool PadOp::resolvePads(InferContext &context, SmallVectorImpl<Dim> &before, SmallVectorImpl<Dim> &after) {
  if (getBefore() && getAfter()) {
    before.append(getBefore()->getDims().begin(), getBefore()->getDims().end());
    after.append(getAfter()->getDims().begin(), getAfter()->getDims().end());
    return true;
  }
  auto input = getDims(getInput());
  auto pads = getPads() ? context.contents(getPads()) : std::nullopt;
  ArrayRef<int64_t> axes = getAxes();
  if (!input || !pads || pads->size() != 2 * axes.size())
    return false;
  before.assign(input->size(), Dim::constant(getContext(), 0));
  after = before;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    before[axis] = (*pads)[i];
    after[axis] = (*pads)[i + axes.size()];
  }
  return true;
}

/// pad-c2 of one dim: what is added fits what is there.
static LogicalResult checkPaddedDim(PadOp op, InferContext &context, Dim size, Dim before, Dim after,
                                    Dim padded) {
  MLIRContext *mlir = op.getContext();
  auto require = [&](Dim low, Dim high) {
    if (!low || !high || provablyLessEqual(low, high))
      return true;
    if (provablyLess(high, low))
      return false;
    context.guard(op, Relation::LessEqual, low, high);
    return true;
  };
  bool fits = require(Dim::constant(mlir, 0), padded);
  for (Dim added : {before, after}) {
    bool adds = added && added.getConstant().value_or(1) > 0;
    if (!adds || op.getMode() == PadMode::Constant)
      continue;
    fits &= require(op.getMode() == PadMode::Reflect ? added + 1 : Dim::constant(mlir, 1), size);
  }
  if (!fits)
    return op.emitOpError() << "pad-c2: cannot pad a dim of " << size.toString() << " by "
                            << before.toString() << " and " << after.toString() << " in mode "
                            << stringifyPadMode(op.getMode());
  return success();
}

static LogicalResult checkForm(PadOp op, size_t rank) {
  ArrayRef<int64_t> axes = op.getAxes();
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis < 0 || axis >= int64_t(rank) || llvm::is_contained(axes.take_front(i), axis))
      return op.emitOpError() << "pad-c1: expects distinct axes within rank " << rank;
  if (op.getPads()) {
    auto type = dyn_cast<RankedTensorType>(op.getPads().getType());
    if (type &&
        (type.getRank() != 1 || (!type.isDynamicDim(0) && type.getDimSize(0) != 2 * int64_t(axes.size()))))
      return op.emitOpError() << "pad-c1: expects " << 2 * axes.size() << " pads, got " << describeType(type);
    return success();
  }
  if (!op.getBefore() || !op.getAfter() || op.getBefore()->getDims().size() != rank ||
      op.getAfter()->getDims().size() != rank)
    return op.emitOpError("pad-c4: without pads expects before and after with an entry for each dim");
  return success();
}

LogicalResult PadOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getInput());
  if (getFill()) {
    auto fill = dyn_cast<RankedTensorType>(getFill().getType());
    if (getElementTypeOrSelf(getFill()) != element || (fill && fill.getRank() != 0))
      return emitOpError() << "pad-c3: expects a scalar fill of " << element << ", got "
                           << describeType(getFill().getType());
  }
  auto input = getDims(getInput());
  if (!input) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  if (failed(checkForm(*this, input->size())))
    return failure();
  SmallVector<Dim> before, after, dims(input->size());
  if (!resolvePads(context, before, after)) {
    for (auto [i, dim] : llvm::enumerate(*input))
      dims[i] = llvm::is_contained(getAxes(), int64_t(i)) ? Dim() : dim;
    types.push_back(getTensorType(context, dims, element));
    return success();
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    dims[i] = before[i] + (*input)[i] + after[i];
    if (failed(checkPaddedDim(*this, context, (*input)[i], before[i], after[i], dims[i])))
      return failure();
  }
  types.push_back(getTensorType(context, dims, element));
  return success();
}

std::optional<SmallVector<Dim>> PadOp::inferContents(InferContext &context) {
  auto input = context.contents(getInput());
  auto type = dyn_cast<RankedTensorType>(getInput().getType());
  SmallVector<Dim> before, after;
  if (!input || !type || type.getRank() != 1 || getMode() != PadMode::Constant ||
      !resolvePads(context, before, after) || !before[0].getConstant() || !after[0].getConstant())
    return std::nullopt;
  Dim fill = Dim::constant(getContext(), 0);
  if (getFill()) {
    auto contents = context.contents(getFill());
    if (!contents || contents->size() != 1)
      return std::nullopt;
    fill = contents->front();
  }
  SmallVector<Dim> result;
  int64_t size = input->size(), end = size + *after[0].getConstant();
  for (int64_t i = -*before[0].getConstant(); i < end && result.size() <= size_t(kMaxKnownElements); ++i)
    result.push_back(i >= 0 && i < size ? (*input)[i] : fill);
  return result.size() <= size_t(kMaxKnownElements) ? std::optional(result) : std::nullopt;
}
