// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Norm: inference and constraints.
#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftNormOps.cpp.inc"

/// Whether `from` may broadcast to `to` without enlarging it, as far as constants tell.
static bool mayBroadcastTo(ArrayRef<Dim> from, ArrayRef<Dim> to) {
  if (from.size() > to.size())
    return false;
  return llvm::all_of(llvm::zip(from, to.take_back(from.size())), [](auto pair) {
    auto [left, right] = pair;
    return !left || !right || !left.getConstant() || left.getConstant() == 1 || !right.getConstant() ||
           left == right;
  });
}

/// Requires of a scale or bias that it broadcasts to the input's shape; an error starts with `constraint`.
static LogicalResult requireParameter(InferContext &context, Operation *op, Value input, Value parameter,
                                      const Twine &constraint) {
  auto dims = getDims(parameter), into = getDims(input);
  if (getElementTypeOrSelf(parameter) != getElementTypeOrSelf(input) ||
      (dims && into && !mayBroadcastTo(*dims, *into)))
    return op->emitOpError() << constraint << ": expects a scale or bias that broadcasts to "
                             << describeType(input.getType()) << ", got "
                             << describeType(parameter.getType());
  if (!dims || !into)
    return success();
  for (auto [from, to] : llvm::zip(*dims, ArrayRef(*into).take_back(dims->size())))
    guardBroadcastTo(context, op, from, to);
  return success();
}

/// Of both norms: the type is the input's; the axis is within it, epsilon not negative, each parameter
/// broadcasts.
static LogicalResult inferNorm(InferContext &context, Operation *op, int64_t axis, const APFloat &epsilon,
                               StringRef name, SmallVectorImpl<Type> &types) {
  Value input = op->getOperand(0);
  types.push_back(input.getType());
  if (epsilon.isNegative())
    return op->emitOpError() << name << "-c3: expects an epsilon that is not negative";
  auto dims = getDims(input);
  if (dims && (axis < 0 || axis >= int64_t(dims->size())))
    return op->emitOpError() << name << "-c1: expects an axis within rank " << dims->size() << ", got "
                             << axis;
  for (Value parameter : op->getOperands().drop_front())
    if (failed(requireParameter(context, op, input, parameter, name + "-c2")))
      return failure();
  return success();
}

LogicalResult LayerNormOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  return inferNorm(context, *this, getAxis(), getEpsilon(), "layer-norm", types);
}

LogicalResult RMSNormOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  return inferNorm(context, *this, getAxis(), getEpsilon(), "rms-norm", types);
}
