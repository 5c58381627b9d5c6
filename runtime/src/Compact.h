// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of eight bits and less that nothing is computed in: integers of less than eight, and floats.
// https://onnx.ai/onnx/technical/float8.html, float4.html and int4.html say what their bits mean.

#ifndef WEFT_RUNTIME_COMPACT_H
#define WEFT_RUNTIME_COMPACT_H

#include "weft/abi.h"

#include <cstdint>
#include <optional>

namespace weft::runtime {

/// How many bits an element has in a file that packs them: 2, 4 or 8; 0 if the type is not compact.
unsigned compactBits(WeftDType dtype);
/// The byte that stands in memory for bits of a file: integers are extended.
uint8_t extendCompact(WeftDType dtype, uint8_t bits);
/// The number that a byte of memory stands for.
float compactValue(WeftDType dtype, uint8_t byte);
/// The byte of a number; floats round to the nearest, ties to even, and what is beyond the greatest becomes
/// that. Nothing for what an integer type does not have.
std::optional<uint8_t> compactByte(WeftDType dtype, float value);

} // namespace weft::runtime

#endif // WEFT_RUNTIME_COMPACT_H
