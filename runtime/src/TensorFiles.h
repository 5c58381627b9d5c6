// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors in files: .npy and .npz as NumPy writes them, and ONNX TensorProto (.pb).

#ifndef WEFT_RUNTIME_TENSORFILES_H
#define WEFT_RUNTIME_TENSORFILES_H

#include "TensorRef.h"

#include <string>
#include <vector>

namespace weft::runtime {

/// Loads every tensor of a file. The format is told from the content; only .pb from the extension. A tensor
/// of a .npy has no name, one of a .pb has its own. bfloat16 is stored as NumPy's `V2`.
WEFT_MUST_USE WeftStatus loadTensors(const std::string &path, std::vector<NamedTensor> &outTensors);

/// Writes a .npz, or a .npy or .pb if there is exactly one tensor. A failure leaves the old file, or none.
WEFT_MUST_USE WeftStatus saveTensors(const std::string &path, const std::vector<NamedTensor> &tensors);

/// Whether saveTensors can write to such a path: .npz, .npy or .pb if there is one tensor, or
/// something under /dev, which receives a .npz.
WEFT_MUST_USE WeftStatus checkSavePath(const std::string &path, size_t tensorCount);

} // namespace weft::runtime

#endif // WEFT_RUNTIME_TENSORFILES_H
