// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products: a register tile of sums, as many rows of it as there are, and the epilogue on rows still
// in cache. Sums are of the type that the element type is computed in; each is rounded once.
#include "compiler/Target/CPU/Emit/AMXTiles.h"
#include "compiler/Target/CPU/Emit/Gemm/GemmEmitter.h"
#include "dialects/Weft/IR/PackedWeights.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

/// How many groups of rows convert each number anew instead of once for all. Bytes become numbers of 16 bits
/// with three instructions; on a Zen 3 core 17 rows take 6 % longer by it, and 64 take 8 % less.
static constexpr int64_t kFewGroups = 2, kFewGroupsOfBytes = 5;

/// Columns of a panel of rhs, if that is packed; a tile has one or several.
static int64_t panelColumnsOf(GemmTileOp op, TileSizes sizes) {
  ArrayRef<int64_t> shape = cast<MemRefType>(op.getRhs().getType()).getShape();
  if (!op.getPacked() || shape.size() < 3)
    return sizes.columns;
  return elementsPerColumn(formatOf(op)) > 1 ? shape[2] : shape.back();
}

/// Narrow panels have fewer vectors than registers have room for.
static RegisterTile registerTileOf(GemmTileOp op, TileSizes sizes, const Emitter &emitter) {
  RegisterTile tile = RegisterTile::fitting(emitter);
  Type element = cast<MemRefType>(op.getOut().getType()).getElementType();
  if (int64_t columns = panelColumnsOf(op, sizes); columns < sizes.columns && element.isIntOrFloat()) {
    int64_t vectors = columns / emitter.lanes(emitter.computed(element));
    tile.vectors = std::clamp<int64_t>(vectors, 1, tile.vectors);
  }
  return tile;
}

GemmEmitter::GemmEmitter(Emitter &emitter, GemmTileOp op, TileSizes sizes, const Buffer &lhs,
                         const Buffer &rhs, const Buffer &out, const std::optional<Buffer> &experts,
                         ArrayRef<Buffer> captures)
    : e(emitter), op(op), sizes(sizes), lhs(lhs), rhs(rhs), out(out), experts(experts), captures(captures),
      format(formatOf(op)), tile(registerTileOf(op, sizes, emitter)), panelColumns(panelColumnsOf(op, sizes)),
      number(isOfBytes(format) ? Type(emitter.builder.getI32Type()) : emitter.computed(out.element)),
      lanes(emitter.lanes(number)), rowCount(out.sizes[out.rank() - 2]), columnCount(out.sizes.back()),
      depth(emitter.index(1)) {
  for (Index size : ArrayRef(lhs.sizes).drop_front(rowDims() > 0 ? rowDims() : lhs.rank() - 1))
    depth = depth * size;
}

void GemmEmitter::decodeBatch(Index batch) {
  size_t batchRank = out.rank() - 2;
  Index number = batch, count = e.index(1);
  batchIndices.assign(batchRank, batch);
  for (size_t i = batchRank; i-- > 0;) {
    batchIndices[i] = batch % out.sizes[i];
    batch = batch / out.sizes[i];
    count = count * out.sizes[i];
  }
  // Windows of a matrix of the batch are a part of their first dim.
  lhsStart = rowDims() > 0 ? lhs.offset + number * (lhs.sizes[0] / count) * lhs.strides[0]
                           : e.batchOffset(lhs, lhs.rank() - 2, batchIndices);
  outStart = e.batchOffset(out, batchRank, batchIndices);
  rhsStart = op.getPacked() ? rhs.offset + panel * (sizes.columns / panelColumns) * rhs.strides[0]
                            : e.batchOffset(rhs, rhs.rank() - 2, batchIndices);
}

/// Whether no sum waits in memory.
bool GemmEmitter::isSummedAtOnce(Index depthBlock) const {
  std::optional<int64_t> known = depth.constant(), block = depthBlock.constant();
  return known && block && *known <= *block;
}

/// Rows of which every block but the last has a multiple.
int64_t GemmEmitter::rowUnit() const {
  return usesAMX() && sizes.rows % AMXTiles::kRows == 0 ? AMXTiles::kRows : 1;
}

/// The first row of a block, and its rows: as even as can be, since threads share out the blocks. 197 rows
/// are 99 and 98; with whole register tiles they would be 104 and 93, which takes two threads 5 % longer and
/// one no less.
std::pair<Index, Index> GemmEmitter::rowsOfBlock(Index block) const {
  int64_t unit = rowUnit();
  Index units = ceilDiv(rowCount, unit), blocks = max(ceilDiv(rowCount, sizes.rows), e.index(1));
  auto [firstUnit, count] = e.evenRange(units, blocks, block);
  Index first = firstUnit * unit;
  return {first, min(count * unit, rowCount - first)};
}

/// Where the pieces of a block's rows from `piece` on begin. Between two of the groups that the block is
/// computed in, so that each piece has groups of the same sizes.
Index GemmEmitter::firstRowOfPiece(Index rows, Value piece) const {
  int64_t unit = rowUnit(), most = unit > 1 ? unit : tile.rows;
  Index groups = ceilDiv(rows, most);
  Index group = (groups * e.index(piece) + kPieces / 2) / kPieces;
  return unit > 1 ? min(group * unit, rows) : e.evenRange(rows, max(groups, e.index(1)), group).first;
}

LogicalResult GemmEmitter::emit(Index tileNumber, Pieces pieces) {
  // Integers may wait as bits of a float.
  bool canWait = isa<FloatType>(number) ? number == out.element : e.lanes(number) == e.lanes(out.element);
  if (!canWait)
    ownSums = e.scratch(number, sizes.rows * sizes.columns);
  if (experts)
    return emitRouted(tileNumber);
  Index rowBlocks = ceilDiv(rowCount, sizes.rows), panels = ceilDiv(columnCount, sizes.columns);
  // Panels one after another: the rows of lhs stay in cache, and the next panel is fetched.
  Index rowBlock = tileNumber / panels % rowBlocks;
  panel = tileNumber % panels;
  decodeBatch(tileNumber / rowBlocks / panels);

  auto [row, rows] = rowsOfBlock(rowBlock);
  Index column = panel * sizes.columns;
  Area block{row, rows, column, min(e.index(sizes.columns), columnCount - column)};
  blockRows = rows; // How it is computed must not depend on how it is cut.
  if (usesAMX())
    allocateTiles();
  if (!pieces.first) {
    emitRows(block);
    return failure(failedEpilogue);
  }
  Index first = firstRowOfPiece(rows, pieces.first), end = firstRowOfPiece(rows, pieces.end);
  block.row = row + first;
  block.rows = end - first;
  e.ifThen(block.rows.compare(arith::CmpIPredicate::ne, 0), [&] { emitRows(block); });
  return failure(failedEpilogue);
}

/// Many rows would convert a number many times.
void GemmEmitter::emitRows(const Area &block) {
  firstRow = block.row;
  auto stored = [&] { emitStored(block); };
  if (canUnpack())
    e.ifElse(
        blockRows.compare(arith::CmpIPredicate::ugt,
                          (format == RowFormat::Quads ? kFewGroupsOfBytes : kFewGroups) * tile.rows),
        [&] { emitUnpacked(block); }, stored);
  else
    stored();
}

void GemmEmitter::emitBlock(const Area &block, Index depthBlock, BringRows bringRows) {
  if (rowDims() > 0 && lhs.rank() > rowDims() + 1)
    return emitPieces(block, depthBlock, bringRows);
  if (isSummedAtOnce(depthBlock))
    return emitDepthBlock(block, bringRows(e.index(0), depth));
  // One turn even for a depth of 0: the sums are 0 then, and have to be written.
  Index end = max(depth, e.index(1));
  e.loop(e.index(0), end, depthBlock, [&](Index start) {
    Index rest = depth - start, size = min(rest, depthBlock);
    DepthBlock part = bringRows(start, size);
    part.isFirst = start.compare(arith::CmpIPredicate::eq, 0);
    part.isLast = rest.compare(arith::CmpIPredicate::ule, depthBlock);
    emitDepthBlock(block, part);
  });
}

/// The same of rows in pieces that lie side by side each, none of which is empty.
void GemmEmitter::emitPieces(const Area &block, Index depthBlock, BringRows bringRows) {
  Index piece = lhs.sizes.back();
  e.loop(e.index(0), depth, piece, [&](Index pieceStart) {
    e.loop(e.index(0), piece, depthBlock, [&](Index inPiece) {
      Index start = pieceStart + inPiece, size = min(piece - inPiece, depthBlock);
      DepthBlock part = bringRows(start, size);
      part.isFirst = start.compare(arith::CmpIPredicate::eq, 0);
      part.isLast = (start + size).compare(arith::CmpIPredicate::uge, depth);
      emitDepthBlock(block, part);
    });
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
  auto inGroups = [&] {
    emitGroups(subPanel, part);
    emitEpilogueIfDone(subPanel, part);
  };
  if (isForTiles(part.rhs.format))
    e.ifElse(
        blockRows.compare(arith::CmpIPredicate::ugt, mostRowsOfVectors()), [&] { emitTiles(subPanel, part); },
        inGroups);
  else
    inGroups();
}

void GemmEmitter::emitEpilogueIfDone(const Area &area, const DepthBlock &part) {
  if (op.getEpilogue().empty() && !ownSums)
    return;
  if (part.isLast)
    e.ifThen(part.isLast, [&] { emitEpilogue(area); });
  else
    emitEpilogue(area);
}

/// Whether lhs and rhs hold elements that the kernel multiplies, and rhs's dims are the format's.
static bool hasKnownFormat(GemmTileOp op) {
  auto lhs = cast<MemRefType>(op.getLhs().getType()), rhs = cast<MemRefType>(op.getRhs().getType()),
       out = cast<MemRefType>(op.getOut().getType());
  Type element = out.getElementType(), weight = rhs.getElementType();
  int64_t depth = lhs.getShape().back();
  auto hasRows = [&](int64_t count) { return rhs.getRank() > 1 && rhs.getShape()[1] == count; };
  switch (formatOf(op)) {
  case RowFormat::Int4Quads:
    return hasRows(Int4Block::count(depth)) && !op.getEpilogue().empty() && rhs.getRank() == 4 &&
           rhs.getShape()[2] == Int4Block::kRows && !lhs.isDynamicDim(lhs.getRank() - 1) &&
           lhs.getShape().back() % Int4Block::kDepth == 0;
  case RowFormat::Quads:
    return hasRows(depth / Quads::kDepth) && !op.getEpilogue().empty() && rhs.getRank() == 4 &&
           rhs.getShape()[3] == Quads::kDepth && !lhs.isDynamicDim(lhs.getRank() - 1) &&
           lhs.getShape().back() % Quads::kPadding == 0;
  case RowFormat::Pairs:
    return hasRows(depth / Pairs::kDepth) && rhs.getRank() == 4 && rhs.getShape()[3] == Pairs::kDepth &&
           !lhs.isDynamicDim(lhs.getRank() - 1) && lhs.getShape().back() % Pairs::kPadding == 0;
  case RowFormat::Int4:
    return (ShapedType::isDynamic(depth) || hasRows(Int4Block::count(depth))) &&
           lhs.getElementType().isF32() && rhs.getRank() == 4 && rhs.getShape()[2] == Int4Block::kRows;
  case RowFormat::Shorts: // is only unpacked to
    return false;
  case RowFormat::Groups: {
    bool isFloat = isa<FloatType>(element) || op->hasAttr(weft::names::kBF16);
    return isFloat && op.getPacked() && lhs.getElementType() == element && weight.isInteger(32) &&
           (ShapedType::isDynamic(depth) || hasRows(op.getGroups()->count(depth))) && rhs.getRank() == 4 &&
           rhs.getShape()[2] == op.getGroups()->words();
  }
  case RowFormat::Numbers:
    bool isBF16 = weight.isInteger(16) && op->hasAttr(weft::names::kBF16);
    bool isStorage = op.getPacked() && element.isF32() && (weight.isInteger(8) || weight.isF16() || isBF16);
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
  if (op.getParts())
    return op.emitOpError("has parts of the depth on GPUs alone");
  if (std::optional<int64_t> rows = op.getRowDims()) {
    bool isMatrix = op.getPacked() ? out.getRank() == 2 : rhs.getRank() == out.getRank();
    if (!isMatrix || op.getExperts() || *rows < 1 || *rows >= lhs.getRank() ||
        formatOf(op) != RowFormat::Numbers || lhs.isDynamicDim(lhs.getRank() - 1))
      return op.emitOpError("expects windows, and for each matrix of the result one of numbers, got ")
             << lhs << ", " << rhs << " and " << out;
  }
  int64_t batches = out.getRank() - 2, rhsBatches = op.getExperts() ? 1 : batches;
  bool packed = op.getPacked();
  if (batches < 0 || lhs.getRank() < 2 || (lhs.getRank() > out.getRank() && !op.getRowDims()) ||
      rhs.getRank() < 2 || (!packed && rhs.getRank() > rhsBatches + 2))
    return op.emitOpError("expects matrices with batch dims of out at most, got ")
           << lhs << ", " << rhs << " and " << out;
  if (Value experts = op.getExperts()) {
    auto type = cast<MemRefType>(experts.getType());
    RowFormat format = formatOf(op);
    if (type.getRank() != 1 || !isa<IntegerType>(type.getElementType()) || lhs.getRank() != 2 ||
        out.getRank() != 2 || (!packed && rhs.getRank() != 3) || !op.getEpilogue().empty() ||
        isOfBytes(format) || format == RowFormat::Pairs)
      return op.emitOpError(
                 "expects integers [rows] as experts, rows, a matrix for each expert, and no epilogue, got ")
             << type << ", " << lhs << ", " << rhs << " and " << out;
  }
  if (!hasKnownFormat(op))
    return op.emitOpError("expects one element type, or packed weights of i8, bf16, 4 bits or groups for "
                          "f32, or quads of i8 "
                          "or 4 bits for bytes, or pairs of bf16 for bf16, got ")
           << lhs << ", " << rhs << " and " << out;
  int64_t panel = panelColumnsOf(op, sizes);
  bool canBeNarrow =
      formatOf(op) == RowFormat::Numbers && element.getIntOrFloatBitWidth() >= 32 && !op.getExperts();
  if (panel != sizes.columns && !(canBeNarrow && panel > 0 && sizes.columns % panel == 0))
    return op.emitOpError("expects packed panels of ") << sizes.columns << " columns, got " << rhs;
  if (sizes.rows <= 0 || sizes.columns <= 0 || panel % subPanelColumns != 0)
    return op.emitOpError("expects a schedule of rows and of columns that are a multiple of ")
           << subPanelColumns << ", got " << sizes.rows << " and " << sizes.columns;
  if (!op.getEpilogue().empty() &&
      op.getEpilogue().front().getTerminator()->getOperandTypes() != ArrayRef<Type>(element))
    return op.emitOpError("expects an epilogue that yields ") << element;
  return success();
}

LogicalResult weft::cpu::emitGemm(Emitter &emitter, GemmTileOp op, Index tile, TileSizes sizes,
                                  Pieces pieces) {
  Type element = cast<MemRefType>(op.getOut().getType()).getElementType();
  int64_t columns = registerTileOf(op, sizes, emitter).vectors *
                    (element.isIntOrFloat() ? emitter.lanes(emitter.computed(element)) : 1);
  if (failed(checkGemm(op, sizes, columns)))
    return failure();
  FailureOr<Buffer> lhs = op.getRowDims() ? emitter.buffer(op.getLhs()) : emitter.rowMajor(op.getLhs()),
                    rhs = emitter.rowMajor(op.getRhs()), out = emitter.rowMajor(op.getOut());
  if (failed(lhs) || failed(rhs) || failed(out))
    return failure();
  FailureOr<SmallVector<Buffer>> captures = emitter.allRowMajor(op.getCaptures());
  if (failed(captures))
    return failure();
  std::optional<Buffer> experts;
  if (Value given = op.getExperts()) {
    FailureOr<Buffer> buffer = emitter.rowMajor(given);
    if (failed(buffer))
      return failure();
    experts = *buffer;
  }
  return GemmEmitter(emitter, op, sizes, *lhs, *rhs, *out, experts, *captures).emit(tile, pieces);
}
