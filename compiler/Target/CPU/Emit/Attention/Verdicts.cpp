// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which keys count for the rows of a tile: what the score region is on a panel, found out from its place.
#include "compiler/Target/CPU/Emit/Attention/AttentionEmitter.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

/// The number of the key among a score region's arguments.
constexpr unsigned kKeyArgument = 4;

/// A capture that is one number for all of the tile.
Interval AttentionEmitter::knownCapture(const Buffer &capture, Type argument) {
  Index at = capture.offset;
  size_t missing = 4 - capture.rank();
  for (size_t i = 0; i < capture.rank(); ++i) {
    if (capture.sizes[i].is(1))
      continue;
    size_t dim = missing + i;
    if (dim > 1 || (dim == 1 && !groupSize.is(1)))
      return {};
    at = at + (dim == 0 ? batch : keyHead) * capture.strides[i];
  }
  Value number = e.loadScalar(capture, at);
  if (argument.isInteger(1))
    number = e.create<arith::CmpIOp>(arith::CmpIPredicate::ne, number, e.number(capture.element, 0));
  return {number, number};
}

/// The rows of a tile may belong to several heads; then they may be any of a head's.
SmallVector<Interval> AttentionEmitter::knownArguments() {
  Index last = firstRow + rows - 1, lowQuery = firstRow, highQuery = last;
  if (!groupSize.is(1)) {
    Value isOne = (firstRow / length).compare(arith::CmpIPredicate::eq, last / length);
    lowQuery = e.select(isOne, firstRow % length, e.index(0));
    highQuery = e.select(isOne, last % length, length - 1);
  }
  SmallVector<Interval> known{
      {}, {batch, batch}, {headOf(e.index(0)), headOf(rows - 1)}, {lowQuery, highQuery}, {firstKey, endKey}};
  for (auto [capture, argument] :
       llvm::zip(buffers.captures, op.getScore().getArguments().drop_front(kKeyArgument + 1)))
    known.push_back(knownCapture(capture, argument.getType()));
  return known;
}

TileVerdict AttentionEmitter::verdictOf(KeyRange panel) {
  SmallVector<Interval> arguments(known);
  arguments[kKeyArgument] = {panel.start, panel.start + panel.count - 1};
  return buildTileVerdict(e.builder, e.location, op.getScore().front(), arguments);
}

/// Finds out what verdicts may say at all.
void AttentionEmitter::prepareVerdicts() {
  if (op.getScore().empty())
    return;
  known = knownArguments();
  OpBuilder::InsertionGuard guard(e.builder);
  Block scratch;
  e.builder.setInsertionPointToStart(&scratch);
  TileVerdict verdict = verdictOf({firstKey, e.index(panelWidth)});
  // The probabilities of all keys are written, so none is left out.
  canBeEmpty = verdict.isEmpty && !buffers.weights;
  canBeConstant = verdict.isConstant && !buffers.weights;
  if (!verdict.isFull)
    return;
  llvm::BitVector isKnown(known.size());
  for (auto [number, interval] : llvm::enumerate(known))
    isKnown[number] = interval.low && interval.high;
  opened = cast<AttentionTileOp>(op->clone());
  if (!openMasks(opened->getScore(), isKnown))
    opened = nullptr;
}

/// The first key that counts and the end of those that do; what is between may count or not.
std::pair<Index, Index> AttentionEmitter::emitBounds() {
  if (!canBeEmpty && !canBeConstant)
    return {firstKey, endKey};
  auto widen = [&](Index start, ValueRange bounds) -> Emitter::Values {
    KeyRange panel{start, min(e.index(panelWidth), endKey - start)};
    TileVerdict verdict = verdictOf(panel);
    Value isOut = canBeEmpty ? verdict.isEmpty : verdict.isConstant;
    if (canBeEmpty && canBeConstant)
      isOut = e.create<arith::OrIOp>(isOut, verdict.isConstant);
    Index first = e.index(bounds[0]), end = e.index(bounds[1]);
    return {e.select(isOut, first, min(first, start)), e.select(isOut, end, start + panel.count)};
  };
  Emitter::Values bounds = e.loop(firstKey, endKey, e.index(panelWidth), ValueRange{endKey, endKey}, widen);
  return {e.index(bounds[0]), e.index(bounds[1])};
}

/// Whether a panel whose scores are excluded or all the same makes a difference: not, if for every row the
/// exponential of that score is 0.
Value AttentionEmitter::emitIsNeeded(KeyRange panel) {
  Value infinity = e.number(number, std::numeric_limits<double>::infinity());
  auto lesser = [&](Index row, ValueRange before) -> Emitter::Values {
    Value found = e.loadScalar(maxima, row);
    Value isLess = e.create<arith::CmpFOp>(arith::CmpFPredicate::OLT, found, before.front());
    return {e.create<arith::SelectOp>(isLess, found, before.front())};
  };
  Value lowest = e.loop(e.index(0), rows, e.index(1), infinity, lesser).front();
  TileVerdict verdict = verdictOf(panel);
  // exp(-104) is 0 in f32, exp(-746) in f64.
  Value below = e.create<arith::SubFOp>(lowest, verdict.constant);
  Value isNeeded =
      e.create<arith::CmpFOp>(arith::CmpFPredicate::ULE, below, e.number(number, number.isF32() ? 104 : 746));
  if (!canBeEmpty)
    return isNeeded;
  return e.create<arith::SelectOp>(verdict.isEmpty, e.create<arith::ConstantIntOp>(0, 1), isNeeded);
}
