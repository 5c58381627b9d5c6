// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows that move over the spatial dims of [N, C, places...]: what convolutions and pools share.
#ifndef WEFT_FRONTEND_ONNX_OPS_WINDOW_H
#define WEFT_FRONTEND_ONNX_OPS_WINDOW_H

#include "frontend/Onnx/NodeImport.h"

namespace weft::onnx {

/// A window, an entry per spatial dim.
struct Window {
  llvm::SmallVector<int64_t> kernel; ///< -1 where it is not known
  llvm::SmallVector<int64_t> strides, dilations;

  size_t spatial() const { return kernel.size(); }
  /// How many places it spans.
  int64_t reach(size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
};

/// What is added to each spatial dim: all begins, then all ends. As numbers, or an i64 list that is computed.
struct WindowPads {
  OptionalInts numbers;
  mlir::Value computed;
};

/// The window that the attributes "strides" and "dilations" give to a kernel. Nothing after an error.
std::optional<Window> windowOf(NodeImport &node, llvm::ArrayRef<int64_t> kernel);
/// The attribute "auto_pad": NOTSET, VALID, SAME_UPPER or SAME_LOWER. Nothing after an error.
std::optional<llvm::StringRef> autoPadOf(NodeImport &node);
/// What the attributes "auto_pad" and "pads" say. Nothing after an error.
std::optional<WindowPads> padsOf(NodeImport &node, const Window &window);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_OPS_WINDOW_H
