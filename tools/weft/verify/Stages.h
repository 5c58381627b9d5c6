// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of weft verify, a file each.
#ifndef WEFT_TOOLS_WEFT_VERIFY_STAGES_H
#define WEFT_TOOLS_WEFT_VERIFY_STAGES_H

#include "compiler/Driver/Compiler.h"
#include "dialects/Weft/Evaluate/Evaluate.h"
#include "runtime/src/TensorRef.h"
#include "tools/weft/verify/Verify.h"

namespace weft::verify {

/// `node "/attn/MatMul" (weft.matmul; with "/attn/Add" and "/attn/Relu")`: what an epilogue holds is named
/// too.
std::string describeOperation(mlir::Operation *op);

/// Taps (Taps.cpp): values that a copy of the model gives as outputs, behind its own.
llvm::SmallVector<mlir::Value> getTappedValues(mlir::func::FuncOp entry);
/// Makes the tapped values outputs; the kernels stay the same, because the graph passes have run.
void addTaps(mlir::func::FuncOp entry);

/// Inputs for an entry point of the graph level, whose symbols get a prime each (RandomInputs.cpp). An error
/// on the function if a size is no number.
mlir::FailureOr<std::vector<runtime::TensorRef>> makeRandomInputs(mlir::func::FuncOp entry, uint64_t seed);

/// Compares each operation, evaluated on compiled operands, with its compiled result (CompareKernels.cpp).
/// `taps` are the compiled values of `getTappedValues`.
mlir::LogicalResult compareKernels(mlir::func::FuncOp entry, llvm::ArrayRef<Tensor> given,
                                   llvm::ArrayRef<Tensor> taps, std::vector<Finding> &findings);

/// The module as it was before the graph passes, and after each that changed it (ComparePasses.cpp).
struct Snapshot {
  std::string pass; ///< "weft-fuse-epilogue, pass 11"; empty for the first
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
/// Keeps snapshots of what the passes leave. The snapshots outlive the passes.
void recordSnapshots(mlir::PassManager &passes, std::vector<Snapshot> &snapshots);
/// Evaluates the snapshots in order, and stops after the first whose outputs differ from those before it.
/// Fails if the first cannot be evaluated.
mlir::LogicalResult comparePasses(llvm::ArrayRef<Snapshot> snapshots, llvm::ArrayRef<Tensor> inputs,
                                  std::vector<Finding> &findings);

/// Evaluates an entry point and says where the first NaN and the first infinity come from (NonFinite.cpp).
mlir::LogicalResult findNonFinite(mlir::func::FuncOp entry, llvm::ArrayRef<Tensor> given,
                                  std::vector<std::string> &notes);

} // namespace weft::verify

#endif // WEFT_TOOLS_WEFT_VERIFY_STAGES_H
