// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the families' files share: attaching models, making results, errors.
#ifndef WEFT_DIALECTS_WEFT_EVALUATE_MODELS_H
#define WEFT_DIALECTS_WEFT_EVALUATE_MODELS_H

#include "dialects/Weft/Evaluate/Evaluate.h"
#include "dialects/Weft/IR/Weft.h"

namespace weft {

/// Makes a function the meaning of an operation.
template <typename Op, llvm::FailureOr<Tensor> (*evaluateOp)(Op, llvm::ArrayRef<Tensor>, EvaluateContext &)>
struct EvaluateModel : EvaluateInterface::ExternalModel<EvaluateModel<Op, evaluateOp>, Op> {
  llvm::FailureOr<Tensor> evaluate(mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
                                   EvaluateContext &context) const {
    return evaluateOp(mlir::cast<Op>(op), operands, context);
  }
};
template <typename Op, llvm::FailureOr<Tensor> (*evaluateOp)(Op, llvm::ArrayRef<Tensor>, EvaluateContext &)>
void attachModel(mlir::MLIRContext *context) {
  Op::template attachInterface<EvaluateModel<Op, evaluateOp>>(*context);
}

// One per family.
void attachElementwiseModels(mlir::MLIRContext *context);
void attachContractionModels(mlir::MLIRContext *context);
void attachReductionModels(mlir::MLIRContext *context);
void attachNormModels(mlir::MLIRContext *context);
void attachShapeModels(mlir::MLIRContext *context);
void attachSliceModels(mlir::MLIRContext *context); ///< of the Shape family, in its own file
void attachIndexModels(mlir::MLIRContext *context);

/// Starts an error on `op` that names its node.
mlir::InFlightDiagnostic evaluateError(mlir::Operation *op);
/// Zeros of the result's element type, or an error on `op` if there is no room for them.
llvm::FailureOr<Tensor> makeResult(mlir::Operation *op, llvm::ArrayRef<int64_t> shape);
/// A tensor broadcast to a shape, or an error on `op` if there is no room.
llvm::FailureOr<Tensor> broadcastOperand(mlir::Operation *op, const Tensor &operand,
                                         llvm::ArrayRef<int64_t> shape);
/// Requires an axis to be within the rank, which the verifier knows only of ranked operands.
llvm::LogicalResult requireAxis(mlir::Operation *op, llvm::StringRef constraint, int64_t axis, int64_t rank);
/// The same of several, which must also be sorted and distinct.
llvm::LogicalResult requireAxes(mlir::Operation *op, llvm::StringRef constraint, llvm::ArrayRef<int64_t> axes,
                                int64_t rank);

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_EVALUATE_MODELS_H
