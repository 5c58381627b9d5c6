// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names that a model gives to dims: symbols, and expressions over symbols.
#ifndef WEFT_FRONTEND_ONNX_DIMPARAM_H
#define WEFT_FRONTEND_ONNX_DIMPARAM_H

#include "dialects/Weft/IR/Dims.h"
#include "frontend/Onnx/OnnxModel.h"
#include "llvm/ADT/StringSet.h"

namespace weft::onnx {

/// The declared dims of a model's inputs as symbolic dims.
///
/// A dim_param is any text. `past_sequence_length + sequence_length` is read as a sum only if each name in it
/// is by itself a dim of some input, so that a session can solve for it; any other text is the name of one
/// symbol, as `batch-size` is.
class DimParams {
public:
  DimParams(mlir::MLIRContext *context, const Graph &graph);

  /// Dim `index` of an input. A dim of which nothing is declared is the symbol "<input>.<index>".
  weft::Dim get(const ValueInfo &input, size_t index);

private:
  weft::Dim parse(llvm::StringRef text) const;

  mlir::MLIRContext *context;
  llvm::StringSet<> declared; ///< All dim_params of the inputs.
};

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_DIMPARAM_H
