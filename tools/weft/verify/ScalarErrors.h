// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How rounding errors go through a region of scalar operations, such as the epilogue of a matmul.
#ifndef WEFT_TOOLS_WEFT_VERIFY_SCALARERRORS_H
#define WEFT_TOOLS_WEFT_VERIFY_SCALARERRORS_H

#include "dialects/Weft/Evaluate/Tensor.h"
#include "mlir/IR/Region.h"

namespace weft::verify {

/// The distance from 1 to the next number of a float type.
double getEpsilon(mlir::Type element);

/// How far compiled code may be from the evaluator in what the region yields, if its first argument is off by
/// up to `errors` and the others are exact. Each operation is evaluated at both ends of each operand's
/// interval, and adds a rounding of its own.
llvm::FailureOr<std::vector<double>> propagateErrors(mlir::Region &region, llvm::ArrayRef<int64_t> shape,
                                                     llvm::ArrayRef<Tensor> arguments,
                                                     std::vector<double> errors);

} // namespace weft::verify

#endif // WEFT_TOOLS_WEFT_VERIFY_SCALARERRORS_H
