// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model for a bug report: what it computes, and nothing of what it has learnt or is called.
#ifndef WEFT_FRONTEND_ONNX_ANONYMIZE_H
#define WEFT_FRONTEND_ONNX_ANONYMIZE_H

#include "frontend/Onnx/Diagnostics.h"
#include <optional>
#include <string>

namespace weft::onnx {

struct AnonymizeOptions {
  /// The name of a node, or of a value that one makes: keep what it is made of. Empty: all.
  std::string node;
  uint64_t seed = 1;
};

struct AnonymousModel {
  std::string model;   ///< A serialized ModelProto.
  std::string weights; ///< The file `weightsName` beside it, on which its large tensors lie; perhaps empty.
  size_t nodes = 0, tensors = 0, noisyTensors = 0;
};

/// Reads the model at `path`, which may have anything in it that Weft does not compile, and returns it
/// without names, texts and weights:
///
/// - Values, nodes, dims, functions of its own and the graph are numbered. Operators and attributes stay.
/// - A tensor becomes seeded noise of its type and shape, positive where it was. Those that say how stay: of
///   one element, of at most four different ones (masks, zeros), and of at most 1024 integers.
/// - Strings in tensors become empty.
///
/// Noise of one type lies in the file of weights once, as long as the largest tensor of it.
///
/// Returns nothing after an error.
std::optional<AnonymousModel> anonymizeModel(llvm::StringRef path, llvm::StringRef weightsName,
                                             const AnonymizeOptions &options, Diagnostics &diagnostics);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_ANONYMIZE_H
