// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two 16-bit float types, converted in software. From float, both round to nearest, ties to even.

#ifndef WEFT_RUNTIME_FLOAT16_H
#define WEFT_RUNTIME_FLOAT16_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace weft::runtime {

inline uint32_t bitsOfFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float floatOfBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

inline float floatOfBf16(uint16_t half) { return floatOfBits(uint32_t(half) << 16); }

inline uint16_t bf16OfFloat(float value) {
  uint32_t bits = bitsOfFloat(value);
  if (std::isnan(value))
    return static_cast<uint16_t>(bits >> 16 | 0x40); // Quiet; rounding could make it an infinity.
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

inline float floatOfF16(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16;
  uint32_t exponent = half >> 10 & 0x1F, fraction = half & 0x3FF;
  if (exponent == 0x1F)
    return floatOfBits(sign | 0x7F800000 | fraction << 13);
  if (exponent == 0) {
    float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign ? -magnitude : magnitude;
  }
  return floatOfBits(sign | (exponent + 112) << 23 | fraction << 13);
}

inline uint16_t f16OfFloat(float value) {
  uint16_t sign = static_cast<uint16_t>(bitsOfFloat(value) >> 16 & 0x8000);
  float magnitude = std::fabs(value);
  if (std::isnan(value))
    return sign | 0x7E00;
  if (magnitude >= 65520.0f) // Halfway between the largest f16 and the next power of two.
    return sign | 0x7C00;
  if (magnitude < 0x1p-14f) // Subnormal: a multiple of 2^-24; nearbyint rounds ties to even.
    return sign | static_cast<uint16_t>(std::nearbyint(std::ldexp(magnitude, 24)));
  uint32_t bits = bitsOfFloat(magnitude);
  bits += 0xFFF + (bits >> 13 & 1);
  return sign | static_cast<uint16_t>((bits >> 13) - (112u << 10));
}

} // namespace weft::runtime

#endif // WEFT_RUNTIME_FLOAT16_H
