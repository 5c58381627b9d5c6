// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels for NVIDIA GPUs as PTX, by LLVM's own back end: no CUDA toolkit is needed.
#ifndef WEFT_COMPILER_ARTIFACT_EMITPTX_H
#define WEFT_COMPILER_ARTIFACT_EMITPTX_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace weft {

/// GPUs that PTX can be made for, by the names that LLVM has for them, the least first.
llvm::ArrayRef<llvm::StringRef> getGPUs();

/// Writes the kernels of a target-level module, those in its module `@device`, as PTX for a GPU ("sm_80").
/// Errors are emitted on the module. The same module gives the same text.
llvm::LogicalResult emitPTX(mlir::ModuleOp module, llvm::StringRef gpu, llvm::raw_pwrite_stream &out);

} // namespace weft

#endif // WEFT_COMPILER_ARTIFACT_EMITPTX_H
