// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which machines a model gains from code of its own for.
#ifndef WEFT_COMPILER_DRIVER_MACHINECHOICE_H
#define WEFT_COMPILER_DRIVER_MACHINECHOICE_H

#include "compiler/Driver/Options.h"
#include "mlir/IR/BuiltinOps.h"

namespace weft {

/// Of the options' machines those that a module of kernels is to be compiled for, the least demanding first:
/// code that does not use a CPU's special instructions shall not ask for them. Never none.
std::vector<Machine> chooseMachines(const CompileOptions &options, mlir::ModuleOp module);

} // namespace weft

#endif // WEFT_COMPILER_DRIVER_MACHINECHOICE_H
