// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices, shapes and strides of contiguous row-major tensors.
#include "dialects/Weft/Evaluate/IndexAlgebra.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;
using llvm::ArrayRef;
using llvm::SmallVector;

int64_t weft::countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

Strides weft::getStrides(ArrayRef<int64_t> shape) {
  Strides strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

int64_t weft::getPlace(ArrayRef<int64_t> index, ArrayRef<int64_t> strides) {
  int64_t place = 0;
  for (size_t i = 0; i < index.size(); ++i)
    place += index[i] * strides[i];
  return place;
}

SmallVector<int64_t> weft::unravel(int64_t place, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    index[i] = place % shape[i];
    place /= shape[i];
  }
  return index;
}

void weft::forEachIndex(ArrayRef<int64_t> shape, llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    visit(index);
    // Counts up like an odometer.
    size_t dim = shape.size();
    while (dim > 0 && ++index[dim - 1] == shape[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return;
  }
}

std::optional<Shape> weft::broadcastShapes(ArrayRef<int64_t> left, ArrayRef<int64_t> right) {
  if (left.size() < right.size())
    std::swap(left, right);
  Shape result(left);
  for (size_t i = 0, offset = left.size() - right.size(); i < right.size(); ++i) {
    int64_t &dim = result[offset + i];
    if (dim == 1)
      dim = right[i];
    else if (right[i] != 1 && right[i] != dim)
      return std::nullopt;
  }
  return result;
}

bool weft::broadcastsTo(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  if (from.size() > to.size())
    return false;
  return all_of(zip(from, to.take_back(from.size())),
                [](auto pair) { return std::get<0>(pair) == 1 || std::get<0>(pair) == std::get<1>(pair); });
}

Strides weft::getBroadcastStrides(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  Strides own = getStrides(from), result(to.size(), 0);
  for (size_t i = 0, offset = to.size() - from.size(); i < from.size(); ++i)
    result[offset + i] = from[i] == 1 ? 0 : own[i];
  return result;
}

std::string weft::describeShape(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  interleaveComma(shape, stream);
  stream << ']';
  return text;
}
