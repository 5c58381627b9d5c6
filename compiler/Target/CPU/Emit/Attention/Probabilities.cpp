// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exponentials of scores, less the greatest score so far, and their sums.
#include "compiler/Target/CPU/Emit/Attention/AttentionEmitter.h"
#include "compiler/Target/CPU/Emit/Rows.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

/// The greatest score of a row in this block, for now in `bases`.
void AttentionEmitter::emitMaxima(Index row) {
  auto choose = [&](Value left, Value right) { return greater(left, right); };
  e.storeScalar(reduceLanes(e, e.load(blockMaxima, row * lanes, lanes), {least(), choose}), bases, row);
}

/// What is subtracted from scores, of the greatest of them, each in its lane: of nothing but excluded keys
/// that is minus infinity, which must not be subtracted from itself.
Value AttentionEmitter::baseOf(Value maximum) {
  Value isEmpty = e.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, maximum, e.splat(least(), lanes));
  return e.create<arith::SelectOp>(isEmpty, e.splat(e.number(number, 0), lanes), maximum);
}

/// For as many rows as there are lanes: the greatest score so far, what to subtract from scores, and the
/// factor by which what was summed before shrinks.
void AttentionEmitter::emitScales(Index row) {
  Value before = e.load(maxima, row, lanes), maximum = greater(e.load(bases, row, lanes), before);
  Value base = baseOf(maximum);
  e.store(maximum, maxima, row);
  e.store(base, bases, row);
  e.store(exponentialOf(before, base), scales, row);
}

/// exp(score - base); as a power of 2, whose factor is the scale's too. One that is only summed is 0 where it
/// would be no normal number: beside that of the base, which is 1, it changes nothing, and each product with
/// it would take the processor a hundred cycles. A mask of -100, as Swin has it, makes many of them.
Value AttentionEmitter::exponentialOf(Value score, Value base, bool isSummed) {
  constexpr double kLog2OfE = 1.44269504088896338700;
  Value factor = e.number(number, isScoreKept() ? scale * kLog2OfE : kLog2OfE);
  Value below = e.create<arith::SubFOp>(score, base);
  return e.create<math::Exp2Op>(e.create<arith::MulFOp>(below, e.splat(factor, lanes)),
                                isSummed ? arith::FastMathFlags::afn : arith::FastMathFlags::none);
}

/// exp(score - base) of a row's scores, in their place. The last vector is whole: what is behind the last key
/// becomes 0.
void AttentionEmitter::emitExponentials(Index row, KeyRange block) {
  Value base = e.splat(e.loadScalar(bases, row), lanes), zero = e.splat(e.number(number, 0), lanes);
  auto add = [&](Index column, ValueRange partial) -> Emitter::Values {
    Index at = scoreAt(row, column);
    Value exponential = exponentialOf(e.load(scores, at, lanes), base);
    e.store(exponential, scores, at);
    return {e.create<arith::AddFOp>(partial.front(), exponential)};
  };
  if (buffers.weights) // until the sums are known they hold the scores
    e.overColumns(block.count, lanes, [&](Index column, Value mask) {
      e.store(e.load(scores, scoreAt(row, column), lanes), *buffers.weights,
              buffers.weights->offset + (outRow + row) * keys + block.start + column, mask);
    });
  Value sum = e.loop(e.index(0), block.count, e.index(lanes), zero, add).front();
  Value shrunk = e.splat(e.loadScalar(scales, row), lanes);
  e.store(e.create<vector::FMAOp>(e.load(sums, row * lanes, lanes), shrunk, sum), sums, row * lanes);
}

/// The probabilities, of scores that lie where they go.
void AttentionEmitter::emitWeights(Index row, const RowFactor &factor) {
  Value base = e.splat(e.loadScalar(bases, row), lanes);
  Index start = buffers.weights->offset + (outRow + row) * keys;
  e.overColumns(keys, lanes, [&](Index column, Value mask) {
    Value score = e.load(*buffers.weights, start + column, lanes, mask);
    Value exponential = exponentialOf(score, base, /*isSummed=*/false);
    e.store(factor.apply(e, exponential), *buffers.weights, start + column, mask);
  });
}
