// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single elements of a tensor, as numbers and as text.

#ifndef WEFT_RUNTIME_ELEMENTS_H
#define WEFT_RUNTIME_ELEMENTS_H

#include "weft/runtime.h"

#include <string>
#include <string_view>

namespace weft::runtime {

/// The element as a double; exact but for 64-bit integers.
double elementValue(WeftTensor *tensor, int64_t index);
/// The shortest text that reads back as the same element.
std::string elementText(WeftTensor *tensor, int64_t index);
/// Sets an element; false if `text` is no such number or does not fit.
bool parseElement(WeftTensor *tensor, int64_t index, std::string_view text);

/// Fills a tensor from `seed`: floats are uniform in [-1, 1), everything else is 0 or 1, which is in range
/// wherever a model uses it as an index.
void fillRandom(WeftTensor *tensor, uint64_t seed);

/// The first elements, separated by spaces; "..." follows if there are more.
std::string previewText(WeftTensor *tensor, int64_t most);

} // namespace weft::runtime

#endif // WEFT_RUNTIME_ELEMENTS_H
