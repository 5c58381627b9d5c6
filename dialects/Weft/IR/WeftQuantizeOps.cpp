// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantize: inference and constraints.
#include "dialects/Weft/IR/PackedWeights.h"
#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftQuantizeOps.cpp.inc"

static SmallVector<Type> elementTypes(MLIRContext *context) {
  return {IntegerType::get(context, 8, IntegerType::Unsigned), Float32Type::get(context),
          IntegerType::get(context, 32)};
}

SmallVector<Type> QuantizeRowsOp::typesFor(MLIRContext *context, SmallVector<Dim> dims) {
  Dim padding = Dim::constant(context, Quads::kPadding), one = Dim::constant(context, 1),
      length = dims.back();
  Dim padded = length ? Dim::ceilDiv(length, padding) * padding : Dim();
  SmallVector<Type> types;
  for (Type element : elementTypes(context)) {
    dims.back() = types.empty() ? padded : one;
    types.push_back(getTensorType(dims, element));
  }
  return types;
}

LogicalResult QuantizeRowsOp::inferTypes(InferContext &, SmallVectorImpl<Type> &types) {
  auto dims = getDims(getInput());
  if (dims && dims->empty())
    return emitOpError("quantize-rows-c1: expects rank 1 or more, got a scalar");
  if (dims)
    llvm::append_range(types, typesFor(getContext(), *dims));
  else
    for (Type element : elementTypes(getContext()))
      types.push_back(UnrankedTensorType::get(element));
  return success();
}
