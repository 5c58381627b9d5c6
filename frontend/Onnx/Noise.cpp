// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which tensors become noise, and what it is like.
#include "frontend/Onnx/Noise.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include <cstring>

using namespace weft::onnx;
using llvm::StringRef;

/// Tensors of more bytes lie in the file beside the model.
static constexpr uint64_t kInlineBytes = 1024;
/// How far apart tensors begin that share noise: equal ones would become one constant.
static constexpr uint64_t kStep = 64;

static unsigned bytesOf(ElementType type) { return std::max(1U, elementBits(type) / 8); }

static bool isWideInteger(ElementType type) {
  return llvm::is_contained({ElementType::Int16, ElementType::UInt16, ElementType::Int32, ElementType::UInt32,
                             ElementType::Int64, ElementType::UInt64},
                            type);
}

static bool isFloat(ElementType type) {
  return llvm::is_contained({ElementType::Float16, ElementType::BFloat16, ElementType::Float32,
                             ElementType::Float64, ElementType::Float8E4M3FN, ElementType::Float8E4M3FNUZ,
                             ElementType::Float8E5M2, ElementType::Float8E5M2FNUZ},
                            type);
}

/// Whether a tensor says how, and not what was learnt.
static bool saysHow(const Tensor &tensor) {
  constexpr size_t kDifferent = 4;
  constexpr int64_t kIntegers = 1024;
  bool isShort = isWideInteger(tensor.elementType) && tensor.elementCount() <= kIntegers;
  if (isShort || tensor.bytes().empty() || tensor.elementCount() <= 1 ||
      tensor.elementType == ElementType::Bool)
    return true;
  llvm::SmallVector<StringRef, kDifferent> different;
  StringRef bytes = tensor.bytes();
  for (size_t size = bytesOf(tensor.elementType); !bytes.empty(); bytes = bytes.drop_front(size)) {
    StringRef element = bytes.take_front(size);
    if (llvm::is_contained(different, element))
      continue;
    if (different.size() == kDifferent)
      return false;
    different.push_back(element);
  }
  return true;
}

/// Whether no element has a sign.
static bool isPositive(const Tensor &tensor) {
  unsigned size = bytesOf(tensor.elementType);
  StringRef bytes = tensor.bytes();
  for (size_t last = size - 1; isFloat(tensor.elementType) && last < bytes.size(); last += size)
    if (uint8_t(bytes[last]) & 0x80)
      return false;
  return isFloat(tensor.elementType);
}

/// One element of a type in its low bits, from 64 random ones. Floats are below 2, so that no layer
/// overflows.
static uint64_t makeElement(ElementType type, uint64_t bits) {
  auto as = [&](const llvm::fltSemantics &semantics) {
    bool losesInfo;
    llvm::APFloat number(double(int64_t(bits)) * 0x1p-66);
    number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return number.bitcastToAPInt().getZExtValue();
  };
  switch (type) {
  case ElementType::Float32:
    return as(llvm::APFloat::IEEEsingle());
  case ElementType::Float64:
    return as(llvm::APFloat::IEEEdouble());
  case ElementType::Float16:
    return as(llvm::APFloat::IEEEhalf());
  case ElementType::BFloat16:
    return as(llvm::APFloat::BFloat());
  case ElementType::Float8E4M3FN:
  case ElementType::Float8E4M3FNUZ:
  case ElementType::Float8E5M2:
  case ElementType::Float8E5M2FNUZ:
    return bits & 0xBF; // without the highest bit of the exponent
  case ElementType::Float8E8M0:
    return 0x7C + (bits & 3);
  default:
    return bits; // whole bytes of numbers of a byte and less
  }
}

/// A block of noise, again and again.
std::string Noise::make(Kind kind, uint64_t bytes) {
  constexpr uint64_t kBlock = 65521; // elements; a prime, so that rows of a matrix differ
  auto [type, positive] = kind;
  unsigned size = bytesOf(type);
  std::string block;
  for (uint64_t i = 0; i < std::min(kBlock, bytes / size); ++i) {
    uint64_t element =
        llvm::support::endian::byte_swap(makeElement(type, random()), llvm::endianness::little);
    block.append(reinterpret_cast<const char *>(&element), size);
    if (positive)
      block.back() &= 0x7F;
  }
  std::string result;
  while (result.size() < bytes)
    result.append(block, 0, bytes - result.size());
  return result;
}

/// Of the range that the integers have, since they may be indices.
std::string Noise::makeIntegers(const Tensor &tensor) {
  unsigned size = bytesOf(tensor.elementType);
  bool isSigned =
      llvm::is_contained({ElementType::Int16, ElementType::Int32, ElementType::Int64}, tensor.elementType);
  StringRef bytes = tensor.bytes();
  auto at = [&](size_t place) {
    uint64_t number = 0;
    std::memcpy(&number, bytes.data() + place, size);
    unsigned unused = 64 - 8 * size;
    return isSigned ? int64_t(number << unused) >> unused : int64_t(number);
  };
  int64_t least = at(0), greatest = least;
  for (size_t place = 0; place < bytes.size(); place += size) {
    least = std::min(least, at(place));
    greatest = std::max(greatest, at(place));
  }
  std::uniform_int_distribution<int64_t> number(least, greatest);
  std::string result;
  for (size_t place = 0; place < bytes.size(); place += size) {
    int64_t element = number(random);
    result.append(reinterpret_cast<const char *>(&element), size);
  }
  return result;
}

void Noise::fill(::onnx::TensorProto &proto, const Tensor &tensor) {
  StringRef bytes = tensor.bytes();
  if (saysHow(tensor)) {
    proto.set_raw_data(bytes.data(), bytes.size());
    return;
  }
  ++noisy;
  if (isWideInteger(tensor.elementType)) {
    proto.set_raw_data(makeIntegers(tensor));
    return;
  }
  Kind kind(tensor.elementType, isPositive(tensor));
  if (bytes.size() <= kInlineBytes)
    proto.set_raw_data(make(kind, bytes.size()));
  else
    large[kind].push_back({&proto, bytes.size()});
}

std::string Noise::writeWeights() {
  std::string weights;
  for (const auto &[kind, tensors] : large) {
    constexpr size_t kAlignment = 4096;
    weights.resize(llvm::alignTo(weights.size(), kAlignment));
    uint64_t offset = weights.size(), end = offset;
    for (const Large &tensor : tensors) {
      end = std::max(end, offset + tensor.bytes);
      tensor.proto->set_data_location(::onnx::TensorProto::EXTERNAL);
      for (auto [key, value] : {std::pair<const char *, std::string>("location", weightsName),
                                {"offset", std::to_string(offset)},
                                {"length", std::to_string(tensor.bytes)}}) {
        auto *entry = tensor.proto->add_external_data();
        entry->set_key(key);
        entry->set_value(value);
      }
      offset += kStep;
    }
    weights += make(kind, end - weights.size());
  }
  return weights;
}
