// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-verify-target: generated code calls nothing but the table of callbacks.
#include "compiler/Target/CPU/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace weft::cpu {
#define GEN_PASS_DEF_VERIFYTARGET
#include "compiler/Target/CPU/Passes.h.inc"
} // namespace weft::cpu

using namespace mlir;
using namespace weft;

namespace {

/// Intrinsics that code generation turns into calls of the C library.
bool becomesLibraryCall(Operation *op) {
  return isa<LLVM::ExpOp, LLVM::Exp2Op, LLVM::LogOp, LLVM::Log2Op, LLVM::Log10Op, LLVM::PowOp, LLVM::PowIOp,
             LLVM::SinOp, LLVM::CosOp, LLVM::FRemOp, LLVM::RoundOp, LLVM::MemcpyOp, LLVM::MemmoveOp,
             LLVM::MemsetOp>(op);
}

/// Whether it is a GPU's, in a module in the module.
bool isOnDevice(Operation *op) {
  return isa<NVVM::NVVMDialect>(op->getDialect()) && op->getParentOfType<ModuleOp>()->getParentOp();
}

struct VerifyTarget : cpu::impl::VerifyTargetBase<VerifyTarget> {
  void runOnOperation() override {
    bool valid = true;
    getOperation().walk([&](Operation *op) {
      auto reject = [&](StringRef what) {
        op->emitError(what);
        valid = false;
      };
      auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
      if (function && function.isExternal())
        reject("an undefined function at the target level");
      else if (becomesLibraryCall(op))
        reject("would call the C library, which generated code does not have");
      else if (!isa<LLVM::LLVMDialect>(op->getDialect()) && !isa<ModuleOp>(op) && !isOnDevice(op))
        reject("is not of the target level");
    });
    if (!valid)
      signalPassFailure();
  }
};

} // namespace
