// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns attention of f32 beside products of bf16 into attention of bf16, and rounds where numbers are made.
#include "compiler/Graph/Bodies.h"
#include "compiler/Graph/MatrixWeights.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Graph/RoundResults.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_ROUNDATTENTION
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

/// Operations whose elements are their first operand's, moved.
static bool isMove(Operation *op) { return isa_and_nonnull<ReshapeOp, SliceOp, TransposeOp>(op); }

/// Whether keys or values come from outside, in whole or in part: those that are there from runs before are
/// read faster as they are than rounded anew.
static bool comesFromOutside(Value value) {
  while (isMove(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  if (auto concat = value.getDefiningOp<ConcatOp>())
    return llvm::any_of(concat->getOperands(), comesFromOutside);
  return !value.getDefiningOp() || isa<ConstantOp>(value.getDefiningOp());
}

static bool canRound(AttentionOp op) {
  auto hasWidth = [](Value value) {
    auto dims = getDims(value);
    return dims && dims->back() && AttentionTileOp::isHalfWidth(dims->back().getConstant().value_or(0));
  };
  return getElementTypeOrSelf(op.getQuery()).isF32() && !op.getWeights() &&
         !graph::hasIntegersOf16Bits(op.getCaptures()) && hasWidth(op.getQuery()) &&
         hasWidth(op.getValue()) && getDims(op.getKey()) && !comesFromOutside(op.getKey()) &&
         !comesFromOutside(op.getValue());
}

namespace {
struct RoundAttention : weft::graph::impl::RoundAttentionBase<RoundAttention> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    for (Block *body : graph::getBodies(getOperation())) {
      for (AttentionOp op : llvm::to_vector(body->getOps<AttentionOp>()))
        if (canRound(op))
          round(op);
      // Users come first, so that a cast moves up as far as it can.
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
        if (op.getNumResults() == 1 && !op.use_empty())
          roundResult(&op);
    }
  }

private:
  void round(AttentionOp op);
  void roundResult(Operation *op);
};
} // namespace

void RoundAttention::round(AttentionOp op) {
  for (OpOperand *operand : {&op.getQueryMutable(), &op.getKeyMutable(), &op.getValueMutable()})
    operand->set(graph::roundToBF16(operand->get()));
  auto type = cast<RankedTensorType>(op.getResult().getType());
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  auto wide = CastOp::create(builder, op.getLoc(), type, op.getResult(), type.getElementType());
  op.getResult().replaceAllUsesExcept(wide, wide);
  graph::setElement(op.getResult(), builder.getBF16Type());
  ++rounded;
}

/// If an operation's result is read only to be rounded, it is made as bf16: moves move what is rounded, and a
/// product rounds its sums behind its epilogue.
void RoundAttention::roundResult(Operation *op) {
  if (auto cast = dyn_cast<CastOp>(op); cast && getElementTypeOrSelf(cast.getInput()).isBF16()) {
    graph::replaceRoundings(op, cast.getInput()); // what was widened is still there
    if (cast->use_empty())
      cast.erase();
  } else if (auto product = dyn_cast<MatmulOp>(op)) {
    graph::roundResult(product);
  } else if (isMove(op) && llvm::all_of(op->getUsers(), graph::isRounding)) {
    op->setOperand(0, graph::roundToBF16(op->getOperand(0)));
    graph::replaceRoundings(op, op->getResult(0));
    graph::setElement(op->getResult(0), BFloat16Type::get(&getContext()));
  }
}
