// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tile of a matrix product is written with. Gemm.cpp walks blocks of the result and of the depth; the
// files here bring rows, sum their products and end with the epilogue.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_GEMM_GEMMEMITTER_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_GEMM_GEMMEMITTER_H

#include "compiler/Target/CPU/Emit/AMXTiles.h"
#include "compiler/Target/CPU/Emit/DepthLoop.h"
#include "compiler/Target/CPU/Emit/Kernels.h"
#include "compiler/Target/CPU/Emit/Product.h"

namespace weft::cpu {

/// A part of the result: rows from `row`, and `width` columns from `column`.
struct Area {
  Index row, rows, column, width;
};

/// What a depth block multiplies: rows of the result's, from its first column on.
struct LhsRows {
  Buffer buffer;
  Index start, pitch, first;   ///< the first row starts at `start`
  bool areWhereTheyLie = true; ///< and not copies, one after another
  /// Of windows: rows by several dims, the first of all at the buffer's offset.
  llvm::SmallVector<Index> sizes{}, pitches{};

  Index at(Index row) const {
    return sizes.empty() ? start + (row - first) * pitch : placeOf(buffer, positionOf(row, sizes), pitches);
  }
};

/// And with what: rows of one panel, or of a matrix.
struct RhsRows {
  Buffer buffer;
  Index start, pitch;
  RowFormat format;
  bool isPanel;         ///< padded with zeros up to a panel's columns
  bool comesFromMemory; ///< and has to be asked for in time
  WeightGroupsAttr groups{};
  std::optional<Index> panelPitch{}; ///< from one panel of a tile to the next, if it has several

  /// How many rows the depth up to this one takes.
  Index count(Index of) const;
};

/// How far ahead, of a panel that is read once, rows are asked for. On a Zen 5 core 1 row of lhs then takes
/// 10 to 22 % less time than if the next panel were asked for, on a Xeon of 2023 1 to 5 %, and 96 rows are no
/// better.
constexpr int64_t kRowsOfStreamAhead = 64;

/// A part of the summed dim. A null `isFirst` or `isLast` means that there is only this one.
struct DepthBlock {
  Index start, size;
  mlir::Value isFirst, isLast;
  LhsRows lhs;
  RhsRows rhs;
  std::optional<RhsRows> unpackedFrom{}; ///< where rhs is stored, if it is unpacked and more is behind it

  /// What lies where memory brings it from.
  const RhsRows &stored() const { return unpackedFrom ? *unpackedFrom : rhs; }
};

/// Writes one tile of the result.
class GemmEmitter {
public:
  GemmEmitter(Emitter &emitter, GemmTileOp op, TileSizes sizes, const Buffer &lhs, const Buffer &rhs,
              const Buffer &out, const std::optional<Buffer> &experts, llvm::ArrayRef<Buffer> captures);

  mlir::LogicalResult emit(Index tileNumber, Pieces pieces);

private:
  int64_t subPanelColumns() const { return tile.vectors * lanes; }
  /// Whether a tile is of several panels.
  bool hasNarrowPanels() const { return panelColumns < sizes.columns; }
  bool usesAMX() const { return e.hasAMX && (isOfBytes(format) || format == RowFormat::Pairs); }
  /// Whether tiles of AMX multiply rows that lie so.
  bool isForTiles(RowFormat rows) const { return tileSums && elementsPerColumn(rows) > 1; }

  // Gemm.cpp: which part of the result, and block by block.
  /// Where the rows of a depth block lie, once code has brought them there.
  using BringRows = llvm::function_ref<DepthBlock(Index start, Index size)>;
  void decodeBatch(Index batch);
  int64_t rowUnit() const;
  std::pair<Index, Index> rowsOfBlock(Index block) const;
  Index firstRowOfPiece(Index rows, mlir::Value piece) const;
  bool isSummedAtOnce(Index depthBlock) const;
  size_t rowDims() { return op.getRowDims().value_or(0); }
  void emitRows(const Area &block);
  void emitBlock(const Area &block, Index depthBlock, BringRows bringRows);
  void emitPieces(const Area &block, Index depthBlock, BringRows bringRows);
  void emitDepthBlock(const Area &block, const DepthBlock &part);
  void emitRowGroups(const Area &subPanel, const DepthBlock &part);
  void emitEpilogueIfDone(const Area &area, const DepthBlock &part);

  // Routed.cpp: rows that are routed to one of several matrices.
  mlir::LogicalResult emitRouted(Index tileNumber);
  Index listRows(Index start, Index end, Index matrix, Index matrixCount, Index tileNumber);
  /// The number that a row of an Area has in lhs and out.
  Index rowNumber(Index row);

  // Rows.cpp: what is multiplied, where it is stored and unpacked.
  /// Whether numbers that are converted before they are multiplied can be converted once for all rows.
  bool canUnpack();
  int64_t unpackedDepth() const;
  RowFormat unpackedFormat() const {
    if (!isOfBytes(format))
      return RowFormat::Numbers;
    return e.multipliesQuads() ? RowFormat::Quads : RowFormat::Shorts;
  }
  LhsRows storedLhs(Index row, Index start);
  RhsRows storedRhs(Index start);
  void unpackBytes(const Buffer &from, Index at, const Buffer &to, Index place);
  LhsRows unpackLhs(const Area &block, Index start, Index size, const Buffer &memory);
  RhsRows unpackRhs(Index start, Index size, const Buffer &memory);
  /// How many elements lie in memory for each row of rhs.
  Index storedPerRow(const DepthBlock &part);
  Index startOf(const LhsRows &rows, Index row) {
    return rows.at(rows.areWhereTheyLie ? rowNumber(row) : row);
  }
  /// How much of the depth is summed at a time.
  Index depthBlockFor(Index rows, bool areUnpacked);
  /// Room for what is unpacked, which code in a loop must not ask for anew.
  void allocateUnpacked();
  /// Register tiles that read whole panels, for the fewest rows first.
  llvm::SmallVector<RegisterTile> tilesForFewRows();
  void emitStored(const Area &block);
  void emitUnpacked(const Area &block);

  // Sums.cpp: register tiles of sums.
  void emitGroups(const Area &subPanel, const DepthBlock &part);
  llvm::SmallVector<int64_t> possibleGroupSizes(bool areForTiles);
  void emitGroupSums(const Area &group, const DepthBlock &part);
  mlir::Value isWholeSubPanel(const Area &group);
  Index nextOfNarrowPanels(Index column, const DepthBlock &part);
  Index placeInPanels(const RhsRows &rows, Index column);
  void emitRegisterTile(const Area &group, int64_t rows, int64_t vectors, mlir::Value mask,
                        const DepthBlock &part);
  Emitter::Values initialSums(llvm::ArrayRef<Index> rowStarts, int64_t vectors, mlir::Value mask,
                              const DepthBlock &part);
  mlir::Value multiplyAdd(RowFormat rows, const Buffer &from, Index at, mlir::Value weights, mlir::Value sum);
  /// Where sums wait for the rest of the depth and for the epilogue.
  const Buffer &sums() const { return ownSums ? *ownSums : out; }
  Index sumsPitch() { return ownSums ? e.index(sizes.columns) : out.strides[out.rank() - 2]; }
  Index sumsAt(Index row, Index column);
  Index outAt(Index row, Index column);
  mlir::Value loadSums(Index at, mlir::Value mask);
  void storeSums(mlir::Value sums, Index at, mlir::Value mask);

  // Tiles.cpp: sums by AMX.
  void allocateTiles();
  /// Rows that vectors multiply as fast as memory brings a panel.
  int64_t mostRowsOfVectors() const;
  void emitTiles(const Area &subPanel, const DepthBlock &part);
  AMXTiles tilesOf(const Buffer &rows, Index start, Index pitch, const DepthBlock &part, Index column,
                   Index at, Index size);
  void emitTileSums(const Area &rows, const DepthBlock &part);
  void emitTileSumsAside(const Area &rows, const DepthBlock &part);

  // Epilogue.cpp
  void emitEpilogue(const Area &group);
  void emitEpilogueColumns(Index row, Index column, mlir::Value mask);
  void emitEpilogueVectors(Index row, Index column, int64_t vectors);
  mlir::Value loadArgument(unsigned which, Index row, Index column, mlir::Value mask);

  Emitter &e;
  GemmTileOp op;
  TileSizes sizes;
  Buffer lhs, rhs, out;
  std::optional<Buffer> experts; ///< the matrix that each row is routed to
  std::optional<Buffer> routed;  ///< numbers of the rows that are routed to the tile's: an Area's rows
  llvm::SmallVector<Buffer> captures;
  RowFormat format;
  RegisterTile tile;
  int64_t panelColumns;   ///< of rhs; as many as the tile's, or a part of them
  bool isStream = false;  ///< whether a register tile reads all of a panel, once
  int64_t leastGroup = 1; ///< of rows that are computed in one register tile
  mlir::Type number;      ///< of the sums
  int64_t lanes;
  std::optional<Buffer> ownSums; ///< [sizes.rows, sizes.columns], where they do not wait in out
  Index rowCount, columnCount, depth;
  llvm::SmallVector<Index> batchIndices; ///< one for each batch dim of out
  Index blockRows{e, {}};                ///< of the whole tile, where pieces of it are computed
  Index firstRow{e, {}};                 ///< of those that are computed
  Index panel{e, {}}, lhsStart{e, {}}, rhsStart{e, {}}, outStart{e, {}};
  Index ahead{e, {}};     ///< from where on registers' tiles fetch what memory has to bring next
  Index aheadStep{e, {}}; ///< and how far they get with each row; or by how many lines, of AMX
  std::optional<Buffer> unpackedLhs, unpackedRhs; ///< a depth block, once it is asked for
  std::optional<Buffer> tileSums, tileRows; ///< of 32 rows, if there is AMX: sums, and a part of each row
  bool failedEpilogue = false;
};

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_GEMM_GEMMEMITTER_H
