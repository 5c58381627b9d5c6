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
  auto concat = beforeWidening(softmax.getInput()).getDefiningOp<ConcatOp>();
  SliceOp slice = findSlice(softmax);
  if (!concat || concat->getNumOperands() != 2 || uint64_t(concat.getAxis()) != softmax.getAxis() || !slice ||
      !slice.getOffsets() || !isKnownType(slice.getType()))
    return std::nullopt;
  ArrayRef<DimAttr> offsets = slice.getOffsets()->getDims();
  for (unsigned sink : {1u, 0u}) {
    SoftmaxSink found{concat->getOperand(1 - sink), slice.getResult(), concat->getOperand(sink)};
    if (!isKnownType(found.scores.getType()) || !isKnownType(found.sink.getType()))
      return std::nullopt;
    SmallVector<Dim> sinkDims = *getDims(found.sink);
    bool isOne = sinkDims[softmax.getAxis()].getConstant() == 1;
    bool isCutOut = llvm::all_of(llvm::enumerate(offsets), [&](auto it) {
      return Dim(it.value()).getConstant() == (it.index() == softmax.getAxis() && sink == 0 ? 1 : 0);
    });
    bool isWhole = provablyEqualShapes(*getDims(found.scores), *getDims(found.weights)) &&
                   llvm::all_of(slice.getStrides(), [](int64_t stride) { return stride == 1; });
    if (isOne && isCutOut && isWhole && !findProducts(found.scores).empty())
      return found;
  }
  return std::nullopt;
}
