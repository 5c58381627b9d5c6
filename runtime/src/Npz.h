// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's .npz format: a ZIP archive of .npy files, stored without compression.

#ifndef WEFT_RUNTIME_NPZ_H
#define WEFT_RUNTIME_NPZ_H

#include "FileIO.h"
#include "TensorRef.h"

#include <string_view>
#include <vector>

namespace weft::runtime {

/// Raises an Error that starts with `what`.
std::vector<NamedTensor> decodeNpz(std::string_view bytes, const std::string &what);

void writeNpz(OutputFile &file, const std::vector<NamedTensor> &tensors);

} // namespace weft::runtime

#endif // WEFT_RUNTIME_NPZ_H
