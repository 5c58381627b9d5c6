// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Norm: inference and constraints of layer_norm.
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

LogicalResult LayerNormOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  auto type = cast<TensorType>(getInput().getType());
  types.push_back(type);
  if (getEpsilon().isNegative())
    return emitOpError("layer-norm-c3: expects an epsilon that is not negative");
  auto input = getDims(getInput());
  if (!input)
    return success();
  if (getAxis() >= input->size())
    return emitOpError() << "layer-norm-c1: expects an axis within rank " << input->size() << ", got "
                         << int64_t(getAxis());
  for (Value parameter : getOperands().drop_front()) {
    auto dims = getDims(parameter);
    if (getElementTypeOrSelf(parameter) != type.getElementType() || (dims && !mayBroadcastTo(*dims, *input)))
      return emitOpError() << "layer-norm-c2: expects scale and bias that broadcast to "
                           << describeType(getInput().getType()) << ", got "
                           << describeType(parameter.getType());
    if (!dims)
      continue;
    for (auto [from, into] : llvm::zip(*dims, ArrayRef(*input).take_back(dims->size())))
      if (from && into && from != into && from.getConstant() != 1)
        context.guard(*this, Relation::Equal, Dim::broadcast(from, into), into); // 1 at run time is fine
  }
  return success();
}
