// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposes, reshapes and what is repeated.
#include "compiler/Graph/Moves.h"

using namespace mlir;
using namespace weft;

SmallVector<int64_t> weft::graph::invertPermutation(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [i, from] : llvm::enumerate(permutation))
    inverse[from] = i;
  return inverse;
}

RankedTensorType weft::graph::permuteType(RankedTensorType type, ArrayRef<int64_t> permutation) {
  SmallVector<Dim> dims = getDims(type);
  return getTensorType(llvm::map_to_vector(permutation, [&](int64_t i) { return dims[i]; }),
                       type.getElementType());
}

Value weft::graph::makeTranspose(OpBuilder &builder, Location location, Value value,
                                 ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return value;
  auto type = permuteType(cast<RankedTensorType>(value.getType()), permutation);
  return TransposeOp::create(builder, location, type, value, permutation);
}

Value weft::graph::makeReshape(OpBuilder &builder, Location location, Value value, ArrayRef<Dim> dims) {
  RankedTensorType type = getTensorType(dims, getElementTypeOrSelf(value));
  if (type == value.getType())
    return value;
  return ReshapeOp::create(builder, location, type, value, Value(), UnitAttr());
}

Value weft::graph::makeExpand(OpBuilder &builder, Location location, Value value, ArrayRef<Dim> dims) {
  RankedTensorType type = getTensorType(dims, getElementTypeOrSelf(value));
  return type == value.getType() ? value : ExpandOp::create(builder, location, type, value, Value());
}

Value weft::graph::makeScalar(OpBuilder &builder, Location location, TypedAttr element) {
  auto type = RankedTensorType::get({}, element.getType());
  return ConstantOp::create(builder, location, type, DenseElementsAttr::get(type, Attribute(element)));
}

bool weft::graph::isKnownType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && llvm::all_of(getDims(tensor), [](Dim dim) { return bool(dim); });
}

std::optional<Dim> weft::graph::getSliceOffset(SliceOp slice, size_t axis) {
  if (!slice.getOffsets() || !isKnownType(slice.getInput().getType()) || !isKnownType(slice.getType()))
    return std::nullopt;
  SmallVector<Dim> from = *getDims(slice.getInput()), to = *getDims(slice.getResult());
  ArrayRef<DimAttr> offsets = slice.getOffsets()->getDims();
  for (size_t i = 0; i < from.size(); ++i)
    if (slice.getStrides()[i] != 1 || (i != axis && (from[i] != to[i] || Dim(offsets[i]).getConstant() != 0)))
      return std::nullopt;
  return Dim(offsets[axis]);
}
