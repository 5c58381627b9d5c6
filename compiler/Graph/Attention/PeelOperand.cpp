// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From an operand of a product back to what was repeated or scaled to make it.
#include "compiler/Graph/Attention/AttentionMatch.h"
#include "compiler/Graph/ConstantMatch.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

static bool isScalar(Value value) {
  auto dims = getDims(value);
  return dims && llvm::all_of(*dims, [](Dim dim) { return dim.getConstant() == 1; });
}

/// Takes a factor from `operand` if `op` multiplies or divides a tensor by a scalar.
static bool peelScale(Operation *op, Operand &operand) {
  if (!isa<MulOp, DivOp>(op) || !isa<FloatType>(getElementTypeOrSelf(operand.value)))
    return false;
  for (unsigned side : {1u, 0u}) {
    Value scale = op->getOperand(side), scaled = op->getOperand(1 - side);
    bool isDivided = isa<DivOp>(op);
    if ((isDivided && side == 0) || scaled.getType() != operand.value.getType())
      continue;
    if (std::optional<double> number = getSplatNumber(scale)) {
      double factor = operand.factor * (isDivided ? 1 / *number : *number);
      if (!std::isfinite(factor) || std::abs(factor) < 1e-30) // which is no scale
        continue;
      operand.factor = factor;
    } else if (isScalar(scale) && !isDivided) {
      operand.factors.push_back(scale);
    } else {
      continue;
    }
    operand.value = scaled;
    return true;
  }
  return false;
}

/// Where an expand or tile made a dim of 1 larger, the tensor before it lacks the dim's axes.
static bool peelRepetition(Operation *op, Operand &operand) {
  auto from = getDims(op->getOperand(0)), to = getDims(op->getResult(0));
  if (!from || !to || op->getNumOperands() != 1)
    return false;
  Layout layout(operand.layout.end() - from->size(), operand.layout.end());
  for (auto [list, own, dim] : llvm::zip_equal(layout, *from, ArrayRef(*to).take_back(from->size()))) {
    if (own.getConstant() == 1)
      list.clear();
    else if (own != dim)
      return false;
  }
  operand.layout = std::move(layout);
  operand.value = op->getOperand(0);
  return true;
}

static bool peelMove(Operation *op, Operand &operand, ScoreAxes &axes) {
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    Layout layout(operand.layout.size());
    for (auto [i, from] : llvm::enumerate(transpose.getPermutation()))
      layout[from] = operand.layout[i];
    operand.layout = std::move(layout);
  } else {
    auto dims = isa<ReshapeOp>(op) ? getDims(op->getOperand(0)) : std::nullopt;
    if (!dims)
      return false;
    auto layout = axes.reshape(operand.layout, *dims, ScoreAxes::Splitting::Allowed);
    if (!layout)
      return false;
    operand.layout = std::move(*layout);
  }
  operand.value = op->getOperand(0);
  return true;
}

Operand weft::graph::peel(Operand operand, ScoreAxes &axes, bool mayScale) {
  Operand best = operand;
  while (Operation *op = operand.value.getDefiningOp()) {
    bool repeats = isa<ExpandOp, TileOp>(op);
    if ((repeats && peelRepetition(op, operand)) || (mayScale && peelScale(op, operand)))
      best = operand;
    else if (repeats || !peelMove(op, operand, axes))
      break;
  }
  best.layout = axes.getLeaves(best.layout);
  return best;
}
