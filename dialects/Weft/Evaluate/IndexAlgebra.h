// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices, shapes and strides of contiguous row-major tensors.
//
// An index has an entry per dim. Its place is the sum of index[i] * stride[i]: a permuted view permutes the
// strides, a broadcast dim has stride 0, a reduced dim has stride 0 in the result.
#ifndef WEFT_DIALECTS_WEFT_EVALUATE_INDEXALGEBRA_H
#define WEFT_DIALECTS_WEFT_EVALUATE_INDEXALGEBRA_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace weft {

using Shape = llvm::SmallVector<int64_t>;
using Strides = llvm::SmallVector<int64_t>;

/// The number of elements; 1 for rank 0.
int64_t countElements(llvm::ArrayRef<int64_t> shape);
/// Row-major strides in elements: the last dim's is 1.
Strides getStrides(llvm::ArrayRef<int64_t> shape);
/// The place of an index.
int64_t getPlace(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> strides);
/// The index of a place in a row-major tensor: the inverse of `getPlace` with `getStrides`.
llvm::SmallVector<int64_t> unravel(int64_t place, llvm::ArrayRef<int64_t> shape);
/// Visits every index of a shape, the last dim fastest: once for rank 0, never if a dim is 0.
void forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t> index)> visit);

/// The shape that two broadcast shapes make by NumPy's rules, or nothing if they do not fit.
std::optional<Shape> broadcastShapes(llvm::ArrayRef<int64_t> left, llvm::ArrayRef<int64_t> right);
/// Whether `from` broadcasts to `to` without enlarging it.
bool broadcastsTo(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);
/// The strides with which an index of `to` reads a tensor of shape `from`, which broadcasts to it.
Strides getBroadcastStrides(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

/// "[2, 3]", for messages.
std::string describeShape(llvm::ArrayRef<int64_t> shape);

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_EVALUATE_INDEXALGEBRA_H
