// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Attention/ScoreTrace.h"
#include "dialects/Weft/IR/ScalarBody.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

/// A way from a product to a softmax that is longer than this is not followed.
static constexpr size_t kMaxTraced = 256;

bool weft::graph::isPointwiseOrMove(Operation *op) {
  return isElementwise(op) || isa<TransposeOp, ReshapeOp>(op);
}

SmallVector<MatmulOp> weft::graph::findProducts(Value scores) {
  SmallVector<MatmulOp> products;
  llvm::SetVector<Operation *> pending;
  if (Operation *op = scores.getDefiningOp())
    pending.insert(op);
  for (size_t i = 0; i < pending.size() && i < kMaxTraced; ++i) {
    if (auto product = dyn_cast<MatmulOp>(pending[i]))
      products.push_back(product);
    else if (isPointwiseOrMove(pending[i]))
      for (Value operand : pending[i]->getOperands())
        if (Operation *op = operand.getDefiningOp())
          pending.insert(op);
  }
  return products;
}

bool weft::graph::dependsOn(Value value, Operation *origin) {
  llvm::SetVector<Operation *> pending;
  auto follow = [&](Value operand) {
    Operation *op = operand.getDefiningOp();
    if (op && !op->isBeforeInBlock(origin))
      pending.insert(op);
  };
  follow(value);
  for (size_t i = 0; i < pending.size(); ++i)
    llvm::for_each(pending[i]->getOperands(), follow);
  return pending.contains(origin);
}

ScoreTrace::ScoreTrace(ScoreAxes &axes, MatmulOp product) : axes(axes), product(product) {
  Layout layout;
  SmallVector<Dim> dims = *getDims(product.getResult());
  for (Dim dim : dims)
    layout.push_back(axes.add(dim));
  layouts[product] = std::move(layout);
}

bool ScoreTrace::follow(Value scores) {
  Found found = visit(scores);
  if (found == Found::Independent)
    obstacle = "its input does not depend on the product";
  return found == Found::Dependent;
}

ScoreTrace::Found ScoreTrace::visit(Value value) {
  if (depends(value))
    return Found::Dependent;
  if (auto it = visited.find(value); it != visited.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  Found found = Found::Independent;
  if (op && isPointwiseOrMove(op) && visited.size() < kMaxTraced && getDims(value)) {
    visited[value] = found; // so that the size limits the depth
    found = visitOperation(op);
  }
  return visited[value] = found;
}

ScoreTrace::Found ScoreTrace::visitOperation(Operation *op) {
  if (isElementwise(op))
    return visitElementwise(op);
  Found found = visit(op->getOperand(0));
  if (found != Found::Dependent)
    return found;
  Layout from = layouts.lookup(op->getOperand(0)); // a copy: the map may grow
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    layouts[op->getResult(0)] = permute(from, transpose.getPermutation());
    return Found::Dependent;
  }
  std::optional<Layout> layout =
      axes.reshape(from, *getDims(op->getResult(0)), ScoreAxes::Splitting::Allowed);
  if (!layout)
    return fail("a reshape of the scores neither splits nor merges their dims");
  layouts[op->getResult(0)] = std::move(*layout);
  return Found::Dependent;
}

/// Splits axes along which a mask is repeated, such as heads that are merged into the batch before it.
void ScoreTrace::splitTurns(TileOp tile, const Layout &layout) {
  auto from = getDims(tile.getInput()), to = getDims(tile.getResult());
  if (!from || !to || to->size() != layout.size())
    return;
  for (auto [turn, whole, list] : llvm::zip_equal(*from, *to, layout))
    if (Dim turns = divideExactly(whole, turn); turns && turns.getConstant() != 1 && turn.getConstant() != 1)
      (void)axes.reshape({list}, {turns, turn}, ScoreAxes::Splitting::Allowed);
}

ScoreTrace::Found ScoreTrace::visitElementwise(Operation *op) {
  Value scores;
  for (Value operand : op->getOperands()) {
    Found found = visit(operand);
    if (found == Found::Obstacle)
      return found;
    if (found == Found::Independent)
      continue;
    if (!provablyEqualShapes(*getDims(operand), *getDims(op->getResult(0))))
      return fail("the scores are broadcast");
    if (scores && getLayout(scores) != getLayout(operand))
      return fail("the scores meet themselves with their dims in another order");
    scores = operand;
  }
  if (!scores)
    return Found::Independent;
  for (Value operand : op->getOperands())
    if (auto tile = operand.getDefiningOp<TileOp>())
      splitTurns(tile, layouts[scores]);
  Layout layout = layouts.lookup(scores); // a copy: the map may grow
  layouts[op->getResult(0)] = std::move(layout);
  return Found::Dependent;
}
