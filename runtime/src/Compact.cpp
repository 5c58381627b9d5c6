// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and prints elements; that a number's byte is searched for is fast enough for that.

#include "Compact.h"

#include <cmath>
#include <limits>

namespace weft::runtime {

namespace {

struct Format {
  unsigned bits;
  unsigned fractionBits;
  int bias;
  bool isSigned; ///< Of integers.
  enum Specials {
    Integer,
    None,           ///< Every code is a number.
    AllOnes,        ///< The greatest code is NaN.
    InfinityAndNaN, ///< As in IEEE 754.
    NegativeZero,   ///< The code of -0 is NaN.
    Powers          ///< Nothing but an exponent; the greatest code is NaN.
  } specials;
};

Format formatOf(WeftDType dtype) {
  switch (dtype) {
  case WEFT_DTYPE_I4:
    return {4, 0, 0, true, Format::Integer};
  case WEFT_DTYPE_U4:
    return {4, 0, 0, false, Format::Integer};
  case WEFT_DTYPE_I2:
    return {2, 0, 0, true, Format::Integer};
  case WEFT_DTYPE_U2:
    return {2, 0, 0, false, Format::Integer};
  case WEFT_DTYPE_F8E4M3FN:
    return {8, 3, 7, true, Format::AllOnes};
  case WEFT_DTYPE_F8E4M3FNUZ:
    return {8, 3, 8, true, Format::NegativeZero};
  case WEFT_DTYPE_F8E5M2:
    return {8, 2, 15, true, Format::InfinityAndNaN};
  case WEFT_DTYPE_F8E5M2FNUZ:
    return {8, 2, 16, true, Format::NegativeZero};
  case WEFT_DTYPE_F8E8M0FNU:
    return {8, 0, 127, false, Format::Powers};
  case WEFT_DTYPE_F4E2M1FN:
    return {4, 1, 1, true, Format::None};
  default:
    return {0, 0, 0, false, Format::Integer};
  }
}

float valueOf(const Format &format, unsigned code) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  if (format.specials == Format::Powers)
    return code == 0xFF ? nan : std::ldexp(1.0f, static_cast<int>(code) - format.bias);
  unsigned sign = 1u << (format.bits - 1), magnitude = code & (sign - 1);
  unsigned exponent = magnitude >> format.fractionBits, one = 1u << format.fractionBits;
  unsigned fraction = magnitude & (one - 1), greatest = (sign - 1) >> format.fractionBits;
  if (format.specials == Format::NegativeZero && code == sign)
    return nan;
  if (format.specials == Format::AllOnes && magnitude == sign - 1)
    return nan;
  float value;
  if (format.specials == Format::InfinityAndNaN && exponent == greatest)
    value = fraction ? nan : std::numeric_limits<float>::infinity();
  else // Subnormal numbers have no leading one, and the exponent of the least normal ones.
    value = std::ldexp(static_cast<float>(exponent ? fraction + one : fraction),
                       static_cast<int>(exponent ? exponent : 1) - format.bias -
                           static_cast<int>(format.fractionBits));
  return code & sign ? -value : value;
}

} // namespace

unsigned compactBits(WeftDType dtype) { return formatOf(dtype).bits; }

uint8_t extendCompact(WeftDType dtype, uint8_t bits) {
  Format format = formatOf(dtype);
  unsigned sign = 1u << (format.bits - 1), code = bits & (2 * sign - 1);
  bool isNegative = format.specials == Format::Integer && format.isSigned && (code & sign);
  return static_cast<uint8_t>(isNegative ? code - 2 * sign : code);
}

float compactValue(WeftDType dtype, uint8_t byte) {
  Format format = formatOf(dtype);
  if (format.specials != Format::Integer)
    return valueOf(format, byte & ((1u << format.bits) - 1));
  return format.isSigned ? static_cast<float>(static_cast<int8_t>(byte)) : static_cast<float>(byte);
}

std::optional<uint8_t> compactByte(WeftDType dtype, float value) {
  Format format = formatOf(dtype);
  bool isInteger = format.specials == Format::Integer;
  float most = 0;
  for (unsigned code = 0; code < 1u << format.bits; ++code)
    if (float candidate = valueOf(format, code); !isInteger && std::isfinite(candidate))
      most = std::fmax(most, candidate);
  float wanted = isInteger || std::isnan(value) ? value : std::fmax(std::fmin(value, most), -most);
  std::optional<uint8_t> best;
  float least = std::numeric_limits<float>::infinity();
  for (unsigned code = 0; code < 1u << format.bits; ++code) {
    uint8_t byte = extendCompact(dtype, static_cast<uint8_t>(code));
    float candidate = compactValue(dtype, byte);
    if (std::isnan(value) && std::isnan(candidate))
      return byte;
    if (!std::isfinite(candidate))
      continue;
    float distance = std::fabs(candidate - wanted);
    bool isSameSign = std::signbit(candidate) == std::signbit(value);
    if (distance < least || (distance == least && code % 2 == 0 && isSameSign)) {
      least = distance;
      best = byte;
    }
  }
  if (isInteger && least != 0)
    return std::nullopt;
  return best;
}

} // namespace weft::runtime
