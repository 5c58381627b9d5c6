// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores of products: what the score region makes of them, and the greatest of each row.
#include "compiler/Target/CPU/Emit/Attention/AttentionEmitter.h"
#include "compiler/Target/CPU/Emit/VectorRegion.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

/// Whether scores can wait to be scaled until they are exponentiated: the region only says what to keep, and
/// the greatest product has the greatest score.
bool AttentionEmitter::isScoreKept() const {
  if (!(scale > 0))
    return false;
  Region &region = const_cast<AttentionTileOp &>(op).getScore();
  return region.empty() || region.front().getTerminator()->getOperand(0) == region.getArgument(0);
}

/// Scores of a panel's products, which lie from `column` on, where they lie. Behind the last key of all they
/// are minus infinity.
void AttentionEmitter::emitScores(KeyRange panel, Index column, bool isWhole) {
  Index count = isWhole ? e.index(panelWidth) : panel.count;
  bool isUnchanged = isScoreKept() && op.getScore().empty();
  overRows([&](Index row) {
    Index at = scoreAt(row, column);
    auto accumulate = [&](Index offset, Value mask, ValueRange greatest) -> Emitter::Values {
      Value score = e.load(scores, at + offset, lanes);
      if (!isUnchanged)
        score = emitScore(score, row, panel.start + offset, mask);
      if (mask)
        score = e.create<arith::SelectOp>(mask, score, e.splat(least(), lanes));
      if (mask || !isUnchanged)
        e.store(score, scores, at + offset);
      return {greater(score, greatest.front())};
    };
    Value before = e.load(blockMaxima, row * lanes, lanes);
    e.store(e.overColumns(count, lanes, before, accumulate).front(), blockMaxima, row * lanes);
  });
}

Value AttentionEmitter::emitScore(Value raw, Index row, Index key, Value mask) {
  Value score = e.create<arith::MulFOp>(raw, e.splat(e.number(number, scale), lanes));
  if (op.getScore().empty())
    return score;
  Block &region = op.getScore().front();
  Index head = headOf(row), query = queryOf(row);
  Emitter::Values arguments{score};
  for (Index index : {batch, head, query})
    arguments.push_back(e.splat(index, lanes));
  arguments.push_back(e.create<arith::AddIOp>(e.splat(key, lanes), e.ramp(e.index(1), lanes)));
  for (auto [capture, argument] : llvm::zip(buffers.captures, region.getArguments().drop_front(5)))
    arguments.push_back(loadCapture(e, capture, argument.getType(), {batch, head, query, key}, lanes, mask));
  FailureOr<Emitter::Values> results = emitVectorRegion(e, region, arguments, lanes, {}, mask);
  failedRegion |= failed(results);
  if (failed(results))
    return score;
  return e.create<arith::SelectOp>((*results)[1], isScoreKept() ? raw : (*results)[0],
                                   e.splat(least(), lanes));
}
