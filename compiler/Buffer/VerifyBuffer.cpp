// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-verify-buffer: what the buffer level is.
#include "compiler/Buffer/Passes.h"

namespace weft::buffer {
#define GEN_PASS_DEF_VERIFYBUFFER
#include "compiler/Buffer/Passes.h.inc"
} // namespace weft::buffer

using namespace mlir;
using namespace weft;

namespace {

struct VerifyBuffer : buffer::impl::VerifyBufferBase<VerifyBuffer> {
  LogicalResult verify(func::FuncOp program) {
    LogicalResult result = success();
    auto reject = [&](Operation *op, StringRef what) {
      op->emitError(what);
      result = failure();
    };
    if (!program->hasAttr(names::kArenaBytes))
      reject(program, "expects a program with a planned arena");
    program.walk([&](Operation *op) {
      if (isa<memref::AllocOp, memref::AllocaOp>(op))
        reject(op, "an allocation at the buffer level");
      auto isTensor = [](Type type) { return isa<TensorType>(type); };
      if (llvm::any_of(op->getResultTypes(), isTensor) || llvm::any_of(op->getOperandTypes(), isTensor))
        reject(op, "a tensor at the buffer level");
    });
    return result;
  }

  void runOnOperation() override {
    bool valid = true;
    for (func::FuncOp program : getOperation().getOps<func::FuncOp>())
      valid &= succeeded(verify(program));
    if (!valid)
      signalPassFailure();
  }
};

} // namespace
