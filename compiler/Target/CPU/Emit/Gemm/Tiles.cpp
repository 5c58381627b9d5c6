// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of a depth block by AMX, 32 rows at a time.
#include "compiler/Target/CPU/Emit/AMXTiles.h"
#include "compiler/Target/CPU/Emit/Gemm/GemmEmitter.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

/// How much of a row is copied at a time, and how far copies are apart: not a multiple of a page, since rows
/// would share a few sets of the first-level cache then.
static constexpr int64_t kCopiedBytes = 1024, kCopyPitch = kCopiedBytes + AMXTiles::kRowBytes;

static int64_t bytesOf(const Buffer &buffer) { return buffer.element.getIntOrFloatBitWidth() / 8; }

void GemmEmitter::allocateTiles() {
  tileSums = e.scratch(number, AMXTiles::kRows * AMXTiles::kColumns);
  tileRows = e.scratch(lhs.element, AMXTiles::kRows * kCopyPitch / bytesOf(lhs));
}

int64_t GemmEmitter::mostRowsOfVectors() const { return format == RowFormat::Pairs ? 4 : tile.rows; }

/// Groups of 32 rows and what is left, each with its epilogue once sums are complete. Together they ask for
/// the next panel while they read this one; a single group asks for what it reads itself.
void GemmEmitter::emitTiles(const Area &subPanel, const DepthBlock &part) {
  const RhsRows &stored = part.stored();
  Index groups = ceilDiv(subPanel.rows, AMXTiles::kRows),
        lineElements = e.index(elementsPerLine(stored.buffer));
  // For each 64 bytes of lhs's rows.
  Index lines = (storedPerRow(part) * AMXTiles::kRegisterRows + lineElements - 1) / lineElements;
  Index share = (lines + groups - 1) / groups, turns = part.size * bytesOf(lhs) / AMXTiles::kRowBytes;
  Index behind = stored.start + stored.count(part.size) * stored.pitch;
  Value isOnly = groups.compare(arith::CmpIPredicate::eq, 1);
  aheadStep = share;
  e.loop(e.index(0), groups, e.index(1), [&](Index group) {
    Index later = behind + group * turns * share * lineElements;
    ahead =
        part.unpackedFrom ? later : e.select(isOnly, stored.start + stored.pitch * kRowsOfStreamAhead, later);
    Index first = group * AMXTiles::kRows;
    Area rows{subPanel.row + first, min(subPanel.rows - first, e.index(AMXTiles::kRows)), subPanel.column,
              subPanel.width};
    Value isWhole = e.create<arith::AndIOp>(rows.rows.compare(arith::CmpIPredicate::eq, AMXTiles::kRows),
                                            rows.width.compare(arith::CmpIPredicate::eq, AMXTiles::kColumns));
    e.ifElse(isWhole, [&] { emitTileSums(rows, part); }, [&] { emitTileSumsAside(rows, part); });
    emitEpilogueIfDone(rows, part);
  });
}

/// A product of 32 rows, which begin at `start`, by the panel's columns from `column` on, and from a place in
/// the depth on.
AMXTiles GemmEmitter::tilesOf(const Buffer &rows, Index start, Index pitch, const DepthBlock &part,
                              Index column, Index at, Index size) {
  const RhsRows &from = part.rhs;
  Index inPanel = (column - panel * sizes.columns) * elementsPerColumn(from.format);
  Index panelStart = from.start + from.count(at) * from.pitch + inPanel;
  AMXTiles tiles{e, from.format, rows, from.buffer, start, pitch, panelStart, from.pitch, size, {}};
  const RhsRows &stored = part.stored();
  if (stored.comesFromMemory) {
    Index turns = at * bytesOf(lhs) / AMXTiles::kRowBytes;
    Index next = ahead + turns * aheadStep * elementsPerLine(stored.buffer);
    tiles.ahead = AMXTiles::Ahead{&stored.buffer, next, aheadStep};
  }
  return tiles;
}

/// Sums of 32 rows and a whole panel, where they wait.
void GemmEmitter::emitTileSums(const Area &rows, const DepthBlock &part) {
  AMXTiles tiles = tilesOf(part.lhs.buffer, part.lhs.at(rows.row), part.lhs.pitch, part, rows.column,
                           e.index(0), part.size);
  Index at = sumsAt(rows.row, rows.column);
  auto emit = [&](bool adds) { tiles.emit(sums(), at, sumsPitch(), adds); };
  if (part.isFirst)
    e.ifElse(part.isFirst, [&] { emit(false); }, [&] { emit(true); });
  else
    emit(false);
}

/// Sums of fewer rows or columns, aside: copies of the rows, behind which others may be left, by what fills
/// the panel up. Those of the result are taken over.
void GemmEmitter::emitTileSumsAside(const Area &rows, const DepthBlock &part) {
  constexpr int64_t kCount = AMXTiles::kRows * AMXTiles::kColumns;
  Value zero = e.splat(e.number(number, 0), lanes);
  e.loop(e.index(0), e.index(kCount), e.index(lanes), [&](Index at) { e.store(zero, *tileSums, at); });

  int64_t line = AMXTiles::kRowBytes / bytesOf(lhs), pitch = kCopyPitch / bytesOf(lhs);
  e.loop(e.index(0), part.size, e.index(kCopiedBytes / bytesOf(lhs)), [&](Index start) {
    Index size = min(part.size - start, e.index(kCopiedBytes / bytesOf(lhs)));
    e.loop(e.index(0), rows.rows, e.index(1), [&](Index row) {
      e.loop(e.index(0), size, e.index(line), [&](Index k) {
        Value elements = e.load(part.lhs.buffer, part.lhs.at(rows.row + row) + start + k, line);
        e.store(elements, *tileRows, row * pitch + k);
      });
    });
    tilesOf(*tileRows, e.index(0), e.index(pitch), part, rows.column, start, size)
        .emit(*tileSums, e.index(0), e.index(AMXTiles::kColumns), /*adds=*/true);
  });

  e.loop(e.index(0), rows.rows, e.index(1), [&](Index row) {
    Index start = sumsAt(rows.row + row, rows.column);
    e.overColumns(rows.width, lanes, [&](Index column, Value mask) {
      Value before = initialSums({start + column}, 1, mask, part).front();
      Value added = e.load(*tileSums, row * AMXTiles::kColumns + column, lanes);
      storeSums(e.add(before, added), start + column, mask);
    });
  });
}
