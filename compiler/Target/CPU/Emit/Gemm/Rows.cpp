// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a depth block multiplies: rows where they are stored, or unpacked onto the stack.
#include "compiler/Target/CPU/Emit/Gemm/GemmEmitter.h"
#include "dialects/Weft/IR/PackedWeights.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

/// Depth that is summed before sums go back to memory: a panel of that many rows stays in the second-level
/// cache.
static constexpr int64_t kDepthBlock = 1024;

/// The same for a few groups of rows, which use up a panel as fast as memory brings the next: this much of it
/// stays in the first-level cache from group to group, whose requests for it would otherwise take turns with
/// those for the next. 17 rows of BERT-base take 12 % less time; 64 to 192 do as well.
static constexpr int64_t kShortDepthBlock = 128;
static_assert(kShortDepthBlock % WeightGroupsAttr::kMostRows == 0 &&
                  kShortDepthBlock % Int4Block::kDepth == 0,
              "blocks of the depth are whole blocks of words");
static constexpr int64_t kMostGroupsOfShortBlocks = 4;
/// Of a panel that is unpacked so much is written to the first-level cache: on a Xeon of 2023 40 rows of bf16
/// take 8 % less time, 64 rows 2 %, and 128 rows 2 % more.
static constexpr int64_t kMostGroupsOfShortUnpackedBlocks = 8;

/// Depth of a panel that is unpacked for many rows, onto the stack. 256 takes 2 % longer, since more sums go
/// through memory, and 1024 as long.
static constexpr int64_t kUnpackedDepth = 512;
/// The same of bytes, of which more fit and AMX sums more before it stores sums: on a Xeon of 2023 64 to 128
/// rows take 3 to 9 % less time than with 512, and no less with 4096.
static constexpr int64_t kUnpackedDepthOfBytes = 1024;
/// Most rows that are unpacked for it; a schedule that asks for more converts each number anew.
static constexpr int64_t kMostUnpackedRows = 256;

Index RhsRows::count(Index of) const {
  if (groups)
    return ceilDiv(of, groups.getRows()) * groups.words();
  return isInt4(format) ? ceilDiv(of, Int4Block::kDepth) * Int4Block::kRows : of / elementsPerColumn(format);
}

Index GemmEmitter::storedPerRow(const DepthBlock &part) {
  if (!part.unpackedFrom)
    return part.rhs.pitch;
  Index elements = part.unpackedFrom->count(part.size) * part.unpackedFrom->pitch;
  Index rows = max(part.rhs.count(part.size), e.index(1)); // a depth of 0 has none
  return (elements + rows - 1) / rows;
}

int64_t GemmEmitter::unpackedDepth() const {
  return isOfBytes(format) ? kUnpackedDepthOfBytes : kUnpackedDepth;
}

bool GemmEmitter::canUnpack() {
  auto isConverted = [&] {
    switch (format) {
    case RowFormat::Quads: // instructions take them as they are, or not
      return !e.multipliesQuads();
    case RowFormat::Int4Quads:
      return true;
    case RowFormat::Shorts:
      return false;
    case RowFormat::Pairs:
      return !e.hasAMX && !e.multipliesPairs();
    case RowFormat::Numbers:
    case RowFormat::Int4:
    case RowFormat::Groups:
      return op.getPacked() && isa<FloatType>(number) && number != rhs.element;
    }
    llvm_unreachable("a format");
  };
  return sizes.rows <= kMostUnpackedRows && isConverted();
}

/// Rows from `row` on, from column `start` on, where they are stored.
LhsRows GemmEmitter::storedLhs(Index row, Index start) {
  if (size_t rows = rowDims()) {
    ArrayRef<Index> dims = lhs.sizes, strides = lhs.strides;
    LhsRows windows{lhs, lhsStart, e.index(0), row};
    windows.buffer.offset = placeOf(lhs, positionOf(start, dims.drop_front(rows)), strides.drop_front(rows)) +
                            (lhsStart - lhs.offset);
    windows.sizes.assign(dims.begin(), dims.begin() + rows);
    windows.pitches.assign(strides.begin(), strides.begin() + rows);
    return windows;
  }
  Index pitch = lhs.strides[lhs.rank() - 2];
  return {lhs, lhsStart + row * pitch + start, pitch, row};
}

/// Rows from `start` on, where they are stored.
RhsRows GemmEmitter::storedRhs(Index start) {
  Index pitch = rhs.strides[op.getPacked() && !isOfBlocks(format) ? 1 : rhs.rank() - 2];
  RhsRows rows{rhs, rhsStart, pitch, format, op.getPacked(), op.getPacked(), op.getGroupsAttr()};
  rows.start = rows.start + rows.count(start) * rows.pitch;
  if (hasNarrowPanels())
    rows.panelPitch = rhs.strides[0];
  return rows;
}

LhsRows GemmEmitter::unpackLhs(const Area &block, Index start, Index size, const Buffer &memory) {
  LhsRows from = storedLhs(block.row, start), to{memory, e.index(0), e.index(unpackedDepth()), block.row,
                                                 /*areWhereTheyLie=*/false};
  bool areShorts = unpackedFormat() == RowFormat::Shorts;
  e.loop(block.row, block.row + block.rows, e.index(1), [&](Index row) {
    Index fromRow = startOf(from, row), toRow = startOf(to, row);
    if (areShorts) // depths are multiples of Quads::kPadding
      e.loop(e.index(0), size, e.index(lanes * Quads::kDepth),
             [&](Index column) { unpackBytes(from.buffer, fromRow + column, memory, toRow + column); });
    else
      e.overColumns(size, lanes, [&](Index column, Value mask) {
        e.store(e.loadNumbers(from.buffer, fromRow + column, lanes, mask), memory, toRow + column, mask);
      });
  });
  return to;
}

/// A vector of quads: the even bytes of all as numbers of 16 bits, then the odd ones.
void GemmEmitter::unpackBytes(const Buffer &from, Index at, const Buffer &to, Index place) {
  auto words = VectorType::get(lanes, e.builder.getI32Type());
  Value bytes = e.create<vector::BitCastOp>(words, e.load(from, at, lanes * Quads::kDepth));
  for (auto [i, half] : llvm::enumerate(splitBytes(e, bytes, /*isSigned=*/false)))
    e.store(half, to, place + int64_t(i) * lanes * elementsPerColumn(RowFormat::Shorts));
}

/// Rows from `start` on as unpackedFormat says, which are written to `memory`.
RhsRows GemmEmitter::unpackRhs(Index start, Index size, const Buffer &memory) {
  RhsRows from = storedRhs(start);
  int64_t each = elementsPerColumn(unpackedFormat());
  Index pitch = e.index(panelColumns * each);
  int64_t panelVectors = panelColumns / lanes, panelPitch = unpackedDepth() * panelColumns;
  auto store = [&](Value vector, Index row, int64_t v) {
    Value elements = e.create<vector::BitCastOp>(VectorType::get(lanes * each, memory.element), vector);
    e.store(elements, memory, row * pitch + v / panelVectors * panelPitch + v % panelVectors * lanes * each);
  };
  bool areShorts = unpackedFormat() == RowFormat::Shorts;
  auto write = [&](Index k, ArrayRef<Value> weights, ValueRange) {
    Index quad = k / Quads::kDepth; // its even bytes lie as those of lhs do
    for (auto [v, vector] : llvm::enumerate(weights)) {
      if (areShorts)
        for (auto [i, half] : llvm::enumerate(splitBytes(e, vector, /*isSigned=*/true)))
          store(half, quad / lanes * (2 * lanes) + quad % lanes + int64_t(i) * lanes, v);
      else
        store(vector, k / each, v);
    }
    return Emitter::Values();
  };
  DepthLoop loop{e,          from.buffer,           from.format, number, from.start,
                 from.pitch, sizes.columns / lanes, size,        write};
  loop.groups = from.groups;
  if (hasNarrowPanels()) {
    Index last = (min(e.index(sizes.columns), columnCount - panel * sizes.columns) - 1) / panelColumns;
    loop.panels = DepthLoop::Panels{panelVectors, *from.panelPitch, last};
  }
  loop.emit({});
  RhsRows to{memory, e.index(0), pitch, unpackedFormat(), /*isPanel=*/true, /*comesFromMemory=*/false};
  if (hasNarrowPanels())
    to.panelPitch = e.index(panelPitch);
  return to;
}

Index GemmEmitter::depthBlockFor(Index rows, bool areUnpacked) {
  int64_t each = elementsPerColumn(format);
  Index most = e.index(areUnpacked ? unpackedDepth() : kDepthBlock * each);
  if (!op.getPacked() || isForTiles(areUnpacked ? unpackedFormat() : format))
    return most;
  auto areMoreThan = [&](int64_t groups) {
    return rows.compare(arith::CmpIPredicate::ugt, groups * tile.rows);
  };
  int64_t mostGroups = areUnpacked ? kMostGroupsOfShortUnpackedBlocks : kMostGroupsOfShortBlocks;
  Index few = e.select(areMoreThan(mostGroups), most, e.index(kShortDepthBlock * each));
  return e.select(areMoreThan(1), few, most); // one group reads all of it once
}

/// Memory brings panels for few rows. Whole panels are streams that processors find by themselves: on a Zen 1
/// core 1 row reads at 97 % of memory's speed, at 80 % if lines are asked for, and at 52 % in parts of a
/// panel; 2 rows at 80, 71 and 61 %. Several streams are faster than one: on a Zen 3 core 4 panels of 16
/// columns side by side come 1.45 times as fast as one after another for 1 row, and 2 of them 1.14 to 1.3
/// times for 2 or 3.
SmallVector<RegisterTile> GemmEmitter::tilesForFewRows() {
  bool areSplit = format == RowFormat::Quads && !e.multipliesQuads();
  int64_t others = areSplit ? 4 : 0; // halves of words
  SmallVector<RegisterTile> wide;
  if (!op.getPacked() || !(format == RowFormat::Numbers || areSplit))
    return wide;
  for (int64_t columns = sizes.columns; columns >= panelColumns && columns / lanes > tile.vectors;
       columns /= 2) {
    RegisterTile registers = RegisterTile::ofVectors(columns / lanes, e.registers() - others);
    if (registers.rows > (wide.empty() ? 0 : wide.back().rows))
      wide.push_back(registers);
  }
  return wide;
}

void GemmEmitter::emitStored(const Area &block) {
  RegisterTile usual = tile;
  auto emitIn = [&](RegisterTile registers, int64_t fewestRows) {
    tile = registers;
    isStream = registers.vectors > usual.vectors;
    leastGroup = std::min(fewestRows, (tile.rows + 1) / 2); // of more rows than one group has
    emitBlock(block, depthBlockFor(blockRows, /*areUnpacked=*/false), [&](Index start, Index size) {
      return DepthBlock{start, size, {}, {}, storedLhs(block.row, start), storedRhs(start)};
    });
  };
  std::function<void(ArrayRef<RegisterTile>, int64_t)> emitFor = [&](ArrayRef<RegisterTile> wide,
                                                                     int64_t fewestRows) {
    if (wide.empty())
      return emitIn(usual, fewestRows);
    RegisterTile registers = wide.front();
    e.ifElse(
        blockRows.compare(arith::CmpIPredicate::ule, registers.rows), [&] { emitIn(registers, fewestRows); },
        [&] { emitFor(wide.drop_front(), registers.rows + 1); });
  };
  emitFor(tilesForFewRows(), 1);
  leastGroup = 1;
}

void GemmEmitter::allocateUnpacked() {
  RowFormat to = unpackedFormat();
  Type weight = to == RowFormat::Numbers  ? number
                : to == RowFormat::Shorts ? e.builder.getI16Type()
                                          : e.builder.getI8Type();
  bool areRowsConverted = to == RowFormat::Numbers && e.computed(lhs.element) != lhs.element;
  if (to == RowFormat::Shorts || areRowsConverted)
    unpackedLhs = e.scratch(weight, sizes.rows * unpackedDepth());
  unpackedRhs = e.scratch(weight, unpackedDepth() * sizes.columns);
}

/// With numbers that are converted once for the block, a part of the depth after the other.
void GemmEmitter::emitUnpacked(const Area &block) {
  if (!unpackedRhs)
    allocateUnpacked();
  emitBlock(block, depthBlockFor(blockRows, /*areUnpacked=*/true), [&](Index start, Index size) {
    LhsRows rows = unpackedLhs ? unpackLhs(block, start, size, *unpackedLhs) : storedLhs(block.row, start);
    DepthBlock part{start, size, {}, {}, rows, unpackRhs(start, size, *unpackedRhs)};
    if (!routed) // where what lies behind is another matrix
      part.unpackedFrom = storedRhs(start);
    return part;
  });
}
