// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction: inference and constraints of reduce and the softmaxes.
#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftReductionOps.cpp.inc"

LogicalResult ReduceOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getInput());
  auto input = getDims(getInput());
  if (!input) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  ArrayRef<int64_t> axes = getAxes();
  bool sorted = llvm::is_sorted(axes, std::less_equal<>()) || axes.size() < 2;
  for (size_t i = 1; i < axes.size(); ++i)
    sorted &= axes[i - 1] < axes[i];
  if (!sorted || llvm::any_of(axes, [&](int64_t axis) { return axis < 0 || axis >= int64_t(input->size()); }))
    return emitOpError() << "reduce-c1: expects sorted, distinct axes within rank " << input->size();
  SmallVector<Dim> dims;
  for (size_t i = 0; i < input->size(); ++i) {
    if (!llvm::is_contained(axes, int64_t(i)))
      dims.push_back((*input)[i]);
    else if (getKeepdims())
      dims.push_back(Dim::constant(getContext(), 1));
  }
  types.push_back(getTensorType(context, dims, element));
  return success();
}

LogicalResult weft::inferSoftmax(Operation *op, int64_t axis, SmallVectorImpl<Type> &types) {
  auto type = cast<TensorType>(op->getOperand(0).getType());
  if (type.hasRank() && (axis < 0 || axis >= type.getRank()))
    return op->emitOpError() << "softmax-c1: expects an axis within rank " << type.getRank() << ", got "
                             << axis;
  types.push_back(type);
  return success();
}

LogicalResult ArgReduceOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = IntegerType::get(getContext(), 64);
  if (getKind() != ReduceKind::Max && getKind() != ReduceKind::Min)
    return emitOpError() << "arg-reduce-c2: expects max or min, got " << stringifyReduceKind(getKind());
  auto dims = getDims(getInput());
  if (!dims) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  int64_t axis = getAxis();
  if (axis < 0 || axis >= int64_t(dims->size()))
    return emitOpError() << "arg-reduce-c1: expects an axis within rank " << dims->size() << ", got " << axis;
  Dim &reduced = (*dims)[axis], one = Dim::constant(getContext(), 1);
  if (reduced && reduced.getConstant() == 0)
    return emitOpError() << "arg-reduce-c1: expects an axis that is not empty, got "
                         << describeType(getInput().getType());
  if (reduced && !provablyLessEqual(one, reduced))
    context.guard(*this, Relation::LessEqual, one, reduced);
  if (getKeepdims())
    reduced = one;
  else
    dims->erase(dims->begin() + axis);
  types.push_back(getTensorType(context, *dims, element));
  return success();
}

LogicalResult CumulativeOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  auto type = cast<TensorType>(getInput().getType());
  int64_t axis = getAxis();
  if (type.hasRank() && (axis < 0 || axis >= type.getRank()))
    return emitOpError() << "cumulative-c1: expects an axis within rank " << type.getRank() << ", got "
                         << axis;
  if (getKind() != ReduceKind::Sum && getKind() != ReduceKind::Prod)
    return emitOpError("cumulative-c2: expects sum or prod, got ") << stringifyReduceKind(getKind());
  types.push_back(type);
  return success();
}

std::optional<SmallVector<Dim>> CumulativeOp::inferContents(InferContext &context) {
  auto input = context.contents(getInput());
  auto type = dyn_cast<RankedTensorType>(getInput().getType());
  if (!input || !type || type.getRank() != 1)
    return std::nullopt;
  SmallVector<Dim> result(input->size());
  bool isSum = getKind() == ReduceKind::Sum;
  Dim before = Dim::constant(getContext(), isSum ? 0 : 1);
  for (size_t step = 0; step < input->size(); ++step) {
    size_t place = getReverse() ? input->size() - 1 - step : step;
    Dim after = isSum ? before + (*input)[place] : before * (*input)[place];
    result[place] = getExclusive() ? before : after;
    before = after;
  }
  return llvm::all_of(result, [](Dim dim) { return bool(dim); }) ? std::optional(result) : std::nullopt;
}
