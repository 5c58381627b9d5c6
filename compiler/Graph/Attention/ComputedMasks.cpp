// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Attention/ComputedMasks.h"
#include "compiler/Graph/Moves.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

bool weft::graph::computeMasks(AttentionOp op, IndexTables &tables, IRRewriter &rewriter) {
  if (op.getCaptures().empty() || op.getScore().empty() || !llvm::all_of(op->getOperandTypes(), isKnownType))
    return false;
  ScoreAxes axes(op.getContext());
  SmallVector<Dim> scores = *op.getScoreDims();
  AttentionAxes attention{axes.add(scores[0]), axes.add(scores[1]), axes.add(scores[2]), axes.add(scores[3])};
  Type number = op.getScore().getArgument(0).getType();
  ScoreRegion region(axes, attention, /*trace=*/nullptr, tables, number, op.getLoc());
  if (!region.rebuild(op))
    return false;
  rewriter.setInsertionPoint(op);
  SmallVector<Value> captures = region.makeCaptures(rewriter);
  rewriter.modifyOpInPlace(op, [&] {
    op.getCapturesMutable().assign(captures);
    region.moveInto(op.getScore());
  });
  return true;
}
