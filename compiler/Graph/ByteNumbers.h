// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that are made of bytes, as quantized models have them.
#ifndef WEFT_COMPILER_GRAPH_BYTENUMBERS_H
#define WEFT_COMPILER_GRAPH_BYTENUMBERS_H

#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/PatternMatch.h"
#include <optional>

namespace weft::graph {

/// (bytes - zero) * scale; zero and scale are of the numbers' type, i32 or f32, and null if there is none.
/// i32 has no scale.
struct ByteNumbers {
  mlir::Value bytes, zero, scale;
  mlir::Type element; ///< of the numbers

  bool areUnsigned() const { return getElementTypeOrSelf(bytes).isUnsignedInteger(); }
  /// The same of other bytes, to which zero and scale broadcast.
  mlir::Value make(mlir::OpBuilder &builder, mlir::Location location) const;
};

/// cast(bytes), sub(cast(bytes), zero), or of floats either of these times a scale.
std::optional<ByteNumbers> matchByteNumbers(mlir::Value value);

/// A convolution of one group, whose numbers are made of bytes, as a product of windows of bytes: what makes
/// numbers of them comes behind all moves. `zero` is the byte that stands for 0 in the input, null for 0; the
/// filter's zero points and scales are columns, [outputs, 1], or scalars. Nothing changes if there is no such
/// product.
void rewriteConvOfBytes(ConvOp op, const ByteNumbers &input, mlir::Value zero, const ByteNumbers &filter,
                        mlir::RewriterBase &rewriter);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_BYTENUMBERS_H
