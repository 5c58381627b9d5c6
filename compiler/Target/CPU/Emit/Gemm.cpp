// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products: a register tile of sums, as many rows of it as there are, and the epilogue on rows still
// in cache. Sums are of the type that the element type is computed in; each is rounded once.
#include "compiler/Target/CPU/Emit/AMXTiles.h"
#include "compiler/Target/CPU/Emit/DepthLoop.h"
#include "compiler/Target/CPU/Emit/Kernels.h"
#include "compiler/Target/CPU/Emit/Product.h"
#include "compiler/Target/CPU/Emit/VectorRegion.h"
#include "dialects/Weft/IR/PackedWeights.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

namespace {

/// Depth that is summed before sums go back to memory: a panel of that many rows stays in the second-level
/// cache.
constexpr int64_t kDepthBlock = 1024;

/// Depth of a panel that is unpacked for many rows, onto the stack. 256 takes 2 % longer, since more sums go
/// through memory, and 1024 as long.
constexpr int64_t kUnpackedDepth = 512;
/// How many groups of rows convert each weight anew instead.
constexpr int64_t kFewGroups = 2;

/// A part of the result: rows from `row`, and `width` columns from `column`.
struct Area {
  Index row, rows, column, width;
};

/// What a depth block multiplies: rows of the result's, from its first column on.
struct LhsRows {
  Buffer buffer;
  Index start, pitch, first; ///< the first row starts at `start`

  Index at(Index row) const { return start + (row - first) * pitch; }
};

/// And with what: rows of one panel, or of a matrix.
struct RhsRows {
  Buffer buffer;
  Index start, pitch;
  RowFormat format;
  bool isPanel;         ///< padded with zeros up to a panel's columns
  bool comesFromMemory; ///< and has to be asked for in time

  /// How many rows the depth up to this one takes.
  Index count(Index of) const {
    switch (format) {
    case RowFormat::Numbers:
      return of;
    case RowFormat::Int4:
      return ceilDiv(of, Int4Block::kDepth) * Int4Block::kRows;
    case RowFormat::Quads:
    case RowFormat::Pairs:
      return of / elementsPerColumn(format);
    }
    llvm_unreachable("a format");
  }
};

/// A part of the summed dim. A null `isFirst` or `isLast` means that there is only this one.
struct DepthBlock {
  Index start, size;
  Value isFirst, isLast;
  LhsRows lhs;
  RhsRows rhs;
};

RowFormat formatOf(GemmTileOp op) {
  auto element = [](Value buffer) { return cast<MemRefType>(buffer.getType()).getElementType(); };
  Type lhs = element(op.getLhs()), rhs = element(op.getRhs());
  if (op.getPacked() && lhs.isF32() && rhs.isInteger(32))
    return RowFormat::Int4;
  bool isTogether = op.getPacked() && lhs == rhs && element(op.getOut()).isF32();
  if (isTogether && lhs.isInteger(8))
    return RowFormat::Quads;
  bool isBF16 = lhs.isInteger(16) && op->hasAttr(weft::names::kBF16);
  return isTogether && isBF16 ? RowFormat::Pairs : RowFormat::Numbers;
}

class GemmEmitter {
public:
  GemmEmitter(Emitter &emitter, GemmTileOp op, TileSizes sizes, const Buffer &lhs, const Buffer &rhs,
              const Buffer &out, ArrayRef<Buffer> captures)
      : e(emitter), op(op), sizes(sizes), lhs(lhs), rhs(rhs), out(out), captures(captures),
        format(formatOf(op)), tile(RegisterTile::fitting(emitter.vectorBits)),
        number(format == RowFormat::Quads ? Type(emitter.builder.getI32Type())
                                          : emitter.computed(out.element)),
        lanes(emitter.lanes(number)), rowCount(out.sizes[out.rank() - 2]), columnCount(out.sizes.back()),
        depth(lhs.sizes.back()) {}

  LogicalResult emit(Index tileNumber);

private:
  bool isSummedAtOnce(int64_t depthBlock) const;
  int64_t subPanelColumns() const { return tile.vectors * lanes; }
  bool usesAMX() const { return e.hasAMX && elementsPerColumn(format) > 1; }
  /// Whether each weight is converted before it is multiplied.
  bool isStoredNarrow() const {
    return lhs.element != rhs.element || (format == RowFormat::Pairs && !e.hasAMX);
  }
  /// Most of the depth that is summed before sums go back to memory.
  int64_t depthBlock() const { return kDepthBlock * elementsPerColumn(format); }
  Index blockRows();
  void decodeBatch(Index batch);
  /// Where the rows of a depth block lie, once code has brought them there.
  using BringRows = llvm::function_ref<DepthBlock(Index start, Index size)>;
  void emitBlock(const Area &block, int64_t depthBlock, BringRows bringRows);
  void emitDepthBlock(const Area &block, const DepthBlock &part);
  void emitRowGroups(const Area &subPanel, const DepthBlock &part);
  void emitTilesThenGroups(const Area &subPanel, const DepthBlock &part);
  void emitGroupSums(const Area &subPanel, const DepthBlock &part);
  void emitTileSums(const Area &rows, const DepthBlock &part);
  void emitSums(const Area &group, const DepthBlock &part);
  void emitRegisterTile(const Area &group, int64_t rows, int64_t vectors, Value mask, const DepthBlock &part);
  void emitUnpacked(const Area &block);
  LhsRows storedLhs(Index row, Index start);
  RhsRows storedRhs(Index start);
  LhsRows unpackLhs(const Area &block, Index start, Index size, const Buffer &memory);
  RhsRows unpackRhs(Index start, Index size, const Buffer &memory);
  Value multiplyAdd(const Buffer &from, Index at, Value weights, Value sum);
  Value add(Value left, Value right);
  Value loadSums(Index at, Value mask);
  void storeSums(Value sums, Index at, Value mask);
  Emitter::Values initialSums(ArrayRef<Index> rowStarts, int64_t vectors, Value mask, const DepthBlock &part);
  void emitEpilogue(const Area &group);
  void emitEpilogueColumns(Index row, Index column, Value mask);
  SmallVector<int64_t> possibleGroupSizes();
  Index batchOffset(const Buffer &buffer, size_t batchRank);

  Emitter &e;
  GemmTileOp op;
  TileSizes sizes;
  Buffer lhs, rhs, out;
  SmallVector<Buffer> captures;
  RowFormat format;
  RegisterTile tile;
  Type number; ///< of the sums
  int64_t lanes;
  Index rowCount, columnCount, depth;
  SmallVector<Index> batchIndices; ///< one for each batch dim of out
  Index panel{e, {}}, lhsStart{e, {}}, rhsStart{e, {}}, outStart{e, {}};
  Index ahead{e, {}};     ///< from where on a register tile fetches what is multiplied after this depth block
  Index aheadStep{e, {}}; ///< and how far it gets in each turn
  std::optional<Buffer> tileSums; ///< where AMX, if there is, leaves the sums of 32 rows
  bool failedEpilogue = false;
};

} // namespace

/// Where a buffer's matrix of this batch starts. A batch dim that is 1, or missing, serves the whole batch.
Index GemmEmitter::batchOffset(const Buffer &buffer, size_t batchRank) {
  Index offset = buffer.offset;
  size_t missing = batchIndices.size() - batchRank;
  for (size_t i = 0; i < batchRank; ++i) {
    Value isOne = buffer.sizes[i].compare(arith::CmpIPredicate::eq, 1);
    offset = offset + batchIndices[missing + i] * e.select(isOne, e.index(0), buffer.strides[i]);
  }
  return offset;
}

void GemmEmitter::decodeBatch(Index batch) {
  size_t batchRank = out.rank() - 2;
  batchIndices.assign(batchRank, batch);
  for (size_t i = batchRank; i-- > 0;) {
    batchIndices[i] = batch % out.sizes[i];
    batch = batch / out.sizes[i];
  }
  lhsStart = batchOffset(lhs, lhs.rank() - 2);
  outStart = batchOffset(out, batchRank);
  rhsStart = op.getPacked() ? rhs.offset + panel * rhs.strides[0] : batchOffset(rhs, rhs.rank() - 2);
}

/// Whether no sum waits in memory. Those of f16 and bf16 would be rounded there; and a panel of them takes
/// half of the cache.
bool GemmEmitter::isSummedAtOnce(int64_t depthBlock) const {
  bool isRounded = isa<FloatType>(number) && number != out.element;
  return isRounded || depth.constant().value_or(depthBlock + 1) <= depthBlock;
}

/// Rows of every block but the last: as even as can be, since threads share out the blocks, but whole
/// register tiles. 197 rows are 104 and 93, not 128 and 69.
Index GemmEmitter::blockRows() {
  Index blocks = max(ceilDiv(rowCount, sizes.rows), e.index(1));
  return min(evenPart(rowCount, blocks, tile.rows), e.index(sizes.rows));
}

LogicalResult GemmEmitter::emit(Index tileNumber) {
  Index rowBlocks = ceilDiv(rowCount, sizes.rows), panels = ceilDiv(columnCount, sizes.columns);
  // Panels one after another: the rows of lhs stay in cache, and the next panel is fetched.
  Index rowBlock = tileNumber / panels % rowBlocks;
  panel = tileNumber % panels;
  decodeBatch(tileNumber / rowBlocks / panels);

  Index each = blockRows(), row = rowBlock * each, column = panel * sizes.columns;
  Area block{row, min(each, rowCount - row), column, min(e.index(sizes.columns), columnCount - column)};
  if (usesAMX())
    tileSums = e.scratch(number, AMXTiles::kRows * AMXTiles::kColumns);
  auto whereStored = [&] {
    emitBlock(block, depthBlock(), [&](Index start, Index size) {
      return DepthBlock{start, size, {}, {}, storedLhs(row, start), storedRhs(start)};
    });
  };
  // Many rows would convert a weight many times.
  if (isStoredNarrow())
    e.ifElse(
        block.rows.compare(arith::CmpIPredicate::ugt, kFewGroups * tile.rows), [&] { emitUnpacked(block); },
        whereStored);
  else
    whereStored();
  return failure(failedEpilogue);
}

/// With numbers that are converted once for the block, a part of the depth after the other.
void GemmEmitter::emitUnpacked(const Area &block) {
  bool isLhsNarrow = e.computed(lhs.element) != lhs.element;
  Buffer left = isLhsNarrow ? e.scratch(number, sizes.rows * kUnpackedDepth) : lhs;
  Buffer right = e.scratch(number, kUnpackedDepth * sizes.columns);
  emitBlock(block, kUnpackedDepth, [&](Index start, Index size) {
    LhsRows rows = isLhsNarrow ? unpackLhs(block, start, size, left) : storedLhs(block.row, start);
    return DepthBlock{start, size, {}, {}, rows, unpackRhs(start, size, right)};
  });
}

/// Rows from `row` on, from column `start` on, where they are stored.
LhsRows GemmEmitter::storedLhs(Index row, Index start) {
  Index pitch = lhs.strides[lhs.rank() - 2];
  return {lhs, lhsStart + row * pitch + start, pitch, row};
}

LhsRows GemmEmitter::unpackLhs(const Area &block, Index start, Index size, const Buffer &memory) {
  LhsRows from = storedLhs(block.row, start), to{memory, e.index(0), e.index(kUnpackedDepth), block.row};
  e.loop(block.row, block.row + block.rows, e.index(1), [&](Index row) {
    e.overColumns(size, lanes, [&](Index column, Value mask) {
      e.store(e.loadNumbers(from.buffer, from.at(row) + column, lanes, mask), memory, to.at(row) + column,
              mask);
    });
  });
  return to;
}

/// Rows from `start` on, where they are stored.
RhsRows GemmEmitter::storedRhs(Index start) {
  Index pitch = rhs.strides[op.getPacked() && format != RowFormat::Int4 ? 1 : rhs.rank() - 2];
  RhsRows rows{rhs, rhsStart, pitch, format, op.getPacked(), op.getPacked()};
  rows.start = rows.start + rows.count(start) * rows.pitch;
  return rows;
}

/// Rows from `start` on as numbers of the sums' type, which are written to `memory`.
RhsRows GemmEmitter::unpackRhs(Index start, Index size, const Buffer &memory) {
  RhsRows from = storedRhs(start);
  Index pitch = e.index(sizes.columns);
  auto write = [&](Index k, ArrayRef<Value> weights, ValueRange) {
    for (auto [v, vector] : llvm::enumerate(weights))
      e.store(vector, memory, k * pitch + v * lanes);
    return Emitter::Values();
  };
  DepthLoop loop{e,          from.buffer,           from.format, number, from.start,
                 from.pitch, sizes.columns / lanes, size,        write};
  loop.emit({});
  return {memory, e.index(0), pitch, RowFormat::Numbers, /*isPanel=*/true, /*comesFromMemory=*/false};
}

void GemmEmitter::emitBlock(const Area &block, int64_t depthBlock, BringRows bringRows) {
  if (isSummedAtOnce(depthBlock))
    return emitDepthBlock(block, bringRows(e.index(0), depth));
  // One turn even for a depth of 0: the sums are 0 then, and have to be written.
  Index end = max(depth, e.index(1));
  e.loop(e.index(0), end, e.index(depthBlock), [&](Index start) {
    Index rest = depth - start, size = min(rest, e.index(depthBlock));
    DepthBlock part = bringRows(start, size);
    part.isFirst = start.compare(arith::CmpIPredicate::eq, 0);
    part.isLast = rest.compare(arith::CmpIPredicate::ule, depthBlock);
    emitDepthBlock(block, part);
  });
}

void GemmEmitter::emitDepthBlock(const Area &block, const DepthBlock &part) {
  Index step = e.index(subPanelColumns());
  e.loop(e.index(0), block.width, step, [&](Index start) {
    emitRowGroups({block.row, block.rows, block.column + start, min(step, block.width - start)}, part);
  });
}

/// Epilogues come after all sums: in one loop nest with them, which nests less deeply, their constants would
/// keep the registers and the sums be spilled.
void GemmEmitter::emitRowGroups(const Area &subPanel, const DepthBlock &part) {
  if (tileSums)
    emitTilesThenGroups(subPanel, part);
  else
    emitGroupSums(subPanel, part);
  if (op.getEpilogue().empty())
    return;
  if (part.isLast)
    e.ifThen(part.isLast, [&] { emitEpilogue(subPanel); });
  else
    emitEpilogue(subPanel);
}

/// As many rows of a whole panel as tiles take; groups are left over.
void GemmEmitter::emitTilesThenGroups(const Area &subPanel, const DepthBlock &part) {
  Value isWhole = subPanel.width.compare(arith::CmpIPredicate::eq, subPanelColumns());
  Index inTiles = e.select(isWhole, subPanel.rows - subPanel.rows % AMXTiles::kRows, e.index(0));
  e.loop(e.index(0), inTiles, e.index(AMXTiles::kRows), [&](Index row) {
    emitTileSums({subPanel.row + row, e.index(AMXTiles::kRows), subPanel.column, subPanel.width}, part);
  });
  Index rest = subPanel.rows - inTiles;
  e.ifThen(rest.compare(arith::CmpIPredicate::ne, 0),
           [&] { emitGroupSums({subPanel.row + inTiles, rest, subPanel.column, subPanel.width}, part); });
}

/// The sums of 32 rows by AMX, added to what earlier depth blocks left in memory.
void GemmEmitter::emitTileSums(const Area &rows, const DepthBlock &part) {
  const RhsRows &from = part.rhs;
  Index column = (rows.column - panel * sizes.columns) * elementsPerColumn(from.format);
  AMXTiles{e,
           from.format,
           part.lhs.buffer,
           from.buffer,
           part.lhs.at(rows.row),
           part.lhs.pitch,
           from.start + column,
           from.pitch,
           part.size}
      .emit(*tileSums);
  e.loop(e.index(0), rows.rows, e.index(1), [&](Index row) {
    Index start = outStart + (rows.row + row) * out.strides[out.rank() - 2] + rows.column;
    Emitter::Values before = initialSums({start}, tile.vectors, {}, part);
    for (int64_t v = 0; v < tile.vectors; ++v) {
      Value sum = e.load(*tileSums, row * AMXTiles::kColumns + v * lanes, lanes);
      storeSums(add(before[v], sum), start + v * lanes, {});
    }
  });
}

/// Rows in groups of at most tile.rows, as even as can be: 9 rows are 5 and 4, since 8 and 1 would leave
/// registers idle.
void GemmEmitter::emitGroupSums(const Area &subPanel, const DepthBlock &part) {
  Index groups = ceilDiv(subPanel.rows, tile.rows);
  Index size = subPanel.rows / groups, larger = subPanel.rows % groups;
  // Turns of the inner loop's nest that this panel takes, and where this sub-panel's begin.
  Index turns = groups * llvm::divideCeil(sizes.columns, subPanelColumns());
  Index turn = (subPanel.column - panel * sizes.columns) / subPanelColumns() * groups;
  const RhsRows &from = part.rhs;
  Index behind = from.start + from.count(part.size) * from.pitch;
  int64_t rowElements = sizes.columns * elementsPerColumn(from.format);
  aheadStep = min((e.index(rowElements) + turns - 1) / turns, e.index(elementsPerLine(from.buffer)));
  e.loop(e.index(0), groups, e.index(1), [&](Index group) {
    Value isLarger = group.compare(arith::CmpIPredicate::ult, larger);
    Area block{subPanel.row + group * size + min(group, larger), e.select(isLarger, size + 1, size),
               subPanel.column, subPanel.width};
    ahead = behind + (turn + group) * from.count(part.size) * aheadStep;
    emitSums(block, part);
  });
}

/// Sizes of row groups that can occur: all of them, unless the number of rows is static and all are in
/// groups.
SmallVector<int64_t> GemmEmitter::possibleGroupSizes() {
  SmallVector<int64_t> found;
  std::optional<int64_t> known = rowCount.constant();
  if (!known || tileSums)
    return llvm::to_vector(llvm::seq_inclusive<int64_t>(1, tile.rows));
  SmallVector<int64_t> blocks;
  if (int64_t each = *blockRows().constant(); each > 0)
    blocks = {*known % each, *known >= each ? each : 0};
  for (int64_t rows : blocks) {
    int64_t groups = llvm::divideCeil(rows, tile.rows);
    if (rows != 0)
      found.push_back(rows / groups);
    if (rows != 0 && rows % groups != 0)
      found.push_back(rows / groups + 1);
  }
  // Without rows there is no tile; something must be emitted all the same.
  if (found.empty())
    found.push_back(1);
  llvm::sort(found);
  found.erase(llvm::unique(found), found.end());
  return found;
}

void GemmEmitter::emitSums(const Area &group, const DepthBlock &part) {
  auto emitRows = [&](int64_t vectors, Value mask) {
    e.switchOver(group.rows, possibleGroupSizes(),
                 [&](int64_t rows) { emitRegisterTile(group, rows, vectors, mask, part); });
  };
  auto emitTail = [&](int64_t vectors, Index rest) { emitRows(vectors, e.mask(rest, lanes)); };
  Value isWhole = columnCount.constant() && *columnCount.constant() % subPanelColumns() == 0
                      ? Value(e.create<arith::ConstantIntOp>(1, 1))
                      : group.width.compare(arith::CmpIPredicate::eq, subPanelColumns());
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
  e.ifElse(isWhole, whole, tail);
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

Value GemmEmitter::add(Value left, Value right) {
  return isa<FloatType>(number) ? e.create<arith::AddFOp>(left, right) : e.create<arith::AddIOp>(left, right);
}

/// What sums are while they wait in memory: integers may be bits of a float there.
Value GemmEmitter::loadSums(Index at, Value mask) {
  if (format == RowFormat::Quads)
    return e.create<arith::BitcastOp>(VectorType::get(lanes, number), e.load(out, at, lanes, mask));
  return e.loadNumbers(out, at, lanes, mask);
}

void GemmEmitter::storeSums(Value sums, Index at, Value mask) {
  if (format == RowFormat::Quads)
    e.store(e.create<arith::BitcastOp>(VectorType::get(lanes, out.element), sums), out, at, mask);
  else
    e.storeNumbers(sums, out, at, mask);
}

/// The sums with products of weights and what lies in a row of `from` at `at`: an element, or four bytes.
Value GemmEmitter::multiplyAdd(const Buffer &from, Index at, Value weights, Value sum) {
  if (format == RowFormat::Quads) {
    Value quad = e.load(from, at, Quads::kDepth);
    Value word = e.create<vector::BitCastOp>(VectorType::get(1, number), quad);
    return addProductsOfBytes(e, e.splat(e.create<vector::ExtractOp>(word, 0), lanes), weights, sum);
  }
  Value left = e.splatNumber(from, at, lanes);
  if (isa<FloatType>(number))
    return e.create<vector::FMAOp>(left, weights, sum);
  return add(e.create<arith::MulIOp>(left, weights), sum);
}

/// Sums of a register tile over a part of the depth. `mask` is for the last vector.
void GemmEmitter::emitRegisterTile(const Area &group, int64_t rows, int64_t vectors, Value mask,
                                   const DepthBlock &part) {
  SmallVector<Index> lhsRows, outRows;
  for (int64_t r = 0; r < rows; ++r) {
    lhsRows.push_back(part.lhs.at(group.row + r));
    outRows.push_back(outStart + (group.row + r) * out.strides[out.rank() - 2] + group.column);
  }
  auto multiply = [&](Index k, ArrayRef<Value> weights, ValueRange sums) {
    Emitter::Values next;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t v = 0; v < vectors; ++v)
        next.push_back(multiplyAdd(part.lhs.buffer, lhsRows[r] + k, weights[v], sums[r * vectors + v]));
    return next;
  };
  const RhsRows &from = part.rhs;
  Index column = from.isPanel ? group.column - panel * sizes.columns : group.column;
  Index start = from.start + column * elementsPerColumn(from.format);
  DepthLoop loop{e, from.buffer, from.format, number, start, from.pitch, vectors, part.size, multiply};
  if (!from.isPanel) // its padding can be read
    loop.mask = mask;
  if (from.comesFromMemory)
    loop.ahead = DepthLoop::Ahead{ahead, aheadStep};
  Emitter::Values sums = loop.emit(initialSums(outRows, vectors, mask, part));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      storeSums(sums[r * vectors + v], outRows[r] + v * lanes, v == vectors - 1 ? mask : Value());
}

void GemmEmitter::emitEpilogueColumns(Index row, Index column, Value mask) {
  Block &region = op.getEpilogue().front();
  Index at = outStart + row * out.strides[out.rank() - 2] + column;
  bool areBits = format == RowFormat::Quads; // all others are rounded to an element first
  Emitter::Values arguments{areBits ? loadSums(at, mask) : e.load(out, at, lanes, mask)};
  SmallVector<Index> position(batchIndices);
  position.append({row, column});
  for (auto [capture, argument] : llvm::zip(captures, region.getArguments().drop_front()))
    arguments.push_back(loadCapture(e, capture, argument.getType(), position, lanes, mask));
  FailureOr<Emitter::Values> elements = emitVectorRegion(e, region, arguments, lanes, {});
  if (succeeded(elements))
    e.store(elements->front(), out, at, mask);
  failedEpilogue |= failed(elements);
}

/// The epilogue of finished sums, in the element type, read back from the first-level cache. Doing it in
/// registers would repeat its code for every size of register tile, and is not faster.
void GemmEmitter::emitEpilogue(const Area &group) {
  e.loop(e.index(0), group.rows, e.index(1), [&](Index r) {
    e.overColumns(group.width, lanes, [&](Index column, Value mask) {
      emitEpilogueColumns(group.row + r, group.column + column, mask);
    });
  });
}

/// Whether lhs and rhs hold elements that the kernel multiplies, and rhs's dims are the format's.
static bool hasKnownFormat(GemmTileOp op) {
  auto lhs = cast<MemRefType>(op.getLhs().getType()), rhs = cast<MemRefType>(op.getRhs().getType()),
       out = cast<MemRefType>(op.getOut().getType());
  Type element = out.getElementType(), weight = rhs.getElementType();
  switch (formatOf(op)) {
  case RowFormat::Quads:
    return element.isF32() && !op.getEpilogue().empty() && rhs.getRank() == 4 &&
           rhs.getShape()[3] == Quads::kDepth && !lhs.isDynamicDim(lhs.getRank() - 1) &&
           lhs.getShape().back() % Quads::kPadding == 0;
  case RowFormat::Pairs:
    return rhs.getRank() == 4 && rhs.getShape()[3] == Pairs::kDepth && !lhs.isDynamicDim(lhs.getRank() - 1) &&
           lhs.getShape().back() % Pairs::kPadding == 0;
  case RowFormat::Int4:
    return rhs.getRank() == 4 && rhs.getShape()[2] == Int4Block::kRows;
  case RowFormat::Numbers:
    bool isStorage = op.getPacked() && element.isF32() &&
                     (weight.isInteger(8) || (weight.isInteger(16) && op->hasAttr(weft::names::kBF16)));
    return lhs.getElementType() == element && (weight == element || isStorage) &&
           (!op.getPacked() || rhs.getRank() == 3);
  }
  llvm_unreachable("a format");
}

static LogicalResult checkGemm(GemmTileOp op, TileSizes sizes, int64_t subPanelColumns) {
  auto lhs = cast<MemRefType>(op.getLhs().getType()), rhs = cast<MemRefType>(op.getRhs().getType()),
       out = cast<MemRefType>(op.getOut().getType());
  Type element = out.getElementType();
  if (!element.isIntOrFloat() || element.isInteger(1))
    return op.emitOpError("expects numbers, got ") << element;
  if (!hasKnownFormat(op))
    return op.emitOpError(
               "expects one element type, or packed weights of i8, bf16 or 4 bits for f32, or quads of i8 "
               "for bytes or pairs of bf16 for bf16, got ")
           << lhs << ", " << rhs << " and " << out;
  int64_t batches = out.getRank() - 2;
  bool packed = op.getPacked();
  if (batches < 0 || lhs.getRank() < 2 || lhs.getRank() > out.getRank() || rhs.getRank() < 2 ||
      (!packed && rhs.getRank() > out.getRank()))
    return op.emitOpError("expects matrices with batch dims of out at most, got ")
           << lhs << ", " << rhs << " and " << out;
  if (sizes.rows <= 0 || sizes.columns <= 0 || sizes.columns % subPanelColumns != 0)
    return op.emitOpError("expects a schedule of rows and of columns that are a multiple of ")
           << subPanelColumns << ", got " << sizes.rows << " and " << sizes.columns;
  if (packed && rhs.getShape()[elementsPerColumn(formatOf(op)) > 1 ? 2 : rhs.getRank() - 1] != sizes.columns)
    return op.emitOpError("expects packed panels of ") << sizes.columns << " columns, got " << rhs;
  if (!op.getEpilogue().empty() &&
      op.getEpilogue().front().getTerminator()->getOperandTypes() != ArrayRef<Type>(element))
    return op.emitOpError("expects an epilogue that yields ") << element;
  return success();
}

LogicalResult weft::cpu::emitGemm(Emitter &emitter, GemmTileOp op, Index tile, TileSizes sizes) {
  Type element = cast<MemRefType>(op.getOut().getType()).getElementType();
  int64_t columns = RegisterTile::fitting(emitter.vectorBits).vectors *
                    (element.isIntOrFloat() ? emitter.lanes(emitter.computed(element)) : 1);
  if (failed(checkGemm(op, sizes, columns)))
    return failure();
  FailureOr<Buffer> lhs = emitter.rowMajor(op.getLhs()), rhs = emitter.rowMajor(op.getRhs()),
                    out = emitter.rowMajor(op.getOut());
  if (failed(lhs) || failed(rhs) || failed(out))
    return failure();
  SmallVector<Buffer> captures;
  for (Value value : op.getCaptures()) {
    FailureOr<Buffer> capture = emitter.rowMajor(value);
    if (failed(capture))
      return failure();
    captures.push_back(*capture);
  }
  return GemmEmitter(emitter, op, sizes, *lhs, *rhs, *out, captures).emit(tile);
}
