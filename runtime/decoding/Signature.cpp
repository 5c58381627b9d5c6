// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types as the runtime writes them: dims and a dtype, with " x " between them.

#include "Signature.h"

#include <charconv>

namespace weft::decoding {

std::vector<std::string> splitDims(const std::string &type) {
  std::vector<std::string> dims;
  size_t start = 0;
  for (size_t end; (end = type.find(" x ", start)) != std::string::npos; start = end + 3)
    dims.push_back(type.substr(start, end - start));
  return dims; // What is left is the dtype.
}

std::optional<int64_t> fixedDim(const std::string &dim) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(dim.data(), dim.data() + dim.size(), number);
  if (error != std::errc() || end != dim.data() + dim.size())
    return std::nullopt;
  return number;
}

} // namespace weft::decoding
