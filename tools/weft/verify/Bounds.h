// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far compiled code may be from the evaluator: the table of docs/verify.md.
#ifndef WEFT_TOOLS_WEFT_VERIFY_BOUNDS_H
#define WEFT_TOOLS_WEFT_VERIFY_BOUNDS_H

#include "dialects/Weft/Evaluate/Evaluate.h"

namespace weft::verify {

/// A bound for each element of an operation's compiled result, given what the evaluator makes of the same
/// operands; empty if the elements must be equal. Fails, with a diagnostic, if something cannot be evaluated.
llvm::FailureOr<std::vector<double>> getKernelBounds(mlir::OpResult result, llvm::ArrayRef<Tensor> operands,
                                                     const Tensor &expected, EvaluateContext &context);

/// The same for a value of the model before and after a graph pass, both in the evaluator.
std::vector<double> getPassBounds(const Tensor &before);

} // namespace weft::verify

#endif // WEFT_TOOLS_WEFT_VERIFY_BOUNDS_H
