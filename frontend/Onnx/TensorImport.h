// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of the model as constants of the IR.
#ifndef WEFT_FRONTEND_ONNX_TENSORIMPORT_H
#define WEFT_FRONTEND_ONNX_TENSORIMPORT_H

#include "frontend/Builder/GraphBuilder.h"
#include "frontend/Onnx/OnnxModel.h"

namespace weft::onnx {

/// The type of an element, or null if Weft does not compute with it.
mlir::Type getElementType(mlir::MLIRContext *context, ElementType type);

/// Makes constants. What is short or a splat is inline; other data stays in its file, and the constant is a
/// handle whose file name is relative to the model's folder, which becomes the base directory of the
/// dialect's weights.
class TensorImport {
public:
  TensorImport(mlir::MLIRContext *context, const Model &model);

  /// A constant of this shape, which has as many elements as the tensor, at the builder's location. Null
  /// after an error, which MLIR's diagnostics have.
  mlir::Value add(GraphBuilder &graph, const Tensor &tensor, llvm::ArrayRef<int64_t> shape) const;

private:
  std::string nameFor(const MappedFile &file) const;

  std::string modelPath, resolvedFolder;
};

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_TENSORIMPORT_H
