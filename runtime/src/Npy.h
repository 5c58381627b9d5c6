// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's .npy format, versions 1 to 3.

#ifndef WEFT_RUNTIME_NPY_H
#define WEFT_RUNTIME_NPY_H

#include "FileIO.h"
#include "TensorRef.h"

#include <string_view>

namespace weft::runtime {

inline constexpr std::string_view npyMagic = "\x93NUMPY";

/// Raises an Error that starts with `what`.
TensorRef decodeNpy(std::string_view bytes, const std::string &what);

/// Everything in front of the elements.
std::string npyHeader(const WeftTensor *tensor);
std::string_view tensorBytes(WeftTensor *tensor);
void writeNpy(OutputFile &file, WeftTensor *tensor);

} // namespace weft::runtime

#endif // WEFT_RUNTIME_NPY_H
