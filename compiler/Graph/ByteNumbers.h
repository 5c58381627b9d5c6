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

/// The constant that a value is, moved or cast; null if it is none.
mlir::FailureOr<mlir::Value> findConstant(mlir::Value value);
/// The zero points of columns, or one for all: 0 if `zero` is null; nothing if they are not constant
/// integers.
mlir::FailureOr<std::optional<llvm::SmallVector<int64_t>>> readZeros(mlir::Value zero);
/// Whether a byte holds a number, signed or not.
inline bool isOfByte(int64_t number) { return number >= INT8_MIN && number <= UINT8_MAX; }
/// Whether a zero point, which may be null, is surely an integer that a byte holds, signed or not: it is cast
/// from bytes, or constant. Sums of integers of 32 bits wrap, those of floats do not; with larger ones they
/// might.
mlir::FailureOr<bool> isInteger(mlir::Value zero);

/// Makes a product of a convolution of one group whose numbers are made of bytes (rewriteConvOfBytes), if
/// zero points and scales are such as a product has.
mlir::LogicalResult makeByteProduct(ConvOp op);

/// A convolution of one group, whose numbers are made of bytes, as a product of windows of bytes: what makes
/// numbers of them comes behind all moves. `zero` is the byte that stands for 0 in the input, null for 0; the
/// filter's zero points and scales are columns, [outputs, 1], or scalars. Nothing changes if there is no such
/// product.
void rewriteConvOfBytes(ConvOp op, const ByteNumbers &input, mlir::Value zero, const ByteNumbers &filter,
                        mlir::RewriterBase &rewriter);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_BYTENUMBERS_H
