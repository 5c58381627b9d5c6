// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which keys count for the rows of a tile: what the score region is on a panel, found out from its place and
// from captures that are one number there.
#include "compiler/Target/CPU/Emit/Attention/AttentionEmitter.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

/// The numbers of the query and the key among a score region's arguments.
constexpr unsigned kQueryArgument = 3, kKeyArgument = 4;

Interval weft::cpu::knownCapture(Emitter &e, const Buffer &capture, Type argument, Index batch,
                                 std::optional<Index> head) {
  Index at = capture.offset;
  size_t missing = 4 - capture.rank();
  for (size_t i = 0; i < capture.rank(); ++i) {
    if (capture.sizes[i].is(1))
      continue;
    size_t dim = missing + i;
    if (dim > 1 || (dim == 1 && !head))
      return {};
    at = at + (dim == 0 ? batch : *head) * capture.strides[i];
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
    known.push_back(knownCapture(e, capture, argument.getType(), batch,
                                 groupSize.is(1) ? std::optional(keyHead) : std::nullopt));
  return known;
}

/// The number that a capture is all over a panel for the rows of this tile, by its map; nothing is known
/// where it is not one number.
Interval AttentionEmitter::numberOfCapture(const Buffer &map, Type argument, KeyRange panel) {
  Index start = map.offset + panel.start / panelWidth * map.strides[3];
  if (!map.sizes[0].is(1))
    start = start + batch * map.strides[0];
  Index first = e.index(0), last = e.index(0);
  if (!map.sizes[2].is(1)) {
    first = e.index(known[kQueryArgument].low) / UniformTileOp::kRows;
    last = e.index(known[kQueryArgument].high) / UniformTileOp::kRows;
  }
  auto numberAt = [&](Index row) { return e.loadScalar(map, start + row * map.strides[2]); };
  Value unknown = e.number(map.element, std::numeric_limits<double>::quiet_NaN());
  auto unite = [&](Index row, ValueRange before) -> Emitter::Values {
    Value isSame = e.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, before.front(), numberAt(row));
    return {e.create<arith::SelectOp>(isSame, before.front(), unknown)};
  };
  Value number = e.loop(first + 1, last + 1, e.index(1), numberAt(first), unite).front();
  // Beside masks of places it would have to be 0 with them: what differs by query then is a bias more often.
  if (!argument.isInteger(1))
    return {number, number, /*isMask=*/!hasPlaceMasks || map.sizes[2].is(1)};
  Value isTrue = e.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, number, e.number(map.element, 1));
  Value isPossible = e.create<arith::CmpFOp>(arith::CmpFPredicate::UNE, number, e.number(map.element, 0));
  return {isTrue, isPossible};
}

/// What is known of the region's arguments on a panel.
SmallVector<Interval> AttentionEmitter::argumentsOf(KeyRange panel) {
  SmallVector<Interval> arguments(known);
  arguments[kKeyArgument] = {panel.start, panel.start + panel.count - 1};
  for (auto [map, number] : llvm::zip_equal(buffers.maps, op.getMapped())) {
    unsigned argument = kKeyArgument + 1 + number;
    arguments[argument] = numberOfCapture(map, op.getScore().getArgument(argument).getType(), panel);
  }
  return arguments;
}

TileVerdict AttentionEmitter::verdictOf(KeyRange panel) {
  return buildTileVerdict(e.builder, e.location, op.getScore().front(), argumentsOf(panel));
}

/// Finds out what verdicts may say at all.
void AttentionEmitter::prepareVerdicts() {
  if (op.getScore().empty())
    return;
  known = knownArguments();
  hasPlaceMasks =
      openMasks(OwningOpRef<AttentionTileOp>(cast<AttentionTileOp>(op->clone()))->getScore(), known);
  OpBuilder::InsertionGuard guard(e.builder);
  Block scratch;
  e.builder.setInsertionPointToStart(&scratch);
  TileVerdict verdict = verdictOf({firstKey, e.index(panelKeys)});
  // The probabilities of all keys are written, so none is left out.
  canBeEmpty = verdict.isEmpty && !buffers.weights;
  canBeConstant = verdict.isConstant && !buffers.weights;
  if (!verdict.isFull)
    return;
  opened = cast<AttentionTileOp>(op->clone());
  if (!openMasks(opened->getScore(), argumentsOf({firstKey, e.index(panelKeys)})))
    opened = nullptr;
}

/// Whether all masks are open on a panel; null if that never is known.
Value AttentionEmitter::emitIsFull(KeyRange panel) { return opened ? verdictOf(panel).isFull : Value(); }

/// The first key that counts and the end of those that do; what is between may count or not. No panel is
/// looked at behind the first one that counts, from either side.
std::pair<Index, Index> AttentionEmitter::emitBounds() {
  if (!canBeEmpty && !canBeConstant)
    return {firstKey, endKey};
  auto isOut = [&](KeyRange panel) {
    TileVerdict verdict = verdictOf(panel);
    if (canBeEmpty && canBeConstant)
      return e.create<arith::OrIOp>(verdict.isEmpty, verdict.isConstant);
    return canBeEmpty ? verdict.isEmpty : verdict.isConstant;
  };
  // A bound moves over a panel that it stands at.
  auto move = [&](Value isThere, KeyRange panel, Value bound, Index next) -> Emitter::Values {
    auto go = [&]() -> Emitter::Values { return {e.select(isOut(panel), next, e.index(bound))}; };
    return e.ifElse(isThere, bound.getType(), go, [&]() -> Emitter::Values { return {bound}; });
  };
  auto fromLeft = [&](Index start, ValueRange bound) {
    Index end = min(start + panelKeys, endKey);
    return move(start.compare(arith::CmpIPredicate::eq, e.index(bound[0])), {start, end - start}, bound[0],
                end);
  };
  Index first = e.index(e.loop(firstKey, endKey, e.index(panelKeys), Value(firstKey), fromLeft).front());
  Index count = ceilDiv(endKey - first, panelKeys);
  auto fromRight = [&](Index turn, ValueRange bound) {
    Index start = first + (count - 1 - turn) * panelKeys, end = min(start + panelKeys, endKey);
    return move(end.compare(arith::CmpIPredicate::eq, e.index(bound[0])), {start, end - start}, bound[0],
                start);
  };
  Index end = e.index(e.loop(e.index(0), count, e.index(1), Value(endKey), fromRight).front());
  return {first, end};
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
