// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Payloads and the files that carry them.
#ifndef WEFT_COMPILER_ARTIFACT_ARTIFACTWRITER_H
#define WEFT_COMPILER_ARTIFACT_ARTIFACTWRITER_H

#include "compiler/Artifact/EmitObject.h"
#include "compiler/Artifact/EmitPTX.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace weft {

/// The parts of a payload; the weights are streamed from where they are.
struct Payload {
  std::vector<Code> codes;
  std::vector<DeviceCode> deviceCodes; ///< of a model for GPUs
  llvm::SmallVector<char> metadata;
  mlir::ModuleOp module; ///< whose `weft.weights` lists the constants by place
};

/// The file that a payload goes into.
enum class Container { Payload, Executable, SharedLibrary, Object };

/// Writes `path`, whole or not at all. `carrier` is the file that an executable (the launcher) or a shared
/// library (the runtime) begins with. An object comes with a header beside it. Errors name the file.
llvm::LogicalResult writeArtifact(const Payload &payload, Container container, llvm::StringRef path,
                                  llvm::StringRef carrier);

/// Bytes of weights that a payload of this module holds.
int64_t getWeightBytes(mlir::ModuleOp module);

} // namespace weft

#endif // WEFT_COMPILER_ARTIFACT_ARTIFACTWRITER_H
