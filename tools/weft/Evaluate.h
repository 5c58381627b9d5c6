// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a model in the evaluator, on the runtime's tensors.
#ifndef WEFT_TOOLS_WEFT_EVALUATE_H
#define WEFT_TOOLS_WEFT_EVALUATE_H

#include "compiler/Artifact/DType.h"
#include "dialects/Weft/Evaluate/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/src/TensorRef.h"
#include "runtime/src/launcher/Inputs.h"
#include <optional>

namespace weft {

/// The module's first function, or null.
mlir::func::FuncOp getEntry(mlir::ModuleOp module);
/// A copy as the evaluator's tensor.
Tensor toEvaluatorTensor(mlir::MLIRContext *context, WeftTensor *tensor);

/// The model's name of an output, or its position.
std::string getOutputName(mlir::func::FuncOp entry, size_t index);

/// What the module's entry point wants.
std::vector<runtime::InputDescription> describeInputs(mlir::ModuleOp module);
/// Evaluates the entry point; nothing, with diagnostics emitted, if that fails.
std::optional<std::vector<runtime::NamedTensor>> evaluateModel(mlir::ModuleOp module,
                                                               const std::vector<runtime::TensorRef> &inputs);

} // namespace weft

#endif // WEFT_TOOLS_WEFT_EVALUATE_H
