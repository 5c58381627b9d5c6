// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels for NVIDIA GPUs as PTX, by LLVM's own back end: no CUDA toolkit is needed.
#ifndef WEFT_COMPILER_ARTIFACT_EMITPTX_H
#define WEFT_COMPILER_ARTIFACT_EMITPTX_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/include/weft/abi.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

namespace weft {

/// A GPU that PTX can be made for.
struct GPU {
  llvm::StringLiteral name; ///< that LLVM has for it
  WeftGpu abi;
  /// Whether it has kernels of its own.
  bool isHopper() const { return abi == WEFT_GPU_SM_90A; }
};

/// All of them, the least first.
llvm::ArrayRef<GPU> getGPUs();

/// Those that artifacts are for unless told otherwise: between them they run on every GPU from sm_80 on, and
/// use what Hopper has.
std::vector<GPU> getDefaultGPUs();

/// All kernels of a model for a GPU, as a payload holds them: PTX with a zero behind it.
struct DeviceCode {
  WeftGpu gpu;
  llvm::SmallString<0> text;
};

/// The kernels of a target-level module, those in its module `@device`, as PTX for each of the GPUs; the
/// texts are made side by side. Errors are emitted on the module. The same module gives the same texts.
llvm::FailureOr<std::vector<llvm::SmallString<0>>> emitPTX(mlir::ModuleOp module, llvm::ArrayRef<GPU> gpus);

} // namespace weft

#endif // WEFT_COMPILER_ARTIFACT_EMITPTX_H
