// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's passes between translation and code generation.
#ifndef WEFT_COMPILER_ARTIFACT_OPTIMIZECODE_H
#define WEFT_COMPILER_ARTIFACT_OPTIMIZECODE_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace weft {

/// Scalar clean-up before code generation. No loop idioms: they would make calls of memcpy and memset, which
/// are not there.
void optimizeCode(llvm::Module &module, llvm::TargetMachine &target);

} // namespace weft

#endif // WEFT_COMPILER_ARTIFACT_OPTIMIZECODE_H
