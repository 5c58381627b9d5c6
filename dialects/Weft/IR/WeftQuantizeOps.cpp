// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantize: inference and constraints.
#include "dialects/Weft/IR/PackedWeights.h"
#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftQuantizeOps.cpp.inc"

LogicalResult QuantizeRowsOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  MLIRContext *mlir = getContext();
  Type elements[] = {IntegerType::get(mlir, 8, IntegerType::Unsigned), Float32Type::get(mlir),
                     IntegerType::get(mlir, 32)};
  auto dims = getDims(getInput());
  if (!dims) {
    for (Type element : elements)
      types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  if (dims->empty())
    return emitOpError("quantize-rows-c1: expects rank 1 or more, got a scalar");
  Dim padding = Dim::constant(mlir, Quads::kPadding), length = dims->back();
  Dim padded = length ? Dim::ceilDiv(length, padding) * padding : Dim(), one = Dim::constant(mlir, 1);
  Dim last[] = {padded, one, one};
  for (auto [element, dim] : llvm::zip(elements, last)) {
    dims->back() = dim;
    types.push_back(getTensorType(context, *dims, element));
  }
  return success();
}
