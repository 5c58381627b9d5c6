// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the names in a model stand for while it is imported.
#ifndef WEFT_FRONTEND_ONNX_MODELVALUE_H
#define WEFT_FRONTEND_ONNX_MODELVALUE_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace weft::onnx {

/// A tensor, or a sequence of tensors, of which there are none in the IR. How long a sequence is is known,
/// unless a loop that a run counts has appended to it. Neither: it could not be imported.
struct ModelValue {
  ModelValue(std::nullptr_t = nullptr) {}
  ModelValue(mlir::Value tensor) : tensor(tensor) {}
  explicit ModelValue(llvm::SmallVector<mlir::Value> elements, mlir::Value tail = nullptr)
      : elements(std::move(elements)), tail(tail) {}

  mlir::Value tensor;
  std::optional<llvm::SmallVector<mlir::Value>> elements; ///< Of a sequence.
  /// Of a sequence: a tensor whose rows follow its elements; null if nothing does.
  mlir::Value tail;

  explicit operator bool() const { return tensor || elements; }
};

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_MODELVALUE_H
