// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor's value: an element type, a shape, and contiguous row-major bytes.
#ifndef WEFT_DIALECTS_WEFT_EVALUATE_TENSOR_H
#define WEFT_DIALECTS_WEFT_EVALUATE_TENSOR_H

#include "dialects/Weft/Evaluate/IndexAlgebra.h"
#include "mlir/IR/BuiltinTypes.h"
#include <memory>
#include <vector>

namespace weft {

/// How an element is stored. A bool takes one byte; an `index` is stored as an i64; of less than eight bits,
/// integers are extended to a byte, and floats are the lowest of one.
enum class ElementKind : uint8_t {
  Bool,
  Compact, // integers
  I8,
  I16,
  I32,
  I64,
  UnsignedCompact,
  UI8,
  UI16,
  UI32,
  UI64,
  CompactFloat,
  F16,
  BF16,
  F32,
  F64
};
/// The kind of an element type, or nothing if tensors of it have no value here.
std::optional<ElementKind> getElementKind(mlir::Type element);

/// A value: copies share their bytes until one of them is written. The null tensor has no type and no
/// elements.
class Tensor {
public:
  Tensor() = default;

  /// The most bytes a tensor may have. Larger ones are errors, never attempts to allocate.
  static constexpr int64_t kMaxBytes = int64_t(1) << 34;
  /// The bytes of a tensor; nothing if a dim is negative, or the count overflows or is above the limit. Empty
  /// dims count as 1, as in NumPy, so that strides never overflow.
  static std::optional<int64_t> countBytes(mlir::Type element, llvm::ArrayRef<int64_t> shape);

  /// Null if `countBytes` gives nothing, or memory is short.
  static Tensor zeros(mlir::Type element, llvm::ArrayRef<int64_t> shape);
  /// Copies the bytes: little-endian, one per bool. Null if there are more or fewer than the type and shape
  /// take.
  static Tensor fromBytes(mlir::Type element, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<char> bytes);
  /// Elements converted as `setFloat` and `setInteger` do. Null if their number does not fit the shape.
  static Tensor fromFloats(mlir::Type element, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<double> values);
  static Tensor fromIntegers(mlir::Type element, llvm::ArrayRef<int64_t> shape,
                             llvm::ArrayRef<int64_t> values);

  explicit operator bool() const { return static_cast<bool>(bytes); }
  mlir::Type getElementType() const { return element; }
  mlir::RankedTensorType getType() const { return mlir::RankedTensorType::get(shape, element); }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return shape.size(); }
  int64_t getNumElements() const { return numElements; }
  bool isFloat() const { return kind >= ElementKind::CompactFloat; }
  bool isUnsigned() const { return kind >= ElementKind::UnsignedCompact && kind <= ElementKind::UI64; }

  /// An element of any type, by its place. What is read from an i64 or ui64 may be rounded.
  double getFloat(int64_t place) const;
  /// What weft.cast says of floats.
  void setFloat(int64_t place, double value);
  /// A ui64's bits; of a float the value toward zero, saturating.
  int64_t getInteger(int64_t place) const;
  /// What weft.cast says of integers; `isUnsigned` says how to read the bits.
  void setInteger(int64_t place, int64_t value, bool isUnsigned = false);
  /// Copies an element as it is from a tensor of the same element type.
  void copyElement(int64_t place, const Tensor &from, int64_t fromPlace) {
    copyElements(place, from, fromPlace, /*count=*/1);
  }
  /// Copies elements that lie side by side.
  void copyElements(int64_t place, const Tensor &from, int64_t fromPlace, int64_t count);
  std::vector<double> toFloats() const;

  llvm::ArrayRef<char> getBytes() const { return {bytes.get(), size_t(numElements * width)}; }
  llvm::MutableArrayRef<char> getMutableBytes() { return {getOwnBytes(), size_t(numElements * width)}; }

  /// The same elements in another shape, which has as many.
  Tensor withShape(llvm::ArrayRef<int64_t> shape) const;
  /// Repeats elements along dims of size 1 and along new leading dims, as `broadcastsTo` allows. Null if
  /// memory is short.
  Tensor broadcastTo(llvm::ArrayRef<int64_t> shape) const;

private:
  double getCompactFloat(int64_t place) const;
  void setCompactFloat(int64_t place, double value);
  void setCompact(int64_t place, int64_t value);
  /// The bytes, no longer shared.
  char *getOwnBytes();

  mlir::Type element;
  Shape shape;
  std::shared_ptr<char[]> bytes;
  int64_t numElements = 0;
  int64_t width = 0; ///< Bytes of an element.
  ElementKind kind = ElementKind::Bool;
};

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_EVALUATE_TENSOR_H
