// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The target level as machine code: LLVM IR, assembly, an object, a linked payload.
#ifndef WEFT_COMPILER_ARTIFACT_EMITOBJECT_H
#define WEFT_COMPILER_ARTIFACT_EMITOBJECT_H

#include "compiler/Machine/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

namespace weft {

/// What code is written as.
enum class CodeForm { LLVMIR, Assembly, Object };

/// Translates a target-level module and writes it. Errors are emitted on the module. The same module gives
/// the same bytes.
llvm::LogicalResult emitCode(mlir::ModuleOp module, const Machine &machine, CodeForm form,
                             llvm::raw_pwrite_stream &out);

/// Machine code as a payload holds it: a linked shared object, for a machine.
struct Code {
  Machine machine;
  llvm::SmallVector<char> bytes;
};

/// Links an object into a shared object with no needed library, in `scratchDirectory` (the system's if
/// empty). Fails, naming the symbol, if anything is undefined.
mlir::FailureOr<llvm::SmallVector<char>> linkCode(mlir::Location location, llvm::ArrayRef<char> object,
                                                  llvm::StringRef scratchDirectory);

} // namespace weft

#endif // WEFT_COMPILER_ARTIFACT_EMITOBJECT_H
