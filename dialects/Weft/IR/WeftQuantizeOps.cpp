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

//===----------------------------------------------------------------------===//
// dequantize
//===----------------------------------------------------------------------===//

/// dequantize-c3: what belongs to groups has a row for each of numbers'.
static bool areGroupsOf(DequantizeOp op, InferContext &context, ArrayRef<Dim> groups, ArrayRef<Dim> numbers) {
  Dim count = Dim::constant(op.getContext(), llvm::divideCeil(op.getLength(), op.getGroup()));
  return groups.size() == numbers.size() && requireEqual(context, op, groups.back(), count) &&
         llvm::all_of(llvm::zip(groups.drop_back(), numbers), [&](auto pair) {
           return requireEqual(context, op, std::get<0>(pair), std::get<1>(pair));
         });
}

LogicalResult DequantizeOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getScales());
  auto numbers = getDims(getNumbers()), scales = getDims(getScales()), zeros = getDims(getZeros());
  if ((numbers && numbers->empty()) || !llvm::is_contained({2, 4, 8}, getBits()))
    return emitOpError() << "dequantize-c1: expects rows of numbers of 2, 4 or 8 bits, got "
                         << describeType(getNumbers().getType()) << " and " << getBits() << " bits";
  if (std::optional<ArrayRef<float>> table = getTable();
      table && (getBits() > 4 || table->size() != size_t(1) << getBits()))
    return emitOpError() << "dequantize-c4: expects a table of 2^bits numbers, of at most 4 bits, got "
                         << table->size() << " of " << getBits() << " bits";
  std::optional<int64_t> bytes = numbers && numbers->back() ? numbers->back().getConstant() : std::nullopt;
  if (int64_t(getGroup()) <= 0 || int64_t(getLength()) < 0 ||
      (bytes && int64_t(getLength()) > *bytes * (8 / int64_t(getBits()))))
    return emitOpError() << "dequantize-c2: expects a positive group, and a length that "
                         << describeType(getNumbers().getType()) << " holds, got " << int64_t(getGroup())
                         << " and " << int64_t(getLength());
  if (!numbers || !scales || !zeros) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  if (!areGroupsOf(*this, context, *scales, *numbers) ||
      (!zeros->empty() && !areGroupsOf(*this, context, *zeros, *numbers)))
    return emitOpError() << "dequantize-c3: expects " << llvm::divideCeil(getLength(), getGroup())
                         << " scales and zeros for each row of " << describeType(getNumbers().getType())
                         << ", got " << describeType(getScales().getType()) << " and "
                         << describeType(getZeros().getType());
  SmallVector<Dim> dims(*numbers);
  dims.back() = Dim::constant(getContext(), getLength());
  types.push_back(getTensorType(context, dims, element));
  return success();
}
