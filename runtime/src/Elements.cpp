// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading, writing and printing elements of every type.

#include "Elements.h"
#include "Compact.h"
#include "Float16.h"
#include "Tensor.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

namespace weft::runtime {

namespace {

struct F16 {
  uint16_t bits;
};
struct Bf16 {
  uint16_t bits;
};
template <WeftDType dtype> struct Compact {
  uint8_t byte;
};

float widen(F16 half) { return floatOfF16(half.bits); }
float widen(Bf16 half) { return floatOfBf16(half.bits); }
template <WeftDType dtype> float widen(Compact<dtype> element) { return compactValue(dtype, element.byte); }
template <typename Number> Number widen(Number number) { return number; }

/// Calls `body` with a pointer to the element, of the type that belongs to the tensor's.
template <typename Body> auto withElement(WeftTensor *tensor, int64_t index, Body body) {
  void *data = weft_tensor_data(tensor);
  auto at = [&](auto type) { return static_cast<decltype(type) *>(data) + index; };
  switch (weft_tensor_dtype(tensor)) {
  case WEFT_DTYPE_BOOL:
    return body(at(bool()));
  case WEFT_DTYPE_I8:
    return body(at(int8_t()));
  case WEFT_DTYPE_I16:
    return body(at(int16_t()));
  case WEFT_DTYPE_I32:
    return body(at(int32_t()));
  case WEFT_DTYPE_I64:
    return body(at(int64_t()));
  case WEFT_DTYPE_U8:
    return body(at(uint8_t()));
  case WEFT_DTYPE_U16:
    return body(at(uint16_t()));
  case WEFT_DTYPE_U32:
    return body(at(uint32_t()));
  case WEFT_DTYPE_U64:
    return body(at(uint64_t()));
  case WEFT_DTYPE_F16:
    return body(at(F16()));
  case WEFT_DTYPE_BF16:
    return body(at(Bf16()));
  case WEFT_DTYPE_F32:
    return body(at(float()));
  case WEFT_DTYPE_I4:
    return body(at(Compact<WEFT_DTYPE_I4>()));
  case WEFT_DTYPE_U4:
    return body(at(Compact<WEFT_DTYPE_U4>()));
  case WEFT_DTYPE_I2:
    return body(at(Compact<WEFT_DTYPE_I2>()));
  case WEFT_DTYPE_U2:
    return body(at(Compact<WEFT_DTYPE_U2>()));
  case WEFT_DTYPE_F8E4M3FN:
    return body(at(Compact<WEFT_DTYPE_F8E4M3FN>()));
  case WEFT_DTYPE_F8E4M3FNUZ:
    return body(at(Compact<WEFT_DTYPE_F8E4M3FNUZ>()));
  case WEFT_DTYPE_F8E5M2:
    return body(at(Compact<WEFT_DTYPE_F8E5M2>()));
  case WEFT_DTYPE_F8E5M2FNUZ:
    return body(at(Compact<WEFT_DTYPE_F8E5M2FNUZ>()));
  case WEFT_DTYPE_F8E8M0FNU:
    return body(at(Compact<WEFT_DTYPE_F8E8M0FNU>()));
  case WEFT_DTYPE_F4E2M1FN:
    return body(at(Compact<WEFT_DTYPE_F4E2M1FN>()));
  case WEFT_DTYPE_F64:
    break;
  }
  return body(at(double()));
}

template <typename Number> std::string numberText(Number number) {
  char text[64];
  auto [end, error] = std::to_chars(text, text + sizeof(text), number);
  return std::string(text, error == std::errc() ? end : text);
}
std::string numberText(bool flag) { return flag ? "true" : "false"; }

template <typename Number> bool parseNumber(std::string_view text, Number &number) {
  if (!text.empty() && text[0] == '+')
    text.remove_prefix(1);
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}
bool parseNumber(std::string_view text, bool &flag) {
  flag = text == "true" || text == "1";
  return flag || text == "false" || text == "0";
}
bool parseNumber(std::string_view text, F16 &half) {
  float value;
  bool parsed = parseNumber(text, value);
  half.bits = parsed ? f16OfFloat(value) : 0;
  return parsed;
}
bool parseNumber(std::string_view text, Bf16 &half) {
  float value;
  bool parsed = parseNumber(text, value);
  half.bits = parsed ? bf16OfFloat(value) : 0;
  return parsed;
}

template <WeftDType dtype> bool parseNumber(std::string_view text, Compact<dtype> &element) {
  float value;
  std::optional<uint8_t> byte = parseNumber(text, value) ? compactByte(dtype, value) : std::nullopt;
  element.byte = byte.value_or(0);
  return byte.has_value();
}

/// SplitMix64 (Steele, Lea and Flood, 2014): every seed gives a good sequence.
class RandomBits {
public:
  explicit RandomBits(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t bits = state += 0x9E3779B97F4A7C15u;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
    return bits ^ bits >> 31;
  }

private:
  uint64_t state;
};

template <typename Number> void setRandom(Number &number, RandomBits &random) {
  if constexpr (std::is_floating_point_v<Number>)
    number = static_cast<Number>(static_cast<double>(random.next() >> 40) * 0x1p-23 - 1.0);
  else
    number = static_cast<Number>(random.next() >> 63);
}
void setRandom(F16 &half, RandomBits &random) {
  half.bits = f16OfFloat(static_cast<float>(static_cast<double>(random.next() >> 53) * 0x1p-10 - 1.0));
}
void setRandom(Bf16 &half, RandomBits &random) {
  half.bits = bf16OfFloat(static_cast<float>(static_cast<double>(random.next() >> 56) * 0x1p-7 - 1.0));
}
/// Steps that every type has: of four bits halves, of eight eighths; powers of two have no other numbers.
template <WeftDType dtype> void setRandom(Compact<dtype> &element, RandomBits &random) {
  uint64_t bits = random.next();
  float value = static_cast<float>(bits >> 63);
  if (dtype == WEFT_DTYPE_F8E8M0FNU)
    value = std::ldexp(0.5f, -static_cast<int>(bits >> 61));
  else if (isFloat(dtype))
    value = dtype == WEFT_DTYPE_F4E2M1FN ? static_cast<float>(bits >> 62) * 0.5f - 1.0f
                                         : static_cast<float>(bits >> 60) * 0.125f - 1.0f;
  element.byte = compactByte(dtype, value).value_or(0);
}

} // namespace

double elementValue(WeftTensor *tensor, int64_t index) {
  return withElement(tensor, index, [](auto *element) { return static_cast<double>(widen(*element)); });
}

std::string elementText(WeftTensor *tensor, int64_t index) {
  return withElement(tensor, index, [](auto *element) { return numberText(widen(*element)); });
}

bool parseElement(WeftTensor *tensor, int64_t index, std::string_view text) {
  return withElement(tensor, index, [&](auto *element) { return parseNumber(text, *element); });
}

void fillRandom(WeftTensor *tensor, uint64_t seed) {
  RandomBits random(seed);
  withElement(tensor, 0, [&](auto *elements) {
    for (int64_t i = 0; i < elementCount(tensor); ++i)
      setRandom(elements[i], random);
  });
}

std::string previewText(WeftTensor *tensor, int64_t most) {
  int64_t count = elementCount(tensor);
  std::string text;
  for (int64_t i = 0; i < std::min(count, most); ++i)
    text += (i ? " " : "") + elementText(tensor, i);
  return count > most ? text + " ..." : text;
}

} // namespace weft::runtime
