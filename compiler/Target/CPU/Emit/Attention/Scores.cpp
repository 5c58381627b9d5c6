// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores of products: what the score region makes of them, and the greatest of each row.
#include "compiler/Target/CPU/Emit/Attention/AttentionEmitter.h"
#include "compiler/Target/CPU/Emit/VectorRegion.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

/// Whether scores can wait to be scaled until they are exponentiated: the region only says what to keep, and
/// the greatest product has the greatest score.
bool AttentionEmitter::isScoreKept() {
  Region &region = op.getScore();
  constexpr double kLeast = 1e-30, kMost = 1e30; // of which f32 holds products with log2(e)
  return scale >= kLeast && scale <= kMost &&
         (region.empty() || region.front().getTerminator()->getOperand(0) == region.getArgument(0));
}

/// Whether a region keeps every score as it is.
static bool isIdentity(Region &region) {
  if (region.empty())
    return true;
  Operation *yield = region.front().getTerminator();
  return yield->getOperand(0) == region.getArgument(0) && matchPattern(yield->getOperand(1), m_One());
}

/// Whether scores of a panel are its products, by a region that keeps all of them; all keys have to be there.
Value AttentionEmitter::emitAreProductsScores(KeyRange panel, Value isFull) {
  Value isWhole = panel.count.compare(arith::CmpIPredicate::eq, panelWidth);
  if (isIdentity(op.getScore()))
    return isWhole;
  if (isFull && isIdentity(opened->getScore()))
    return e.create<arith::AndIOp>(isWhole, isFull);
  return e.create<arith::ConstantIntOp>(0, 1);
}

/// What products are multiplied by when they are made; null where scores wait.
Value AttentionEmitter::productFactor() {
  return isScoreKept() || scale == 1 ? Value() : e.number(number, scale);
}

/// Products that are scores, while they are in registers: only the greatest of each row is taken.
void AttentionEmitter::emitProductMaxima(Index row, ArrayRef<Emitter::Values> vectors) {
  for (auto [r, products] : llvm::enumerate(vectors)) {
    Index at = (row + r) * lanes;
    Value greatest = e.load(blockMaxima, at, lanes);
    for (Value product : products)
      greatest = greater(product, greatest);
    e.store(greatest, blockMaxima, at);
  }
}

/// Scores of a panel, by the region of a full tile where it is one. `areFinalLeftOut` says that those do not
/// come here whose products are scores.
void AttentionEmitter::emitScores(KeyRange panel, Index column, Value isFull, bool areFinalLeftOut) {
  auto run = [&](Region &region, bool isWhole) { emitScores(region, panel, column, isWhole); };
  if (isIdentity(op.getScore())) // only the greatest is looked for, among keys that are there
    return run(op.getScore(), false);
  Value isWhole = panel.count.compare(arith::CmpIPredicate::eq, panelWidth);
  auto whole = [&] {
    if (!isFull || (areFinalLeftOut && isIdentity(opened->getScore())))
      return run(op.getScore(), true);
    e.ifElse(isFull, [&] { run(opened->getScore(), true); }, [&] { run(op.getScore(), true); });
  };
  e.ifElse(isWhole, whole, [&] { run(op.getScore(), false); });
}

/// Scores of a panel's products, which lie from `column` on, where they lie. Behind the last key of all they
/// are minus infinity.
void AttentionEmitter::emitScores(Region &region, KeyRange panel, Index column, bool isWhole) {
  Index count = isWhole ? e.index(panelWidth) : panel.count;
  bool isUnchanged = isIdentity(region);
  overRows([&](Index row) {
    Index at = scoreAt(row, column);
    auto accumulate = [&](Index offset, Value mask, ValueRange greatest) -> Emitter::Values {
      Value score = e.load(scores, at + offset, lanes);
      if (!isUnchanged)
        score = emitScore(region, score, row, panel.start + offset, mask);
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

Value AttentionEmitter::emitScore(Region &scoreRegion, Value raw, Index row, Index key, Value mask) {
  Value score = raw;
  if (isScoreKept())
    score = e.create<arith::MulFOp>(raw, e.splat(e.number(number, scale), lanes));
  Block &region = scoreRegion.front();
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
