// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the names in a model stand for while it is imported.
#ifndef WEFT_FRONTEND_ONNX_MODELVALUE_H
#define WEFT_FRONTEND_ONNX_MODELVALUE_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace weft::onnx {

/// A tensor, or a sequence of tensors. How long a sequence is is always known, so there are none in the IR.
/// Neither: it could not be imported.
struct ModelValue {
  ModelValue(std::nullptr_t = nullptr) {}
  ModelValue(mlir::Value tensor) : tensor(tensor) {}
  explicit ModelValue(llvm::SmallVector<mlir::Value> elements) : elements(std::move(elements)) {}

  mlir::Value tensor;
  std::optional<llvm::SmallVector<mlir::Value>> elements; ///< Of a sequence.

  explicit operator bool() const { return tensor || elements; }
};

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_MODELVALUE_H
