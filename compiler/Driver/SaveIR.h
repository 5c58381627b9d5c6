// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// IR as text that can be read back, with the data that passes made beside it.
#ifndef WEFT_COMPILER_DRIVER_SAVEIR_H
#define WEFT_COMPILER_DRIVER_SAVEIR_H

#include "mlir/IR/BuiltinOps.h"

namespace weft {

/// Writes a module to `path`. Data that passes made goes to a file of the same name that ends in .weights,
/// and handles of other files are made to hold from `path`'s folder; a device or pipe gets the text alone.
/// The module stays as it is. Errors name the file.
llvm::LogicalResult saveIR(mlir::ModuleOp module, llvm::StringRef path);

/// The module as text, with locations, since they name the nodes.
void printIR(mlir::ModuleOp module, llvm::raw_ostream &out);

} // namespace weft

#endif // WEFT_COMPILER_DRIVER_SAVEIR_H
