// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the types of a model's inputs and outputs say.

#ifndef WEFT_RUNTIME_DECODING_SIGNATURE_H
#define WEFT_RUNTIME_DECODING_SIGNATURE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::decoding {

/// The dims of a type such as "batch x 4 x past+seq x 12 x f32", as they are written.
std::vector<std::string> splitDims(const std::string &type);

/// A dim that is a number.
std::optional<int64_t> fixedDim(const std::string &dim);

} // namespace weft::decoding

#endif // WEFT_RUNTIME_DECODING_SIGNATURE_H
