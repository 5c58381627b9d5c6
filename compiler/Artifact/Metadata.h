// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model's signature, from target-level IR to the bytes that abi.h describes.
#ifndef WEFT_COMPILER_ARTIFACT_METADATA_H
#define WEFT_COMPILER_ARTIFACT_METADATA_H

#include "compiler/Artifact/EmitObject.h"
#include "compiler/Artifact/EmitPTX.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

namespace weft {

/// Encodes the metadata of every entry point of a target-level module, and what its codes need, the least
/// demanding first, for CPUs and for GPUs. Fails with a diagnostic if the IR does not say enough, as
/// hand-written IR may not.
mlir::FailureOr<llvm::SmallVector<char>> encodeMetadata(mlir::ModuleOp module, llvm::ArrayRef<Code> codes,
                                                        llvm::ArrayRef<DeviceCode> deviceCodes);

/// The version that artifacts carry.
llvm::StringRef getProducer();

} // namespace weft

#endif // WEFT_COMPILER_ARTIFACT_METADATA_H
