// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What decides the course of control flow and the lengths of sequences, which have to be known at import.
#ifndef WEFT_FRONTEND_ONNX_OPS_KNOWNCOURSE_H
#define WEFT_FRONTEND_ONNX_OPS_KNOWNCOURSE_H

#include "frontend/Onnx/NodeImport.h"

namespace weft::onnx {

/// Reports that only a run knows `what`, which is this value, and what makes it known.
std::nullptr_t errorUnknown(NodeImport &node, llvm::StringRef what, mlir::Value value);
/// The only element of a value: a condition, a number of iterations. Reports an error if it is not known.
std::optional<int64_t> requireKnown(NodeImport &node, const ModelValue &value, llvm::StringRef what);
/// The same of an input; `otherwise` if it is left out.
std::optional<int64_t> requireKnown(NodeImport &node, size_t index, llvm::StringRef what, int64_t otherwise);
/// The size of a dim of a value of known rank; reports an error if it is not known. `what` is done with it:
/// "to scan".
std::optional<int64_t> requireSize(NodeImport &node, mlir::Value value, int64_t dim, llvm::StringRef what);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_OPS_KNOWNCOURSE_H
