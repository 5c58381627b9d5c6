// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short tensors of dims, by index.
#include "dialects/Weft/IR/KnownElements.h"

using namespace mlir;
using namespace weft;

static int64_t countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

std::optional<SmallVector<int64_t>> weft::getShortShape(Value value) {
  if (!isShort(value.getType()))
    return std::nullopt;
  return SmallVector<int64_t>(cast<RankedTensorType>(value.getType()).getShape());
}

std::optional<KnownElements> weft::getKnownElements(InferContext &context, Value value) {
  auto shape = getShortShape(value);
  if (!shape)
    return std::nullopt;
  size_t count = countElements(*shape);
  auto elements = context.elements(value);
  if (!elements || elements->size() != count)
    elements = SmallVector<Dim>(count);
  return KnownElements{std::move(*shape), std::move(*elements)};
}

Dim KnownElements::at(ArrayRef<int64_t> index) const {
  int64_t place = 0;
  for (auto [at, size] : llvm::zip_equal(index, shape))
    place = place * size + at;
  return values[place];
}

Dim KnownElements::atBroadcast(ArrayRef<int64_t> index) const {
  if (index.size() < shape.size())
    return Dim();
  SmallVector<int64_t> own(index.take_back(shape.size()));
  for (auto [at, size] : llvm::zip_equal(own, shape)) {
    if (size == 1)
      at = 0;
    else if (at >= size) // the model is wrong, and its error is reported elsewhere
      return Dim();
  }
  return at(own);
}

void weft::visitIndices(ArrayRef<int64_t> shape, function_ref<void(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> index(shape.size());
  for (int64_t i = 0, count = countElements(shape); i < count; ++i) {
    visit(index);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis])
        break;
      index[axis] = 0;
    }
  }
}

Contents weft::makeContents(Operation *op, function_ref<Dim(ArrayRef<int64_t>)> element) {
  auto shape = getShortShape(op->getResult(0));
  if (!shape)
    return std::nullopt;
  SmallVector<Dim> result;
  visitIndices(*shape, [&](ArrayRef<int64_t> index) { result.push_back(element(index)); });
  bool isKnown = result.empty() || llvm::any_of(result, [](Dim dim) { return bool(dim); });
  return isKnown ? Contents(std::move(result)) : std::nullopt;
}

std::optional<int64_t> weft::getPlace(Dim index, int64_t size) {
  std::optional<int64_t> at = index.getConstant();
  if (at && *at < 0)
    *at += size;
  return at && *at >= 0 && *at < size ? at : std::nullopt;
}

Dim weft::divideTruncating(Dim left, Dim right) {
  if (!left || !right || right.getConstant() == 0)
    return Dim();
  std::optional<int64_t> a = left.getConstant(), b = right.getConstant();
  if (a && b)
    return *b == -1 && *a == INT64_MIN ? Dim() : Dim::constant(left.getContext(), *a / *b);
  Dim floor = Dim::floorDiv(left, right);
  if (floor && floor * right == left) // exact, so that no rounding matters
    return floor;
  // Rounding down is truncation where the quotient is not negative.
  bool down = provablyNonNegative(left), up = provablyNonNegative(-left);
  if (!provablyNonNegative(right)) {
    if (!provablyNonNegative(-right))
      return Dim();
    std::swap(down, up);
  }
  return down ? floor : up ? Dim::ceilDiv(left, right) : Dim();
}
