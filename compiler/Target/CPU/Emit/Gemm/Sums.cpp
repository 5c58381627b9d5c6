// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of a depth block: register tiles of vectors for a group of rows.
#include "compiler/Target/CPU/Emit/Gemm/GemmEmitter.h"
#include "dialects/Weft/IR/PackedWeights.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

/// Rows in groups of at most tile.rows, as even as can be: 9 rows are 5 and 4, since 8 and 1 would leave
/// registers idle. The next panel or depth block is asked for while groups read this one again, spread over
/// all of them, so that memory is asked for little at a time. A single group reads this one once, and
/// asks for later rows of it.
void GemmEmitter::emitGroups(const Area &subPanel, const DepthBlock &part) {
  Index groups = ceilDiv(subPanel.rows, tile.rows);
  // Turns of the inner loop's nest that this panel takes, and where this sub-panel's begin.
  Index turns = groups * llvm::divideCeil(panelColumns, subPanelColumns());
  Index column = subPanel.column - panel * sizes.columns,
        turn = column % panelColumns / subPanelColumns() * groups;
  const RhsRows &from = part.rhs, &stored = part.stored();
  bool isUnpacked = part.unpackedFrom.has_value();
  Index ownStart = isUnpacked ? stored.start : stored.start + placeInPanels(from, column);
  Index behind = hasNarrowPanels() ? nextOfNarrowPanels(column, part)
                                   : stored.start + stored.count(part.size) * stored.pitch;
  Index share = min((storedPerRow(part) + turns - 1) / turns, e.index(elementsPerLine(stored.buffer)));
  auto boolean = [&](bool value) -> Value { return e.create<arith::ConstantIntOp>(value, 1); };
  // What lies behind a matrix that rows are routed to is another one's, or has its turn much later. Of a
  // panel that is unpacked no later rows are left.
  Value asksForOwn = isUnpacked ? boolean(false)
                     : routed   ? boolean(true)
                                : groups.compare(arith::CmpIPredicate::eq, 1);
  Index ownStep = isUnpacked ? e.index(0) : from.pitch;
  aheadStep = e.select(asksForOwn, ownStep, share);
  e.loop(e.index(0), groups, e.index(1), [&](Index group) {
    auto [first, rows] = e.evenRange(subPanel.rows, groups, group);
    Area block{subPanel.row + first, rows, subPanel.column, subPanel.width};
    ahead = e.select(asksForOwn, ownStart + from.pitch * kRowsOfStreamAhead,
                     behind + (turn + group) * from.count(part.size) * share);
    emitGroupSums(block, part);
  });
}

/// What is read after a depth block of one of several panels: the same of the next one, or of the first panel
/// the next depth block, or the next tile's. Where all of a tile were unpacked, the panel's own next block.
Index GemmEmitter::nextOfNarrowPanels(Index column, const DepthBlock &part) {
  const RhsRows &stored = part.stored();
  Index number = column / panelColumns, pitch = *stored.panelPitch,
        count = stored.count(part.size) * stored.pitch;
  Index own = stored.start + number * pitch;
  if (part.unpackedFrom) {
    Index nextTile = rhsStart + (number + sizes.columns / panelColumns) * pitch;
    return part.isLast ? e.select(part.isLast, nextTile, own + count) : nextTile;
  }
  if (!part.isLast)
    return own + pitch;
  Index end = min(columnCount, (panel + 1) * sizes.columns);
  Value isLastPanel = (panel * sizes.columns + column + panelColumns).compare(arith::CmpIPredicate::uge, end);
  Index afterLast = e.select(part.isLast, rhsStart + (number + 1) * pitch, stored.start + count);
  return e.select(isLastPanel, afterLast, own + pitch);
}

/// Sizes of row groups that can occur: all of them, unless the number of rows is static; or those that leave
/// tiles too little to do.
SmallVector<int64_t> GemmEmitter::possibleGroupSizes(bool areForTiles) {
  SmallVector<int64_t> found;
  std::optional<int64_t> known = rowCount.constant();
  if (areForTiles)
    return llvm::to_vector(llvm::seq_inclusive<int64_t>(1, mostRowsOfVectors()));
  if (!known || tileSums || routed)
    return llvm::to_vector(llvm::seq_inclusive<int64_t>(leastGroup, tile.rows));
  int64_t blocks = std::max<int64_t>(llvm::divideCeil(*known, sizes.rows), 1);
  // What rowsOfBlock gives where there are no tiles.
  for (int64_t rows : {*known / blocks, (*known + blocks - 1) / blocks}) {
    if (rows == 0)
      continue;
    int64_t groups = llvm::divideCeil(rows, tile.rows);
    found.push_back(rows / groups);
    if (rows % groups != 0)
      found.push_back(rows / groups + 1);
  }
  // Without rows there is no tile; something must be emitted all the same.
  if (found.empty())
    found.push_back(1);
  llvm::sort(found);
  found.erase(llvm::unique(found), found.end());
  return found;
}

void GemmEmitter::emitGroupSums(const Area &group, const DepthBlock &part) {
  auto emitRows = [&](int64_t vectors, Value mask) {
    e.switchOver(group.rows, possibleGroupSizes(isForTiles(part.rhs.format)),
                 [&](int64_t rows) { emitRegisterTile(group, rows, vectors, mask, part); });
  };
  auto emitTail = [&](int64_t vectors, Index rest) { emitRows(vectors, e.mask(rest, lanes)); };
  auto whole = [&] { emitRows(tile.vectors, {}); };
  auto tail = [&] {
    if (std::optional<int64_t> known = columnCount.constant()) {
      int64_t width = *known % subPanelColumns();
      emitTail(llvm::divideCeil(width, lanes), e.index((width - 1) % lanes + 1));
    } else {
      e.switchOver(ceilDiv(group.width, lanes),
                   llvm::to_vector(llvm::seq_inclusive<int64_t>(1, tile.vectors)),
                   [&](int64_t vectors) { emitTail(vectors, group.width - (vectors - 1) * lanes); });
    }
  };
  e.ifElse(isWholeSubPanel(group), whole, tail);
}

Value GemmEmitter::isWholeSubPanel(const Area &group) {
  if (columnCount.constant() && *columnCount.constant() % subPanelColumns() == 0)
    return e.create<arith::ConstantIntOp>(1, 1);
  return group.width.compare(arith::CmpIPredicate::eq, subPanelColumns());
}

/// Sums of a register tile over a part of the depth. `mask` is for the last vector.
void GemmEmitter::emitRegisterTile(const Area &group, int64_t rows, int64_t vectors, Value mask,
                                   const DepthBlock &part) {
  SmallVector<Index> lhsRows, sumRows;
  for (int64_t r = 0; r < rows; ++r) {
    lhsRows.push_back(startOf(part.lhs, group.row + r));
    sumRows.push_back(sumsAt(group.row + r, group.column));
  }
  auto multiply = [&](Index k, ArrayRef<Value> weights, ValueRange sums) {
    Emitter::Values next;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t v = 0; v < vectors; ++v)
        next.push_back(
            multiplyAdd(part.rhs.format, part.lhs.buffer, lhsRows[r] + k, weights[v], sums[r * vectors + v]));
    return next;
  };
  const RhsRows &from = part.rhs;
  Index column = from.isPanel ? group.column - panel * sizes.columns : group.column;
  Index start = from.start + (from.isPanel ? placeInPanels(from, column) : column);
  DepthLoop loop{e, from.buffer, from.format, number, start, from.pitch, vectors, part.size, multiply};
  loop.groups = from.groups;
  if (vectors * lanes > panelColumns)
    loop.panels = DepthLoop::Panels{panelColumns / lanes, *from.panelPitch};
  if (!from.isPanel) // its padding can be read
    loop.mask = mask;
  if (part.unpackedFrom)
    loop.ahead = DepthLoop::Ahead{ahead, aheadStep, &part.unpackedFrom->buffer};
  else if (from.comesFromMemory && !isStream)
    loop.ahead = DepthLoop::Ahead{ahead, aheadStep, nullptr, /*bringsRows=*/!hasNarrowPanels()};
  Emitter::Values sums = loop.emit(initialSums(sumRows, vectors, mask, part));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      storeSums(sums[r * vectors + v], sumRows[r] + v * lanes, v == vectors - 1 ? mask : Value());
}

/// How far from the start of a row of the tile's first panel a column lies.
Index GemmEmitter::placeInPanels(const RhsRows &rows, Index column) {
  if (!rows.panelPitch)
    return column * elementsPerColumn(rows.format);
  return column / panelColumns * *rows.panelPitch + column % panelColumns;
}

/// Zero, or what earlier depth blocks left in memory.
Emitter::Values GemmEmitter::initialSums(ArrayRef<Index> rowStarts, int64_t vectors, Value mask,
                                         const DepthBlock &part) {
  size_t count = rowStarts.size() * vectors;
  Value zero = e.splat(e.number(number, 0), lanes);
  if (!part.isFirst)
    return Emitter::Values(count, zero);
  SmallVector<Type> types(count, zero.getType());
  auto loadAll = [&] {
    Emitter::Values sums;
    for (Index start : rowStarts)
      for (int64_t v = 0; v < vectors; ++v)
        sums.push_back(loadSums(start + v * lanes, v == vectors - 1 ? mask : Value()));
    return sums;
  };
  return e.ifElse(part.isFirst, types, [&] { return Emitter::Values(count, zero); }, loadAll);
}

/// The sums with products of weights and what lies in a row of `from` at `at`: an element, or a word of bytes
/// or of bf16.
Value GemmEmitter::multiplyAdd(RowFormat rows, const Buffer &from, Index at, Value weights, Value sum) {
  auto splatWord = [&](int64_t elements) {
    Value word =
        e.create<vector::BitCastOp>(VectorType::get(1, e.builder.getI32Type()), e.load(from, at, elements));
    return e.splat(e.create<vector::ExtractOp>(word, 0), lanes);
  };
  if (rows == RowFormat::Shorts)
    return addProductsOfShorts(e, splatWord(elementsPerColumn(rows)), weights, sum);
  if (isOfBytes(format))
    return addProductsOfBytes(e, splatWord(Quads::kDepth), weights, sum);
  if (format == RowFormat::Pairs && e.multipliesPairs())
    return addProductsOfPairs(e, splatWord(Pairs::kDepth), weights, sum);
  Value left = e.splatNumber(from, at, lanes);
  if (isa<FloatType>(number))
    return e.create<vector::FMAOp>(left, weights, sum);
  return e.add(e.create<arith::MulIOp>(left, weights), sum);
}

Index GemmEmitter::sumsAt(Index row, Index column) {
  if (ownSums)
    return (row - firstRow) * sizes.columns + (column - panel * sizes.columns);
  return outAt(row, column);
}

Index GemmEmitter::outAt(Index row, Index column) {
  return outStart + rowNumber(row) * out.strides[out.rank() - 2] + column;
}

/// What sums are while they wait in memory: integers may be bits of a float there.
Value GemmEmitter::loadSums(Index at, Value mask) {
  if (isOfBytes(format))
    return e.create<arith::BitcastOp>(VectorType::get(lanes, number), e.load(sums(), at, lanes, mask));
  return e.loadNumbers(sums(), at, lanes, mask);
}

void GemmEmitter::storeSums(Value stored, Index at, Value mask) {
  if (isOfBytes(format))
    e.store(e.create<arith::BitcastOp>(VectorType::get(lanes, sums().element), stored), sums(), at, mask);
  else
    e.storeNumbers(stored, sums(), at, mask);
}
