// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a model in the evaluator, on the runtime's tensors.
#ifndef WEFT_TOOLS_WEFT_EVALUATE_H
#define WEFT_TOOLS_WEFT_EVALUATE_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/src/TensorRef.h"
#include "runtime/src/launcher/Inputs.h"
#include <optional>

namespace weft {

/// What the module's entry point wants.
std::vector<runtime::InputDescription> describeInputs(mlir::ModuleOp module);
/// Evaluates the entry point; nothing, with diagnostics emitted, if that fails.
std::optional<std::vector<runtime::NamedTensor>> evaluateModel(mlir::ModuleOp module,
                                                               const std::vector<runtime::TensorRef> &inputs);

} // namespace weft

#endif // WEFT_TOOLS_WEFT_EVALUATE_H
