// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores, their maxima, exponentials and sums, in registers.
#include "compiler/Target/NVGPU/Emit/FragmentAttention.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

/// Whether the region yields the score that it is given, where it keeps one.
static bool keepsScores(AttentionTileOp op) {
  if (op.getScore().empty())
    return true;
  Block &region = op.getScore().front();
  Value score = region.getArgument(0);
  return score.hasOneUse() && region.getTerminator()->getOperand(0) == score;
}

FragmentAttention::FragmentAttention(BlockEmitter &emitter, AttentionTileOp op, cpu::TileSizes sizes,
                                     const AttentionOperands &operands)
    : AttentionBlock(emitter, op, sizes, operands), depth(*operands.query.sizes[3].constant()),
      width(*operands.value.sizes[3].constant()),
      element(operands.query.element.isF16() ? operands.query.element : emitter.builder.getBF16Type()),
      pair(emitter.lane % 4 * kPair),
      areScoresProducts(keepsScores(op) && op.getScale().convertToDouble() > 0),
      unit(llvm::numbers::log2e * (areScoresProducts ? op.getScale().convertToDouble() : 1)) {}

/// What the four threads that have the columns of a row make of theirs.
Value FragmentAttention::reduceQuad(Value value, llvm::function_ref<Value(Value, Value)> combine) {
  for (int64_t distance : {2, 1}) {
    Value by = e.create<arith::ConstantIntOp>(e.builder.getI32Type(), distance);
    value = combine(value, e.create<cta::ShuffleOp>(value.getType(), cta::ShuffleKind::Xor, value, by));
  }
  return value;
}

Value FragmentAttention::totalOf(Value sum) {
  return reduceQuad(sum, [&](Value left, Value right) { return add(left, right); });
}

Value FragmentAttention::naturalScore(Value score) {
  return multiply(score, e.number(number, unit / llvm::numbers::log2e));
}

FragmentAttention::Values FragmentAttention::scoresOf(ValueRange products, Index first, bool isFull) {
  Values scores;
  for (auto [i, score] : llvm::enumerate(products)) {
    if (!areScoresProducts)
      score = multiply(score, e.number(number, op.getScale().convertToDouble()));
    Index key = first + pair + (i / (kHalves * kPair) * kColumns + i % kPair);
    const Row &row = rows[i / kPair % kHalves];
    scores.push_back(isFull ? applyOpenRegion(score, row, key) : applyRegion(score, row, key));
  }
  return scores;
}

FragmentAttention::Values FragmentAttention::scoresOf(ValueRange products, Index first, Index firstOfBlock,
                                                      int64_t keysOfBlock) {
  Value full = isFull(firstOfBlock, keysOfBlock);
  if (!full)
    return scoresOf(products, first, false);
  SmallVector<Type> types(products.size(), number);
  return e.ifElse(
      full, types, [&] { return scoresOf(products, first, true); },
      [&] { return scoresOf(products, first, false); });
}

/// Of the four threads of a row one has its sum; maxima are products where scores are.
FragmentAttention::Softmax FragmentAttention::begin(Value isCounted) {
  Softmax softmax;
  isCounted = e.both(pair.compare(arith::CmpIPredicate::eq, 0), isCounted);
  for (const Row &row : rows) {
    auto [maximum, sum] = startOf(row, isCounted);
    if (operands.sink)
      maximum = e.create<arith::DivFOp>(maximum, naturalScore(e.number(number, 1)));
    softmax.maxima.push_back(maximum);
    softmax.sums.push_back(sum);
  }
  return softmax;
}

FragmentAttention::Softmax FragmentAttention::update(MutableArrayRef<Value> scores, const Softmax &before) {
  Softmax next;
  for (int64_t half = 0; half < kHalves; ++half) {
    SmallVector<size_t> mine;
    for (size_t i = half * kPair; i < scores.size(); i += kHalves * kPair)
      mine.append({i, i + 1});
    Value maximum = scores[mine.front()];
    for (size_t i : mine)
      maximum = greater(maximum, scores[i]);
    auto choose = [&](Value left, Value right) { return greater(left, right); };
    maximum = greater(reduceQuad(maximum, choose), before.maxima[half]);
    Value base = negativeBaseOf(maximum), shrink = shrinkOf(before.maxima[half], maximum);
    Value sum = multiply(before.sums[half], shrink);
    for (size_t i : mine) {
      scores[i] = exponential(scores[i], base);
      sum = add(sum, scores[i]);
    }
    next.maxima.push_back(maximum);
    next.sums.push_back(sum);
    next.shrink.push_back(shrink);
  }
  return next;
}

/// A product's fragment has of two times 8 keys what a thread has of them already.
FragmentAttention::Values FragmentAttention::fragmentOf(ValueRange probabilities) {
  Values words;
  for (size_t i = 0; i < probabilities.size(); i += kPair)
    words.push_back(e.packPair(probabilities[i], probabilities[i + 1], element));
  return words;
}
