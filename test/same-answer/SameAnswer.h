// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates modules before and after a pipeline and compares the numbers.
#ifndef WEFT_TEST_SAME_ANSWER_SAMEANSWER_H
#define WEFT_TEST_SAME_ANSWER_SAMEANSWER_H

#include "dialects/Weft/Evaluate/Evaluate.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>

namespace weft::test {

/// A context with the dialects of the graph level, and the evaluator.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Makes inputs for a function whose dim symbols have the given sizes, the first for the first symbol, and so
/// on.
llvm::SmallVector<Tensor> makeInputs(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> sizes,
                                     unsigned seed);

/// Runs `pipeline` on a copy of `module` and evaluates both for several sizes of its dims, 1 among them.
/// Returns what differs, or "" if nothing does; counts the evaluations that gave numbers on both sides.
std::string compareAnswers(mlir::ModuleOp module, llvm::StringRef pipeline, double tolerance,
                           int &evaluations);

} // namespace weft::test

#endif // WEFT_TEST_SAME_ANSWER_SAMEANSWER_H
