// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the families' files share: attaching models, making results, errors.
#ifndef WEFT_DIALECTS_WEFT_EVALUATE_MODELS_H
#define WEFT_DIALECTS_WEFT_EVALUATE_MODELS_H

#include "dialects/Weft/Evaluate/Evaluate.h"
#include "dialects/Weft/IR/Weft.h"

namespace weft {

using Results = llvm::SmallVector<Tensor>;
inline llvm::FailureOr<Results> toResults(llvm::FailureOr<Tensor> only) {
  if (llvm::failed(only))
    return llvm::failure();
  return Results{std::move(*only)};
}
inline llvm::FailureOr<Results> toResults(llvm::FailureOr<Results> results) { return results; }

/// Makes a function the meaning of an operation: (Op, ArrayRef<Tensor>, EvaluateContext &) to its one result,
/// or to the list of them.
template <typename Op, auto evaluateOp>
struct EvaluateModel : EvaluateInterface::ExternalModel<EvaluateModel<Op, evaluateOp>, Op> {
  llvm::FailureOr<Results> evaluate(mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
                                    EvaluateContext &context) const {
    return toResults(evaluateOp(mlir::cast<Op>(op), operands, context));
  }
};
template <typename Op, auto evaluateOp> void attachModel(mlir::MLIRContext *context) {
  Op::template attachInterface<EvaluateModel<Op, evaluateOp>>(*context);
}

// One per family.
void attachElementwiseModels(mlir::MLIRContext *context);
void attachContractionModels(mlir::MLIRContext *context);
void attachConvModels(mlir::MLIRContext *context); ///< of the Contraction family, as is the next
void attachEinsumModels(mlir::MLIRContext *context);
void attachReductionModels(mlir::MLIRContext *context);
void attachScanModels(mlir::MLIRContext *context); ///< of the Reduction family, in its own file
void attachNormModels(mlir::MLIRContext *context);
void attachQuantizeModels(mlir::MLIRContext *context);
void attachAttentionModels(mlir::MLIRContext *context);
void attachLinearAttentionModels(mlir::MLIRContext *context); ///< of the Attention family, in its own file
void attachShapeModels(mlir::MLIRContext *context);
void attachSliceModels(mlir::MLIRContext *context); ///< of the Shape family, as is the next
void attachPadModels(mlir::MLIRContext *context);
void attachIndexModels(mlir::MLIRContext *context);
void attachScatterModels(mlir::MLIRContext *context); ///< of the Index family, as is the next
void attachTopKModels(mlir::MLIRContext *context);
void attachLoopModels(mlir::MLIRContext *context); ///< of the Control family

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

// Contraction: sums are taken in double for floats, and in uint64_t, which wraps, for integers.
/// An element as a term; it may be an integer where the sum is one of floats.
template <typename Sum> Sum readTerm(const Tensor &tensor, int64_t place) {
  return tensor.isFloat() ? Sum(tensor.getFloat(place)) : Sum(tensor.getInteger(place));
}
template <typename Sum> std::vector<Sum> readTerms(const Tensor &tensor) {
  std::vector<Sum> terms(tensor.getNumElements());
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    terms[i] = readTerm<Sum>(tensor, i);
  return terms;
}
inline void setSum(Tensor &result, int64_t place, double sum) { result.setFloat(place, sum); }
inline void setSum(Tensor &result, int64_t place, uint64_t sum) { result.setInteger(place, int64_t(sum)); }

// Index: indices that may count from the end, as places; errors on `op` if one is out of range.
/// Element `place` of the indices, as a place on an axis of `size` elements.
llvm::FailureOr<int64_t> resolveIndex(mlir::Operation *op, const Tensor &indices, int64_t place, int64_t axis,
                                      int64_t size);
/// Where in data (of this shape) the slice of each tuple begins, after `batch` dims that both have.
llvm::FailureOr<llvm::SmallVector<int64_t>> resolveTuples(mlir::Operation *op, const Tensor &indices,
                                                          llvm::ArrayRef<int64_t> data, int64_t batch);
/// The element of data that each index means, which takes the place of its own position on the axis. The
/// error that they do not fit starts with `constraint`.
llvm::FailureOr<llvm::SmallVector<int64_t>> resolveElements(mlir::Operation *op, const Tensor &data,
                                                            const Tensor &indices, int64_t axis,
                                                            llvm::StringRef constraint);

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_EVALUATE_MODELS_H
