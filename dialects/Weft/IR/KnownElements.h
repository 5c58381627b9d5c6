// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short tensors whose elements are known as dims: what shape arithmetic works on. Private to the dialect.
#ifndef WEFT_DIALECTS_WEFT_IR_KNOWNELEMENTS_H
#define WEFT_DIALECTS_WEFT_IR_KNOWNELEMENTS_H

#include "dialects/Weft/IR/InferContext.h"

namespace weft {

using Contents = std::optional<llvm::SmallVector<Dim>>;

/// A short tensor of static shape; an element that is not known is null.
struct KnownElements {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<Dim> values; ///< row-major

  Dim at(llvm::ArrayRef<int64_t> index) const;
  /// The element that an operand of this shape has at an index of the shape that it is broadcast to.
  Dim atBroadcast(llvm::ArrayRef<int64_t> index) const;
};

/// What is known of a value's elements; nothing if it is long or its shape is not static.
std::optional<KnownElements> getKnownElements(InferContext &context, mlir::Value value);
/// The shape of an operation's first result, if it is static and short.
std::optional<llvm::SmallVector<int64_t>> getShortShape(mlir::Value value);

/// The elements of an operation's first result, each from its index; nothing if none is known.
Contents makeContents(mlir::Operation *op, llvm::function_ref<Dim(llvm::ArrayRef<int64_t> index)> element);
/// Calls `visit` for each index of a shape, in row-major order.
void visitIndices(llvm::ArrayRef<int64_t> shape, llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

/// An index that may count from the end, as a place below `size`; nothing if it is not known or outside.
std::optional<int64_t> getPlace(Dim index, int64_t size);

/// What an integer division that truncates gives; null if it cannot be said.
Dim divideTruncating(Dim left, Dim right);

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_IR_KNOWNELEMENTS_H
