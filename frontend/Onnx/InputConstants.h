// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs of the model that the user makes constants of: --set NAME=VALUE.
#ifndef WEFT_FRONTEND_ONNX_INPUTCONSTANTS_H
#define WEFT_FRONTEND_ONNX_INPUTCONSTANTS_H

#include "frontend/Builder/GraphBuilder.h"
#include "frontend/Onnx/Diagnostics.h"
#include "llvm/ADT/StringMap.h"

namespace weft::onnx {

class InputConstants {
public:
  /// `settings` are "NAME=VALUE", or "NAME=VALUE,VALUE,..." with as many as the input has elements.
  InputConstants(llvm::ArrayRef<std::string> settings, Diagnostics &diagnostics);

  bool has(llvm::StringRef input) const { return values.contains(input); }
  /// The constant that an input becomes, of the shape that it declares; null after an error.
  mlir::Value make(GraphBuilder &graph, llvm::StringRef input, mlir::Type element,
                   llvm::ArrayRef<weft::Dim> shape);
  /// Reports the settings whose input the model does not have.
  void reportUnused();

private:
  Diagnostics &diagnostics;
  llvm::StringMap<std::string> values; ///< Of the inputs that are not made yet.
};

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_INPUTCONSTANTS_H
