// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention: which queries and keys a block has, what the score region says of them, and where results go.
#include "compiler/Target/NVGPU/Emit/AttentionBlock.h"
#include "compiler/Target/CPU/Emit/VectorRegion.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

/// The number of a score region's first capture among its arguments.
static constexpr unsigned kFirstCapture = 5;
/// What the first key of a part is a multiple of: of all numbers of keys that are brought at once.
static constexpr int64_t kPartUnit = 64;

AttentionBlock::AttentionBlock(BlockEmitter &emitter, AttentionTileOp op, cpu::TileSizes sizes,
                               const AttentionOperands &operands)
    : e(emitter), op(op), sizes(sizes), operands(operands), number(emitter.computed(operands.out.element)),
      length(operands.query.sizes[2]), keyHeads(operands.key.sizes[1]), keys(operands.key.sizes[2]),
      groupSize(emitter.quotient(operands.query.sizes[1], max(keyHeads, emitter.index(1)))),
      rowCount(groupSize * length), least(e.number(number, -std::numeric_limits<double>::infinity())),
      firstKey(e.index(0)), endKey(keys) {
  decodeTile();
  openRegion();
}

void AttentionBlock::decodeTile() {
  Index blocks = max(ceilDiv(rowCount, sizes.rows), e.index(1)), matrix = e.quotient(e.block, blocks);
  firstRow = (blocks - 1 - e.remainder(e.block, blocks)) * sizes.rows;
  keyHead = e.remainder(matrix, keyHeads);
  batch = e.quotient(matrix, keyHeads);
  if (!operands.statistics)
    return;
  Index batches = max(operands.query.sizes[0], e.index(1));
  part = e.quotient(batch, batches);
  batch = e.remainder(batch, batches);
  Index size = evenPart(keys, operands.statistics->sizes[0], kPartUnit);
  firstKey = min(part * size, keys);
  endKey = min(firstKey + size, keys);
}

AttentionBlock::Row AttentionBlock::rowAt(Index inTile) {
  Index there = firstRow + inTile, row = min(there, rowCount - 1);
  bool isOne = groupSize.is(1);
  return {row, there.compare(arith::CmpIPredicate::ult, rowCount),
          isOne ? keyHead : keyHead * groupSize + e.quotient(row, length),
          isOne ? row : e.remainder(row, length)};
}

/// What is known of the region's arguments for these keys and all rows of the tile.
SmallVector<cpu::Interval> AttentionBlock::argumentsOf(Index first, Index count) {
  Row low = rowAt(e.index(0)), high = rowAt(e.index(sizes.rows - 1));
  Index lowQuery = low.query, highQuery = high.query;
  if (!groupSize.is(1)) { // of several heads it may be all queries
    Value isOne = low.head.compare(arith::CmpIPredicate::eq, high.head);
    lowQuery = e.select(isOne, lowQuery, e.index(0));
    highQuery = e.select(isOne, highQuery, length - 1);
  }
  SmallVector<cpu::Interval> arguments{
      {}, {batch, batch}, {low.head, high.head}, {lowQuery, highQuery}, {first, first + count - 1}};
  for (auto [capture, argument] :
       llvm::zip(operands.captures, op.getScore().getArguments().drop_front(kFirstCapture)))
    arguments.push_back(cpu::knownCapture(e, capture, argument.getType(), batch,
                                          groupSize.is(1) ? std::optional(keyHead) : std::nullopt));
  return arguments;
}

/// Finds out whether verdicts may say that masks are open, and what the region is then.
void AttentionBlock::openRegion() {
  if (op.getScore().empty())
    return;
  OpBuilder::InsertionGuard guard(e.builder);
  Block scratch;
  e.builder.setInsertionPointToStart(&scratch);
  SmallVector<cpu::Interval> arguments = argumentsOf(firstKey, e.index(kPartUnit));
  if (!cpu::buildTileVerdict(e.builder, e.location, op.getScore().front(), arguments).isFull)
    return;
  opened = cast<AttentionTileOp>(op->clone());
  if (!cpu::openMasks(opened->getScore(), arguments))
    opened = nullptr;
}

Value AttentionBlock::isEmpty(Index first, Index count) {
  if (op.getScore().empty() || op.getWeights()) // of all keys probabilities are written
    return {};
  return cpu::buildTileVerdict(e.builder, e.location, op.getScore().front(), argumentsOf(first, count))
      .isEmpty;
}

Value AttentionBlock::isFull(Index first, int64_t count) {
  Value areThere = (first + count).compare(arith::CmpIPredicate::ule, endKey);
  if (op.getScore().empty())
    return areThere;
  if (!opened)
    return {};
  SmallVector<cpu::Interval> arguments = argumentsOf(first, e.index(count));
  Value isFull = cpu::buildTileVerdict(e.builder, e.location, op.getScore().front(), arguments).isFull;
  return e.both(areThere, isFull);
}

std::pair<Value, Value> AttentionBlock::evaluate(Region &region, Value score, const Row &row, Index key) {
  Index there = min(key, keys - 1);
  auto results = e.region(region.front(), {score, batch, row.head, row.query, there}, operands.captures,
                          {batch, row.head, row.query, there});
  failedRegion |= failed(results);
  if (failed(results))
    return {score, e.create<arith::ConstantIntOp>(1, 1)};
  return {(*results)[0], (*results)[1]};
}

Value AttentionBlock::applyRegion(Value score, const Row &row, Index key) {
  Value isKept = key.compare(arith::CmpIPredicate::ult, endKey);
  if (!op.getScore().empty()) {
    auto [result, isOpen] = evaluate(op.getScore(), score, row, key);
    score = result;
    isKept = e.both(isKept, isOpen);
  }
  return e.create<arith::SelectOp>(isKept, score, least);
}

Value AttentionBlock::applyOpenRegion(Value score, const Row &row, Index key) {
  if (op.getScore().empty())
    return score;
  auto [result, isKept] = evaluate(opened->getScore(), score, row, key);
  return e.create<arith::SelectOp>(isKept, result, least);
}

AttentionBlock::Start AttentionBlock::startOf(const Row &row, Value isCounted) {
  Value zero = e.number(number, 0);
  if (!operands.sink)
    return {least, zero};
  Value sink = e.loadScalar(*operands.sink,
                            cpu::broadcastPlace(*operands.sink, {batch, row.head, row.query, e.index(0)}));
  // 1 unless it is no number, or minus infinity.
  Value sum = e.create<math::ExpOp>(e.create<arith::SubFOp>(sink, baseOf(sink)));
  if (operands.statistics)
    isCounted = e.both(part.compare(arith::CmpIPredicate::eq, 0), isCounted);
  return {sink, e.create<arith::SelectOp>(isCounted, sum, zero)};
}

Index AttentionBlock::queryStart() {
  const Buffer &query = operands.query;
  return query.offset + batch * query.strides[0] + keyHead * groupSize * query.strides[1] +
         firstRow * query.strides[2];
}

Index AttentionBlock::keyStart(const Buffer &buffer, Index first) {
  return buffer.offset + batch * buffer.strides[0] + keyHead * buffer.strides[1] + first * buffer.strides[2];
}

/// The query heads of one key head lie side by side, so that their rows are the rows of one matrix.
Index AttentionBlock::outStart(const Row &row) {
  const Buffer &out = operands.out;
  ArrayRef<Index> strides(out.strides);
  Index start = out.offset;
  if (operands.statistics) {
    start = start + part * strides.front();
    strides = strides.drop_front();
  }
  return start + batch * strides[0] + keyHead * groupSize * strides[1] + row.row * strides[2];
}

Index AttentionBlock::weightsStart(const Row &row) {
  const Buffer &weights = *operands.weights;
  return weights.offset + batch * weights.strides[0] + row.head * weights.strides[1] +
         row.query * weights.strides[2];
}

cpu::RowFactor AttentionBlock::factorOf(Value sum) {
  if (operands.statistics)
    return {e.create<arith::ConstantIntOp>(0, 1), e.number(number, 1)};
  Value hasNoKeys = keys.compare(arith::CmpIPredicate::eq, 0);
  return cpu::rowFactor(e, op.getEmptyRows(), sum, hasNoKeys);
}

Value AttentionBlock::apply(const cpu::RowFactor &factor, Value sum) {
  Value product = e.create<arith::MulFOp>(sum, factor.factor);
  return e.create<arith::SelectOp>(factor.isZero, e.number(number, 0), product);
}

void AttentionBlock::storeStatistics(const Row &row, Value maximum, Value sum) {
  const Buffer &statistics = *operands.statistics;
  Index ofBatch = (batch * keyHeads + keyHead) * rowCount;
  Index at = statistics.offset + part * statistics.strides[0] + (ofBatch + row.row) * statistics.strides[1];
  Value hasNoKeys = keys.compare(arith::CmpIPredicate::eq, 0);
  e.storeScalar(e.create<arith::SelectOp>(hasNoKeys, e.number(number, 0), maximum), statistics, at);
  e.storeScalar(e.create<arith::SelectOp>(hasNoKeys, e.number(number, 1), sum), statistics, at + 1);
}

Value AttentionBlock::baseOf(Value maximum) {
  Value isNone = e.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, maximum, least);
  return e.create<arith::SelectOp>(isNone, e.number(number, 0), maximum);
}

LogicalResult AttentionBlock::emit() {
  emitWork();
  return failure(failedRegion);
}
