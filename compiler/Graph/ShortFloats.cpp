// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is lost if a float is stored as f16 or bf16: whether it is nothing.
#include "compiler/Graph/ShortFloats.h"

using namespace mlir;
using namespace weft;

std::optional<uint16_t> graph::exactF16(float value) {
  constexpr int32_t kBias = 127, kShortBias = 15, kLeastNormal = -14, kLeast = -24, kMost = 15;
  constexpr uint32_t kFractionBits = 23, kLost = 13, kInfinity = 0x7F80'0000;
  uint32_t bits = llvm::bit_cast<uint32_t>(value), magnitude = bits & 0x7FFF'FFFF;
  uint32_t sign = bits >> 16 & 0x8000;
  auto exactly = [&](uint32_t number, uint32_t lost) -> std::optional<uint16_t> {
    bool isExact = (number & ((1U << lost) - 1)) == 0;
    return isExact ? std::optional(uint16_t(sign | number >> lost)) : std::nullopt;
  };
  int32_t exponent = int32_t(magnitude >> kFractionBits) - kBias;
  if (exponent >= kLeastNormal && exponent <= kMost)
    return exactly(magnitude - (uint32_t(kBias - kShortBias) << kFractionBits), kLost);
  if (exponent >= kLeast && exponent < kLeastNormal) // where the leading bit is stored, too
    return exactly((magnitude & 0x7F'FFFF) | 0x80'0000, kLost + uint32_t(kLeastNormal - exponent));
  if (magnitude == 0 || magnitude == kInfinity)
    return uint16_t(sign | (magnitude == 0 ? 0 : 0x7C00));
  return std::nullopt;
}

/// Whether 16 bits of a float are all that it has: those of a bf16.
static bool isExactBF16(float value) { return (llvm::bit_cast<uint32_t>(value) & 0xFFFF) == 0; }

Type graph::findShortFloat(const MatrixWeight &weight, const char *source) {
  bool areF16 = true, areBF16 = true;
  int64_t count = cast<ShapedType>(weight.getConstant().getType()).getNumElements();
  for (int64_t i = 0; i < count && (areF16 || areBF16); ++i) {
    float value = readFloat(source + i * int64_t(sizeof(float)));
    areF16 = areF16 && exactF16(value);
    areBF16 = areBF16 && isExactBF16(value);
  }
  MLIRContext *context = weight.getConstant().getContext();
  if (areBF16) // one instruction less to read than f16
    return BFloat16Type::get(context);
  return areF16 ? Type(Float16Type::get(context)) : Type();
}
