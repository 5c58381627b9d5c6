// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors: memory, and elements converted to and from double and int64_t.
#include "dialects/Weft/Evaluate/Tensor.h"
#include "dialects/Weft/IR/Weft.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace weft;
using llvm::APFloat;

std::optional<ElementKind> weft::getElementKind(Type element) {
  if (element.isIndex())
    return ElementKind::I64;
  if (isCompact(element))
    return isa<FloatType>(element)       ? ElementKind::CompactFloat
           : element.isUnsignedInteger() ? ElementKind::UnsignedCompact
                                         : ElementKind::Compact;
  if (element.isF16())
    return ElementKind::F16;
  if (element.isBF16())
    return ElementKind::BF16;
  if (element.isF32())
    return ElementKind::F32;
  if (element.isF64())
    return ElementKind::F64;
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return ElementKind::Bool;
  case 8:
    return isUnsigned ? ElementKind::UI8 : ElementKind::I8;
  case 16:
    return isUnsigned ? ElementKind::UI16 : ElementKind::I16;
  case 32:
    return isUnsigned ? ElementKind::UI32 : ElementKind::I32;
  case 64:
    return isUnsigned ? ElementKind::UI64 : ElementKind::I64;
  default:
    return std::nullopt;
  }
}

static int64_t getWidth(ElementKind kind) {
  switch (kind) {
  case ElementKind::Bool:
  case ElementKind::Compact:
  case ElementKind::UnsignedCompact:
  case ElementKind::CompactFloat:
  case ElementKind::I8:
  case ElementKind::UI8:
    return 1;
  case ElementKind::I16:
  case ElementKind::UI16:
  case ElementKind::F16:
  case ElementKind::BF16:
    return 2;
  case ElementKind::I32:
  case ElementKind::UI32:
  case ElementKind::F32:
    return 4;
  case ElementKind::I64:
  case ElementKind::UI64:
  case ElementKind::F64:
    return 8;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Making tensors
//===----------------------------------------------------------------------===//

std::optional<int64_t> Tensor::countBytes(Type element, ArrayRef<int64_t> shape) {
  std::optional<ElementKind> kind = getElementKind(element);
  if (!kind)
    return std::nullopt;
  int64_t bytes = getWidth(*kind);
  for (int64_t dim : shape)
    if (dim < 0 || llvm::MulOverflow(bytes, std::max<int64_t>(dim, 1), bytes) || bytes > kMaxBytes)
      return std::nullopt;
  return llvm::is_contained(shape, 0) ? 0 : bytes;
}

Tensor Tensor::zeros(Type element, ArrayRef<int64_t> shape) {
  std::optional<int64_t> bytes = countBytes(element, shape);
  if (!bytes)
    return Tensor();
  Tensor result;
  result.element = element;
  result.shape = Shape(shape);
  result.kind = *getElementKind(element);
  result.width = getWidth(result.kind);
  result.numElements = *bytes / result.width;
  // Not a std::vector: this gives null where memory is short.
  result.bytes.reset(static_cast<char *>(std::calloc(std::max<int64_t>(*bytes, 1), 1)), std::free);
  return result.bytes ? result : Tensor();
}

Tensor Tensor::fromBytes(Type element, ArrayRef<int64_t> shape, ArrayRef<char> bytes) {
  if (countBytes(element, shape) != int64_t(bytes.size()))
    return Tensor();
  Tensor result = zeros(element, shape);
  if (result)
    llvm::copy(bytes, result.getMutableBytes().begin());
  return result;
}

Tensor Tensor::fromFloats(Type element, ArrayRef<int64_t> shape, ArrayRef<double> values) {
  Tensor result = zeros(element, shape);
  if (!result || result.getNumElements() != int64_t(values.size()))
    return Tensor();
  for (auto [place, value] : llvm::enumerate(values))
    result.setFloat(place, value);
  return result;
}

Tensor Tensor::fromIntegers(Type element, ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  Tensor result = zeros(element, shape);
  if (!result || result.getNumElements() != int64_t(values.size()))
    return Tensor();
  for (auto [place, value] : llvm::enumerate(values))
    result.setInteger(place, value);
  return result;
}

char *Tensor::getOwnBytes() {
  if (bytes.use_count() > 1) {
    ArrayRef<char> shared = getBytes();
    std::shared_ptr<char[]> own(new char[std::max<size_t>(shared.size(), 1)]);
    llvm::copy(shared, own.get());
    bytes = std::move(own);
  }
  return bytes.get();
}

Tensor Tensor::withShape(ArrayRef<int64_t> newShape) const {
  Tensor result = *this;
  result.shape = Shape(newShape);
  return result;
}

Tensor Tensor::broadcastTo(ArrayRef<int64_t> to) const {
  if (getShape() == to)
    return *this;
  Tensor result = zeros(element, to);
  if (!result)
    return result;
  Strides strides = getBroadcastStrides(shape, to);
  int64_t place = 0;
  forEachIndex(
      to, [&](ArrayRef<int64_t> index) { result.copyElement(place++, *this, getPlace(index, strides)); });
  return result;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

template <typename T> static T load(const char *bytes, int64_t place) {
  T value;
  std::memcpy(&value, bytes + place * sizeof(T), sizeof(T));
  return value;
}

template <typename T> static void store(char *bytes, int64_t place, T value) {
  std::memcpy(bytes + place * sizeof(T), &value, sizeof(T));
}

static const llvm::fltSemantics &getSemantics(ElementKind kind) {
  return kind == ElementKind::F16 ? APFloat::IEEEhalf() : APFloat::BFloat();
}

static double loadSmallFloat(const char *bytes, int64_t place, ElementKind kind) {
  return APFloat(getSemantics(kind), llvm::APInt(16, load<uint16_t>(bytes, place))).convertToDouble();
}

static void storeSmallFloat(char *bytes, int64_t place, ElementKind kind, APFloat value) {
  bool losesInfo;
  value.convert(getSemantics(kind), APFloat::rmNearestTiesToEven, &losesInfo);
  store(bytes, place, uint16_t(value.bitcastToAPInt().getZExtValue()));
}

/// Toward zero, saturating, NaN to 0: what a cast to T means.
template <typename T> static T saturate(double value) {
  if (std::isnan(value))
    return 0;
  // 2^63 - 1 is no double, so the greatest value is compared as one more than it.
  double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (value >= beyond)
    return std::numeric_limits<T>::max();
  if (value <= double(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

double Tensor::getCompactFloat(int64_t place) const {
  auto type = cast<FloatType>(element);
  auto code = load<uint8_t>(bytes.get(), place);
  if (isa<Float8E8M0FNUType>(element)) // whose NaN APFloat converts to infinity
    return code == 0xFF ? std::nan("") : std::ldexp(1.0, code - 127);
  llvm::APInt bits(type.getWidth(), code, /*isSigned=*/false, /*implicitTrunc=*/true);
  return APFloat(type.getFloatSemantics(), bits).convertToDouble();
}

void Tensor::setCompactFloat(int64_t place, double value) {
  if (isa<Float8E8M0FNUType>(element)) {
    float number = static_cast<float>(value);
    int exponent = number == 0 ? -127 : std::max(std::ilogb(number), -127);
    return store(getOwnBytes(), place, uint8_t(std::isfinite(number) ? exponent + 127 : 0xFF));
  }
  const llvm::fltSemantics &semantics = cast<FloatType>(element).getFloatSemantics();
  bool losesInfo, isNaN = std::isnan(value);
  APFloat rounded(value);
  rounded.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  if (!APFloat::semanticsHasNaN(semantics)) {
    APFloat largest = APFloat::getLargest(semantics, std::signbit(value));
    if (std::abs(value) > std::abs(largest.convertToDouble()))
      rounded = largest;
    if (isNaN)
      rounded = APFloat::getZero(semantics, /*Negative=*/true);
  }
  store(getOwnBytes(), place, uint8_t(rounded.bitcastToAPInt().getZExtValue()));
}

void Tensor::setCompact(int64_t place, int64_t value) {
  unsigned width = element.getIntOrFloatBitWidth();
  int64_t kept = kind == ElementKind::Compact ? llvm::SignExtend64(uint64_t(value), width)
                                              : value & ((int64_t(1) << width) - 1);
  store(getOwnBytes(), place, uint8_t(kept));
}

double Tensor::getFloat(int64_t place) const {
  switch (kind) {
  case ElementKind::CompactFloat:
    return getCompactFloat(place);
  case ElementKind::F16:
  case ElementKind::BF16:
    return loadSmallFloat(bytes.get(), place, kind);
  case ElementKind::F32:
    return load<float>(bytes.get(), place);
  case ElementKind::F64:
    return load<double>(bytes.get(), place);
  case ElementKind::UI64:
    return double(load<uint64_t>(bytes.get(), place));
  default:
    return double(getInteger(place));
  }
}

int64_t Tensor::getInteger(int64_t place) const {
  const char *data = bytes.get();
  switch (kind) {
  case ElementKind::Bool:
    return data[place] != 0;
  case ElementKind::Compact:
  case ElementKind::I8:
    return load<int8_t>(data, place);
  case ElementKind::I16:
    return load<int16_t>(data, place);
  case ElementKind::I32:
    return load<int32_t>(data, place);
  case ElementKind::UnsignedCompact:
  case ElementKind::UI8:
    return load<uint8_t>(data, place);
  case ElementKind::UI16:
    return load<uint16_t>(data, place);
  case ElementKind::UI32:
    return load<uint32_t>(data, place);
  case ElementKind::I64:
  case ElementKind::UI64:
    return load<int64_t>(data, place);
  default:
    return saturate<int64_t>(getFloat(place));
  }
}

void Tensor::setFloat(int64_t place, double value) {
  char *data = getOwnBytes();
  switch (kind) {
  case ElementKind::CompactFloat:
    return setCompactFloat(place, value);
  case ElementKind::Compact:
  case ElementKind::UnsignedCompact:
    return setCompact(place, saturate<int32_t>(value));
  case ElementKind::F16:
  case ElementKind::BF16:
    return storeSmallFloat(data, place, kind, APFloat(value));
  case ElementKind::F32:
    return store(data, place, static_cast<float>(value));
  case ElementKind::F64:
    return store(data, place, value);
  case ElementKind::Bool:
    return store<uint8_t>(data, place, value != 0);
  case ElementKind::I8:
    return store(data, place, saturate<int8_t>(value));
  case ElementKind::I16:
    return store(data, place, saturate<int16_t>(value));
  case ElementKind::I32:
    return store(data, place, saturate<int32_t>(value));
  case ElementKind::I64:
    return store(data, place, saturate<int64_t>(value));
  case ElementKind::UI8:
    return store(data, place, saturate<uint8_t>(value));
  case ElementKind::UI16:
    return store(data, place, saturate<uint16_t>(value));
  case ElementKind::UI32:
    return store(data, place, saturate<uint32_t>(value));
  case ElementKind::UI64:
    return store(data, place, saturate<uint64_t>(value));
  }
}

void Tensor::setInteger(int64_t place, int64_t value, bool isUnsigned) {
  char *data = getOwnBytes();
  switch (kind) {
  case ElementKind::Bool:
    return store<uint8_t>(data, place, value != 0);
  case ElementKind::Compact:
  case ElementKind::UnsignedCompact:
    return setCompact(place, value);
  case ElementKind::CompactFloat: // by way of an f32, as compiled code
    return setCompactFloat(place,
                           isUnsigned ? static_cast<float>(uint64_t(value)) : static_cast<float>(value));
  case ElementKind::I8:
  case ElementKind::UI8:
    return store(data, place, static_cast<uint8_t>(value));
  case ElementKind::I16:
  case ElementKind::UI16:
    return store(data, place, static_cast<uint16_t>(value));
  case ElementKind::I32:
  case ElementKind::UI32:
    return store(data, place, static_cast<uint32_t>(value));
  case ElementKind::I64:
  case ElementKind::UI64:
    return store(data, place, value);
  case ElementKind::F32:
    return store(data, place, isUnsigned ? static_cast<float>(uint64_t(value)) : static_cast<float>(value));
  case ElementKind::F64:
    return store(data, place, isUnsigned ? static_cast<double>(uint64_t(value)) : static_cast<double>(value));
  case ElementKind::F16:
  case ElementKind::BF16:
    // Straight from the integer: through a double it would be rounded twice.
    APFloat rounded(getSemantics(kind));
    llvm::APInt bits(64, uint64_t(value));
    rounded.convertFromAPInt(bits, /*IsSigned=*/!isUnsigned, APFloat::rmNearestTiesToEven);
    return storeSmallFloat(data, place, kind, rounded);
  }
}

void Tensor::copyElements(int64_t place, const Tensor &from, int64_t fromPlace, int64_t count) {
  std::memcpy(getOwnBytes() + place * width, from.bytes.get() + fromPlace * width, count * width);
}

std::vector<double> Tensor::toFloats() const {
  std::vector<double> values(numElements);
  for (int64_t place = 0; place < numElements; ++place)
    values[place] = getFloat(place);
  return values;
}
