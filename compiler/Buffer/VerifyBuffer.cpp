// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-verify-buffer: what the buffer level is.
#include "compiler/Buffer/Passes.h"
#include "dialects/Weft/IR/DimIndices.h"
#include "dialects/Weft/IR/StateGrowth.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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

  /// What the targets rely on: buffers with roles, and steps on views of them.
  LogicalResult verifyBuffers(func::FuncOp program) {
    if (!isa<DimAttr>(program->getAttr(names::kArenaBytes)))
      return program.emitError("expects weft.arena_bytes to be a #weft.dim");
    unsigned symbols = program->getAttrOfType<ArrayAttr>(names::kSymbols).size();
    for (unsigned i = symbols; i < program.getNumArguments(); ++i) {
      auto role = program.getArgAttrOfType<StringAttr>(i, names::kRole);
      auto type = dyn_cast<MemRefType>(program.getArgument(i).getType());
      bool hasRole = role && llvm::is_contained({names::kInput, names::kOutput, names::kStateRole,
                                                 names::kWeightsRole, names::kArena},
                                                role.getValue());
      if (!hasRole || !type || !type.getLayout().isIdentity())
        return program.emitError() << "expects argument " << i << " to be a buffer with a weft.role";
      if ((role.getValue() == names::kStateRole) != bool(program.getArgAttr(i, names::kState)))
        return program.emitError() << "expects argument " << i << " to have the role \"" << names::kStateRole
                                   << "\" if it has " << names::kState << ", and only then";
    }
    return verifyBlock(program.getBody().front());
  }

  LogicalResult verifyBlock(Block &block) {
    for (Operation &op : block.without_terminator()) {
      auto step = dyn_cast<StepOp>(op);
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        if (loop.getNumResults() > 0)
          return loop.emitError("expects a loop that carries nothing");
        if (failed(verifyBlock(*loop.getBody())))
          return failure();
        continue;
      }
      if (!step && !isa<arith::ArithDialect>(op.getDialect()) &&
          !isa<memref::ViewOp, memref::ReinterpretCastOp>(op))
        return op.emitError("is not of the buffer level");
      if (step && !SymbolTable::lookupNearestSymbolFrom<KernelOp>(step, step.getKernelAttr()))
        return step.emitError() << "there is no kernel @" << step.getKernel();
    }
    return success();
  }

  void runOnOperation() override {
    bool valid = true;
    for (func::FuncOp program : getOperation().getOps<func::FuncOp>())
      valid &= succeeded(verify(program)) && succeeded(verifySymbols(program)) &&
               succeeded(verifyStates(program)) && succeeded(verifyBuffers(program));
    if (!valid)
      signalPassFailure();
  }
};

} // namespace
