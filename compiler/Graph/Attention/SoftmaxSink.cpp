// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Attention/SoftmaxSink.h"
#include "compiler/Graph/Attention/ScoreTrace.h"
#include "compiler/Graph/Moves.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

/// What a float is before it is cast to a wider type.
static Value beforeWidening(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  auto from = cast ? dyn_cast<FloatType>(getElementTypeOrSelf(cast.getInput())) : FloatType();
  auto to = cast ? dyn_cast<FloatType>(cast.getTo()) : FloatType();
  return from && to && from.getWidth() < to.getWidth() ? cast.getInput() : value;
}

/// The only slice of a value, or of a cast of it.
static SliceOp findSlice(Value value) {
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (auto slice = dyn_cast<SliceOp>(user))
      return slice;
    auto cast = dyn_cast<CastOp>(user);
    if (!cast || !isa<FloatType>(cast.getTo()))
      return {};
    value = cast;
  }
  return {};
}

std::optional<SoftmaxSink> weft::graph::findSink(SoftmaxOp softmax) {
  size_t axis = softmax.getAxis();
  auto concat = beforeWidening(softmax.getInput()).getDefiningOp<ConcatOp>();
  SliceOp slice = findSlice(softmax);
  if (!concat || concat->getNumOperands() != 2 || size_t(concat.getAxis()) != axis || !slice ||
      !llvm::all_of(concat->getOperandTypes(), isKnownType))
    return std::nullopt;
  std::optional<Dim> offset = getSliceOffset(slice, axis);
  for (unsigned sink : {1u, 0u}) {
    SoftmaxSink found{concat->getOperand(1 - sink), slice.getResult(), concat->getOperand(sink)};
    bool isOne = (*getDims(found.sink))[axis].getConstant() == 1;
    bool isCutOut = offset && offset->getConstant() == (sink == 0 ? 1 : 0) &&
                    provablyEqualShapes(*getDims(found.scores), *getDims(found.weights));
    if (isOne && isCutOut && !findProducts(found.scores).empty())
      return found;
  }
  return std::nullopt;
}
