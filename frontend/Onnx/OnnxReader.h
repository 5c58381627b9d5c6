// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes to a checked graph: the first step of importing an ONNX model.
#ifndef WEFT_FRONTEND_ONNX_ONNXREADER_H
#define WEFT_FRONTEND_ONNX_ONNXREADER_H

#include "frontend/Onnx/Diagnostics.h"
#include "frontend/Onnx/OnnxModel.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <optional>

namespace weft::onnx {

/// How much a file may make the reader do. The defaults are far above what exporters produce.
struct ReaderLimits {
  uint64_t messageBytes = 512u << 20; ///< Of the model without raw data; at most 1 GiB.
  uint64_t fields = 16u << 20; ///< A message counts as four; a field is some tens of bytes on the heap.
  unsigned nesting = 100;      ///< Of protobuf messages; a level of subgraphs takes three.
  unsigned functions = 10000;
  unsigned callDepth = 100;          ///< Of functions that call functions.
  uint64_t expandedNodes = 1u << 20; ///< Of the graph, when every call is replaced by the function's nodes.
};

/// Reads the model at `path` and checks all that can be known before shape inference: the format, imports,
/// tensors, external data, names, order, attributes, functions and the arity of subgraphs. Tensors stay in
/// the mapped file. Returns nothing if there was any error; then `diagnostics` has at least one. What a node
/// means (its inputs, attributes and their ranges) is for the importer, which knows the operators.
std::optional<Model> readOnnxModel(llvm::StringRef path, Diagnostics &diagnostics,
                                   const ReaderLimits &limits = {});

/// Reads a model from memory. The result refers to `bytes`, which must outlive it. A model in memory has no
/// directory, so external data are an error.
std::optional<Model> readOnnxModel(llvm::MemoryBufferRef bytes, Diagnostics &diagnostics,
                                   const ReaderLimits &limits = {});

/// What the bytes look like, if they look like something that people take for an ONNX model: "; this is a zip
/// archive". Otherwise "".
std::string describeForeignFormat(llvm::StringRef bytes);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_ONNXREADER_H
