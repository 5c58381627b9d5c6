// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A checked ONNX model to weft IR of the import level.
#ifndef WEFT_FRONTEND_ONNX_ONNXIMPORTER_H
#define WEFT_FRONTEND_ONNX_ONNXIMPORTER_H

#include "frontend/Onnx/Diagnostics.h"
#include "frontend/Onnx/OnnxModel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

namespace weft::onnx {

struct ImportOptions {
  /// An initializer that is also a graph input is a default that callers may override. There are no optional
  /// inputs at run time, so it becomes an input; with this option it becomes a constant.
  bool constantInitializers = false;
  /// Inputs that become constants, such as "use_cache_branch=true" (InputConstants.h).
  std::vector<std::string> inputConstants;
  /// Sizes that the user fixes. The IR keeps the dims as they are; what has to be known at import asks here.
  llvm::StringMap<int64_t> fixedDims;
  /// The most nodes that subgraphs and parts of sequences may become, each iteration counted as one more.
  uint64_t unrolledNodes = 1u << 17;
};

/// Imports the model's graph as `func.func @main`; calls of the model's own functions are expanded, and loops
/// unrolled. Locations name the nodes.
///
/// Everything that cannot be imported is reported, an operator that is not supported once for all its nodes:
/// so this is also the check of a model. Returns null if there was an error.
///
/// The folder of the model becomes the base directory of the context's weights, which lie in its files.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(const Model &model, mlir::MLIRContext *context,
                                             Diagnostics &diagnostics, const ImportOptions &options = {});

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_ONNXIMPORTER_H
