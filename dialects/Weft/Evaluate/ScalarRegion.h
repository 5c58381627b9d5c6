// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions of scalar arith and math operations, such as the epilogue of a matmul.
#ifndef WEFT_DIALECTS_WEFT_EVALUATE_SCALARREGION_H
#define WEFT_DIALECTS_WEFT_EVALUATE_SCALARREGION_H

#include "dialects/Weft/Evaluate/Tensor.h"
#include "mlir/IR/Region.h"

namespace weft {

/// Runs a region for all elements of `shape` at once: each argument is the tensor of the values that it has
/// there, and so is each that the region's `weft.yield` gives. Every operation rounds to its own type. Errors
/// are on the operations.
llvm::FailureOr<llvm::SmallVector<Tensor>>
evaluateScalarRegion(mlir::Region &region, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<Tensor> arguments);

/// The same of one of its operations.
llvm::FailureOr<Tensor> evaluateScalarOperation(mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
                                                llvm::ArrayRef<int64_t> shape);

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_EVALUATE_SCALARREGION_H
