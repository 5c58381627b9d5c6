// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index: inference of gather.
#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftIndexOps.cpp.inc"

LogicalResult GatherOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getData());
  auto data = getDims(getData()), indices = getDims(getIndices());
  if (!data || !indices) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  int64_t axis = getAxis();
  if (axis < 0 || axis >= int64_t(data->size()))
    return emitOpError() << "gather-c1: expects an axis within rank " << data->size() << ", got " << axis;
  SmallVector<Dim> dims(ArrayRef(*data).take_front(axis));
  llvm::append_range(dims, *indices);
  llvm::append_range(dims, ArrayRef(*data).drop_front(axis + 1));
  types.push_back(getTensorType(context, dims, element));
  return success();
}

std::optional<SmallVector<Dim>> GatherOp::inferContents(InferContext &context) {
  auto data = context.contents(getData()), indices = context.contents(getIndices());
  auto type = dyn_cast<RankedTensorType>(getData().getType());
  if (!data || !indices || !type || type.getRank() != 1)
    return std::nullopt;
  SmallVector<Dim> result;
  for (Dim index : *indices) {
    std::optional<int64_t> at = index.getConstant();
    if (at && *at < 0)
      *at += data->size();
    if (!at || *at < 0 || *at >= int64_t(data->size()))
      return std::nullopt;
    result.push_back((*data)[*at]);
  }
  return result;
}
