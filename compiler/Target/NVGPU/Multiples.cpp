// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divisibility, from the arithmetic that makes an index.
#include "compiler/Target/NVGPU/Multiples.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft;

bool weft::nvgpu::isMultiple(Value number, int64_t of) {
  if (of == 1)
    return true;
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return *constant % of == 0;
  auto isOperand = [&](Value operand) { return isMultiple(operand, of); };
  if (auto argument = dyn_cast<BlockArgument>(number)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && number == loop.getInductionVar() && isOperand(loop.getLowerBound()) &&
           isOperand(loop.getStep());
  }
  return llvm::TypeSwitch<Operation *, bool>(number.getDefiningOp())
      .Case([&](arith::MulIOp op) { return llvm::any_of(op->getOperands(), isOperand); })
      .Case<arith::AddIOp, arith::SubIOp, arith::MinUIOp, arith::MinSIOp, arith::MaxUIOp, arith::MaxSIOp>(
          [&](Operation *op) { return llvm::all_of(op->getOperands(), isOperand); })
      .Case([&](arith::RemUIOp op) { return llvm::all_of(op->getOperands(), isOperand); })
      .Case([&](arith::SelectOp op) { return isOperand(op.getTrueValue()) && isOperand(op.getFalseValue()); })
      .Default(false);
}

bool weft::nvgpu::isByPieces(Value mask, int64_t piece) {
  if (piece == 1)
    return true;
  Operation *made = mask.getDefiningOp();
  if (!made) // what a loop carries
    return false;
  return llvm::TypeSwitch<Operation *, bool>(made)
      .Case([](vector::BroadcastOp) { return true; })
      .Case([&](vector::CreateMaskOp op) { return isMultiple(op.getOperands().front(), piece); })
      .Case([&](vector::ConstantMaskOp op) { return op.getMaskDimSizes().front() % piece == 0; })
      .Case(
          [&](arith::AndIOp op) { return isByPieces(op.getLhs(), piece) && isByPieces(op.getRhs(), piece); })
      .Default(false);
}
