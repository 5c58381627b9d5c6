// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tile of attention is written with. Attention.cpp walks the keys, Attention/Scores.cpp makes scores
// of products, Attention/Probabilities.cpp exponentials of scores.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_ATTENTION_ATTENTIONEMITTER_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_ATTENTION_ATTENTIONEMITTER_H

#include "compiler/Target/CPU/Emit/Kernels.h"
#include "compiler/Target/CPU/Emit/ScoreVerdict.h"
#include "mlir/IR/OwningOpRef.h"

namespace weft::cpu {

struct AttentionBuffers {
  Buffer query, key, value, out;
  std::optional<Buffer> panels, blocks, sink, weights, statistics;
  /// Where keys lie in panels, if they come so.
  const Buffer &panelsOfKeys() const { return panels ? *panels : key; }
  llvm::SmallVector<Buffer> captures;
  llvm::SmallVector<Buffer> maps; ///< of the captures that are mapped
};

/// What a row's sums are multiplied by: 1 / sum of its exponentials, or nothing where the result is 0.
struct RowFactor {
  mlir::Value isZero, factor;
  /// A vector of the row.
  mlir::Value apply(Emitter &e, mlir::Value numbers) const;
};
RowFactor rowFactor(Emitter &e, EmptyRows emptyRows, mlir::Value sum, mlir::Value hasNoKeys);

/// What is known of a capture of scores [batch, head, query, key] where batch and head are given, or any head
/// if that is null: it is one number if it has no other dims.
Interval knownCapture(Emitter &e, const Buffer &capture, mlir::Type argument, Index batch,
                      std::optional<Index> head);

/// Keys that are next to each other among those of a query head: `count` from `start` on.
struct KeyRange {
  Index start, count;
};

/// Where a panel is made: of `rows` rows (of which it takes what it can) that are `depth` long and `pitch`
/// apart, from `from` on.
struct PanelPlace {
  Index from, rows, depth, pitch, to;
};
void emitPanelOf(Emitter &e, const Buffer &in, const Buffer &out, int64_t panelWidth,
                 const PanelPlace &place);

class AttentionEmitter {
public:
  AttentionEmitter(Emitter &emitter, AttentionTileOp op, TileSizes sizes, AttentionBuffers &buffers);
  mlir::LogicalResult emit(Index tile);

private:
  // The walk.
  Buffer scratch(int64_t elements) { return e.scratch(number, elements); }
  void decodeTile(Index tile);
  void emitQueryCopy();
  void emitStart();
  std::pair<mlir::Value, mlir::Value> emitSink(Index row);
  void emitWalk();
  void emitBlock(KeyRange block);
  void emitPanels(KeyRange block);
  void emitPanelProducts(KeyRange panel, Index column);
  void emitFewProducts(KeyRange panel, Index column);
  void emitSums(KeyRange block);
  void emitSums(KeyRange keys, Index column);
  Index rowOf(KeyRange keys);
  std::pair<const Buffer *, Index> emitPanel(KeyRange panel);
  void emitResult(Index row);
  void emitStatistics(Index row, mlir::Value sum);

  // Verdicts.
  void prepareVerdicts();
  llvm::SmallVector<Interval> knownArguments();
  Interval numberOfCapture(const Buffer &map, mlir::Type argument, KeyRange panel);
  llvm::SmallVector<Interval> argumentsOf(KeyRange panel);
  TileVerdict verdictOf(KeyRange panel);
  mlir::Value emitIsFull(KeyRange panel);
  std::pair<Index, Index> emitBounds();
  mlir::Value emitIsNeeded(KeyRange panel);

  // Scores.
  mlir::Value productFactor();
  mlir::Value emitAreProductsScores(KeyRange panel, mlir::Value isFull);
  void emitProductMaxima(Index row, llvm::ArrayRef<Emitter::Values> vectors);
  void emitScores(KeyRange panel, Index column, mlir::Value isFull, bool areFinalLeftOut);
  void emitScores(mlir::Region &region, KeyRange panel, Index column, bool isWhole);
  mlir::Value emitScore(mlir::Region &region, mlir::Value raw, Index row, Index key, mlir::Value mask);
  bool isScoreKept();

  // Probabilities.
  void emitMaxima(Index row);
  void emitScales(Index firstRow);
  void emitExponentials(Index row, KeyRange block);
  mlir::Value baseOf(mlir::Value maximum);
  mlir::Value exponentialOf(mlir::Value score, mlir::Value base, bool isSummed = true);
  void emitWeights(Index row, const RowFactor &factor);

  void overRows(llvm::function_ref<void(Index row)> body) { e.loop(e.index(0), rows, e.index(1), body); }
  mlir::Value least() { return e.number(number, -std::numeric_limits<double>::infinity()); }
  /// The greater one of each lane. A NaN may get lost; the sum of exponentials finds it.
  mlir::Value greater(mlir::Value left, mlir::Value right);
  Index scoreAt(Index row, Index column) { return row * scorePitch + column; }
  Index queryOf(Index row) { return groupSize.is(1) ? firstRow + row : (firstRow + row) % length; }
  Index headOf(Index row) {
    return groupSize.is(1) ? keyHead : keyHead * groupSize + (firstRow + row) / length;
  }

  Emitter &e;
  AttentionTileOp op;
  TileSizes sizes;
  AttentionBuffers &buffers;
  mlir::Type number;
  int64_t lanes, scorePitch;
  double scale;
  Index heads, length, depth, keyHeads, keys, width; ///< H, L, d, G, S, e
  Index queryPitch, keyPitch, valuePitch, outPitch;  ///< between rows
  int64_t panelWidth;                                ///< room for keys in a panel
  int64_t panelKeys;      ///< keys of a panel: where they come in blocks, of one of these
  Index groupSize;        ///< H / G; 1 where each query head has its own keys
  Index rowCount;         ///< rows of queries that share a key head
  Index part{e.index(0)}; ///< of the keys
  Index batch{e, {}}, keyHead{e, {}}, firstRow{e, {}}, rows{e, {}}; ///< keyHead: the query head, with blocks
  Index firstKey{e.index(0)}, endKey;                               ///< of this part of the keys
  Index outRow{e, {}};                                              ///< the tile's first row among all of out
  Index queryStart{e, {}}, keyStart{e, {}}, panelStart{e, {}}, valueStart{e, {}}, outStart{e, {}};
  std::optional<Buffer> queryCopy;           ///< of queries that do not lie side by side
  std::optional<Buffer> panel;               ///< of keys that do not come in panels
  std::optional<Buffer> quads;               ///< of a block's values, where that fills vectors better
  llvm::SmallVector<Interval> known;         ///< of the score region's arguments, whatever the panel
  mlir::OwningOpRef<AttentionTileOp> opened; ///< with the region of a full tile, if there is such a thing
  bool canBeEmpty = false, canBeConstant = false; ///< what verdicts may say
  bool hasPlaceMasks = false;                     ///< masks of nothing but where a score is
  Buffer scores;                                  ///< rows x columns of a block, then exp(score - base)
  Buffer blockMaxima, sums;                       ///< a vector for each row: what its lanes have seen
  Buffer maxima, bases, scales;                   ///< a number for each row; emitScales says what
  bool failedRegion = false;
};

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_ATTENTION_ATTENTIONEMITTER_H
